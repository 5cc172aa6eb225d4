import base64
import http.server
import os
import threading
from collections.abc import Iterator

import pytest

from benchmarks import wire
from benchmarks.load import drive, is_complete, rounds_of


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers 200 in two writes, on a kept connection; keeps the posted bodies."""

    protocol_version = "HTTP/1.1"
    timeout = 10
    posted: list[bytes]
    status = 200

    def do_POST(self) -> None:
        self.posted.append(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(self.status)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"OK")

    def log_message(self, *_: object) -> None:
        return


@pytest.fixture
def server() -> Iterator[http.server.ThreadingHTTPServer]:
    Handler.posted, Handler.status = [], 200
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as serving:
        serving.daemon_threads = False  # so that the end of the server waits until every connection is closed
        thread = threading.Thread(target=serving.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield serving
        serving.shutdown()
        thread.join()


@pytest.mark.parametrize(("connections", "requests"), [(1, 5), (4, 4), (4, 10), (4, 2)])
def test_the_requested_number_of_requests_is_timed(
    server: http.server.ThreadingHTTPServer, connections: int, requests: int
) -> None:
    request = wire.raw_request(b"hello", {})

    latencies_ms = drive(port=server.server_port, request=request, connections=connections, requests=requests)

    assert len(latencies_ms) == requests
    assert min(latencies_ms) > 0
    assert Handler.posted == [b"hello"] * (connections + requests)


def test_an_error_status_ends_the_measurement(server: http.server.ThreadingHTTPServer) -> None:
    Handler.status = 503

    with pytest.raises(ConnectionError, match="503"):
        drive(port=server.server_port, request=wire.raw_request(b"", {}), connections=1, requests=1)


@pytest.mark.parametrize(
    ("received", "whole"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Le", False),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nO", False),
        (b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nOK", True),
        (b"HTTP/1.1 204 No Content\r\n\r\n", True),
    ],
)
def test_an_answer_is_complete_with_its_last_byte(received: bytes, *, whole: bool) -> None:
    assert is_complete(received) is whole


def test_targets_take_turns_and_each_has_its_figures(server: http.server.ThreadingHTTPServer) -> None:
    def target(body: bytes) -> dict[str, object]:
        request = base64.b64encode(wire.raw_request(body, {})).decode()
        return {"port": server.server_port, "pid": os.getpid(), "request": request}

    plan = {"targets": {"a": target(b"a"), "b": target(b"b")}, "rounds": 2, "connections": 1, "requests": 2}

    rounds = rounds_of(plan)

    assert Handler.posted == [b"a"] * 3 + [b"b"] * 6 + [b"a"] * 3
    assert [[len(blocks[name]["latencies_ms"]) for name in "ab"] for blocks in rounds] == [[2, 2], [2, 2]]
