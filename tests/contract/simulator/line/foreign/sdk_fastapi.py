"""The asynchronous echo bot of LINE's Python SDK, on FastAPI.  Source: github.com/line/line-bot-sdk-python, examples/fastapi-echo."""

import os
import sys

import uvicorn
from fastapi import FastAPI, Request
from linebot.v3.messaging import AsyncApiClient, AsyncMessagingApi, Configuration, ReplyMessageRequest, TextMessage
from linebot.v3.webhook import WebhookParser
from linebot.v3.webhooks import MessageEvent

app = FastAPI()
parser = WebhookParser(os.environ["LINE_CHANNEL_SECRET"])


@app.on_event("startup")
async def connect():
    configuration = Configuration(access_token=os.environ["LINE_CHANNEL_ACCESS_TOKEN"])
    app.state.line = AsyncMessagingApi(AsyncApiClient(configuration))


@app.post("/callback")
async def callback(request: Request):
    body = (await request.body()).decode()
    for event in parser.parse(body, request.headers["X-Line-Signature"]):
        if isinstance(event, MessageEvent):
            answer = [TextMessage(text=event.message.text)]
            await app.state.line.reply_message(ReplyMessageRequest(reply_token=event.reply_token, messages=answer))
    return "OK"


uvicorn.run(app, port=int(sys.argv[1]))
