"""Apply a turn's staged writes once, whichever worker ends the turn; then update catalog and index, both derived from the entries."""

from collections.abc import Mapping
from typing import Final, Protocol

from shared import logs
from shared.conversation.records import OutcomeRecord, StagedWrite
from shared.conversation.store import Conversation
from shared.errors import PermanentError
from shared.knowledge.catalog import Row, row_of
from shared.knowledge.entry_file import read_entry, revision_of
from shared.knowledge.entry_store import CATALOG_FILE, SWAP_ATTEMPTS, UNDO_FILE, EntryStore, path_in
from shared.knowledge.index import rebuild_index
from shared.knowledge.tombstone import RETENTION_MS, encoded_tombstone, tombstone_in
from shared.knowledge.undo import revision_of_undo
from shared.storage.codec import encode
from shared.storage.compare_and_swap import update_by_swap
from shared.storage.object_names import is_entry_path
from shared.storage.object_store import StoredObject

_TOMBSTONES_READ: Final = 50


class HeldLease(Protocol):
    """The lease under which a worker applies staged writes."""

    @property
    def is_over(self) -> bool:
        """Whether the holder may write nothing more."""
        ...


class StagedEntryWriter:
    """Applies staged writes of entries.  Only the holder of the chat's turn calls `apply`."""

    def apply(self, conversation: Conversation, outcome: OutcomeRecord, lease: HeldLease) -> bool:
        """Return whether every staged write of entries is in its object, and catalog and index agree with the entries.

        False: the lease was over. The lease is checked before each write, because a late write could bring back an entry deleted by a later
        turn. A write's key is the outcome's sequence and the write's place: for example, the third write of outcome 12 has the key
        `(12, 2)`. A write is skipped where the object has the same key or a larger key, so a later turn's write stays.
        Repeated: does the rest, also after a partial run.
        Raises: StorageUnavailableError.
        """
        writes = [(number, one) for number, one in enumerate(outcome.writes) if one.reminder_id is None]
        if not writes:
            return True
        entries = EntryStore(conversation)
        rows: dict[str, Row | None] = {}
        for number, write in writes:
            if lease.is_over:
                return False
            stored = _apply_write(conversation, write, key=(outcome.sequence, number), answered_ms=outcome.timestamp_ms)
            if is_entry_path(write.path):
                rows[write.path] = _row(write.path, stored)
        if lease.is_over:
            return False
        _update_catalog(entries, rows, key=(outcome.sequence, writes[-1][0]))
        rebuild_index(entries)
        _remove_old_tombstones(entries, answered_ms=outcome.timestamp_ms, lease=lease)
        logs.info("entries_written", writes=len(writes))
        return True


def _apply_write(
    conversation: Conversation, write: StagedWrite, *, key: tuple[int, int], answered_ms: int
) -> StoredObject | None:
    """Make the write unless the object has this key or a larger key; return the object afterwards, or None where there is none.

    A deletion leaves a tombstone, so an older write that comes late meets a larger key. Where the entry is already missing, a withdrawal
    removed the entry, and the deletion leaves nothing: the path may repeat withdrawn words.
    """

    def newer(data: bytes | None) -> bytes | None:
        if data is not None and _revision(write.path, data) >= key:
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


def _update_catalog(entries: EntryStore, rows: Mapping[str, Row | None], *, key: tuple[int, int]) -> None:
    """Put the rows into the catalog, unless the catalog includes a later write."""

    def with_rows(data: bytes | None) -> bytes | None:
        catalog = entries.catalog_in(data)
        if data is None:
            catalog = entries.rebuild_catalog()
        elif catalog.key >= key:
            return None
        elif not catalog.is_searched_whole:
            catalog = catalog.rebuilt(entries.rebuild_catalog().by_path)
        return encode(catalog.with_rows(rows, key=key))

    store, names = entries.conversation.objects.store, entries.conversation.names
    update_by_swap(store, names.entry(CATALOG_FILE), with_rows, what="the catalog of a chat", attempts=SWAP_ATTEMPTS)


def _revision(path: str, data: bytes) -> tuple[int, int]:
    if path == UNDO_FILE:
        return revision_of_undo(data)
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
