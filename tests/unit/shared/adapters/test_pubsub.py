"""The bus against a channel whose calls take time by a clock that only they move.  On the wire: tests/contract/test_event_bus.py."""

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import NoReturn

import grpc
import pytest
from google.pubsub_v1 import PublishRequest, PublishResponse

from shared.adapters.memory import FixedClock
from shared.adapters.pubsub import MESSAGES_PER_CALL, PubSubEventBus
from shared.bus.messages import BusMessage
from shared.errors import PublishFailedError

TIMEOUT_S = 1.6


class CallFailedError(grpc.RpcError):
    def __init__(self, status: grpc.StatusCode) -> None:
        super().__init__(status.name)
        self.status = status

    def code(self) -> grpc.StatusCode:
        return self.status

    def details(self) -> str:
        return self.status.name

    def trailing_metadata(self) -> tuple[()]:
        return ()


class Call:
    """A call under way: it ends `takes_s` after it began, or at its deadline."""

    def __init__(self, channel: "Channel", request: bytes, timeout_s: float) -> None:
        self._channel = channel
        self._request = request
        self._status, takes_s = next(channel.answers)
        began_s = channel.clock.monotonic_s()
        self._is_late = takes_s > timeout_s
        self._ends_s = began_s + min(takes_s, timeout_s)

    def result(self, timeout: float | None = None) -> PublishResponse:
        clock = self._channel.clock
        assert timeout is not None
        wait_s = max(0.0, self._ends_s - clock.monotonic_s())
        clock.move(min(wait_s, timeout))
        if wait_s > timeout:
            raise grpc.FutureTimeoutError
        if self._is_late:
            raise CallFailedError(grpc.StatusCode.DEADLINE_EXCEEDED)
        if self._status is not grpc.StatusCode.OK:
            raise CallFailedError(self._status)
        messages = PublishRequest.deserialize(self._request).messages
        return PublishResponse(message_ids=[message.data.decode() for message in messages])

    def cancel(self) -> bool:
        return False


class Channel(grpc.Channel):
    """A Pub/Sub that gives the next of `answers`, a status and a duration, to each call; it stores nothing."""

    def __init__(self, clock: FixedClock, answers: Iterator[tuple[grpc.StatusCode, float]]) -> None:
        self.clock = clock
        self.answers = answers
        self.begun_at_s: list[float] = []

    def unary_unary(  # type: ignore[override]  # the stub that it returns is this channel itself
        self, method: str, request_serializer: Callable[[PublishRequest], bytes], **_: object
    ) -> "Channel":
        assert method == "/google.pubsub.v1.Publisher/Publish"
        self._encode = request_serializer
        return self

    def future(self, request: PublishRequest, *, timeout: float, **_: object) -> Call:
        self.begun_at_s.append(self.clock.monotonic_s())
        return Call(self, self._encode(request), timeout)

    def __call__(self, request: PublishRequest, *, timeout: float, **_: object) -> PublishResponse:
        return self.future(request, timeout=timeout).result(timeout)

    def _not_called(self, *_: object, **__: object) -> NoReturn:
        raise NotImplementedError

    unary_stream = stream_unary = stream_stream = subscribe = unsubscribe = close = __enter__ = __exit__ = _not_called


def bus_on(channel: Channel) -> PubSubEventBus:
    return PubSubEventBus(project_id="p", topic_id="t", timeout_s=TIMEOUT_S, clock=channel.clock, channel=channel)


def events(number: int) -> Sequence[BusMessage]:
    return [BusMessage(data=str(index).encode(), attributes={"type": "message"}) for index in range(number)]


OK, UNAVAILABLE = grpc.StatusCode.OK, grpc.StatusCode.UNAVAILABLE


def test_all_events_of_a_delivery_are_published_at_the_same_time() -> None:
    channel = Channel(FixedClock(), itertools.repeat((OK, 1.0)))

    ids = bus_on(channel).publish(events(3 * MESSAGES_PER_CALL))

    assert ids == tuple(map(str, range(3 * MESSAGES_PER_CALL)))
    assert channel.clock.monotonic_s() == 1.0


@pytest.mark.parametrize("answer", [(OK, 60.0), (UNAVAILABLE, 0.0), (UNAVAILABLE, 0.7), (UNAVAILABLE, 1.5)])
@pytest.mark.parametrize("number", [1, 3 * MESSAGES_PER_CALL])
def test_a_delivery_of_any_size_fails_at_its_one_deadline(answer: tuple[grpc.StatusCode, float], number: int) -> None:
    channel = Channel(FixedClock(), itertools.repeat(answer))

    with pytest.raises(PublishFailedError, match="confirm"):
        bus_on(channel).publish(events(number))

    assert channel.clock.monotonic_s() <= TIMEOUT_S


def test_only_the_batch_that_failed_is_published_again() -> None:
    channel = Channel(FixedClock(), iter([(OK, 0.1), (UNAVAILABLE, 0.1), (OK, 0.1)]))

    ids = bus_on(channel).publish(events(2 * MESSAGES_PER_CALL))

    assert ids == tuple(map(str, range(2 * MESSAGES_PER_CALL)))
    assert len(channel.begun_at_s) == 3


def test_a_delivery_whose_call_failed_is_published_again() -> None:
    channel = Channel(FixedClock(), iter([(UNAVAILABLE, 0.1), (OK, 0.1)]))

    assert bus_on(channel).publish(events(1)) == ("0",)
    assert len(channel.begun_at_s) == 2


def test_a_refusal_is_not_tried_again() -> None:
    channel = Channel(FixedClock(), iter([(grpc.StatusCode.PERMISSION_DENIED, 0.1)]))

    with pytest.raises(PublishFailedError, match="confirm"):
        bus_on(channel).publish(events(1))

    assert len(channel.begun_at_s) == 1
