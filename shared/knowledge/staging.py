"""What one turn reads and stages of a chat's entries.  It reads its own writes; nothing reaches the bucket before the turn is committed.

Made anew for every thought, so a turn that is thought again begins with nothing staged. Tools of one round run in parallel: every method
may be called from several threads, and `together` holds the others off for a change that reads first.
"""

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Final

from shared.conversation.records import StagedWrite
from shared.errors import PermanentError
from shared.knowledge.catalog import Row, row_of
from shared.knowledge.entry import Entry, Source, Withdrawn, oldest_words
from shared.knowledge.entry_file import read_entry, read_revision, written, written_revision
from shared.knowledge.entry_store import UNDO_FILE, StoredEntries
from shared.storage.codec import VERSION, decode, encode
from shared.storage.object_names import entry_name, is_entry_path

ENTRIES_LIMIT: Final = 1_000
CHANGES_LIMIT: Final = 20  # entries that one turn may change, because its outcome carries them whole


class EntryFault(Exception):  # noqa: N818 - not an error of ours: the model reads it
    """Why something cannot be done: one plain sentence for the model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filed:
    """The entry that was filed or moved last, and how sure its classification was."""

    path: str = field(repr=False)
    confidence: float


@dataclass(frozen=True, slots=True, kw_only=True)
class _Step:
    before: Mapping[str, Entry | None]
    filed_before: Filed | None


class EntryOverlay:
    """One turn's view of its chat's entries."""

    def __init__(
        self, *, entries: StoredEntries, conversation_id: str, sequence: int, withdrawn: Withdrawn = lambda *_: False
    ) -> None:
        """`sequence` is the number of the commit that the turn works towards.

        Entries that came from something `withdrawn` are not there for the turn: somebody is about to take the words out of them.
        """
        self.filed: Filed | None = None
        self._entries = entries
        self._conversation_id = conversation_id
        self._sequence = sequence
        self._withdrawn = withdrawn
        self._lock = threading.RLock()
        self._rows: dict[str, Row] | None = None
        self._read: dict[str, Entry | None] = {}
        self._staged: dict[str, Entry | None] = {}
        self._before: dict[str, Entry | None] = {}
        self._steps: list[_Step] = []
        self._undid = False
        self._sealed = False
        self._shown: set[str] = set()

    @contextmanager
    def together(self) -> Iterator[None]:
        """Nobody else changes anything inside the block."""
        with self._lock:
            yield

    @property
    def read_source_ids(self) -> frozenset[str]:
        """Every message behind what the model was shown or what is staged: an unsend of one of them touches the turn."""
        with self._lock:
            staged = (entry for entry in (*self._staged.values(), *self._before.values()) if entry is not None)
            return frozenset(self._shown.union(*(entry.source_ids for entry in staged)))

    def showed(self, source_ids: frozenset[str]) -> None:
        """Remember that the model was shown something that came from these messages."""
        with self._lock:
            self._shown |= source_ids

    def rows(self) -> tuple[Row, ...]:
        """Return every entry's row, as the turn left it; one read of the bucket a turn."""
        with self._lock:
            if self._rows is None:
                self._rows = self._entries.catalog(self._conversation_id).without(self._withdrawn).by_path
            merged = {**self._rows, **{path: row_of(one) if one else None for path, one in self._staged.items()}}
            return tuple(row for row in merged.values() if row is not None)

    def entry(self, path: str) -> Entry:
        """Return an entry that the model is shown.  Raises: EntryFault, where there is none."""
        with self._lock:
            entry = self._current(path) if is_entry_path(path) else None
            if entry is None:
                raise EntryFault(f"Entry not found: {path[:100]}")
            self._shown |= entry.source_ids
            return entry

    def hits(self, paths: Sequence[str]) -> list[Entry]:
        """Return several entries that the model is shown, read at the same time; those that are gone are left out."""
        with self._lock:
            unread = [path for path in paths if path not in self._staged and path not in self._read]
            found = self._entries.entries(self._conversation_id, unread)
            self._read |= zip(unread, map(self._standing, found), strict=True)
            shown = [entry for path in paths if (entry := self._current(path)) is not None]
            self._shown |= {one for entry in shown for one in entry.source_ids}
            return shown

    def is_taken(self, path: str) -> bool:
        """Whether there is an object at the path, or will be."""
        with self._lock:
            if self._staged.get(path) is not None or path in {row.path for row in self.rows()}:
                return True
            return path not in self._staged and self._entries.exists(self._conversation_id, path)

    def stage(self, changes: Mapping[str, Entry | None], *, filed: Filed | None = None) -> None:
        """The entries are as given for the rest of the turn; None means gone.  One step, for `undo`.  Raises: EntryFault."""
        with self._lock:
            self._refuse_too_much(changes)
            before = {path: self._current(path) for path in changes}
            self._steps.append(_Step(before=before, filed_before=self.filed))
            for path, entry in before.items():
                self._before.setdefault(path, entry)
            self._staged |= changes
            self.filed = filed or (None if self.filed and self.filed.path in changes else self.filed)

    def undo(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Take the last step of this turn back, or else what the last turn changed; return what came back and what went.

        Raises: EntryFault, where there is nothing to undo: it goes one step back, not two.
        """
        with self._lock:
            if self._steps:
                step = self._steps.pop()
                self._staged |= step.before
                self.filed = step.filed_before
                return _told(step.before)
            if self._undid:
                raise EntryFault("There is nothing to undo.")
            before = self._stored_before()
            involved = (
                entry for path, old in before.items() for entry in (old, self._current(path)) if entry is not None
            )
            self._shown |= {one for entry in involved for one in entry.source_ids}
            self.stage(before)
            self._steps.clear()
            self._before.clear()
            self._undid = True
            return _told(before)

    def changes(self) -> tuple[StagedWrite, ...]:
        """Return what is to be written, and take no more: what is created or changed, then what goes, then the way back."""
        with self._lock:
            self._sealed = True
            changed = {path: entry for path, entry in self._staged.items() if entry != self._loaded(path)}
            writes: list[StagedWrite] = []
            for path, entry in sorted(changed.items(), key=lambda item: item[1] is None):
                key = (self._sequence, len(writes))
                text = None if entry is None else written(replace(entry, revision=key))
                writes.append(StagedWrite(path=path, text=text))
            if writes:
                writes.append(StagedWrite(path=UNDO_FILE, text=self._way_back((self._sequence, len(writes)))))
            return tuple(writes)

    def _way_back(self, key: tuple[int, int]) -> str:
        changed = {path: entry for path, entry in self._before.items() if entry != self._current(path)}
        involved = [entry for path, old in changed.items() for entry in (old, self._current(path)) if entry is not None]
        sources = oldest_words(one for entry in involved for one in entry.sources)
        return written_undo(
            UndoRecord(
                revision=written_revision(key),
                before=tuple(
                    StagedWrite(path=path, text=None if entry is None else written(entry))
                    for path, entry in changed.items()
                ),
                sources=tuple(sources[one] for one in sorted(sources)),
            )
        )

    def _stored_before(self) -> dict[str, Entry | None]:
        stored = self._entries.store.read(entry_name(self._conversation_id, UNDO_FILE))
        try:
            record = read_undo(stored.data) if stored else UndoRecord()
            is_withdrawn = any(self._withdrawn(one.line_message_id, one.timestamp_ms) for one in record.sources)
            steps = () if is_withdrawn else record.before
            before = {one.path: read_entry(one.path, one.text.encode()) if one.text else None for one in steps}
        except PermanentError:
            before = {}
        if not before:
            raise EntryFault("There is nothing to undo.")
        return before

    def _loaded(self, path: str) -> Entry | None:
        """Return the entry as it is in the bucket."""
        if path not in self._read:
            self._read[path] = self._standing(self._entries.entry(self._conversation_id, path))
        return self._read[path]

    def _standing(self, entry: Entry | None) -> Entry | None:
        """Return the entry, or None where something in it was taken back."""
        return entry if entry is not None and entry.without(self._withdrawn) is entry else None

    def _current(self, path: str) -> Entry | None:
        return self._staged[path] if path in self._staged else self._loaded(path)

    def _refuse_too_much(self, changes: Mapping[str, Entry | None]) -> None:
        if self._sealed:
            raise EntryFault("The turn is over.")
        if len({*self._staged, *changes}) > CHANGES_LIMIT:
            raise EntryFault(
                f"One turn can change at most {CHANGES_LIMIT} entries; do the rest after the next message."
            )
        adds = any(entry is not None and not self.is_taken(path) for path, entry in changes.items())
        if adds and len(self.rows()) >= ENTRIES_LIMIT and None not in changes.values():
            raise EntryFault(f"The knowledge base is full ({ENTRIES_LIMIT} entries); delete some first.")


def _told(before: Mapping[str, Entry | None]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    restored = tuple(path for path, entry in before.items() if entry is not None)
    removed = tuple(path for path, entry in before.items() if entry is None)
    return restored, removed


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoRecord:
    """`before` holds each entry as it was, None where there was none; empty once it was undone.

    `sources` are the messages behind all of them and behind what they became, because a path repeats words too.
    """

    version: int = VERSION
    revision: str = "0.0"
    before: tuple[StagedWrite, ...] = field(default=(), repr=False)
    sources: tuple[Source, ...] = ()


def read_undo(data: bytes) -> UndoRecord:
    """Read the record back.  Raises: CorruptRecordError, UnknownRecordVersionError."""
    return decode(UndoRecord, data)


def written_undo(record: UndoRecord) -> str:
    """Return the text of its object."""
    return encode(record).decode()


def undo_revision(data: bytes) -> tuple[int, int]:
    """Return the key of the write that made the object; the smallest there is where it cannot be read."""
    try:
        return read_revision(read_undo(data).revision)
    except (PermanentError, ValueError):
        return (0, 0)
