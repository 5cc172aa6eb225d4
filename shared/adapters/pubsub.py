"""The event bus on Pub/Sub: the one call `Publish` on a bare gRPC channel, with google-cloud-pubsub's own messages.

The package's clients batch, delay and retry by rules of their own: a retry that begins in the last second of a deadline has the whole
timeout again. Their import takes longer than everything else of a cold start (docs/adr/20261122-cold-starts.md).
Source: google.pubsub.v1, `Publisher.Publish`; AIP-4222, "Routing headers"; google-cloud-pubsub 2.44, the transport's channel options.
"""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final
from urllib.parse import quote

import grpc

from shared.adapters.instance_token import METADATA_HOST, InstanceTokens, TokenPlugin
from shared.adapters.pubsub_messages import Message, Request, Response
from shared.bus.messages import BusMessage
from shared.clock import Clock, Deadline, SystemClock
from shared.errors import PublishFailedError

MESSAGES_PER_CALL: Final = 1_000  # Source: Pub/Sub, "Quotas and limits"
_HOST: Final = "pubsub.googleapis.com:443"
_METHOD: Final = "/google.pubsub.v1.Publisher/Publish"
_OPTIONS: Final = (("grpc.keepalive_time_ms", 30_000), ("grpc.max_metadata_size", 4 * 1024 * 1024))
_RETRIED: Final = frozenset({grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.ABORTED, grpc.StatusCode.INTERNAL})
_PAUSES_S: Final = (0.1, 0.2, 0.4, 0.5)
_UNCONFIRMED: Final = "Pub/Sub did not confirm the events"


def instance_channel(
    clock: Clock, *, metadata_host: str = METADATA_HOST, host: str = _HOST, root_certificates: bytes | None = None
) -> grpc.Channel:
    """Return a channel to Google, as the account of the function.  No connection is opened yet.

    Only tests name another `host`, and the certificates that it is checked against; None: those that gRPC knows.
    """
    account = grpc.metadata_call_credentials(TokenPlugin(InstanceTokens(clock, metadata_host=metadata_host)))
    return grpc.secure_channel(
        host,
        grpc.composite_channel_credentials(grpc.ssl_channel_credentials(root_certificates), account),
        options=_OPTIONS,
    )


class PubSubEventBus:
    """Publishes to one topic; safe to share between threads."""

    def __init__(
        self, *, project_id: str, topic_id: str, timeout_s: float, channel: grpc.Channel, clock: Clock | None = None
    ) -> None:
        """`timeout_s` bounds the publishing of one delivery, however many calls and retries that takes."""
        self._topic = f"projects/{project_id}/topics/{topic_id}"
        self._metadata = (("x-goog-request-params", f"topic={quote(self._topic, safe='/')}"),)
        self._timeout_s = timeout_s
        self._clock = clock or SystemClock()
        self._publish: grpc.UnaryUnaryMultiCallable[Any, Any] = channel.unary_unary(
            _METHOD, request_serializer=Request.SerializeToString, response_deserializer=Response.FromString
        )

    def publish(self, messages: Sequence[BusMessage]) -> tuple[str, ...]:
        deadline = Deadline.after(self._clock, self._timeout_s)
        publish = self._publish_alone if 0 < len(messages) <= MESSAGES_PER_CALL else self._publish_in_batches
        ids = publish(messages, deadline)
        if len(ids) != len(messages):
            raise PublishFailedError(f"Pub/Sub confirmed {len(ids)} of {len(messages)} events")
        return ids

    def _publish_alone(self, messages: Sequence[BusMessage], deadline: Deadline) -> tuple[str, ...]:
        """Publish messages that fit into one call, as those of almost every delivery do; a blocking call costs half of a future."""
        request = self._request(messages)
        pauses_s = _pauses_s()
        while True:
            try:
                return tuple(self._publish(request, timeout=deadline.left_s, metadata=self._metadata).message_ids)
            except grpc.RpcError as cause:
                _raise_unless_it_may_pass(cause)
            self._wait(next(pauses_s), deadline)

    def _publish_in_batches(self, messages: Sequence[BusMessage], deadline: Deadline) -> tuple[str, ...]:
        requests = dict(enumerate(map(self._request, _batches(messages))))
        confirmed: dict[int, Sequence[str]] = {}
        pauses_s = _pauses_s()
        while True:
            missing = {number: request for number, request in requests.items() if number not in confirmed}
            confirmed |= self._publish_at_once(missing, deadline)
            if len(confirmed) == len(requests):
                return tuple(itertools.chain.from_iterable(confirmed[number] for number in requests))
            self._wait(next(pauses_s), deadline)

    def _publish_at_once(self, requests: Mapping[int, Any], deadline: Deadline) -> dict[int, Sequence[str]]:
        """Return the ids of the requests that succeeded; those that are missing may be sent again.

        Raises: PublishFailedError, if one failed for good.
        """
        calls = {
            number: self._publish.future(request, timeout=deadline.left_s, metadata=self._metadata)
            for number, request in requests.items()
        }
        ids: dict[int, Sequence[str]] = {}
        try:
            for number, call in calls.items():
                try:
                    ids[number] = call.result(timeout=deadline.left_s).message_ids
                except grpc.RpcError as cause:
                    _raise_unless_it_may_pass(cause)
                except grpc.FutureTimeoutError as cause:
                    raise PublishFailedError(_UNCONFIRMED) from cause
        finally:
            for call in calls.values():
                call.cancel()  # type: ignore[no-untyped-call]
        return ids

    def _wait(self, pause_s: float, deadline: Deadline) -> None:
        """Pause before another attempt.  Raises: PublishFailedError, if there is no time for one."""
        if pause_s >= deadline.left_s:
            raise PublishFailedError("Pub/Sub did not confirm the events in time")
        self._clock.sleep(pause_s)

    def _request(self, batch: Sequence[BusMessage]) -> Any:  # noqa: ANN401 - a message of protobuf
        messages = [Message(data=message.data, attributes=message.attributes) for message in batch]
        return Request(topic=self._topic, messages=messages)


def _pauses_s() -> Iterator[float]:
    return itertools.chain(_PAUSES_S, itertools.repeat(_PAUSES_S[-1]))


def _raise_unless_it_may_pass(cause: grpc.RpcError) -> None:
    """Raises: PublishFailedError, if no later attempt can succeed."""
    if cause.code() not in _RETRIED:
        raise PublishFailedError(_UNCONFIRMED) from cause


def _batches(messages: Sequence[BusMessage]) -> Iterator[Sequence[BusMessage]]:
    for start in range(0, len(messages), MESSAGES_PER_CALL):
        yield messages[start : start + MESSAGES_PER_CALL]
