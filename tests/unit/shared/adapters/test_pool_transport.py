import gzip
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import ModuleType
from typing import TypeAlias

import httpx
import httpx2
import pytest

from shared.adapters.pool_transport import PoolTransport

Client: TypeAlias = httpx.Client | httpx2.Client


class Server(ThreadingHTTPServer):
    """Answers with method, path and body, compressed; `/late` is answered when the test is over."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.connections = 0
        self.is_over = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def setup(self) -> None:
        super().setup()
        self.server.connections += 1

    def do_GET(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"] or 0))
        if self.path == "/late":
            self.server.is_over.wait(30)
        answer = gzip.compress(b"%s %s %s" % (self.command.encode(), self.path.encode(), body))
        self.send_response(404 if self.path == "/missing" else 200)
        self.send_header("content-encoding", "gzip")
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def do_POST(self) -> None:
        self.do_GET()

    def log_message(self, *_: object) -> None:
        return


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield server
    server.is_over.set()
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture(params=[httpx, httpx2], ids=["httpx", "httpx2"])
def module(request: pytest.FixtureRequest) -> ModuleType:
    module: ModuleType = request.param
    return module


@pytest.fixture
def client(module: ModuleType) -> Iterator[Client]:
    with module.Client(transport=PoolTransport(module, connect_s=2.0), timeout=5.0) as client:
        yield client


def test_requests_of_every_kind_share_a_connection(server: Server, client: Client) -> None:
    asked = client.get(f"{server.url}/a?b=%20c")
    posted = client.post(f"{server.url}/d", json={"e": 1})
    streamed = client.post(f"{server.url}/f", content=iter([b"g", b"h"]), headers={"content-length": "2"})

    assert (asked.text, posted.text, streamed.text) == ("GET /a?b=%20c ", 'POST /d {"e":1}', "POST /f gh")
    assert server.connections == 1


def test_another_status_is_an_answer(server: Server, client: Client) -> None:
    assert client.get(f"{server.url}/missing").status_code == 404


def test_a_late_answer_is_a_read_timeout_within_the_time_of_its_request(
    server: Server, client: Client, module: ModuleType
) -> None:
    with pytest.raises(module.ReadTimeout):
        client.get(f"{server.url}/late", timeout=0.05)


def test_a_host_that_refuses_connections_has_received_nothing(client: Client, module: ModuleType) -> None:
    with socket.socket() as bound:  # nobody listens
        bound.bind(("127.0.0.1", 0))

        with pytest.raises(module.ConnectError):
            client.get(f"http://127.0.0.1:{bound.getsockname()[1]}/a")


def test_a_body_without_a_length_is_sent_whole(server: Server, client: Client) -> None:
    assert client.post(f"{server.url}/a", content=iter([b"b", b"c"])).text == "POST /a bc"
