"""A bot that repeats what people say, with nothing but LINE's Python SDK and the standard library.

    LINE_API=http://127.0.0.1:8080 python echo_bot.py 8000

Without LINE_API it talks to LINE itself. The secret and the token come from LINE_CHANNEL_SECRET and LINE_CHANNEL_ACCESS_TOKEN.
"""

import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from linebot.v3 import WebhookHandler
from linebot.v3.exceptions import InvalidSignatureError
from linebot.v3.messaging import ApiClient, Configuration, MessagingApi, ReplyMessageRequest, TextMessage
from linebot.v3.webhooks import MessageEvent, TextMessageContent

HOST = os.environ.get("LINE_API", "https://api.line.me")
TOKEN = os.environ.get("LINE_CHANNEL_ACCESS_TOKEN", "local-channel-access-token")
handler = WebhookHandler(os.environ.get("LINE_CHANNEL_SECRET", "local-channel-secret"))


@handler.add(MessageEvent, message=TextMessageContent)
def echo(event: MessageEvent) -> None:
    with ApiClient(Configuration(access_token=TOKEN, host=HOST)) as client:
        answer = TextMessage(text=event.message.text)
        MessagingApi(client).reply_message(ReplyMessageRequest(replyToken=event.reply_token, messages=[answer]))


class Webhook(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        try:
            handler.handle(body, self.headers["X-Line-Signature"])
        except InvalidSignatureError:
            self.send_error(401)
            return
        self.send_response(200)
        self.end_headers()


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Webhook)
    print(f"http://127.0.0.1:{server.server_port}/", flush=True)
    server.serve_forever()
