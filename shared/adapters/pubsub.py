"""The event bus on Pub/Sub: the one call `Publish` on a bare gRPC channel, with google-cloud-pubsub's own messages.

The package's clients batch, delay and retry by rules of their own: a retry that begins in the last second of a deadline has the whole
timeout again. Their import takes longer than everything else of a cold start (docs/adr/20261122-cold-starts.md).

A network forgets the connection of an idle instance, without notice to either end, and sent data are never answered. A delivery without
confirmation after `hedge_s` is therefore sent again on a new channel; the first confirmation counts. Workers recognise events that
were published twice.
Source: google.pubsub.v1, `Publisher.Publish`; AIP-4222, "Routing headers"; google-cloud-pubsub 2.44, the transport's channel options.
"""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from queue import Empty, SimpleQueue
from typing import Any, Final, Self
from urllib.parse import quote

import grpc

from shared.adapters.instance_token import METADATA_HOST, InstanceTokens, TokenPlugin
from shared.adapters.pubsub_lines import Line, Lines
from shared.adapters.pubsub_messages import Request
from shared.bus.messages import BusMessage
from shared.clock import Clock, Deadline, SystemClock
from shared.errors import PublishFailedError

MESSAGES_PER_CALL: Final = 1_000  # Source: Pub/Sub, "Quotas and limits"
_HOST: Final = "pubsub.googleapis.com:443"
HEDGE_S: Final = 0.6
"""Twelve times Pub/Sub's usual time; LINE waits 2 s, and a new channel connects within 0.2 s."""
_WARM_S: Final = 10.0
CHANNEL_OPTIONS: Final = (
    ("grpc.keepalive_time_ms", 30_000),
    ("grpc.max_metadata_size", 4 * 1024 * 1024),
    ("grpc.use_local_subchannel_pool", 1),  # else a second channel would share the connection of the first
)
# As the package's own client retries, but for a deadline, which is that of the whole delivery
_RETRIED: Final = frozenset(
    {
        *(grpc.StatusCode.ABORTED, grpc.StatusCode.CANCELLED, grpc.StatusCode.INTERNAL),
        *(grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.UNKNOWN),
    }
)
_PAUSES_S: Final = (0.1, 0.2, 0.4, 0.5)
_UNCONFIRMED: Final = "Pub/Sub did not confirm the events"


def instance_channels(
    clock: Clock, *, metadata_host: str = METADATA_HOST, host: str = _HOST, root_certificates: bytes | None = None
) -> Callable[[], grpc.Channel]:
    """Return a function that opens a channel to Google, as the function's account.  A channel connects at its first use.

    Only tests name another `host`, and the certificates of its authority; None: gRPC's own.
    """
    account = grpc.metadata_call_credentials(TokenPlugin(InstanceTokens(clock, metadata_host=metadata_host)))
    credentials = grpc.composite_channel_credentials(grpc.ssl_channel_credentials(root_certificates), account)
    return lambda: grpc.secure_channel(host, credentials, options=CHANNEL_OPTIONS)


def plain_channels(host: str) -> Callable[[], grpc.Channel]:
    """Return a function that opens a channel without TLS and account, as to an emulator: `plain_channels("localhost:8085")`."""
    return lambda: grpc.insecure_channel(host, options=CHANNEL_OPTIONS)


