"""An echo bot with the synchronous client of LINE's Python SDK, which knows only LINE's own hosts."""

import os
import sys
from typing import Any

from linebot.v3.messaging import (
    ApiClient,
    Configuration,
    MessagingApi,
    MessagingApiBlob,
    ReplyMessageRequest,
    TextMessage,
)
from serving import serve

CONFIGURATION = Configuration(access_token=os.environ["LINE_CHANNEL_ACCESS_TOKEN"])  # noqa: TID251 - a process of its own


def handle(event: dict[str, Any]) -> None:
    with ApiClient(CONFIGURATION) as client:
        message = event["message"]
        text = message.get("text") or f"{len(MessagingApiBlob(client).get_message_content(message['id']))} bytes"
        answer = ReplyMessageRequest(replyToken=event["replyToken"], messages=[TextMessage(text=text)])
        MessagingApi(client).reply_message(answer)


serve(int(sys.argv[1]), handle)
