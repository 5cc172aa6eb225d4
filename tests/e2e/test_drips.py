"""Senders that drip their bodies keep no thread of the webhook for long."""

import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from urllib.parse import urlsplit

from tests.e2e.conftest import Platform
from tests.support import recorded

THREADS = 40  # of the webhook, as in simulator/functions.py
DEADLINE_S = 2.0  # of a body, in functions/webhook/request_body.py


@contextmanager
def dripping(platform: Platform, *, signature: str | None) -> Iterator[socket.socket]:
    """A request whose body has begun and does not end."""
    parts = urlsplit(platform.webhook_url)
    signed = f"X-Line-Signature: {signature}\r\n" if signature else ""
    with socket.create_connection((parts.hostname or "", parts.port or 0), timeout=30) as connection:
        head = f"POST / HTTP/1.1\r\nHost: {parts.netloc}\r\nContent-Length: 1000\r\n{signed}\r\n"
        connection.sendall(head.encode() + b"{")
        yield connection


def test_a_request_without_a_signature_is_refused_before_its_body_came(platform: Platform) -> None:
    with dripping(platform, signature=None) as connection:
        answer = connection.recv(65_536)

    assert answer.startswith(b"HTTP/1.1 401")  # 408, if the webhook had waited for the body


def test_bodies_that_drip_on_every_thread_are_given_up_and_a_delivery_gets_through(platform: Platform) -> None:
    with ExitStack() as drips:
        connections = [drips.enter_context(dripping(platform, signature="c2lnbmVk")) for _ in range(2 * THREADS)]
        began_s = time.monotonic()

        answered = platform.post(recorded.body("verification"))

        assert answered.status_code == 200
        assert time.monotonic() - began_s < 5 * DEADLINE_S
        assert all(connection.recv(65_536).startswith(b"HTTP/1.1 408") for connection in connections)
