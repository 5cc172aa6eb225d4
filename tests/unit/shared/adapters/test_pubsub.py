"""The bus against channels that answer by a script.  On the wire: tests/contract/test_event_bus.py and test_idle_channel.py."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, NoReturn

import grpc
import pytest
from google.pubsub_v1 import PublishRequest, PublishResponse

from shared.adapters.memory import FixedClock
from shared.adapters.pubsub import MESSAGES_PER_CALL, PubSubEventBus
from shared.bus.messages import BusMessage
from shared.errors import PublishFailedError

OK, UNAVAILABLE, REFUSED = grpc.StatusCode.OK, grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.PERMISSION_DENIED
NEVER: Final = None
"""A call that is not answered, as on a dead connection."""
Answer = grpc.StatusCode | None
SOON_S: Final = 0.02
LATE_S: Final = 30.0


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
    """A call that has ended, or never does."""

    def __init__(self, answer: Answer, request: bytes) -> None:
        self._answer = answer
        self._request = request
        self.is_cancelled = False

    def add_done_callback(self, tell: Callable[["Call"], None]) -> None:
        if self._answer is not NEVER:
            tell(self)

    def result(self) -> PublishResponse:
        assert self._answer is not NEVER
        if self._answer is not OK:
            raise CallFailedError(self._answer)
        messages = PublishRequest.deserialize(self._request).messages
        return PublishResponse(message_ids=[message.data.decode() for message in messages])

    def cancel(self) -> bool:
        self.is_cancelled = True
        return True


class Channel(grpc.Channel):
    """A Pub/Sub that gives the next of `answers` to each call, the last one to all that follow; it stores nothing."""

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers)
        self.calls: list[Call] = []
        self.is_closed = False
        self._answering = threading.Lock()

    def unary_unary(  # type: ignore[override]  # the stub that it returns is this channel itself
        self, method: str, request_serializer: Callable[[PublishRequest], bytes], **_: object
    ) -> "Channel":
        assert method == "/google.pubsub.v1.Publisher/Publish"
        self._encode = request_serializer
        return self

    def future(self, request: PublishRequest, **_: object) -> Call:
        assert not self.is_closed
        with self._answering:
            answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        self.calls.append(Call(answer, self._encode(request)))
        return self.calls[-1]

    def __call__(self, request: PublishRequest, **_: object) -> PublishResponse:
        call = self.future(request)
        if call._answer is NEVER:  # noqa: SLF001 - its own
            raise CallFailedError(grpc.StatusCode.DEADLINE_EXCEEDED)
        return call.result()

    def close(self) -> None:
        self.is_closed = True

    def _not_called(self, *_: object, **__: object) -> NoReturn:
        raise NotImplementedError

    unary_stream = stream_unary = stream_stream = subscribe = unsubscribe = __enter__ = __exit__ = _not_called


class Network:
    """Opens the channels of the script, one after the other."""

    def __init__(self, *scripts: Sequence[Answer]) -> None:
        self.opened: list[Channel] = []
        self._scripts = list(scripts)

    def open_channel(self) -> Channel:
        self.opened.append(Channel(*self._scripts[len(self.opened)]))
        return self.opened[-1]

    @property
    def calls(self) -> list[int]:
        """How many calls each channel was given."""
        return [len(channel.calls) for channel in self.opened]


def bus_on(network: Network, clock: FixedClock | None = None, **times: Any) -> PubSubEventBus:  # noqa: ANN401 - seconds
    """A bus whose deadline is far, and whose hedge is near, unless `times` tell other ones."""
    seconds = {"timeout_s": LATE_S, "hedge_s": SOON_S, **times}
    return PubSubEventBus(project_id="p", topic_id="t", clock=clock, open_channel=network.open_channel, **seconds)


def events(number: int) -> Sequence[BusMessage]:
    return [BusMessage(data=str(index).encode(), attributes={"type": "message"}) for index in range(number)]


def ids(number: int) -> tuple[str, ...]:
    return tuple(map(str, range(number)))


SIZES: Final = [1, 3 * MESSAGES_PER_CALL]


@pytest.mark.parametrize("number", SIZES)
def test_a_delivery_is_published_once_where_pubsub_answers(number: int) -> None:
    network = Network([OK])

    assert bus_on(network, hedge_s=LATE_S).publish(events(number)) == ids(number)
    assert network.calls == [-(-number // MESSAGES_PER_CALL)]


@pytest.mark.parametrize("answer", [NEVER, UNAVAILABLE])
@pytest.mark.parametrize("number", SIZES)
def test_a_delivery_of_any_size_fails_at_its_one_deadline(answer: Answer, number: int) -> None:
    network = Network(*[[answer]] * 100)

    with pytest.raises(PublishFailedError, match="confirm"):
        bus_on(network, timeout_s=0.1).publish(events(number))

    assert all(call.is_cancelled for channel in network.opened for call in channel.calls if answer is NEVER)


def test_only_the_batch_that_failed_is_published_again() -> None:
    network = Network([OK, UNAVAILABLE, OK])

    assert bus_on(network, FixedClock(), hedge_s=LATE_S).publish(events(2 * MESSAGES_PER_CALL)) == ids(
        2 * MESSAGES_PER_CALL
    )
    assert network.calls == [3]


@pytest.mark.parametrize(
    "status",
    [
        UNAVAILABLE,
        grpc.StatusCode.ABORTED,
        grpc.StatusCode.CANCELLED,
        grpc.StatusCode.INTERNAL,
        grpc.StatusCode.RESOURCE_EXHAUSTED,
        grpc.StatusCode.UNKNOWN,
    ],
)
def test_a_delivery_whose_call_failed_is_published_again_after_a_pause(status: grpc.StatusCode) -> None:
    network, clock = Network([status, OK]), FixedClock()
    began_s = clock.monotonic_s()

    assert bus_on(network, clock).publish(events(1)) == ids(1)
    assert network.calls == [2]
    assert clock.monotonic_s() > began_s


def test_a_refusal_is_not_tried_again() -> None:
    network = Network([REFUSED])

    with pytest.raises(PublishFailedError, match="confirm"):
        bus_on(network).publish(events(1))

    assert network.calls == [1]


@pytest.mark.parametrize("number", SIZES)
def test_a_call_that_is_not_answered_is_made_on_a_second_channel(number: int) -> None:
    network = Network([NEVER], [OK])

    assert bus_on(network).publish(events(number)) == ids(number)

    assert network.calls[0] == network.calls[1]
    assert all(call.is_cancelled for call in network.opened[0].calls)
    assert [channel.is_closed for channel in network.opened] == [True, False]


def test_a_second_channel_that_is_dead_has_a_third() -> None:
    network = Network([NEVER], [NEVER], [OK])

    assert bus_on(network).publish(events(1)) == ids(1)
    assert network.calls == [1, 1, 1]


def test_only_the_batch_that_is_missing_is_published_on_a_second_channel() -> None:
    network = Network([OK, NEVER], [OK])

    assert bus_on(network).publish(events(2 * MESSAGES_PER_CALL)) == ids(2 * MESSAGES_PER_CALL)
    assert network.calls == [2, 1]


def test_what_comes_after_a_dead_channel_goes_on_the_new_one_at_once() -> None:
    network = Network([NEVER], [OK])
    bus = bus_on(network)
    bus.publish(events(1))

    assert [bus.publish(events(1)) for _ in range(3)] == [ids(1)] * 3
    assert network.calls == [1, 4]


@pytest.mark.parametrize("answer", [NEVER, UNAVAILABLE])
def test_a_channel_that_dies_between_two_deliveries_costs_none(answer: Answer) -> None:
    network, clock = Network([OK, answer, OK], [OK]), FixedClock()
    bus = bus_on(network, clock)
    bus.publish(events(1))

    assert bus.publish(events(1)) == ids(1)


def test_deliveries_that_wait_on_one_dead_channel_share_its_successor() -> None:
    network = Network([NEVER], [OK])
    bus = bus_on(network, hedge_s=0.2)

    with ThreadPoolExecutor(10) as threads:
        published = list(threads.map(lambda _: bus.publish(events(1)), range(10)))

    assert published == [ids(1)] * 10
    assert len(network.opened) == 2
    assert network.opened[0].is_closed
