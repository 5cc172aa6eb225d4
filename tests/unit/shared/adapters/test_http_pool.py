import datetime as dt
import gc
import ssl
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import IncompleteRead
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from shared.adapters.http_pool import FAILURES, IDLE_S, HttpPool, NotConnectedError
from shared.adapters.memory import FixedClock
from tests.support.dying_network import DEATHS, Death, DyingProxy, dying_network


class Server(ThreadingHTTPServer):
    """Answers with what it was asked: `/ends` hangs up afterwards, `/cut` in the midst of an answer, `/late` answers after a while."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.connections = 0
        self.hung_up = threading.Semaphore(0)
        self.together = threading.Barrier(2)
        self.is_over = threading.Event()

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that refuses the certificate is what some tests are about."""

    def shutdown_request(self, request: object) -> None:
        super().shutdown_request(request)  # type: ignore[arg-type]
        self.hung_up.release()


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
        if self.path == "/together":
            self.server.together.wait(30)
        answer = b"%s %s %s" % (self.command.encode(), self.path.encode(), body)
        self.send_response(404 if self.path == "/missing" else 200)
        self.send_header("x-hash", "one")
        self.send_header("x-hash", "two")
        self.send_header("content-length", str(len(answer) + (self.path == "/cut")))
        self.end_headers()
        self.wfile.write(answer)
        self.close_connection = self.path in {"/ends", "/cut"}

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


def pool_of(
    origin: str,
    *,
    most_idle: int = 2,
    answer_timeout_s: float = 5.0,
    authorities: Path | None = None,
    clock: FixedClock | None = None,
) -> HttpPool:
    return HttpPool(
        origin,
        most_idle=most_idle,
        connect_timeout_s=2.0,
        answer_timeout_s=answer_timeout_s,
        authorities=authorities,
        clock=clock,
    )


@pytest.fixture
def pool(server: Server) -> Iterator[HttpPool]:
    pool = pool_of(f"http://127.0.0.1:{server.server_port}")
    yield pool
    pool.close()


def test_requests_share_a_connection(server: Server, pool: HttpPool) -> None:
    answers = [pool.ask("GET", "/a", headers={}), pool.ask("POST", "/b", headers={}, body=b"c")]

    assert [one.data for one in answers] == [b"GET /a ", b"POST /b c"]
    assert server.connections == 1


def test_any_status_is_an_answer(pool: HttpPool) -> None:
    assert pool.ask("GET", "/missing", headers={}).status == 404


def test_a_header_of_several_values_is_one(pool: HttpPool) -> None:
    answer = pool.ask("GET", "/a", headers={})

    assert answer.header("X-Hash") == "one, two"
    assert answer.header("x-other") == ""


def test_a_connection_that_the_server_has_closed_is_replaced(server: Server, pool: HttpPool) -> None:
    pool.ask("GET", "/ends", headers={})
    assert server.hung_up.acquire(timeout=30)

    assert pool.ask("GET", "/a", headers={}).status == 200
    assert server.connections == 2


@pytest.mark.parametrize("path", ["/cut", "/late"])
def test_a_connection_without_a_whole_answer_is_not_used_again(server: Server, path: str) -> None:
    pool = pool_of(f"http://127.0.0.1:{server.server_port}", answer_timeout_s=1)

    with pytest.raises(FAILURES, match=r"timed out|1 more expected"):
        pool.ask("GET", path, headers={})

    assert pool.ask("GET", "/a", headers={}).data == b"GET /a "
    assert server.connections == 2
    pool.close()


def test_a_body_arrives_in_pieces_and_its_connection_is_used_again(server: Server, pool: HttpPool) -> None:
    with pool.arriving("GET", "/long-enough", headers={}) as answer:
        pieces = list(answer.pieces(4))
    pool.ask("GET", "/a", headers={})

    assert b"".join(pieces) == b"GET /long-enough "
    assert max(map(len, pieces)) == 4
    assert server.connections == 1


def test_a_body_that_is_not_read_to_its_end_costs_the_connection(server: Server, pool: HttpPool) -> None:
    with pool.arriving("GET", "/long-enough", headers={}) as answer:
        next(answer.pieces(4))
    pool.ask("GET", "/a", headers={})

    assert server.connections == 2


def test_a_body_that_ends_too_early_is_no_body(pool: HttpPool) -> None:
    with pytest.raises(IncompleteRead), pool.arriving("GET", "/cut", headers={}) as answer:
        list(answer.pieces(4))


def test_what_was_never_connected_is_told_from_an_answer_that_was_lost(server: Server) -> None:
    with pytest.raises(NotConnectedError):
        pool_of("http://127.0.0.1:9").ask("POST", "/a", headers={}, body=b"c")
    with pytest.raises(TimeoutError):
        pool_of(f"http://127.0.0.1:{server.server_port}", answer_timeout_s=0.05).ask("GET", "/late", headers={})


