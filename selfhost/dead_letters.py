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
    """Takes the words that people took back from the queue: from dead letters, and from what waits for another attempt.

    `remainder` is what may stay of a letter. What a worker has, or will have within a lease, it drops itself; if it fails with it, the
    next call takes the words. No delivery of another message depends on one that was withdrawn (docs/turn-protocol.md, step 4).
    """

    queue: SqliteEventQueue
    remainder: Callable[[DeadLetter], bytes | None]

    def __call__(self) -> None:
        """Costs one read where nothing rests.  Raises: StorageUnavailableError; safe to repeat."""
        count, last_id = 0, 0
        while messages := self.queue.resting(_AT_A_TIME, behind=last_id):
            last_id = messages[-1].id
            count += sum(map(self._is_changed, messages))
        if count:
            logs.info("withdrawn_messages_dropped", count=count)

    def _is_changed(self, message: QueuedMessage) -> bool:
        """Whether words of the message had to go, which they have."""
        try:
            data = self.remainder(_letter_of(message))
        except UnreadableRecordError as cause:  # the messages of other chats must not wait for it
            logs.error("record_unreadable", cause=cause)
            return False
        if data is None:
            self.queue.drop(message.id)
        elif data != message.data:
            self.queue.replace(message.id, data)
        return data != message.data


def _letter_of(message: QueuedMessage) -> DeadLetter:
    return DeadLetter(
        subscription=_SUBSCRIPTION,
        ack_id=str(message.id),
        pubsub_message_id=str(message.id),
        published_ms=message.published_ms,
        data=message.data,
        attributes=message.attributes,
    )
