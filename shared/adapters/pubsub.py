"""The event bus on Pub/Sub.

It uses the plain gapic client, which publishes in the caller's thread, without the batching, delays and background threads of `pubsub_v1`,
and imports faster. That client does not read PUBSUB_EMULATOR_HOST.
"""

from collections.abc import Iterator, Sequence
from typing import Final

import grpc
from google.api_core import exceptions
from google.api_core.retry import Retry, if_exception_type
from google.auth.exceptions import GoogleAuthError
from google.pubsub_v1 import PublisherClient, PublishRequest, PubsubMessage
from google.pubsub_v1.services.publisher.transports import PublisherGrpcTransport

from shared.bus.messages import BusMessage
from shared.errors import PublishFailedError

MESSAGES_PER_CALL: Final = 1_000  # Source: Pub/Sub, "Quotas and limits"
_Message: Final = PubsubMessage.pb()
_Request: Final = PublishRequest.pb()
_RETRIED: Final = if_exception_type(exceptions.ServiceUnavailable, exceptions.Aborted, exceptions.InternalServerError)


class PubSubEventBus:
    """Publishes to one topic; safe to share between threads."""

    def __init__(self, *, project_id: str, topic_id: str, timeout_s: float, emulator_host: str | None = None) -> None:
        """`timeout_s` bounds the publishing of one delivery, retries included; LINE waits two seconds for the webhook's answer."""
        self._topic = PublisherClient.topic_path(project_id, topic_id)
        self._timeout_s = timeout_s
        self._retry = Retry(predicate=_RETRIED, initial=0.1, maximum=0.5, timeout=timeout_s)
        self._client = (
            PublisherClient(transport=PublisherGrpcTransport(channel=grpc.insecure_channel(emulator_host)))
            if emulator_host
            else PublisherClient()
        )

    def publish(self, messages: Sequence[BusMessage]) -> tuple[str, ...]:
        ids: list[str] = []
        for batch in _batches(messages):
            try:
                response = self._client.publish(
                    request=self._request(batch), retry=self._retry, timeout=self._timeout_s
                )
            except (exceptions.GoogleAPIError, GoogleAuthError) as cause:
                raise PublishFailedError("Pub/Sub did not confirm the events") from cause
            ids += response.message_ids
        if len(ids) != len(messages):
            raise PublishFailedError(f"Pub/Sub confirmed {len(ids)} of {len(messages)} events")
        return tuple(ids)

    def _request(self, batch: Sequence[BusMessage]) -> PublishRequest:
        """Build the bare protobuf message: the client's wrapper around each message takes an eighth of the call's time."""
        messages = [_Message(data=message.data, attributes=message.attributes) for message in batch]
        request: PublishRequest = PublishRequest.wrap(_Request(topic=self._topic, messages=messages))
        return request


def _batches(messages: Sequence[BusMessage]) -> Iterator[Sequence[BusMessage]]:
    for start in range(0, len(messages), MESSAGES_PER_CALL):
        yield messages[start : start + MESSAGES_PER_CALL]
