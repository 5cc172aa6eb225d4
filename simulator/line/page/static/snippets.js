// How each of LINE's SDKs is told the address of this stand-in.  Source: the SDKs' own documentation.

/** The settings for each language, with the address of the API and the values of the channel. */
export const snippets = (api, { channel_secret: secret, channel_access_token: token }) => ({
  Python: `from linebot.v3 import WebhookHandler
from linebot.v3.messaging import ApiClient, Configuration, MessagingApi

handler = WebhookHandler("${secret}")
configuration = Configuration(host="${api}", access_token="${token}")
line = MessagingApi(ApiClient(configuration))`,
  "Node.js": `import { LineBotClient, middleware } from "@line/bot-sdk";

app.use("/callback", middleware({ channelSecret: "${secret}" }));
const line = LineBotClient.fromChannelAccessToken({
  channelAccessToken: "${token}",
  apiBaseURL: "${api}",
  dataApiBaseURL: "${api}",
});`,
  Go: `line, err := messaging_api.NewMessagingApiAPI(
	"${token}", messaging_api.WithEndpoint("${api}"))
blob, err := messaging_api.NewMessagingApiBlobAPI(
	"${token}", messaging_api.WithBlobEndpoint("${api}"))

// in the webhook
callback, err := webhook.ParseRequest("${secret}", request)`,
  Java: `MessagingApiClient.builder("${token}")
    .apiEndPoint(URI.create("${api}/")).build();
MessagingApiBlobClient.builder("${token}")
    .apiEndPoint(URI.create("${api}/")).build();

# or in application.properties of Spring Boot
line.bot.channel-secret=${secret}
line.bot.channel-token=${token}
line.bot.api-end-point=${api}/`,
  env: `LINE_API=${api}
LINE_CHANNEL_SECRET=${secret}
LINE_CHANNEL_ACCESS_TOKEN=${token}`,
});
