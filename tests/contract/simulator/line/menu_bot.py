"""A bot with buttons, of the standard library only: menu_bot.py PORT.  It answers `menu` with a template, and presses with texts."""

import json
import os
import sys
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

API, TOKEN = os.environ["LINE_API"], os.environ["LINE_CHANNEL_ACCESS_TOKEN"]  # noqa: TID251 - a process of its own
MENU = {
    "type": "template",
    "altText": "menu",
    "template": {
        "type": "buttons",
        "text": "well?",
        "actions": [
            {"type": "postback", "label": "Show", "data": "show=1"},
            {"type": "message", "label": "Say", "text": "said"},
            {"type": "datetimepicker", "label": "When", "data": "when", "mode": "date"},
            {"type": "uri", "label": "Open", "uri": "https://example.com"},
        ],
    },
}


def answer_to(event: dict[str, Any]) -> dict[str, Any] | None:
    match event:
        case {"type": "message", "message": {"type": "text", "text": "menu"}}:
            return MENU
        case {"type": "message", "message": {"type": "text", "text": str(text)}}:
            return {"type": "text", "text": f"you said {text}"}
        case {"type": "postback", "postback": {"data": "when", "params": {"date": str(date)}}}:
            return {"type": "text", "text": f"on {date}"}
        case {"type": "postback", "postback": {"data": str(pressed)}}:
            return {"type": "text", "text": f"pressed {pressed}"}
    return None


class Webhook(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        for event in json.loads(self.rfile.read(int(self.headers["Content-Length"])))["events"]:
            message = answer_to(event)
            if message is not None:
                body = {"replyToken": event["replyToken"], "messages": [message]}
                headers = {"Content-Type": "application/json", "Authorization": f"Bearer {TOKEN}"}
                url = f"{API}/v2/bot/message/reply"
                with urllib.request.urlopen(urllib.request.Request(url, json.dumps(body).encode(), headers)):  # noqa: S310
                    pass
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Webhook).serve_forever()
