"""Apply a turn's staged writes of entries; then update catalog and index, both derived from the entries."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from shared import logs
from shared.conversation.records import OutcomeRecord, StagedWrite
from shared.conversation.store import Conversation
from shared.conversation.write_key import WriteKey
from shared.errors import PermanentError
from shared.knowledge.catalog import Catalog, Row, row_of
from shared.knowledge.entry_file import read_entry, revision_of
from shared.knowledge.entry_store import CATALOG_FILE, INDEX_FILE, SWAP_ATTEMPTS, EntryStore, path_in
from shared.knowledge.index import index_file, rebuild_index
from shared.knowledge.tombstone import RETENTION_MS, encoded_tombstone, tombstone_in
from shared.storage.codec import encode
from shared.storage.compare_and_swap import update_by_swap
from shared.storage.object_names import is_entry_path
from shared.storage.object_store import ListedObject, StoredObject
from shared.turns.basis import HeldLease

if TYPE_CHECKING:
    from concurrent.futures import Future

_TOMBSTONES_READ: Final = 50


class EntryWriter:
    """Applies staged writes of entries."""

    def owns(self, path: str) -> bool:
        return is_entry_path(path)

    def begin(self, conversation: Conversation, outcome: OutcomeRecord) -> "EntryWriting":
        entries = EntryStore(conversation)
        has_writes = any(self.owns(write.path) for write in outcome.writes)
        return EntryWriting(
            entries=entries,
            answered_ms=outcome.timestamp_ms,
            before=_Before.begin(entries) if has_writes else None,
        )


@dataclass(frozen=True, slots=True)
class _Before:
    """The catalog, the index and the names of the entries, read while the entries are written."""

    catalog: "Future[StoredObject | None]"
    index: "Future[StoredObject | None]"
    objects: "Future[Sequence[ListedObject]]"

    @classmethod
    def begin(cls, entries: EntryStore) -> "_Before":
        """Begin to read, on the threads of the reads."""
        conversation = entries.conversation
        reads, read, names = conversation.objects.reads, conversation.objects.read_newest, conversation.names
        return cls(
            reads.submit(read, names.entry(CATALOG_FILE)),
            reads.submit(read, names.entry(INDEX_FILE)),
            reads.submit(entries.list),
        )


@dataclass(slots=True, kw_only=True)
class EntryWriting:
    """An outcome's writes to entries.  `rows` has the new row of each written entry; None: the entry was deleted."""

    entries: EntryStore
    answered_ms: int
    before: _Before | None
    rows: dict[str, Row | None] = field(default_factory=dict)
    keys: list[WriteKey] = field(default_factory=list)

    def write(self, write: StagedWrite, *, key: WriteKey) -> None:
        stored = _apply_write(self.entries.conversation, write, key=key, answered_ms=self.answered_ms)
        self.rows[write.path] = _row(write.path, stored)
        if stored is not None:
            self.entries.cache(write.path, stored)
        self.keys.append(key)

    def finish(self, lease: HeldLease) -> bool:
        """Make catalog and index agree with the entries."""
        if self.before is None or not self.rows:
            return True
        if lease.is_over:
            return False
        catalog, index, key = self.before.catalog.result(), self.before.index.result(), max(self.keys)
        old_tombstones = self._begin_reading_tombstones(catalog, self.before.objects.result())
        if not self._swap_both(catalog, index, key=key):
            _update_catalog(self.entries, self.rows, key=key)
            rebuild_index(self.entries)
        store = self.entries.conversation.objects.store
        for tombstone in old_tombstones():
            if not lease.is_over:
                store.delete(tombstone.name, generation=tombstone.generation)
        logs.info("entries_written", writes=len(self.rows))
        return True

    def _swap_both(self, catalog: StoredObject | None, index: StoredObject | None, *, key: WriteKey) -> bool:
        """Write the catalog, and in parallel the index made from the same rows; return whether both were written.

        Both were read before. If another worker has changed one of them since, the caller writes one after the other.
        """
        objects, names = self.entries.conversation.objects, self.entries.conversation.names
        newest = _with_rows(self.entries, catalog.data if catalog else None, self.rows, key=key)
        if newest is None:
            return False
        data, text = encode(newest), index_file(newest).encode()
        if index is not None and text == index.data:
            return False
        generation, index_generation = catalog.generation if catalog else 0, index.generation if index else 0
        writing = objects.reads.submit(
            objects.store.replace, names.entry(INDEX_FILE), text, generation=index_generation
        )
        written: int | None = None
        try:
            written = objects.store.replace(names.entry(CATALOG_FILE), data, generation=generation)
        finally:
            is_index_written = writing.result() is not None
        if written is not None:
            objects.keep_newest(names.entry(CATALOG_FILE), StoredObject(data=data, generation=written))
        return written is not None and is_index_written

    def _begin_reading_tombstones(
        self, catalog: StoredObject | None, listed: Sequence[ListedObject]
    ) -> Callable[[], list[ListedObject]]:
        """Begin to read the objects without a row, at most 50, the oldest first; return what waits for the tombstones among them.

        Only tombstones that no late write can meet any more are returned.
        """
        rows = self.entries.catalog_in(catalog.data if catalog else None).by_path | self.rows
        without_row = sorted((one for one in listed if path_in(one.name) not in rows), key=lambda item: item.generation)
        candidates = without_row[:_TOMBSTONES_READ]
        reading = self.entries.conversation.objects.begin_reading(candidates)

        def is_old(data: bytes | None) -> bool:
            tombstone = tombstone_in(data) if data is not None else None
            return tombstone is not None and tombstone.deleted_ms + RETENTION_MS < self.answered_ms

        return lambda: [one for one, data in zip(candidates, reading(), strict=True) if is_old(data)]


