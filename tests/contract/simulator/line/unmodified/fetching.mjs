// An echo bot with Node's own fetch; to `leave URL` and `wrong host` it tells what became of a call elsewhere.
import { createServer } from "node:http";

const headers = { Authorization: `Bearer ${process.env.LINE_CHANNEL_ACCESS_TOKEN}` };
const line = "https://api.line.me/v2/bot";

async function answerTo(text) {
  const [verb, url] = text.split(" ");
  try {
    if (verb === "leave") return String((await fetch(url)).status);
    if (verb === "wrong") return String((await fetch("https://api-data.line.me/v2/bot/info", { headers })).status);
    if (verb === "standard") return String((await fetch(`${line}/info`, { headers })).status);
  } catch (error) {
    return error.cause?.code ?? error.cause?.message ?? error.message;
  }
  return text;
}

createServer(async (request, response) => {
  const { events } = JSON.parse(Buffer.concat(await request.toArray()));
  for (const event of events) {
    const messages = [{ type: "text", text: await answerTo(event.message.text) }];
    const body = JSON.stringify({ replyToken: event.replyToken, messages });
    const sent = await fetch(`${line}/message/reply`, { method: "POST", headers: { ...headers, "Content-Type": "application/json" }, body });
    if (!sent.ok) console.error(await sent.text());
  }
  response.writeHead(200).end();
}).listen(Number(process.argv[2]), "127.0.0.1");
