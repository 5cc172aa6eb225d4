"""The queue's dead letters for the operator's command, and the removal of withdrawn words from the queue."""

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
    """The port `DeadLetterQueue` for a single command: each letter is pulled once, and stays stored until it is acknowledged."""

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
        """Do nothing: a pull reserves no letter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WithdrawnMessages:
    """Removes withdrawn words from dead letters and from messages that wait for another attempt.

    `remainder` returns the part of a letter that may stay, or None. A message that a worker has, or gets within a lease, is left alone: the
    worker drops withdrawn words itself, and if the worker fails, the next call removes them. No delivery of another message depends on a
    withdrawn message (docs/turn-protocol.md, step 4).
    """

    queue: SqliteEventQueue
    remainder: Callable[[DeadLetter], bytes | None]

    def __call__(self) -> None:
        """Remove the words; a single read if no message rests.  Raises: StorageUnavailableError; safe to repeat."""
        count, last_id = 0, 0
        while messages := self.queue.resting(_AT_A_TIME, behind=last_id):
            last_id = messages[-1].id
            count += sum(map(self._remove_words, messages))
        if count:
            logs.info("withdrawn_messages_dropped", count=count)

    def _remove_words(self, message: QueuedMessage) -> bool:
        """Remove a message's withdrawn words; return whether there were any."""
        try:
            data = self.remainder(_letter_of(message))
        except UnreadableRecordError as cause:  # must not hold up the messages of other chats
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
