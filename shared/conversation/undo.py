"""`undo.json`: what the last turn with changes found before, of every feature, so the next turn can restore it."""

from collections.abc import Iterable
from dataclasses import field
from typing import Final

from shared.conversation.provenance import Provenance
from shared.conversation.records import StagedWrite
from shared.conversation.store import Conversation
from shared.conversation.write_key import WriteKey, format_key, read_key
from shared.errors import PermanentError
from shared.frozen import frozen
from shared.storage.codec import VERSION, decode, encode
from shared.unknown_fields import Extensible

UNDO_FILE: Final = "undo.json"
"""The record's path below the chat's entries."""


@frozen
class UndoRecord(Extensible):
    """`before` has each changed entry or reminder in its earlier state, None for a new thing; empty after the undo.

    `provenance` covers the things before and after the turn, because a path repeats words too. `is_partial`: the turn also did something
    that no undo takes back, such as a page in Notion; with an empty `before`, nothing else.
    """

    version: int = VERSION
    revision: str = "0.0"
    before: tuple[StagedWrite, ...] = field(default=(), repr=False)
    is_partial: bool = False
    provenance: Provenance = field(default_factory=Provenance)

    @classmethod
    def stored(cls, conversation: Conversation) -> "UndoRecord":
        """Return the chat's record; an empty record where nothing was ever changed, or the object is unreadable.

        Raises: StorageUnavailableError.
        """
        stored = conversation.objects.store.read(conversation.names.entry(UNDO_FILE))
        try:
            return read_undo(stored.data) if stored else cls()
        except PermanentError:
            return cls()


def undo_write(
    before: Iterable[StagedWrite], provenance: Provenance, *, key: WriteKey, is_partial: bool = False
) -> StagedWrite:
    """Return the write of a turn's undo record.  For a new reminder, `before` is `(StagedWrite(path="reminders/r1", text=None),)`."""
    record = UndoRecord(revision=format_key(key), before=tuple(before), provenance=provenance, is_partial=is_partial)
    return StagedWrite(path=UNDO_FILE, text=format_undo(record))


def stage_beyond_undo(sequence: int) -> tuple[StagedWrite, ...]:
    """Return the write of a turn that only did what no undo takes back, such as a withdrawal: the turn before it is not undone instead."""
    return (undo_write((), Provenance(), key=(sequence, 0), is_partial=True),)


def read_undo(data: bytes) -> UndoRecord:
    """Read the record.  Raises: CorruptRecordError, UnknownRecordVersionError."""
    return decode(UndoRecord, data)


def format_undo(record: UndoRecord) -> str:
    """Return the text of the record's object."""
    return encode(record).decode()


def revision_of_undo(data: bytes) -> WriteKey:
    """Return the key of the write that made the object; `(0, 0)` where the object is unreadable."""
    try:
        return read_key(read_undo(data).revision)
    except (PermanentError, ValueError):
        return (0, 0)
