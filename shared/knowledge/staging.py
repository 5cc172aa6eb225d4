"""A turn's view of a chat's entries, with its own writes; nothing reaches the bucket before the turn is committed.

An overlay serves a single thought, so a turn that is thought again begins with nothing staged. Tools of a round run in parallel: every
method may be called from several threads, and `together` keeps the other threads out of a change that reads first.
"""

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Final

from shared.agent.receipts import Deed, DeedKind, Place
from shared.conversation.amendments import Amendments
from shared.conversation.provenance import IsWithdrawn, Provenance
from shared.conversation.records import StagedWrite
from shared.conversation.store import Conversation
from shared.errors import PermanentError
from shared.knowledge.catalog import CATALOG_LIMIT_BYTES, ROW_LIMIT_BYTES, Catalog, Row, row_of
from shared.knowledge.entry import Entry
from shared.knowledge.entry_file import LIMIT_BYTES, format_entry, format_revision
from shared.knowledge.entry_store import UNDO_FILE, EntryStore
from shared.knowledge.undo import UndoEffect, UndoRecord, format_undo, read_undo
from shared.storage.object_names import is_entry_path

ENTRIES_LIMIT: Final = 1_000
_KEY_BYTES: Final = 32  # the most that the key of a write adds to an entry
CHANGES_LIMIT: Final = 20  # entries that a turn may change: the turn's outcome carries each entry whole


class EntryFault(Exception):  # noqa: N818 - not an error of this service: the model reads it
    """A refusal that the model reads: a plain sentence, and whether other arguments may succeed."""

    def __init__(self, message: str, *, may_retry: bool = False) -> None:
        super().__init__(message)
        self.may_retry = may_retry


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """The path of a filed or moved entry, and the confidence of its classification."""

    path: str = field(repr=False)
    confidence: float


@dataclass(frozen=True, slots=True, kw_only=True)
class _Step:
    before: Mapping[str, Entry | None]
    placement_before: Placement | None


