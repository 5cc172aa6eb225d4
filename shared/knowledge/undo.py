"""`undo.json`: the entries as they were before the last turn with changes, so the next turn can restore them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from shared.conversation.provenance import IsWithdrawn, Provenance
from shared.conversation.records import StagedWrite
from shared.errors import PermanentError
from shared.knowledge.entry import Entry
from shared.knowledge.entry_file import format_entry, format_revision, read_entry, read_revision
from shared.storage.codec import VERSION, decode, encode
from shared.unknown_fields import Extensible


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoRecord(Extensible):
    """`before` has each changed entry in its earlier state, None for a new entry; empty after the undo.

    `provenance` covers the entries before and after the turn, because a path repeats words too.
    """

    version: int = VERSION
    revision: str = "0.0"
    before: tuple[StagedWrite, ...] = field(default=(), repr=False)
    provenance: Provenance = field(default_factory=Provenance)

    @classmethod
    def of(
        cls, before: Mapping[str, Entry | None], after: Mapping[str, Entry | None], *, key: tuple[int, int]
    ) -> "UndoRecord":
        """Return the record of a turn: the same entries before and after, and the key of the write."""
        changed = {path: entry for path, entry in before.items() if entry != after[path]}
        involved = [entry for path, old in changed.items() for entry in (old, after[path]) if entry is not None]
        return cls(
            revision=format_revision(key),
            before=tuple(
                StagedWrite(path=path, text=None if entry is None else format_entry(entry))
                for path, entry in changed.items()
            ),
            provenance=Provenance.union(entry.provenance for entry in involved),
        )

    def entries(self, is_withdrawn: IsWithdrawn) -> dict[str, Entry | None]:
        """Return the entries before the turn; none where a message behind any of them was withdrawn since.

        Raises: CorruptRecordError, UnknownRecordVersionError, for an unreadable entry.
        """
        if self.provenance.withdrawn_ids(is_withdrawn):
            return {}
        return {one.path: read_entry(one.path, one.text.encode()) if one.text else None for one in self.before}


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoEffect:
    """The effect of an undo: the paths of restored entries, and the paths of removed entries."""

    restored: tuple[str, ...] = field(repr=False)
    removed: tuple[str, ...] = field(repr=False)

    @classmethod
    def of(cls, before: Mapping[str, Entry | None]) -> "UndoEffect":
        """Return the effect of restoring entries: `UndoEffect.of({"people/sato.md": None})` has `people/sato.md` in `removed`."""
        return cls(
            restored=tuple(path for path, entry in before.items() if entry is not None),
            removed=tuple(path for path, entry in before.items() if entry is None),
        )


def read_undo(data: bytes) -> UndoRecord:
    """Read the record.  Raises: CorruptRecordError, UnknownRecordVersionError."""
    return decode(UndoRecord, data)


def format_undo(record: UndoRecord) -> str:
    """Return the text of the record's object."""
    return encode(record).decode()


def revision_of_undo(data: bytes) -> tuple[int, int]:
    """Return the key of the write that made the object; `(0, 0)` where the object is unreadable."""
    try:
        return read_revision(read_undo(data).revision)
    except (PermanentError, ValueError):
        return (0, 0)
