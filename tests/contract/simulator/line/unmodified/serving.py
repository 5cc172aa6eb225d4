"""A webhook of the standard library for the unmodified bots: it hands every event over, and answers 200."""

import json
import sys
import traceback
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


def serve(port: int, handle: Callable[[dict[str, Any]], None]) -> None:
    class Webhook(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            try:
                for event in json.loads(body)["events"]:
                    handle(event)
            except Exception:  # noqa: BLE001 - told by the status and on stderr
                traceback.print_exc(file=sys.stderr)
                self.send_error(500)
                return
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    ThreadingHTTPServer(("127.0.0.1", port), Webhook).serve_forever()
