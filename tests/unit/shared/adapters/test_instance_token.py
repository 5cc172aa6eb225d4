"""Tokens from a metadata server that counts who asks."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from shared.adapters.instance_token import InstanceTokens, NoTokenError, TokenPlugin
from shared.adapters.memory import FixedClock
from tests.support.dying_network import dying_network
from tests.support.metadata_server import MetadataServer, running_metadata_server


@pytest.fixture
def server() -> Iterator[MetadataServer]:
    with running_metadata_server() as running:
        yield running


@pytest.fixture
def tokens(server: MetadataServer, clock: FixedClock) -> InstanceTokens:
    return InstanceTokens(clock, metadata_host=f"127.0.0.1:{server.server_port}")


def test_a_token_is_asked_for_once_however_many_threads_need_it(server: MetadataServer, tokens: InstanceTokens) -> None:
    with ThreadPoolExecutor(8) as pool:
        assert {*pool.map(lambda _: tokens.get(), range(40))} == {"token 1"}

    assert server.asked == [("/computeMetadata/v1/instance/service-accounts/default/token", "Google")]


def test_a_token_is_renewed_shortly_before_its_end(tokens: InstanceTokens, clock: FixedClock) -> None:
    assert tokens.get() == "token 1"
    clock.move(3_600 - 226)
    assert tokens.get() == "token 1"
    clock.move(2)
    assert tokens.get() == "token 2"


def test_a_token_is_used_to_its_end_while_the_server_gives_no_other(
    server: MetadataServer, tokens: InstanceTokens, clock: FixedClock
) -> None:
    tokens.get()
    server.status = 503
    clock.move(3_599)
    assert tokens.get() == "token 1"

    clock.move(2)
    with pytest.raises(NoTokenError, match="gave no token"):
        tokens.get()


def test_a_valid_token_is_not_renewed_again_at_once_where_that_failed(
    server: MetadataServer, tokens: InstanceTokens, clock: FixedClock
) -> None:
    tokens.get()
    server.status = 503
    clock.move(3_500)

    for _ in range(3):
        assert tokens.get() == "token 1"
    assert len(server.asked) == 2

    server.status = 200
    clock.move(6)
    assert tokens.get() == "token 3"


def test_a_server_that_does_not_answer_costs_all_threads_one_timeout(server: MetadataServer, clock: FixedClock) -> None:
    with dying_network(server.server_port) as network:
        network.accepts_silently = True
        tokens = InstanceTokens(clock, metadata_host=f"127.0.0.1:{network.port}", timeout_s=0.5)
        together = threading.Barrier(10)

        def ask() -> str:
            together.wait(30)
            return tokens.get()

        with ThreadPoolExecutor(10) as pool:
            failures = [one.exception() for one in [pool.submit(ask) for _ in range(10)]]

        assert {type(one) for one in failures} == {NoTokenError}
        assert network.connections == 1

        network.accepts_silently = False
        assert tokens.get() == "token 1"


@pytest.mark.parametrize(
    "answer", [b"", b"not JSON", b"[]", b"{}", b'{"access_token": "x"}', b'{"access_token": "x", "expires_in": []}']
)
def test_an_odd_answer_is_no_token(server: MetadataServer, tokens: InstanceTokens, answer: bytes) -> None:
    server.answer = answer

    with pytest.raises(NoTokenError, match="gave no token"):
        tokens.get()


def test_a_call_carries_the_token_or_fails_for_want_of_it(server: MetadataServer, tokens: InstanceTokens) -> None:
    given: list[Any] = []
    plugin = TokenPlugin(tokens)

    server.status = 500
    plugin(None, lambda *metadata_and_error: given.append(metadata_and_error))  # type: ignore[arg-type]
    server.status = 200
    plugin(None, lambda *metadata_and_error: given.append(metadata_and_error))  # type: ignore[arg-type]

    (nothing, error), carried = given
    assert nothing == ()
    assert isinstance(error, NoTokenError)
    assert carried == ((("authorization", "Bearer token 2"),), None)
