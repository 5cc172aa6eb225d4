"""Dead letters on Pub/Sub, pulled with the plain gapic client, which ignores PUBSUB_EMULATOR_HOST; and the channel for replays."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

import grpc
from google.api_core import exceptions
from google.auth.exceptions import GoogleAuthError
from google.pubsub_v1 import SubscriberClient
from google.pubsub_v1.services.publisher.transports import PublisherGrpcTransport
from google.pubsub_v1.services.subscriber.transports import SubscriberGrpcTransport

from operations.dead_letters import DeadLetter
from shared.adapters.pubsub import CHANNEL_OPTIONS
from shared.errors import TransientError

_TIMEOUT_S: Final = 10.0
_MESSAGES_PER_PULL: Final = 1_000  # Source: Pub/Sub, "Quotas and limits"


def topic_channel(emulator_host: str | None) -> grpc.Channel:
    """Return a channel for publishing with the operator's gcloud credentials, or to an emulator, for example at "localhost:8085"."""
    if emulator_host:
        return grpc.insecure_channel(emulator_host, options=CHANNEL_OPTIONS)
    channel: grpc.Channel = PublisherGrpcTransport.create_channel(options=CHANNEL_OPTIONS)
    return channel


class QueueUnavailableError(TransientError):
    """Pub/Sub failed or refused a request."""


class PubSubDeadLetterQueue:
    """The dead-letter subscriptions of a project, pulled in order."""

    def __init__(
        self, *, project_id: str, subscriptions: Sequence[str], emulator_host: str | None = None, wait_s: float = 5.0
    ) -> None:
        """`wait_s` limits the wait for the first message of a pull; a pull may be empty although messages are waiting."""
        self._names = [SubscriberClient.subscription_path(project_id, subscription) for subscription in subscriptions]
        self._wait_s = wait_s
        self._client = (
            SubscriberClient(transport=SubscriberGrpcTransport(channel=grpc.insecure_channel(emulator_host)))
            if emulator_host
            else SubscriberClient()
        )

    def pull(self, most: int) -> tuple[DeadLetter, ...]:
        letters: list[DeadLetter] = []
        for name in self._names:
            if len(letters) < most:
                letters += self._pull_from(name, most - len(letters))
        return tuple(letters)

    def acknowledge(self, letter: DeadLetter) -> None:
        with _translate_errors():
            self._client.acknowledge(subscription=letter.subscription, ack_ids=[letter.ack_id], timeout=_TIMEOUT_S)

    def release(self, letter: DeadLetter) -> None:
        with _translate_errors():
            self._client.modify_ack_deadline(
                subscription=letter.subscription,
                ack_ids=[letter.ack_id],
                ack_deadline_seconds=0,
                timeout=_TIMEOUT_S,
            )

    def _pull_from(self, name: str, most: int) -> Iterator[DeadLetter]:
        with _translate_errors():
            try:
                answer = self._client.pull(
                    subscription=name, max_messages=min(most, _MESSAGES_PER_PULL), retry=None, timeout=self._wait_s
                )
            except exceptions.DeadlineExceeded:  # no message came
                return
        for received in answer.received_messages:
            message = received.message
            yield DeadLetter(
                subscription=name,
                ack_id=received.ack_id,
                pubsub_message_id=message.message_id,
                published_ms=round(message.publish_time.timestamp() * 1_000),
                data=message.data,
                attributes=dict(message.attributes),
            )


@contextmanager
def _translate_errors() -> Iterator[None]:
    try:
        yield
    except (exceptions.GoogleAPIError, GoogleAuthError) as cause:
        raise QueueUnavailableError(
            "Pub/Sub does not hand out the dead letters; check the names and your rights"
        ) from cause
