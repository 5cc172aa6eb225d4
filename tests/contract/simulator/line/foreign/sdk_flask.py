"""The echo bot of line-bot-sdk-python's README, on Flask.  Source: github.com/line/line-bot-sdk-python, README.rst, "Synopsis"."""

import os
import sys

from flask import Flask, abort, request
from linebot.v3 import WebhookHandler
from linebot.v3.exceptions import InvalidSignatureError
from linebot.v3.messaging import ApiClient, Configuration, MessagingApi, ReplyMessageRequest, TextMessage
from linebot.v3.webhooks import MessageEvent, TextMessageContent

app = Flask(__name__)
configuration = Configuration(access_token=os.environ["LINE_CHANNEL_ACCESS_TOKEN"])
handler = WebhookHandler(os.environ["LINE_CHANNEL_SECRET"])


@app.route("/callback", methods=["POST"])
def callback():
    try:
        handler.handle(request.get_data(as_text=True), request.headers["X-Line-Signature"])
    except InvalidSignatureError:
        abort(400)
    return "OK"


@handler.add(MessageEvent, message=TextMessageContent)
def handle_message(event):
    with ApiClient(configuration) as api_client:
        answer = [TextMessage(text=event.message.text)]
        MessagingApi(api_client).reply_message(ReplyMessageRequest(reply_token=event.reply_token, messages=answer))


app.run(port=int(sys.argv[1]))
