// The echo bot of line-bot-sdk-nodejs' documents, on Express.  Source: github.com/line/line-bot-sdk-nodejs, examples/echo-bot-esm.
import { HTTPFetchError, messagingApi, middleware } from "@line/bot-sdk";
import express from "express";

const client = new messagingApi.MessagingApiClient({ channelAccessToken: process.env.CHANNEL_ACCESS_TOKEN });
const app = express();

app.post("/callback", middleware({ channelSecret: process.env.CHANNEL_SECRET }), async (request, response) => {
  try {
    for (const event of request.body.events) {
      if (event.type !== "message" || event.message.type !== "text") continue;
      await client.replyMessage({ replyToken: event.replyToken, messages: [{ type: "text", text: event.message.text }] });
    }
    response.status(200).json({ status: "success" });
  } catch (error) {
    if (error instanceof HTTPFetchError) console.error(error.status, error.body);
    response.status(500).json({ status: "error" });
  }
});

app.listen(Number(process.argv[2]));
