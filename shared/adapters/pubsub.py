"""The event bus on Pub/Sub.

It calls the stub of the plain gapic client, without the batching and delays of `pubsub_v1`, which also takes longer to import. The client's
own `publish` blocks, and gives a retry that begins in the last second of its deadline the whole timeout again; so retries are made here.
That client does not read PUBSUB_EMULATOR_HOST.
"""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, cast

import grpc
from google.api_core import exceptions
from google.api_core.gapic_v1 import routing_header
from google.auth.exceptions import GoogleAuthError
from google.pubsub_v1 import PublisherClient, PublishRequest, PublishResponse, PubsubMessage
from google.pubsub_v1.services.publisher.transports import PublisherGrpcTransport

from shared.bus.messages import BusMessage
from shared.clock import Clock, Deadline, SystemClock
from shared.errors import PublishFailedError

MESSAGES_PER_CALL: Final = 1_000  # Source: Pub/Sub, "Quotas and limits"
_Message: Final = PubsubMessage.pb()
_Request: Final = PublishRequest.pb()
_RETRIED: Final = (exceptions.ServiceUnavailable, exceptions.Aborted, exceptions.InternalServerError)
_PAUSES_S: Final = (0.1, 0.2, 0.4, 0.5)


class PubSubEventBus:
    """Publishes to one topic; safe to share between threads."""

    def __init__(  # noqa: PLR0913 - the last two have defaults that only tests replace
        self,
        *,
        project_id: str,
        topic_id: str,
        timeout_s: float,
        emulator_host: str | None = None,
        clock: Clock | None = None,
        channel: grpc.Channel | None = None,
    ) -> None:
        """`timeout_s` bounds the publishing of one delivery, however many calls and retries that takes.

        `channel` leads to a stand-in; None: to `emulator_host` or, if that is None too, to Google.
        """
        self._topic = PublisherClient.topic_path(project_id, topic_id)
        self._metadata = (routing_header.to_grpc_metadata((("topic", self._topic),)),)  # type: ignore[no-untyped-call]
        self._timeout_s = timeout_s
        self._clock = clock or SystemClock()
        if channel is None and emulator_host:
            channel = grpc.insecure_channel(emulator_host)
        client = PublisherClient(transport=PublisherGrpcTransport(channel=channel)) if channel else PublisherClient()
        self._stub = cast("grpc.UnaryUnaryMultiCallable[PublishRequest, PublishResponse]", client.transport.publish)

    def publish(self, messages: Sequence[BusMessage]) -> tuple[str, ...]:
        deadline = Deadline.after(self._clock, self._timeout_s)
        requests = dict(enumerate(map(self._request, _batches(messages))))
        confirmed: dict[int, Sequence[str]] = {}
        pauses_s = itertools.chain(_PAUSES_S, itertools.repeat(_PAUSES_S[-1]))
        while len(confirmed) < len(requests):
            missing = {number: request for number, request in requests.items() if number not in confirmed}
            try:
                confirmed |= self._publish_at_once(missing, deadline)
            except (exceptions.GoogleAPIError, grpc.FutureTimeoutError, GoogleAuthError) as cause:
                raise PublishFailedError("Pub/Sub did not confirm the events") from cause
            if len(confirmed) < len(requests):
                pause_s = next(pauses_s)
                if pause_s >= deadline.left_s:
                    raise PublishFailedError("Pub/Sub did not confirm the events in time")
                self._clock.sleep(pause_s)
        ids = tuple(itertools.chain.from_iterable(confirmed[number] for number in requests))
        if len(ids) != len(messages):
            raise PublishFailedError(f"Pub/Sub confirmed {len(ids)} of {len(messages)} events")
        return ids

    def _publish_at_once(self, requests: Mapping[int, PublishRequest], deadline: Deadline) -> dict[int, Sequence[str]]:
        """Return the ids of the requests that succeeded; those that are missing may be sent again.

        Raises: GoogleAPIError or grpc.FutureTimeoutError, if one failed for good.
        """
        if len(requests) == 1:  # a call that is waited for in its own thread costs half of one that is not
            (number, request), *_ = requests.items()
            return self._publish_alone(number, request, deadline)
        calls = {
            number: self._stub.future(request, timeout=deadline.left_s, metadata=self._metadata)
            for number, request in requests.items()
        }
        ids: dict[int, Sequence[str]] = {}
        try:
            for number, call in calls.items():
                try:
                    ids[number] = call.result(timeout=deadline.left_s).message_ids
                except grpc.RpcError as cause:
                    _raise_unless_it_may_pass(cause)
        finally:
            for call in calls.values():
                call.cancel()  # type: ignore[no-untyped-call]
        return ids

    def _publish_alone(self, number: int, request: PublishRequest, deadline: Deadline) -> dict[int, Sequence[str]]:
        """As `_publish_at_once`, of one request: almost every delivery is one."""
        try:
            return {number: self._stub(request, timeout=deadline.left_s, metadata=self._metadata).message_ids}
        except grpc.RpcError as cause:
            _raise_unless_it_may_pass(cause)
            return {}

    def _request(self, batch: Sequence[BusMessage]) -> PublishRequest:
        """Build the bare protobuf message: the client's wrapper around each message takes an eighth of the call's time."""
        messages = [_Message(data=message.data, attributes=message.attributes) for message in batch]
        request: PublishRequest = PublishRequest.wrap(_Request(topic=self._topic, messages=messages))
        return request


def _raise_unless_it_may_pass(cause: grpc.RpcError) -> None:
    """Raises: GoogleAPIError, if no later attempt can succeed."""
    fault = exceptions.from_grpc_error(cause)  # type: ignore[no-untyped-call]
    if not isinstance(fault, _RETRIED):
        raise fault from cause


def _batches(messages: Sequence[BusMessage]) -> Iterator[Sequence[BusMessage]]:
    for start in range(0, len(messages), MESSAGES_PER_CALL):
        yield messages[start : start + MESSAGES_PER_CALL]