def test_threads_at_once_have_connections_of_their_own_and_few_are_kept(server: Server) -> None:
    pool = pool_of(f"http://127.0.0.1:{server.server_port}", most_idle=1)

    with ThreadPoolExecutor(2) as threads:
        answers = list(threads.map(lambda _: pool.ask("GET", "/together", headers={}).status, range(2)))

    assert answers == [200, 200]
    assert server.connections == 2
    assert server.hung_up.acquire(timeout=30)
    pool.close()


def test_a_pool_that_nobody_holds_leaves_no_connection_open(server: Server) -> None:
    pool = pool_of(f"http://127.0.0.1:{server.server_port}")
    pool.ask("GET", "/a", headers={})

    del pool
    gc.collect()

    assert server.hung_up.acquire(timeout=30)


def test_without_a_server_there_is_no_answer(server: Server) -> None:
    pool = pool_of("http://127.0.0.1:1")

    with pytest.raises(FAILURES, match="refused"):
        pool.ask("GET", "/a", headers={})
    assert server.connections == 0


@pytest.fixture
def network(server: Server) -> Iterator[DyingProxy]:
    """Where the connections to the server may die."""
    with dying_network(server.server_port) as network:
        yield network


def ask_together(pool: HttpPool) -> None:
    """Leave two idle connections."""
    with ThreadPoolExecutor(2) as threads:
        list(threads.map(lambda _: pool.ask("GET", "/together", headers={}), range(2)))


@pytest.mark.parametrize("death", DEATHS)
def test_connections_that_died_while_they_were_idle_cost_no_request(network: DyingProxy, death: Death) -> None:
    clock = FixedClock()
    pool = pool_of(f"http://127.0.0.1:{network.port}", clock=clock)
    ask_together(pool)
    assert network.kill(death) == 2
    clock.move(IDLE_S)

    assert pool.ask("GET", "/a", headers={}).data == b"GET /a "
    assert network.connections == 3
    pool.close()


def test_connections_are_shared_within_the_time_that_they_may_be_idle(network: DyingProxy) -> None:
    clock = FixedClock()
    pool = pool_of(f"http://127.0.0.1:{network.port}", clock=clock)

    for _ in range(3):
        pool.ask("GET", "/a", headers={})
        clock.move(IDLE_S - 1)

    assert network.connections == 1
    pool.close()


@pytest.mark.parametrize("death", DEATHS)
def test_connections_that_died_together_cost_one_request_together(network: DyingProxy, death: Death) -> None:
    pool = pool_of(f"http://127.0.0.1:{network.port}", answer_timeout_s=0.2)
    ask_together(pool)
    network.kill(death)

    with pytest.raises(FAILURES, match=r"timed out|reset|closed"):
        pool.ask("GET", "/a", headers={})

    assert pool.ask("GET", "/a", headers={}).data == b"GET /a "
    pool.close()


@pytest.fixture
def secured(server: Server, tmp_path: Path) -> Path:
    """The file with the certificate of the server, which answers over TLS."""
    certificate = self_signed(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    return certificate


def test_requests_over_tls_share_a_connection(server: Server, secured: Path) -> None:
    pool = pool_of(f"https://localhost:{server.server_port}", authorities=secured)

    assert [pool.ask("GET", "/a", headers={}).status for _ in range(3)] == [200] * 3
    assert server.connections == 1
    pool.close()


def test_pools_share_the_authorities_that_one_of_them_has_read(server: Server, secured: Path) -> None:
    pools = [pool_of(f"https://localhost:{server.server_port}", authorities=secured) for _ in range(2)]
    assert pools[0].ask("GET", "/a", headers={}).status == 200

    secured.unlink()

    assert pools[1].ask("GET", "/a", headers={}).status == 200
    for pool in pools:
        pool.close()


@pytest.mark.usefixtures("secured")
def test_a_server_whose_certificate_nobody_signed_is_not_asked(server: Server) -> None:
    pool = pool_of(f"https://localhost:{server.server_port}")

    with pytest.raises(NotConnectedError, match="self-signed") as refusal:
        pool.ask("GET", "/a", headers={})
    assert isinstance(refusal.value.__cause__, ssl.SSLCertVerificationError)


def test_a_certificate_of_another_host_is_refused(server: Server, secured: Path) -> None:
    pool = pool_of(f"https://127.0.0.1:{server.server_port}", authorities=secured)

    with pytest.raises(NotConnectedError, match="not valid for '127") as refusal:
        pool.ask("GET", "/a", headers={})
    assert isinstance(refusal.value.__cause__, ssl.SSLCertVerificationError)


def self_signed(folder: Path) -> Path:
    """Return a file with a key and the certificate of `localhost`."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    begins = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
    certificate = (
        x509.CertificateBuilder(issuer_name=name, subject_name=name, public_key=key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(begins)
        .not_valid_after(begins + dt.timedelta(days=36_500))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    written = folder / "server.pem"
    written.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        + certificate.public_bytes(serialization.Encoding.PEM)
    )
    return written
