"""Reading a chat's entries, wherever they are needed: one object for the catalog, one for each entry."""

from collections.abc import Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field

from shared import logs
from shared.errors import CorruptRecordError, PermanentError
from shared.knowledge.catalog import Catalog, catalog_of
from shared.knowledge.entry import Entry
from shared.knowledge.entry_file import read_entry
from shared.storage.codec import decode
from shared.storage.object_names import entries_prefix, entry_name, is_entry_path
from shared.storage.object_store import ListedObject, ObjectStore, StoredObject

CATALOG_FILE = "search.json"
INDEX_FILE = "index.md"
UNDO_FILE = "undo.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredEntries:
    """What is filed in the bucket.  Every method raises StorageUnavailableError when the bucket does not answer in time."""

    store: ObjectStore
    reads: Executor = field(repr=False)

    def catalog(self, conversation_id: str) -> Catalog:
        """Return the chat's catalog; made from the entries where its object cannot be read, empty where nothing was ever filed."""
        return self.catalog_in(conversation_id, self.store.read(entry_name(conversation_id, CATALOG_FILE)))

    def catalog_in(self, conversation_id: str, stored: StoredObject | None) -> Catalog:
        """Return the catalog that an object holds.  Raises: UnknownRecordVersionError."""
        if stored is None:
            return Catalog()
        try:
            catalog = decode(Catalog, stored.data)
            _ = catalog.key
        except (CorruptRecordError, ValueError) as cause:
            logs.error("record_unreadable", cause=cause)
            return self.made_anew(conversation_id)
        return catalog

    def made_anew(self, conversation_id: str) -> Catalog:
        """Return the catalog as the entries themselves have it; an entry that cannot be read is left out."""
        listed = self.listed(conversation_id)
        read = self.reads.map(lambda one: self.with_generation(conversation_id, path_in(one.name)), listed)
        return catalog_of(one for one in read if one is not None)

    def listed(self, conversation_id: str) -> Sequence[ListedObject]:
        """Return the objects of all entries, without those that are made from them."""
        listed = self.store.list(entries_prefix(conversation_id))
        return [one for one in listed if is_entry_path(path_in(one.name))]

    def entry(self, conversation_id: str, path: str) -> Entry | None:
        """Return the entry, or None where there is none, or one that cannot be read."""
        found = self.with_generation(conversation_id, path)
        return found[0] if found else None

    def with_generation(self, conversation_id: str, path: str) -> tuple[Entry, int] | None:
        """Return the entry with its object's generation, or None where there is none, or one that cannot be read."""
        stored = self.store.read(entry_name(conversation_id, path))
        if stored is None:
            return None
        try:
            return read_entry(path, stored.data), stored.generation
        except PermanentError as cause:  # one unreadable entry must not silence a chat
            logs.error("record_unreadable", cause=cause)
            return None

    def exists(self, conversation_id: str, path: str) -> bool:
        """Whether there is an object at the path, readable or not."""
        return self.store.read(entry_name(conversation_id, path)) is not None

    def entries(self, conversation_id: str, paths: Iterable[str]) -> list[Entry | None]:
        """Return several at once."""
        return list(self.reads.map(lambda path: self.entry(conversation_id, path), paths))


def path_in(name: str) -> str:
    """Return an object's path below its chat's entries."""
    return name.split("/", 2)[2]
