import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
import urllib3

from shared.adapters.http_pool import IDLE_S
from shared.adapters.memory import FixedClock
from shared.adapters.mortal_connections import expect_deaths
from tests.support.dying_network import DEATHS, Death, DyingProxy, dying_network


class Server(ThreadingHTTPServer):
    """Answers `ok`; two requests for `/together` at the same time only."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.together = threading.Barrier(2)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def do_GET(self) -> None:
        if self.path == "/together":
            self.server.together.wait(30)
        self.send_response(200)
        self.send_header("content-length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, *_: object) -> None:
        return


@pytest.fixture
def network() -> Iterator[DyingProxy]:
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        with dying_network(server.server_port) as network:
            yield network
        server.shutdown()
        thread.join()


@pytest.fixture
def manager(clock: FixedClock) -> Iterator[urllib3.PoolManager]:
    manager = urllib3.PoolManager(maxsize=4, retries=False, timeout=urllib3.Timeout(connect=2.0, read=0.5))
    expect_deaths(manager, clock=clock)
    yield manager
    manager.clear()


def get(manager: urllib3.PoolManager, network: DyingProxy, path: str = "/") -> bytes:
    return manager.request("GET", f"http://127.0.0.1:{network.port}{path}").data


def get_together(manager: urllib3.PoolManager, network: DyingProxy) -> list[bytes]:
    """Use two connections, and leave them idle."""
    with ThreadPoolExecutor(2) as threads:
        return list(threads.map(lambda _: get(manager, network, "/together"), range(2)))


def test_requests_share_a_connection_within_the_time_that_it_may_be_idle(
    manager: urllib3.PoolManager, network: DyingProxy, clock: FixedClock
) -> None:
    for _ in range(3):
        assert get(manager, network) == b"ok"
        clock.move(IDLE_S - 1)

    assert network.connections == 1


@pytest.mark.parametrize("death", DEATHS)
def test_connections_that_died_while_they_were_idle_cost_no_request(
    manager: urllib3.PoolManager, network: DyingProxy, clock: FixedClock, death: Death
) -> None:
    get_together(manager, network)
    assert network.kill(death) == 2
    clock.move(IDLE_S)

    assert get_together(manager, network) == [b"ok", b"ok"]


@pytest.mark.parametrize("death", DEATHS)
def test_connections_that_died_together_cost_one_request_together(
    manager: urllib3.PoolManager, network: DyingProxy, death: Death
) -> None:
    get_together(manager, network)
    network.kill(death)

    with pytest.raises(urllib3.exceptions.HTTPError, match=r"timed out|aborted"):
        get(manager, network)

    assert get_together(manager, network) == [b"ok", b"ok"]


def test_a_new_connection_without_an_answer_ends_no_other(manager: urllib3.PoolManager, network: DyingProxy) -> None:
    held = manager.request("GET", f"http://127.0.0.1:{network.port}/", preload_content=False)
    network.accepts_silently = True
    with pytest.raises(urllib3.exceptions.ReadTimeoutError, match="timed out"):
        get(manager, network)
    network.accepts_silently = False
    assert held.read() == b"ok"
    held.release_conn()

    assert get(manager, network) == b"ok"
    assert network.connections == 2
