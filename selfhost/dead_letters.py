"""The queue's dead letters, as the operator's command takes them."""

from dataclasses import dataclass

from operations.dead_letters import DeadLetter
from shared.adapters.sqlite import SqliteEventQueue

_SUBSCRIPTION = "self-hosted"


@dataclass(frozen=True, slots=True, kw_only=True)
class SqliteDeadLetterQueue:
    """The port `DeadLetterQueue`.  One command at a time: a letter that was pulled stays where it is until it is acknowledged."""

    queue: SqliteEventQueue

    def pull(self, most: int) -> tuple[DeadLetter, ...]:
        return tuple(
            DeadLetter(
                subscription=_SUBSCRIPTION,
                ack_id=str(message.id),
                pubsub_message_id=str(message.id),
                published_ms=message.published_ms,
                data=message.data,
                attributes=message.attributes,
            )
            for message in self.queue.dead_letters(most)
        )

    def acknowledge(self, letter: DeadLetter) -> None:
        self.queue.drop(int(letter.ack_id))

    def release(self, letter: DeadLetter) -> None:
        """Nothing holds it."""