class PubSubEventBus:
    """Publishes to one topic; safe to share between threads."""

    def __init__(  # noqa: PLR0913 - an address, how it is reached, and two times
        self,
        *,
        project_id: str,
        topic_id: str,
        timeout_s: float,
        open_channel: Callable[[], grpc.Channel],
        hedge_s: float = HEDGE_S,
        clock: Clock | None = None,
    ) -> None:
        """`timeout_s` bounds the publishing of one delivery, all calls and retries included.

        A call without an answer after `hedge_s` is repeated on another channel: with 0.6 s, a lost connection costs 0.6 s.
        """
        self._topic = f"projects/{project_id}/topics/{topic_id}"
        self._metadata = (("x-goog-request-params", f"topic={quote(self._topic, safe='/')}"),)
        self._timeout_s = timeout_s
        self._hedge_s = hedge_s
        self._clock = clock or SystemClock()
        self._lines = Lines(open_channel)

    def publish(self, messages: Sequence[BusMessage]) -> tuple[str, ...]:
        deadline = Deadline.after(self._clock, self._timeout_s)
        requests = {number: self._request(batch) for number, batch in enumerate(_batches(messages))}
        ids = self._confirm_at_once(requests, deadline) or self._confirm(requests, deadline)
        if len(ids) != len(messages):
            raise PublishFailedError(f"Pub/Sub confirmed {len(ids)} of {len(messages)} events")
        return ids

    def close(self) -> None:
        """Close the channel.  A function does not call this: its process ends."""
        self._lines.close()

    def _confirm_at_once(self, requests: Mapping[int, Any], deadline: Deadline) -> tuple[str, ...]:
        """Publish a delivery of one call on a channel that answered a moment ago: a blocking call costs half of a future.

        Return no ids without a confirmation; `_confirm` then publishes again.
        """
        with self._lines.newest() as line:
            if len(requests) != 1 or self._clock.monotonic_s() - line.answered_s > _WARM_S:
                return ()
            timeout_s = min(self._hedge_s, deadline.left_s)
            try:
                answer = line.publish(requests[0], timeout=timeout_s, metadata=self._metadata)
            except grpc.RpcError as cause:
                if cause.code() is grpc.StatusCode.DEADLINE_EXCEEDED:
                    self._lines.replace(line)
                else:
                    _raise_unless_it_may_pass(cause)
                return ()
            line.answered_s = self._clock.monotonic_s()
            return tuple(answer.message_ids)

    def _confirm(self, requests: Mapping[int, Any], deadline: Deadline) -> tuple[str, ...]:
        """Publish all requests at the same time.  Raises: PublishFailedError.

        Example: a delivery of 2,500 events is three requests, of 1,000, 1,000 and 500 messages.
        """
        with _Delivery(self._lines, requests, metadata=self._metadata, deadline=deadline) as delivery:
            pauses_s = itertools.chain(_PAUSES_S, itertools.repeat(_PAUSES_S[-1]))
            while delivery.missing:
                delivery.send()
                delivery.wait(self._hedge_s)
                if delivery.missing and not delivery.is_under_way and not deadline.pause(next(pauses_s)):
                    raise PublishFailedError("Pub/Sub did not confirm the events in time")
            return delivery.ids

    def _request(self, batch: Sequence[BusMessage]) -> Any:  # noqa: ANN401 - a message of protobuf
        request = Request(topic=self._topic)
        for message in batch:
            request.messages.add(data=message.data, attributes=message.attributes)
        return request


class _Delivery:
    """The requests of one delivery, and their calls on one channel after another; no call is under way after the block."""

    def __init__(
        self, lines: Lines, requests: Mapping[int, Any], *, metadata: tuple[tuple[str, str], ...], deadline: Deadline
    ) -> None:
        self.missing = dict(requests)
        self._confirmed: dict[int, Sequence[str]] = {}
        self._calls: dict[grpc.Future[Any], tuple[int, Line]] = {}
        self._ended: SimpleQueue[grpc.Future[Any]] = SimpleQueue()
        self._lines = lines
        self._metadata = metadata
        self._deadline = deadline
        self._held = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for call in self._calls:
            call.cancel()
        self._held.close()

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of all messages, in message order."""
        return tuple(itertools.chain.from_iterable(self._confirmed[number] for number in sorted(self._confirmed)))

    @property
    def is_under_way(self) -> bool:
        """Whether a call has not ended."""
        return bool(self._calls)

    def send(self) -> None:
        """Call for each missing request: on a new channel, if calls on the newest channel are under way."""
        line = self._held.enter_context(self._lines.newest())
        if any(used is line for _, used in self._calls.values()):
            self._lines.replace(line)
            line = self._held.enter_context(self._lines.newest())
        for number, request in self.missing.items():
            call = line.publish.future(request, timeout=self._deadline.left_s, metadata=self._metadata)
            self._calls[call] = (number, line)
            call.add_done_callback(self._ended.put)

    def wait(self, seconds: float) -> None:
        """Wait for `seconds`, until nothing is missing, or until no call is under way.

        Raises: PublishFailedError, if the deadline has passed, or if no retry can help.
        """
        until = self._deadline.within(seconds)
        while self.missing and self._calls:
            try:
                ended = self._ended.get(timeout=until.left_s)
            except Empty:
                if not self._deadline.left_s:
                    raise PublishFailedError(_UNCONFIRMED) from None
                return
            self._take(ended)

    def _take(self, call: "grpc.Future[Any]") -> None:
        number, line = self._calls.pop(call)
        try:
            answer = call.result()
        except grpc.RpcError as cause:
            _raise_unless_it_may_pass(cause)
            return
        line.answered_s = self._deadline.clock.monotonic_s()
        if self.missing.pop(number, None) is not None:
            self._confirmed[number] = answer.message_ids


def _raise_unless_it_may_pass(cause: grpc.RpcError) -> None:
    """Raises: PublishFailedError, if no later attempt can succeed."""
    if cause.code() not in _RETRIED:
        raise PublishFailedError(_UNCONFIRMED) from cause


def _batches(messages: Sequence[BusMessage]) -> Iterator[Sequence[BusMessage]]:
    for start in range(0, len(messages), MESSAGES_PER_CALL):
        yield messages[start : start + MESSAGES_PER_CALL]
