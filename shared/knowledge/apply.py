"""Applying what a turn staged: once, whoever brings the outcome to its end, and then the catalog and the index that are made from it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from shared import logs
from shared.conversation.records import OutcomeRecord, StagedWrite
from shared.errors import PermanentError, StorageUnavailableError
from shared.knowledge.catalog import Row, row_of
from shared.knowledge.entry_file import read_entry, revision_of
from shared.knowledge.entry_store import CATALOG_FILE, INDEX_FILE, UNDO_FILE, StoredEntries
from shared.knowledge.index import index_file
from shared.knowledge.staging import undo_revision
from shared.storage.codec import encode
from shared.storage.object_names import entry_name, is_entry_path
from shared.storage.object_store import StoredObject

SWAP_ATTEMPTS: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryWrites:
    """Applies staged writes.  Only the holder of the chat's turn calls it."""

    entries: StoredEntries

    def apply(
        self, conversation_id: str, outcome: OutcomeRecord, *, is_over: Callable[[], bool] = lambda: False
    ) -> bool:
        """Return whether every staged write of the outcome is in its object, and catalog and index say so.

        False: `is_over`, which is asked before each write, told to stop. A write is made iff its key, the outcome's sequence and its
        place, is larger than the one in the object; a later turn's stays. Repeated, also after a part of it: does the rest.
        Raises: StorageUnavailableError.
        """
        if not outcome.writes:
            return True
        rows: dict[str, Row | None] = {}
        for number, write in enumerate(outcome.writes):
            if is_over():
                return False
            stored = self._made(conversation_id, write, (outcome.sequence, number))
            if is_entry_path(write.path):
                rows[write.path] = _row(write.path, stored)
        if is_over():
            return False
        self.catalogue(conversation_id, rows, key=(outcome.sequence, len(outcome.writes) - 1))
        self.rebuild_index(conversation_id)
        logs.info("entries_written", writes=len(outcome.writes))
        return True

    def catalogue(self, conversation_id: str, rows: dict[str, Row | None], *, key: tuple[int, int]) -> None:
        """The catalog has these rows, unless it knows of a later write."""
        name = entry_name(conversation_id, CATALOG_FILE)
        for _ in range(SWAP_ATTEMPTS):
            stored = self.entries.store.read(name)
            known = self.entries.catalog_in(conversation_id, stored)
            if stored is not None and known.key >= key:
                return
            catalog = known if stored is not None else self.entries.made_anew(conversation_id)
            if self.swapped(name, encode(catalog.changed(rows, key=key)), stored):
                return
        raise StorageUnavailableError("others kept changing the catalog of a chat")

    def rebuild_index(self, conversation_id: str) -> None:
        """`index.md` is made from the catalog as it is: whoever changes the catalog does this next, so the last of them is right."""
        name = entry_name(conversation_id, INDEX_FILE)
        for _ in range(SWAP_ATTEMPTS):
            stored = self.entries.store.read(
                name
            )  # before the catalog: a catalog that changes meanwhile costs the swap
            text = index_file(self.entries.catalog(conversation_id)).encode()
            if (stored is not None and stored.data == text) or self.swapped(name, text, stored):
                return
        raise StorageUnavailableError("others kept changing the index of a chat")

    def swapped(self, name: str, data: bytes, stored: StoredObject | None) -> bool:
        """Whether the object was written over what was read of it."""
        store = self.entries.store
        written = (
            store.create(name, data) if stored is None else store.replace(name, data, generation=stored.generation)
        )
        return written is not None

    def _made(self, conversation_id: str, write: StagedWrite, key: tuple[int, int]) -> StoredObject | None:
        """Make the write unless it was made; return what is there then."""
        store, name = self.entries.store, entry_name(conversation_id, write.path)
        for _ in range(SWAP_ATTEMPTS):
            stored = store.read(name)
            if stored is not None and _revision(write.path, stored.data) >= key:
                return stored
            if write.text is None:
                if stored is not None:
                    store.delete(name)
                return None
            data = write.text.encode()
            done = (
                store.create(name, data) if stored is None else store.replace(name, data, generation=stored.generation)
            )
            if done is not None:
                return StoredObject(data=data, generation=done)
        raise StorageUnavailableError("others kept changing an entry")


def _revision(path: str, data: bytes) -> tuple[int, int]:
    return undo_revision(data) if path == UNDO_FILE else revision_of(data)


def _row(path: str, stored: StoredObject | None) -> Row | None:
    if stored is None:
        return None
    try:
        return row_of(read_entry(path, stored.data), generation=stored.generation)
    except PermanentError as cause:
        logs.error("record_unreadable", cause=cause)
        return None
