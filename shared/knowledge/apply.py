"""Apply a turn's staged writes of entries; then update catalog and index, both derived from the entries."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from shared import logs
from shared.conversation.records import OutcomeRecord, StagedWrite
from shared.conversation.store import Conversation
from shared.conversation.write_key import WriteKey
from shared.errors import PermanentError
from shared.knowledge.catalog import Row, row_of
from shared.knowledge.entry_file import read_entry, revision_of
from shared.knowledge.entry_store import CATALOG_FILE, SWAP_ATTEMPTS, EntryStore, path_in
from shared.knowledge.index import rebuild_index
from shared.knowledge.tombstone import RETENTION_MS, encoded_tombstone, tombstone_in
from shared.storage.codec import encode
from shared.storage.compare_and_swap import update_by_swap
from shared.storage.object_names import is_entry_path
from shared.storage.object_store import StoredObject
from shared.turns.basis import HeldLease

_TOMBSTONES_READ: Final = 50


class EntryWriter:
    """Applies staged writes of entries."""

    def owns(self, path: str) -> bool:
        return is_entry_path(path)

    def begin(self, conversation: Conversation, outcome: OutcomeRecord) -> "EntryWriting":
        return EntryWriting(entries=EntryStore(conversation), answered_ms=outcome.timestamp_ms)


@dataclass(slots=True, kw_only=True)
class EntryWriting:
    """An outcome's writes to entries.  `rows` has the new row of each written entry; None: the entry was deleted."""

    entries: EntryStore
    answered_ms: int
    rows: dict[str, Row | None] = field(default_factory=dict)
    newest_key: WriteKey = (0, 0)

    def write(self, write: StagedWrite, *, key: WriteKey) -> None:
        stored = _apply_write(self.entries.conversation, write, key=key, answered_ms=self.answered_ms)
        self.rows[write.path] = _row(write.path, stored)
        self.newest_key = key

    def finish(self, lease: HeldLease) -> bool:
        """Make catalog and index agree with the entries."""
        if not self.rows:
            return True
        if lease.is_over:
            return False
        _update_catalog(self.entries, self.rows, key=self.newest_key)
        rebuild_index(self.entries)
        _remove_old_tombstones(self.entries, answered_ms=self.answered_ms, lease=lease)
        logs.info("entries_written", writes=len(self.rows))
        return True


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


def _remove_old_tombstones(entries: EntryStore, *, answered_ms: int, lease: HeldLease) -> None:
    """Delete tombstones that no late write can meet any more.  Reads only objects without a row, at most 50, the oldest first."""
    rows = entries.catalog().by_path
    without_row = [one for one in entries.list() if path_in(one.name) not in rows]
    store = entries.conversation.objects.store
    for candidate in sorted(without_row, key=lambda item: item.generation)[:_TOMBSTONES_READ]:
        stored = store.read(candidate.name)
        tombstone = tombstone_in(stored.data) if stored else None
        is_old = tombstone is not None and tombstone.deleted_ms + RETENTION_MS < answered_ms
        if stored is not None and is_old and not lease.is_over:
            store.delete(candidate.name, generation=stored.generation)


def _update_catalog(entries: EntryStore, rows: Mapping[str, Row | None], *, key: WriteKey) -> None:
    """Put the rows into the catalog, unless the catalog includes a later write."""

    def with_rows(data: bytes | None) -> bytes | None:
        catalog = entries.catalog_in(data)
        if data is None:
            catalog = entries.rebuild_catalog()
        elif catalog.key >= key:
            return None
        return encode(catalog.with_rows(rows, key=key))

    store, names = entries.conversation.objects.store, entries.conversation.names
    update_by_swap(store, names.entry(CATALOG_FILE), with_rows, what="the catalog of a chat", attempts=SWAP_ATTEMPTS)


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
