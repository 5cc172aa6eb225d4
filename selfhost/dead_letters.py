"""The queue's dead letters, as the operator's command takes them; and what of the queue has to go with a withdrawal."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from operations.dead_letters import DeadLetter
from shared import logs
from shared.adapters.sqlite import QueuedMessage, SqliteEventQueue
from shared.errors import UnreadableRecordError

_SUBSCRIPTION: Final = "self-hosted"
_AT_A_TIME: Final = 100


@dataclass(slots=True, kw_only=True)
class SqliteDeadLetterQueue:
    """The port `DeadLetterQueue` for one command: each letter is pulled once, and stays where it is until it is acknowledged."""

    queue: SqliteEventQueue
    _last_id: int = 0

    def pull(self, most: int) -> tuple[DeadLetter, ...]:
        messages = self.queue.dead_letters(most, behind=self._last_id)
        if messages:
            self._last_id = messages[-1].id
        return tuple(map(_letter_of, messages))

    def acknowledge(self, letter: DeadLetter) -> None:
        self.queue.drop(int(letter.ack_id))

    def release(self, letter: DeadLetter) -> None:
        """Nothing holds it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WithdrawnMessages:
    """Deletes the messages whose words people took back: dead letters, and what waits for another attempt.

    What a worker has, or will have within a lease, it drops itself; if it fails with it, the next call deletes it. No delivery of another
    message depends on one that was withdrawn (docs/turn-protocol.md, step 4).
    """

    queue: SqliteEventQueue
    is_withdrawn: Callable[[DeadLetter], bool]

    def __call__(self) -> None:
        """Costs one read where nothing rests.  Raises: StorageUnavailableError; safe to repeat."""
        count, last_id = 0, 0
        while messages := self.queue.resting(_AT_A_TIME, behind=last_id):
            last_id = messages[-1].id
            withdrawn = [message for message in messages if self._is_withdrawn(message)]
            for message in withdrawn:
                self.queue.drop(message.id)
            count += len(withdrawn)
        if count:
            logs.info("withdrawn_messages_dropped", count=count)

    def _is_withdrawn(self, message: QueuedMessage) -> bool:
        try:
            return self.is_withdrawn(_letter_of(message))
        except UnreadableRecordError as cause:  # the messages of other chats must not wait for it
            logs.error("record_unreadable", cause=cause)
            return False


def _letter_of(message: QueuedMessage) -> DeadLetter:
    return DeadLetter(
        subscription=_SUBSCRIPTION,
        ack_id=str(message.id),
        pubsub_message_id=str(message.id),
        published_ms=message.published_ms,
        data=message.data,
        attributes=message.attributes,
    )
