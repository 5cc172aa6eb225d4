"""A turn's view of a chat's entries, with its own writes (`shared/agent/overlay.py`)."""

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from typing import Final

from shared.agent.handles import is_handle
from shared.agent.overlay import CHANGES_LIMIT, Attempt, Overlay, StagingFault
from shared.agent.receipts import Deed, DeedKind, EntryStatus, Place
from shared.conversation.provenance import Provenance
from shared.conversation.write_key import WriteKey
from shared.frozen import frozen
from shared.knowledge.catalog import CATALOG_LIMIT_BYTES, ROW_LIMIT_BYTES, Catalog, Row, row_mark_of, row_of
from shared.knowledge.entry import Entry
from shared.knowledge.entry_file import LIMIT_BYTES, format_entry, read_entry
from shared.knowledge.entry_store import EntryStore, entry_in
from shared.knowledge.schema import DONE, LIST, Category
from shared.storage.object_names import is_entry_path
from shared.storage.object_store import StoredObject

ENTRIES_LIMIT: Final = 1_000
_KEY_BYTES: Final = 32  # the most that the key of a write adds to an entry


@frozen
class Placement:
    """The path of a filed or moved entry, and the confidence of its classification."""

    path: str = field(repr=False)
    confidence: float


class EntryOverlay(Overlay[Entry]):
    """A turn's view of the chat's entries, by path.  `placement` is the last staged placement."""

    noun = "entries"

    def __init__(self, attempt: Attempt) -> None:
        super().__init__(attempt)
        self.placement: Placement | None = None
        self._entries = EntryStore(attempt.conversation)
        self._rows: dict[str, Row] | None = None
        self._objects: dict[str, StoredObject | None] = {}
        self._stored: dict[str, Entry | None] = {}
        self._read_paths: set[str] = set()

    def owns(self, path: str) -> bool:
        return is_entry_path(path)

    def rows(self) -> tuple[Row, ...]:
        """Return the row of every entry, staged changes included; the catalog is the one that was read for the prompt.

        A look before the next request finds what was amended since.
        """
        with self._lock:
            if self._rows is None:
                self._rows = self._entries.last_catalog().without(self.attempt.is_withdrawn).by_path
            merged = {**self._rows, **{path: row_of(one) if one else None for path, one in self._staged.items()}}
            return tuple(row for row in merged.values() if row is not None)

    def path_of(self, reference: str, *, shown_marks: Mapping[str, str] | None = None) -> str:
        """Return the path of the entry that a handle names; any other text is a path, of which a move by this turn gives the new one.

        `shown_marks`: the marks of the rows in the prompt, by handle. A change is refused if the entry has another mark by now, unless this
        turn has read the entry since. For example, `path_of("e-5meqfu")` is `projects/garden.md`; after a move of this turn, this path and
        the handle are `ideas/garden.md`.
        Raises: StagingFault.
        """
        if not is_handle(reference):
            return self._moved_path(reference)
        with self._lock:
            named_rows = [row for row in self.rows() if row.handle == reference]
            if len(named_rows) != 1:
                raise StagingFault(
                    f"No entry has the handle {reference}; search for it, and use its path.", may_retry=True
                )
            mark = next((row_mark_of(row) for row in (self._rows or {}).values() if row.handle == reference), None)
            shown_mark = (shown_marks or {}).get(reference, mark)
            is_read = named_rows[0].path in self._read_paths
            if mark not in {shown_mark, None} and not is_read:
                raise StagingFault("The entry has changed meanwhile; read it with get_entry first.", may_retry=True)
            return named_rows[0].path

    def _moved_path(self, path: str) -> str:
        """Return where this turn has moved the entry of the path, else the path: a model names the old one in the same round."""
        with self._lock:
            old = self.load(path) if path in self._staged and self._staged[path] is None else None
            new_paths = (
                new
                for new, entry in self._staged.items()
                if entry is not None and old is not None and entry.id == old.id
            )
            return next(new_paths, path)

    def show_entry(self, path: str) -> Entry:
        """Return an entry for the model to read.  Raises: StagingFault, where there is none."""
        with self._lock:
            entry = self.current(path) if is_entry_path(path) else None
            if entry is None:
                raise StagingFault(f"Entry not found: {path[:100]}", may_retry=True)
            self._shown |= entry.provenance
            self._read_paths.add(path)
            return entry

    def show_entries(self, paths: Sequence[str]) -> list[Entry]:
        """Return several entries for the model to read; missing entries are left out.

        An entry of which this instance has the generation that the catalog names is shown without a request; the others are read in
        parallel. What is shown without a request is read before the turn changes it.
        """
        with self._lock:
            unread_paths = [path for path in paths if path not in self._staged and path not in self._stored]
            cached = {path: self._cached(path) for path in unread_paths}
            absent_paths = [path for path, entry in cached.items() if entry is None]
            loaded = self._entries.entries(absent_paths)
            self._stored |= zip(absent_paths, map(self._unless_withdrawn, loaded), strict=True)
            entries = (cached.get(path) or self.current(path) for path in paths)
            shown = [entry for entry in entries if entry is not None]
            self._shown |= Provenance.union(entry.provenance for entry in shown)
            return shown

    def _cached(self, path: str) -> Entry | None:
        """Return the entry as this instance has it, at the generation that the catalog names.

        Row and entry of one generation name the same messages, so the entry of a withdrawn message is absent with its row.
        """
        self.rows()
        row = (self._rows or {}).get(path)
        return None if row is None else self._entries.cached(path, generation=row.generation)

    def is_taken(self, path: str) -> bool:
        """Whether there is an object at the path, or will be."""
        with self._lock:
            if self._staged.get(path) is not None or path in {row.path for row in self.rows()}:
                return True
            return path not in self._staged and self._object(path) is not None

    def _object(self, path: str) -> StoredObject | None:
        """Return the object at the path, read once in a turn: filing a note asks three times whether there is one."""
        if path not in self._objects:
            self._objects[path] = self._entries.stored(path)
        return self._objects[path]

    def stage(self, changes: Mapping[str, Entry | None], *, placement: Placement | None = None) -> None:
        """Apply the changes for the rest of the turn; None deletes an entry.  A single step for an undo.  Raises: StagingFault."""
        with self._lock:
            super().stage(changes)
            is_changed = self.placement is not None and self.placement.path in changes
            self.placement = placement or (None if is_changed else self.placement)

    def revert_to(self, before: Mapping[str, Entry | None]) -> Callable[[], None]:
        revert, placement = super().revert_to(before), self.placement

        def revert_with_placement() -> None:
            revert()
            self.placement = placement

        return revert_with_placement

    @property
    def filed_paths(self) -> tuple[str, ...]:
        """The paths of the entries filed or moved by this turn."""
        with self._lock:
            return tuple(path for path, one in self._staged.items() if one is not None and not self._is_stored(one))

    @property
    def filed_confidence(self) -> float | None:
        return None if self.placement is None else self.placement.confidence

    @property
    def deeds(self) -> tuple[Deed, ...]:
        """The effects of the staged writes, compared with the bucket: for example, a filed entry, or a moved one."""
        with self._lock:
            new = {path: entry for path, entry in self._staged.items() if entry is not None}
            changed = [entry for path, entry in new.items() if entry != self.load(path)]
            old_by_id = {
                old.id: old
                for path, entry in self._staged.items()
                if (old := self.load(path)) is not None and (entry is None or entry.id != old.id)
            }
            deeds = [self._deed(entry, old_by_id) for entry in changed]
            moved = {entry.id for entry in changed}
            return (
                *deeds,
                *(
                    Deed(
                        kind=DeedKind.UNDONE if old.path in self._restored else DeedKind.DELETED,
                        name=old.name,
                        details=lists_of(old),
                    )
                    for key, old in old_by_id.items()
                    if key not in moved
                ),
            )

    def _deed(self, entry: Entry, old_by_id: Mapping[str, Entry]) -> Deed:
        if self._restored.get(entry.path) == entry:
            kind = DeedKind.RESTORED
        elif entry.id in old_by_id:
            kind = DeedKind.MOVED
        else:
            kind = DeedKind.CHANGED if self._is_stored(entry) else DeedKind.FILED
        if entry.category is Category.ITEMS:
            kind = _kind_of_item(entry, self.load(entry.path), kind)
        before = old_by_id.get(entry.id) or (self.load(entry.path) if self._is_stored(entry) else None)
        remaining_words = "\n".join(entry.texts)
        takes_words = before is not None and any(text not in remaining_words for text in before.texts)
        due_date = entry.fields.get("due_date")
        return Deed(
            kind=kind,
            name=entry.name,
            place=place_of(entry),
            status=EntryStatus(entry.status)
            if entry.status in set(EntryStatus) and kind is not DeedKind.DONE
            else None,
            details=lists_of(entry),
            due_date=due_date if isinstance(due_date, str) else "",
            this_year=dt.datetime.fromtimestamp(self.attempt.now_ms / 1_000, tz=dt.UTC).year,
            takes_words=takes_words,
        )

    def _is_stored(self, entry: Entry) -> bool:
        """Whether the bucket has this entry at its path, and not another entry about to be replaced."""
        stored = self.load(entry.path)
        return stored is not None and stored.id == entry.id

    def load(self, thing_id: str) -> Entry | None:
        if thing_id not in self._stored:
            entry = entry_in(thing_id, self._object(thing_id)) if is_entry_path(thing_id) else None
            self._stored[thing_id] = self._unless_withdrawn(entry)
        return self._stored[thing_id]

    def text_of(self, thing_id: str, thing: Entry, *, key: WriteKey) -> str:  # noqa: ARG002 - an entry holds its path
        return format_entry(replace(thing, revision=key))

    def read_text(self, thing_id: str, text: str) -> Entry:
        return read_entry(thing_id, text.encode())

    def provenance_of(self, thing: Entry) -> Provenance:
        return thing.provenance

    def key_of(self, thing: Entry) -> WriteKey:
        return thing.revision

    def name_of(self, thing: Entry) -> str:
        return thing.name

    def _unless_withdrawn(self, entry: Entry | None) -> Entry | None:
        """Return the entry, or None where the entry holds withdrawn words."""
        return entry if entry is not None and entry.without(self.attempt.is_withdrawn) is entry else None

    def check_limits(self, changes: Mapping[str, Entry | None]) -> None:
        super().check_limits(changes)
        is_addition = any(entry is not None and not self.is_taken(path) for path, entry in changes.items())
        if is_addition and len(self.rows()) >= ENTRIES_LIMIT and None not in changes.values():
            raise StagingFault(f"The knowledge base is full ({ENTRIES_LIMIT} entries); delete some first.")
        self._check_sizes(changes)

    def _check_sizes(self, changes: Mapping[str, Entry | None]) -> None:
        """Check the sizes of the entries and of the catalog; a catalog above the limit may shrink, but must not grow."""
        rows = {path: row_of(entry) if entry else None for path, entry in changes.items()}
        texts = (format_entry(entry) for entry in changes.values() if entry is not None)
        if any(row is not None and row.size_bytes > ROW_LIMIT_BYTES for row in rows.values()) or any(
            len(text.encode()) > LIMIT_BYTES - _KEY_BYTES for text in texts
        ):
            raise StagingFault("The entry is too long to be kept; shorten it, or file it in parts.", may_retry=True)
        before = Catalog(rows=self.rows())
        after = before.with_rows(rows, key=(self.attempt.sequence, CHANGES_LIMIT))
        if max(before.size_bytes, CATALOG_LIMIT_BYTES) < after.size_bytes:
            limit = f"{CATALOG_LIMIT_BYTES // 1024**2} MiB of text"
            raise StagingFault(f"The knowledge base is full ({limit}); delete or shorten some entries first.")


def place_of(entry: Entry) -> Place | None:
    """Return the place that a receipt tells; None of an item of a list, whose list it tells."""
    return None if entry.category is Category.ITEMS else Place(entry.category.value)


def lists_of(entry: Entry) -> tuple[str, ...]:
    """Return the name of an item's list, for a receipt; nothing for other entries, and where the list has no name."""
    name = entry.fields.get(LIST)
    return (name,) if isinstance(name, str) and name else ()


def _kind_of_item(entry: Entry, before: Entry | None, kind: DeedKind) -> DeedKind:
    """Return the effect on an item: put on the list, also once more after it was ticked, or ticked."""
    if kind is DeedKind.FILED:
        return DeedKind.LISTED
    if kind is not DeedKind.CHANGED or before is None or before.status == entry.status:
        return kind
    return DeedKind.DONE if entry.status == DONE else DeedKind.LISTED
