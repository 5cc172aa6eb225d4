"""Apply what a turn staged, once, whichever worker ends the turn; then update catalog and index, which are derived from the entries."""

from collections.abc import Mapping
from typing import Protocol

from shared import logs
from shared.conversation.records import OutcomeRecord, StagedWrite
from shared.conversation.store import Conversation
from shared.errors import PermanentError
from shared.knowledge.catalog import Row, row_of
from shared.knowledge.entry_file import read_entry, revision_of
from shared.knowledge.entry_store import CATALOG_FILE, SWAP_ATTEMPTS, UNDO_FILE, EntryStore
from shared.knowledge.index import rebuild_index
from shared.knowledge.undo import revision_of_undo
from shared.storage.codec import encode
from shared.storage.compare_and_swap import update_by_swap
from shared.storage.object_names import is_entry_path
from shared.storage.object_store import StoredObject


class HeldLease(Protocol):
    """The lease under which a worker applies staged writes."""

    @property
    def is_over(self) -> bool:
        """Whether its holder may write nothing more."""
        ...


class StagedEntryWriter:
    """Applies staged writes.  Only the holder of the chat's turn calls it."""

    def apply(self, conversation: Conversation, outcome: OutcomeRecord, lease: HeldLease) -> bool:
        """Return whether every staged write of the outcome is in its object, and catalog and index agree with it.

        False: the lease, which is checked before each write because a late write could bring back what a later turn deleted, was over.
        A staged write is made if its key, the outcome's sequence and the write's place, is larger than the one in the object, so a later
        turn's write stays. Repeated, also after a part of it: does the rest.
        Raises: StorageUnavailableError.
        """
        if not outcome.writes:
            return True
        entries = EntryStore(conversation)
        rows: dict[str, Row | None] = {}
        for number, write in enumerate(outcome.writes):
            if lease.is_over:
                return False
            stored = _apply_write(conversation, write, (outcome.sequence, number))
            if is_entry_path(write.path):
                rows[write.path] = _row(write.path, stored)
        if lease.is_over:
            return False
        _update_catalog(entries, rows, key=(outcome.sequence, len(outcome.writes) - 1))
        rebuild_index(entries)
        logs.info("entries_written", writes=len(outcome.writes))
        return True


def _apply_write(conversation: Conversation, write: StagedWrite, key: tuple[int, int]) -> StoredObject | None:
    """Make the write unless its object has this key or a larger one; return the object as it is then, None where there is none."""
    store, name = conversation.objects.store, conversation.names.entry(write.path)
    if write.text is None:
        stored = store.read(name)
        if stored is None or _revision(write.path, stored.data) >= key:
            return stored
        store.delete(name)
        return None
    data = write.text.encode()

    def newer(there: bytes | None) -> bytes | None:
        return None if there is not None and _revision(write.path, there) >= key else data

    return update_by_swap(store, name, newer, what="an entry", attempts=SWAP_ATTEMPTS)


def _update_catalog(entries: EntryStore, rows: Mapping[str, Row | None], *, key: tuple[int, int]) -> None:
    """The catalog has these rows, unless it includes a later write."""

    def with_rows(data: bytes | None) -> bytes | None:
        catalog = entries.catalog_in(data)
        if data is None:
            catalog = entries.rebuild_catalog()
        elif catalog.key >= key:
            return None
        return encode(catalog.with_rows(rows, key=key))

    store, names = entries.conversation.objects.store, entries.conversation.names
    update_by_swap(store, names.entry(CATALOG_FILE), with_rows, what="the catalog of a chat", attempts=SWAP_ATTEMPTS)


def _revision(path: str, data: bytes) -> tuple[int, int]:
    return revision_of_undo(data) if path == UNDO_FILE else revision_of(data)


def _row(path: str, stored: StoredObject | None) -> Row | None:
    if stored is None:
        return None
    try:
        return row_of(read_entry(path, stored.data), generation=stored.generation)
    except PermanentError as cause:
        logs.error("record_unreadable", cause=cause)
        return None