def _apply_write(
    conversation: Conversation, write: StagedWrite, *, key: WriteKey, answered_ms: int
) -> StoredObject | None:
    """Make the write unless the object has this key or a larger key; return the object afterwards, or None where there is none.

    A deletion leaves a tombstone, so an older write that comes late meets a larger key. Where the entry is already missing, a withdrawal
    removed the entry, and the deletion leaves nothing: the path may repeat withdrawn words.
    """

    def newer(data: bytes | None) -> bytes | None:
        if data is not None and _revision(data) >= key:
            return None
        if write.text is not None:
            return write.text.encode()
        return None if data is None else encoded_tombstone(write.path, data, key=key, deleted_ms=answered_ms)

    store, name = conversation.objects.store, conversation.names.entry(write.path)
    return update_by_swap(store, name, newer, what="an entry", attempts=SWAP_ATTEMPTS)


def _update_catalog(entries: EntryStore, rows: Mapping[str, Row | None], *, key: WriteKey) -> None:
    """Put the rows into the catalog, unless the catalog includes a later write."""

    def with_rows(data: bytes | None) -> bytes | None:
        catalog = _with_rows(entries, data, rows, key=key)
        return encode(catalog) if catalog is not None else None

    store, names = entries.conversation.objects.store, entries.conversation.names
    update_by_swap(store, names.entry(CATALOG_FILE), with_rows, what="the catalog of a chat", attempts=SWAP_ATTEMPTS)


def _with_rows(
    entries: EntryStore, data: bytes | None, rows: Mapping[str, Row | None], *, key: WriteKey
) -> Catalog | None:
    """Return the stored catalog with the rows; None if the catalog includes a later write."""
    catalog = entries.catalog_in(data)
    if data is None:
        catalog = entries.rebuild_catalog()
    elif catalog.key >= key:
        return None
    return catalog.with_rows(rows, key=key)


def _revision(data: bytes) -> WriteKey:
    tombstone = tombstone_in(data)
    return revision_of(data) if tombstone is None else tombstone.key


def _row(path: str, stored: StoredObject | None) -> Row | None:
    if stored is None or tombstone_in(stored.data) is not None:
        return None
    try:
        return row_of(read_entry(path, stored.data), generation=stored.generation)
    except PermanentError as cause:
        logs.error("record_unreadable", cause=cause)
        return None
