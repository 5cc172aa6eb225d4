"""A metadata server of Google's, on a free port."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class MetadataServer(ThreadingHTTPServer):
    """Gives `token 1`, `token 2` and so on, each for an hour, or `answer` in their place; with the next of `statuses`, then with `status`.

    `asked` are the path and the `metadata-flavor` of each request.
    """

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.asked: list[tuple[str, str | None]] = []
        self.answer: bytes | None = None
        self.statuses: list[int] = []
        self.status = 200


class _Handler(BaseHTTPRequestHandler):
    server: MetadataServer

    def do_GET(self) -> None:
        server = self.server
        server.asked.append((self.path, self.headers["metadata-flavor"]))
        token = {"access_token": f"token {len(server.asked)}", "expires_in": 3_600, "token_type": "Bearer"}
        self.send_response(server.statuses.pop(0) if server.statuses else server.status)
        self.end_headers()
        self.wfile.write(json.dumps(token).encode() if server.answer is None else server.answer)

    def log_message(self, *_: object) -> None:
        return


@contextmanager
def running_metadata_server() -> Iterator[MetadataServer]:
    """Serve inside the block."""
    with MetadataServer() as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.01,))
        thread.start()
        yield running
        running.shutdown()
        thread.join()
