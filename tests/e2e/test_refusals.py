"""What follows a refused request on its connection: an answer, or the refusal has said that the connection ends.

Cloud Run's proxy keeps its connections to an instance, so a stranger's request and LINE's next delivery may share one.
"""

from collections.abc import Mapping
from http.client import HTTPConnection, HTTPResponse
from urllib.parse import urlsplit

import pytest

from simulator.stack import CHANNEL_SECRET
from tests.e2e.conftest import Platform
from tests.support import push, recorded

DELIVERY = recorded.body("verification")
SIGNED = {"x-line-signature": recorded.signature(DELIVERY, CHANNEL_SECRET)}
ENVELOPE = push.envelope(recorded.event("beacon"))
TOO_LARGE = {"content-length": "30000000"}


def connection_to(url: str) -> HTTPConnection:
    parts = urlsplit(url)
    connection = HTTPConnection(parts.hostname or "", parts.port, timeout=30)
    connection.auto_open = 0  # what is asked is asked on this connection, or not at all
    connection.connect()
    return connection


def ask(connection: HTTPConnection, method: str, body: bytes, headers: Mapping[str, str]) -> HTTPResponse:
    connection.putrequest(method, "/")
    for name, value in {"content-length": str(len(body)), **headers}.items():
        connection.putheader(name, value)
    connection.endheaders(body)
    answer = connection.getresponse()
    answer.read()
    return answer


@pytest.mark.parametrize(
    ("method", "body", "headers", "status"),
    [
        ("POST", b"", {}, 401),
        ("POST", b"{}", {}, 401),
        ("POST", b"{}", {"x-line-signature": "wrong"}, 401),
        ("GET", b"", {}, 405),
        ("POST", b"{", TOO_LARGE, 413),
        ("POST", b"{", {**TOO_LARGE, "x-line-signature": "wrong"}, 413),
    ],
)
def test_a_refused_delivery_costs_the_next_one_nothing(
    platform: Platform, method: str, body: bytes, headers: Mapping[str, str], status: int
) -> None:
    connection = connection_to(platform.webhook_url)

    refusal = ask(connection, method, body, headers)

    assert refusal.status == status
    assert refusal.will_close or ask(connection, "POST", DELIVERY, SIGNED).status == 200
    connection.close()


def test_an_accepted_delivery_leaves_its_connection_to_the_next_one(platform: Platform) -> None:
    connection = connection_to(platform.webhook_url)

    answers = [ask(connection, "POST", DELIVERY, SIGNED) for _ in range(3)]

    assert [(one.status, one.will_close) for one in answers] == [(200, False)] * 3
    connection.close()


@pytest.mark.parametrize(("method", "body", "status"), [("POST", b"hello", 400), ("GET", b"", 405)])
def test_a_refused_push_costs_the_next_one_nothing(platform: Platform, method: str, body: bytes, status: int) -> None:
    connection = connection_to(platform.worker_url)

    refusal = ask(connection, method, body, {})

    assert refusal.status == status
    assert refusal.will_close or ask(connection, "POST", ENVELOPE, {}).status == 204
    connection.close()
