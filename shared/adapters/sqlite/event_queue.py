"""The bus as a table: workers take published messages with a lease, as Pub/Sub's push subscriptions hand them out.

An acknowledged message is deleted. A refused message comes again after a pause that doubles (1 s, 2 s, 4 s, …); after 20 attempts it is
a dead letter. An attempt is recorded before the work begins, so that a crash of the process counts as an attempt: a message that ends the
process each time becomes a dead letter as well.
Why a table of our own: docs/adr/20261126-self-hosted-queue.md.
"""

import json
import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Final

from shared.adapters.sqlite.database import Database
from shared.bus.messages import BusMessage
from shared.clock import Clock
from shared.errors import PublishFailedError, StorageUnavailableError
from shared.frozen import frozen

MOST_ATTEMPTS: Final = 20
_LEASE_MS: Final = 120_000  # Pub/Sub's acknowledgement deadline in infra/terraform
_LONGEST_PAUSE_MS: Final = 600_000
_DEAD_LETTERS_MS: Final = 7 * 24 * 3_600_000  # dead letters hold people's words
_NO_CHAT: Final = ""
_NONE: Final[Mapping[str, int]] = {}
_FIELDS: Final = "id, chat, data, attributes, published_ms, attempts"
_OF_UNSENDS: Final = "(? IS NULL OR (json_extract(attributes, '$.type') IS 'unsend') = ?)"
"""Whether a message is of the kind asked for, with `of_unsends` as both parameters."""


@frozen
class QueuedMessage:
    """A message taken for its attempt number `attempts`, or a dead letter.  `chat` is "" for an event without a chat."""

    id: int
    chat: str = field(repr=False)
    data: bytes = field(repr=False)
    attributes: Mapping[str, str] = field(repr=False)
    published_ms: int
    attempts: int


