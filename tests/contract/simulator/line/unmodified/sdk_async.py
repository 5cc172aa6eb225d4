"""An echo bot with the asynchronous client of LINE's Python SDK."""

import asyncio
import os
import sys
from typing import Any

from linebot.v3.messaging import AsyncApiClient, AsyncMessagingApi, Configuration, ReplyMessageRequest, TextMessage
from serving import serve

CONFIGURATION = Configuration(access_token=os.environ["LINE_CHANNEL_ACCESS_TOKEN"])  # noqa: TID251 - a process of its own


async def reply(event: dict[str, Any]) -> None:
    async with AsyncApiClient(CONFIGURATION) as client:
        messages = [TextMessage(text=event["message"]["text"])]
        await AsyncMessagingApi(client).reply_message(
            ReplyMessageRequest(replyToken=event["replyToken"], messages=messages)
        )


def handle(event: dict[str, Any]) -> None:
    asyncio.run(reply(event))


serve(int(sys.argv[1]), handle)
