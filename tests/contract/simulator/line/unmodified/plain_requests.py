"""An echo bot with `requests`; to `leave`, `wrong host` and `local PORT` it tells what became of a call elsewhere."""

import os
import sys
import urllib.request
from typing import Any

import requests
from serving import serve

HEADERS = {"Authorization": f"Bearer {os.environ['LINE_CHANNEL_ACCESS_TOKEN']}"}  # noqa: TID251 - a process of its own
LINE = "https://api.line.me/v2/bot"


def answer_to(text: str) -> str:
    match text.split():
        case ["leave", url]:
            try:
                return str(requests.get(url, timeout=5).status_code)
            except requests.RequestException as error:
                return type(error).__name__
        case ["wrong", "host"]:
            return str(requests.get("https://api-data.line.me/v2/bot/info", headers=HEADERS, timeout=5).status_code)
        case ["standard", "library"]:
            request = urllib.request.Request(f"{LINE}/info", headers=HEADERS)  # noqa: S310 - LINE's address
            with urllib.request.urlopen(request, timeout=5) as told:  # noqa: S310 - likewise
                return str(told.status)
    return text


def handle(event: dict[str, Any]) -> None:
    messages = [{"type": "text", "text": answer_to(event["message"]["text"])}]
    body = {"replyToken": event["replyToken"], "messages": messages}
    requests.post(f"{LINE}/message/reply", json=body, headers=HEADERS, timeout=5).raise_for_status()


serve(int(sys.argv[1]), handle)
