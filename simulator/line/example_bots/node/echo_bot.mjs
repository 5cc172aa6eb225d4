// A bot that repeats what people say, with LINE's SDK for Node.js: node echo_bot.mjs
// Without LINE_API it talks to LINE itself.
import { createServer } from "node:http";
import { messagingApi, validateSignature } from "@line/bot-sdk";

const { LINE_API, LINE_CHANNEL_SECRET, LINE_CHANNEL_ACCESS_TOKEN, PORT = "8000" } = process.env;
const client = new messagingApi.MessagingApiClient({ channelAccessToken: LINE_CHANNEL_ACCESS_TOKEN, baseURL: LINE_API });

async function handle(event) {
  if (event.type !== "message" || event.message.type !== "text") return;
  await client.replyMessage({ replyToken: event.replyToken, messages: [{ type: "text", text: event.message.text }] });
}

createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray());
  const signature = request.headers["x-line-signature"] ?? "";
  if (!validateSignature(body, LINE_CHANNEL_SECRET, signature)) return response.writeHead(401).end();
  await Promise.all(JSON.parse(body).events.map(handle));
  response.writeHead(200).end();
}).listen(Number(PORT), "127.0.0.1");