class SqliteEventQueue:
    """The topic, its subscriptions' backlog and its dead letters; safe to share between threads."""

    def __init__(self, database: Database, *, clock: Clock, first_pause_s: float = 1.0) -> None:
        """Messages in work, or with a pause, are due at once: no earlier process goes on.  `first_pause_s` follows the first failure."""
        self._database = database
        self._clock = clock
        self._first_pause_ms = round(first_pause_s * 1_000)
        database.write(lambda db: db.execute("UPDATE messages SET due_ms = 0 WHERE dead_ms IS NULL AND due_ms > 0"))

    def publish(self, messages: Sequence[BusMessage]) -> tuple[str, ...]:
        if not messages:
            return ()
        now_ms = self._clock.now_ms()

        def add(db: sqlite3.Connection) -> tuple[str, ...]:
            return tuple(str(_insert(db, message, now_ms)) for message in messages)

        try:
            return self._database.write(add)  # all of a delivery, or nothing
        except StorageUnavailableError as cause:
            raise PublishFailedError("the queue did not confirm the events") from cause

    def take(
        self,
        most: int,
        *,
        of_unsends: bool | None = None,
        in_flight: Mapping[str, int] = _NONE,
        most_of_a_chat: int | None = None,
    ) -> tuple[QueuedMessage, ...]:
        """Take due messages, the oldest first, each for a lease.

        `of_unsends`: unsends alone, or the others alone; None: both. Together with messages in flight, no chat gets more than
        `most_of_a_chat`. Example: with 8, and `{"U1": 7}` in flight, at most one message of U1 is taken. Raises: StorageUnavailableError.
        """
        now_ms = self._clock.now_ms()
        full = [] if most_of_a_chat is None else [chat for chat, count in in_flight.items() if count >= most_of_a_chat]
        full_chats = json.dumps([chat for chat in full if chat != _NO_CHAT])
        values = (now_ms, now_ms + _LONGEST_PAUSE_MS, full_chats, of_unsends, of_unsends, most)

        def due(db: sqlite3.Connection) -> list[int]:
            # A message due later than the longest pause waits because the clock was set back.
            rows = db.execute(
                "SELECT id, chat FROM messages WHERE dead_ms IS NULL AND (due_ms <= ? OR due_ms > ?)"  # noqa: S608 - constants
                f" AND chat NOT IN (SELECT value FROM json_each(?)) AND {_OF_UNSENDS} ORDER BY id LIMIT ?",
                values,
            ).fetchall()
            counts, fitting = Counter(in_flight), []
            for message_id, chat in rows:
                counts[chat] += 1
                if most_of_a_chat is None or chat == _NO_CHAT or counts[chat] <= most_of_a_chat:
                    fitting.append(message_id)
            return fitting

        def lease(db: sqlite3.Connection) -> tuple[QueuedMessage, ...]:
            taken = []
            for message_id in due(db):
                row = db.execute(
                    "UPDATE messages SET attempts = attempts + 1, due_ms = ? WHERE id = ? AND attempts < ?"  # noqa: S608 - constants
                    f" RETURNING {_FIELDS}",
                    (now_ms + _LEASE_MS, message_id, MOST_ATTEMPTS),
                ).fetchone()
                if row is not None:
                    taken.append(_message(row))
                else:  # the process ended at each attempt, or none was settled
                    db.execute("UPDATE messages SET dead_ms = ? WHERE id = ?", (now_ms, message_id))
            return tuple(taken)

        return self._database.write(lease) if self._database.read(due) else ()

    def acknowledge(self, message: QueuedMessage) -> None:
        """Delete the message.  Repeated: does nothing.  Raises: StorageUnavailableError."""
        self.drop(message.id)

    def drop(self, message_id: int) -> None:
        """Delete the message or dead letter.  Repeated: does nothing.  Raises: StorageUnavailableError."""
        self._database.write(lambda db: db.execute("DELETE FROM messages WHERE id = ?", (message_id,)))

    def replace(self, message_id: int, data: bytes) -> None:
        """Replace the data of the message or dead letter, if it still exists.  Raises: StorageUnavailableError."""
        self._database.write(lambda db: db.execute("UPDATE messages SET data = ? WHERE id = ?", (data, message_id)))

    def refuse(self, message: QueuedMessage) -> None:
        """Make the message due after a pause, or a dead letter.  No effect if a worker took the message again.

        Raises: StorageUnavailableError. Example with a first pause of 1 s: 1, 2, 4, … seconds, at most ten minutes.
        """
        now_ms = self._clock.now_ms()
        pause_ms = min(self._first_pause_ms * 2 ** (message.attempts - 1), _LONGEST_PAUSE_MS)
        dead_ms = now_ms if message.attempts >= MOST_ATTEMPTS else None
        self._database.write(
            lambda db: db.execute(
                "UPDATE messages SET due_ms = ?, dead_ms = ? WHERE id = ? AND attempts = ?",
                (now_ms + pause_ms, dead_ms, message.id, message.attempts),
            )
        )

    def next_due_s(self, *, of_unsends: bool | None = None) -> float | None:
        """Return the seconds until a message is due, 0 or less for a due message; None: no message waits.  `of_unsends` as in `take`.

        Raises: StorageUnavailableError.
        """
        (due_ms,) = self._database.read(
            lambda db: db.execute(
                f"SELECT min(due_ms) FROM messages WHERE dead_ms IS NULL AND {_OF_UNSENDS}",  # noqa: S608 - constants
                (of_unsends, of_unsends),
            ).fetchone()
        )
        return None if due_ms is None else (due_ms - self._clock.now_ms()) / 1_000

    def counts(self) -> tuple[int, int]:
        """Return the number of messages that wait or are in work, and the number of dead letters, for example `(3, 1)`.

        Raises: StorageUnavailableError.
        """
        (all_messages, dead) = self._database.read(
            lambda db: db.execute("SELECT count(*), count(dead_ms) FROM messages").fetchone()
        )
        return all_messages - dead, dead

    def dead_letters(self, most: int, *, behind: int = 0) -> tuple[QueuedMessage, ...]:
        """Return dead letters with larger ids than `behind`, the oldest first.  Raises: StorageUnavailableError."""
        return self._messages("dead_ms IS NOT NULL", (), most, behind)

    def resting(self, most: int, *, behind: int = 0) -> tuple[QueuedMessage, ...]:
        """Return dead letters, and failed messages with a pause beyond a lease, likewise; no worker has such a message.

        Raises: StorageUnavailableError.
        """
        leased_ms = self._clock.now_ms() + _LEASE_MS
        return self._messages("dead_ms IS NOT NULL OR attempts > 0 AND due_ms > ?", (leased_ms,), most, behind)

    def _messages(self, condition: str, values: tuple[int, ...], most: int, behind: int) -> tuple[QueuedMessage, ...]:
        query = f"SELECT {_FIELDS} FROM messages WHERE ({condition}) AND id > ? ORDER BY id LIMIT ?"  # noqa: S608 - constants
        return tuple(
            map(_message, self._database.read(lambda db: db.execute(query, (*values, behind, most)).fetchall()))
        )

    def drop_old_dead_letters(self) -> None:
        """Delete dead letters older than a week.  Costs no commit without such letters.  Raises: StorageUnavailableError."""
        until = (self._clock.now_ms() - _DEAD_LETTERS_MS,)
        if self._database.read(lambda db: db.execute("SELECT 1 FROM messages WHERE dead_ms < ?", until).fetchone()):
            self._database.write(lambda db: db.execute("DELETE FROM messages WHERE dead_ms < ?", until))


def _insert(db: sqlite3.Connection, message: BusMessage, now_ms: int) -> int | None:
    chat = message.attributes.get("conversation_id", _NO_CHAT)
    row = (chat, message.data, json.dumps(dict(message.attributes)), now_ms, now_ms)
    return db.execute(
        "INSERT INTO messages (chat, data, attributes, published_ms, due_ms) VALUES (?, ?, ?, ?, ?)", row
    ).lastrowid


def _message(row: tuple[int, str, bytes, str, int, int]) -> QueuedMessage:
    number, chat, data, attributes, published_ms, attempts = row
    return QueuedMessage(
        id=number,
        chat=chat,
        data=data,
        attributes=json.loads(attributes),
        published_ms=published_ms,
        attempts=attempts,
    )
