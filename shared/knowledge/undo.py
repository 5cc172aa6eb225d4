"""`undo.json`: the entries as they were before the last turn that changed some, so that the next turn can restore them."""

from dataclasses import dataclass, field

from shared.conversation.records import StagedWrite
from shared.errors import PermanentError
from shared.knowledge.entry import Source
from shared.knowledge.entry_file import read_revision
from shared.storage.codec import VERSION, decode, encode


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoRecord:
    """`before` holds each entry as it was, None where there was none; empty once it was undone.

    `sources` are the messages behind these entries and behind what they became, because a path repeats words too.
    """

    version: int = VERSION
    revision: str = "0.0"
    before: tuple[StagedWrite, ...] = field(default=(), repr=False)
    sources: tuple[Source, ...] = ()


def read_undo(data: bytes) -> UndoRecord:
    """Read the record back.  Raises: CorruptRecordError, UnknownRecordVersionError."""
    return decode(UndoRecord, data)


def format_undo(record: UndoRecord) -> str:
    """Return the text of its object."""
    return encode(record).decode()


def revision_of_undo(data: bytes) -> tuple[int, int]:
    """Return the key of the write that made the object; the smallest key where it cannot be read."""
    try:
        return read_revision(read_undo(data).revision)
    except (PermanentError, ValueError):
        return (0, 0)