class EntryOverlay:
    """A turn's view of the chat's entries.  `placement` is the last staged placement."""

    def __init__(self, *, entries: EntryStore, sequence: int, is_withdrawn: IsWithdrawn) -> None:
        """`sequence` is the number of the commit towards which the turn works.

        Entries from withdrawn messages do not exist for the turn: a withdrawal is about to remove the words.
        """
        self.placement: Placement | None = None
        self._entries = entries
        self._sequence = sequence
        self._is_withdrawn = is_withdrawn
        self._lock = threading.RLock()
        self._rows: dict[str, Row] | None = None
        self._stored: dict[str, Entry | None] = {}
        self._staged: dict[str, Entry | None] = {}
        self._before: dict[str, Entry | None] = {}
        self._steps: list[_Step] = []
        self._undone: Mapping[str, Entry | None] | None = None
        self._undo_record: UndoRecord | None = None
        self._keys: dict[str, tuple[int, int]] = {}
        self._is_closed = False
        self._shown = Provenance()

    @contextmanager
    def together(self) -> Iterator[None]:
        """Keep other threads from changing anything inside the block."""
        with self._lock:
            yield

    @property
    def conversation(self) -> Conversation:
        """The chat of the entries."""
        return self._entries.conversation

    @property
    def provenance(self) -> Provenance:
        """The provenance of all entries shown to the model or staged: an unsend of such a message affects the turn."""
        with self._lock:
            staged = (entry for entry in (*self._staged.values(), *self._before.values()) if entry is not None)
            return Provenance.union((self._shown, *(entry.provenance for entry in staged)))

    def mark_shown(self, provenance: Provenance) -> None:
        """Remember the provenance of something shown to the model."""
        with self._lock:
            self._shown |= provenance

    def rows(self) -> tuple[Row, ...]:
        """Return the row of every entry, staged changes included; a single read of the bucket in a turn."""
        with self._lock:
            if self._rows is None:
                self._rows = self._entries.catalog().without(self._is_withdrawn).by_path
            merged = {**self._rows, **{path: row_of(one) if one else None for path, one in self._staged.items()}}
            return tuple(row for row in merged.values() if row is not None)

    def show_entry(self, path: str) -> Entry:
        """Return an entry for the model to read.  Raises: EntryFault, where there is none."""
        with self._lock:
            entry = self._current(path) if is_entry_path(path) else None
            if entry is None:
                raise EntryFault(f"Entry not found: {path[:100]}", may_retry=True)
            self._shown |= entry.provenance
            return entry

    def revision_of(self, path: str) -> str:
        """Return the key of the entry's last write; after `changes`, the key of the staged write; "" without an entry.

        For example, after a turn has added a note, a tap in the next turn finds the entry at the revision returned here.
        """
        with self._lock:
            entry = self._current(path) if is_entry_path(path) else None
            return "" if entry is None else format_revision(self._keys.get(path, entry.revision))

    @property
    def revision_of_undo(self) -> str:
        """The key of the earlier turn's write that an undo would take back; "" where there is nothing to undo."""
        with self._lock:
            record = self._read_undo()
            return record.revision if record.before else ""

    def show_entries(self, paths: Sequence[str]) -> list[Entry]:
        """Return several entries for the model to read, read in parallel; missing entries are left out."""
        with self._lock:
            unread_paths = [path for path in paths if path not in self._staged and path not in self._stored]
            loaded = self._entries.entries(unread_paths)
            self._stored |= zip(unread_paths, map(self._unless_withdrawn, loaded), strict=True)
            shown = [entry for path in paths if (entry := self._current(path)) is not None]
            self._shown |= Provenance.union(entry.provenance for entry in shown)
            return shown

    def is_taken(self, path: str) -> bool:
        """Whether there is an object at the path, or will be."""
        with self._lock:
            if self._staged.get(path) is not None or path in {row.path for row in self.rows()}:
                return True
            return path not in self._staged and self._entries.exists(path)

    def stage(self, changes: Mapping[str, Entry | None], *, placement: Placement | None = None) -> None:
        """Apply the changes for the rest of the turn; None deletes an entry.  A single step for `undo`.  Raises: EntryFault."""
        with self._lock:
            self._check_limits(changes)
            before = {path: self._current(path) for path in changes}
            self._steps.append(_Step(before=before, placement_before=self.placement))
            for path, entry in before.items():
                self._before.setdefault(path, entry)
            self._staged |= changes
            is_changed = self.placement is not None and self.placement.path in changes
            self.placement = placement or (None if is_changed else self.placement)

    def show_undo(self) -> tuple[str, ...]:
        """Return the names of the entries of an earlier turn that `undo` would change; none where `undo` takes back a step of this turn.

        Raises: EntryFault, where there is nothing to undo.
        """
        with self._lock:
            if self._steps or self._undone is not None:
                return ()
            before = self._stored_before()
            current = (self._current(path) for path in before)
            involved = [one for one in (*current, *before.values()) if one is not None]
            self._shown |= Provenance.union(entry.provenance for entry in involved)
            return tuple({one.id: one.name for one in involved}.values())

    def undo(self) -> UndoEffect:
        """Take back the last step of this turn, or else the changes of the last turn.

        Raises: EntryFault, where there is nothing to undo: only a single step can be undone.
        """
        with self._lock:
            if self._steps:
                step = self._steps.pop()
                self._staged |= step.before
                self.placement = step.placement_before
                return UndoEffect.of(step.before)
            if self._undone is not None:
                raise EntryFault("There is nothing to undo.")
            before = self._stored_before()
            involved = (
                entry for path, old in before.items() for entry in (old, self._current(path)) if entry is not None
            )
            self._shown |= Provenance.union(entry.provenance for entry in involved)
            self.stage(before)
            self._steps.clear()
            self._before.clear()
            self._undone = before
            return UndoEffect.of(before)

    def changes(self) -> tuple[StagedWrite, ...]:
        """Return the staged writes and accept no more: created or changed entries, then deletions, then the undo record."""
        with self._lock:
            self._is_closed = True
            changed = {path: entry for path, entry in self._staged.items() if entry != self._load(path)}
            writes: list[StagedWrite] = []
            for path, entry in sorted(changed.items(), key=lambda item: item[1] is None):
                key = (self._sequence, len(writes))
                self._keys[path] = key
                text = None if entry is None else format_entry(replace(entry, revision=key))
                writes.append(StagedWrite(path=path, text=text))
            if writes:
                after = {path: self._current(path) for path in self._before}
                record = UndoRecord.of(self._before, after, key=(self._sequence, len(writes)))
                writes.append(StagedWrite(path=UNDO_FILE, text=format_undo(record)))
            return tuple(writes)

    @property
    def filed_paths(self) -> tuple[str, ...]:
        """The paths of the entries filed or moved by this turn."""
        with self._lock:
            return tuple(path for path, one in self._staged.items() if one is not None and not self._is_stored(one))

    @property
    def deeds(self) -> tuple[Deed, ...]:
        """The effects of the staged writes, compared with the bucket: for example, a filed entry, or a moved one."""
        with self._lock:
            new = {path: entry for path, entry in self._staged.items() if entry is not None}
            changed = [entry for path, entry in new.items() if entry != self._load(path)]
            old_by_id = {
                old.id: old
                for path, entry in self._staged.items()
                if (old := self._load(path)) is not None and (entry is None or entry.id != old.id)
            }
            deeds = [self._deed(entry, old_by_id) for entry in changed]
            moved = {entry.id for entry in changed}
            return (
                *deeds,
                *(Deed(kind=DeedKind.DELETED, name=old.name) for key, old in old_by_id.items() if key not in moved),
            )

    def _deed(self, entry: Entry, old_by_id: Mapping[str, Entry]) -> Deed:
        if self._undone is not None and self._undone.get(entry.path) == entry:
            kind = DeedKind.RESTORED
        elif entry.id in old_by_id:
            kind = DeedKind.MOVED
        else:
            kind = DeedKind.CHANGED if self._is_stored(entry) else DeedKind.FILED
        before = old_by_id.get(entry.id) or (self._load(entry.path) if self._is_stored(entry) else None)
        remaining_words = "\n".join(entry.texts)
        takes_words = before is not None and any(text not in remaining_words for text in before.texts)
        return Deed(kind=kind, name=entry.name, place=Place(entry.category.value), takes_words=takes_words)

    def _is_stored(self, entry: Entry) -> bool:
        """Whether the bucket has this entry at its path, and not another entry about to be replaced."""
        stored = self._load(entry.path)
        return stored is not None and stored.id == entry.id

    def _stored_before(self) -> dict[str, Entry | None]:
        """Return the entries as they were before the last turn with changes.  Raises: EntryFault."""
        try:
            before = self._read_undo().entries(self._is_withdrawn)
        except PermanentError:
            before = {}
        if not before:
            raise EntryFault("There is nothing to undo.")
        return before

    def _read_undo(self) -> UndoRecord:
        """Return the bucket's undo record; a single read in a turn."""
        if self._undo_record is None:
            conversation = self._entries.conversation
            stored = conversation.objects.store.read(conversation.names.entry(UNDO_FILE))
            try:
                self._undo_record = read_undo(stored.data) if stored else UndoRecord()
            except PermanentError:
                self._undo_record = UndoRecord()
        return self._undo_record

    def _load(self, path: str) -> Entry | None:
        """Return the entry as stored in the bucket."""
        if path not in self._stored:
            self._stored[path] = self._unless_withdrawn(self._entries.entry(path))
        return self._stored[path]

    def _unless_withdrawn(self, entry: Entry | None) -> Entry | None:
        """Return the entry, or None where the entry holds withdrawn words."""
        return entry if entry is not None and entry.without(self._is_withdrawn) is entry else None

    def _current(self, path: str) -> Entry | None:
        return self._staged[path] if path in self._staged else self._load(path)

    def _check_limits(self, changes: Mapping[str, Entry | None]) -> None:
        if self._is_closed:
            raise EntryFault("The turn is over.")
        if len({*self._staged, *changes}) > CHANGES_LIMIT:
            raise EntryFault(
                f"One turn can change at most {CHANGES_LIMIT} entries; do the rest after the next message."
            )
        is_addition = any(entry is not None and not self.is_taken(path) for path, entry in changes.items())
        if is_addition and len(self.rows()) >= ENTRIES_LIMIT and None not in changes.values():
            raise EntryFault(f"The knowledge base is full ({ENTRIES_LIMIT} entries); delete some first.")
        self._check_sizes(changes)

    def _check_sizes(self, changes: Mapping[str, Entry | None]) -> None:
        """Check the size of the catalog; a catalog above the limit, which an earlier release may have left, must not grow."""
        rows = {path: row_of(entry) if entry else None for path, entry in changes.items()}
        texts = (format_entry(entry) for entry in changes.values() if entry is not None)
        if any(row is not None and row.size_bytes > ROW_LIMIT_BYTES for row in rows.values()) or any(
            len(text.encode()) > LIMIT_BYTES - _KEY_BYTES for text in texts
        ):
            raise EntryFault("The entry is too long to be kept; shorten it, or file it in parts.", may_retry=True)
        before = Catalog(rows=self.rows())
        after = before.with_rows(rows, key=(self._sequence, CHANGES_LIMIT))
        if max(before.size_bytes, CATALOG_LIMIT_BYTES) < after.size_bytes:
            limit = f"{CATALOG_LIMIT_BYTES // 1024**2} MiB of text"
            raise EntryFault(f"The knowledge base is full ({limit}); delete or shorten some entries first.")


class EntryStaging:
    """Begins the overlay of each thought."""

    def begin(self, conversation: Conversation, *, sequence: int, amendments: Amendments) -> EntryOverlay:
        """Return an overlay with nothing staged, for the commit of the given number; reads nothing."""
        return EntryOverlay(
            entries=EntryStore(conversation), sequence=sequence, is_withdrawn=amendments.is_withdrawn_from_entries
        )
