"""A chat's entries as objects of the bucket: an object for each entry, and an object for the catalog."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from shared import logs
from shared.conversation.provenance import Provenance
from shared.conversation.store import Conversation
from shared.errors import CorruptRecordError, PermanentError
from shared.knowledge.catalog import Catalog, catalog_of
from shared.knowledge.entry import Entry
from shared.knowledge.entry_file import read_entry
from shared.knowledge.tombstone import tombstone_in
from shared.storage.codec import decode
from shared.storage.object_names import is_entry_path
from shared.storage.object_store import ListedObject, StoredObject

CATALOG_FILE: Final = "search.json"
INDEX_FILE: Final = "index.md"
SWAP_ATTEMPTS: Final = 10
_CATALOGS_CACHED: Final = 8


@dataclass(frozen=True, slots=True)
class EntryStore:
    """Reads a chat's entries.  Every method raises StorageUnavailableError when the bucket does not answer in time."""

    conversation: Conversation

    def catalog(self) -> Catalog:
        """Return the catalog; rebuilt from the entries where the object is unreadable, empty where nothing was ever filed.

        Raises: UnknownRecordVersionError.
        """
        stored = self.conversation.objects.read_newest(self.conversation.names.entry(CATALOG_FILE))
        return self.catalog_in(stored.data if stored else None)

    def last_catalog(self) -> Catalog:
        """Return the catalog as this instance read it last, for example for the prompt of the turn; otherwise like `catalog`."""
        stored = self.conversation.objects.last_read(self.conversation.names.entry(CATALOG_FILE))
        return self.catalog_in(stored.data if stored else None)

    def catalog_in(self, data: bytes | None) -> Catalog:
        """Return the catalog of an object's bytes, like `catalog`.  Raises: UnknownRecordVersionError."""
        if data is None:
            return Catalog()
        try:
            catalog = _decoded(data)
            _ = catalog.key
        except (CorruptRecordError, ValueError) as cause:
            logs.error("record_unreadable", cause=cause)
            return self.rebuild_catalog()
        return catalog

    def rebuild_catalog(self) -> Catalog:
        """Return a catalog made from the entries alone, without unreadable entries."""
        entries_with_generations = self.conversation.objects.reads.map(
            lambda listed_object: self.with_generation(path_in(listed_object.name)), self.list()
        )
        return catalog_of(one for one in entries_with_generations if one is not None)

    def list(self) -> Sequence[ListedObject]:
        """Return the objects of all entries, with tombstones, without the objects derived from entries."""
        objects = self.conversation.objects.store.list(self.conversation.names.entries_prefix)
        return [one for one in objects if is_entry_path(path_in(one.name))]

    def provenances(self) -> Iterator[tuple[str, Provenance]]:
        """Yield the name of each entry's object, and the entry's provenance; a tombstone counts, because the path was made of a name.

        Only entries changed since the last write of the catalog are read, and tombstones.
        """
        rows = self.catalog().by_path
        for entry_object in self.list():
            row = rows.get(path_in(entry_object.name))
            is_current = row is not None and row.generation == entry_object.generation
            provenance = row.provenance if row is not None and is_current else self._provenance_in(entry_object.name)
            if provenance is not None:
                yield entry_object.name, provenance

    def _provenance_in(self, name: str) -> Provenance | None:
        """Return the provenance of the entry or of the tombstone; None where neither is readable."""
        stored = self.conversation.objects.store.read(name)
        tombstone = tombstone_in(stored.data) if stored is not None else None
        entry = entry_in(path_in(name), stored) if tombstone is None else None
        return tombstone.provenance if tombstone is not None else entry.provenance if entry is not None else None

    def entry(self, path: str) -> Entry | None:
        """Return the entry, or None where there is no readable entry."""
        entry_and_generation = self.with_generation(path)
        return entry_and_generation[0] if entry_and_generation else None

    def with_generation(self, path: str) -> tuple[Entry, int] | None:
        """Return the entry with the generation of its object, or None where there is no readable entry."""
        stored = self.stored(path)
        entry = entry_in(path, stored)
        return None if stored is None or entry is None else (entry, stored.generation)

    def stored(self, path: str) -> StoredObject | None:
        """Return the object of an entry, readable or not; None: there is no object, or only a tombstone."""
        stored = self.conversation.objects.store.read(self.conversation.names.entry(path))
        if stored is None or tombstone_in(stored.data) is not None:
            return None
        self.cache(path, stored)
        return stored

    def entries(self, paths: Iterable[str]) -> Sequence[Entry | None]:
        """Return several entries, read in parallel, in the order of `paths`."""
        return tuple(self.conversation.objects.reads.map(self.entry, paths))

    def cached(self, path: str, *, generation: int) -> Entry | None:
        """Return the entry at this generation, if this instance has read or written it; no request is made."""
        listed_object = ListedObject(name=self.conversation.names.entry(path), generation=generation)
        data = self.conversation.objects.cached(listed_object)
        return None if data is None else entry_in(path, StoredObject(data=data, generation=generation))

    def cache(self, path: str, stored: StoredObject) -> None:
        """Cache the object of an entry for `cached`."""
        name = self.conversation.names.entry(path)
        self.conversation.objects.keep(ListedObject(name=name, generation=stored.generation), stored.data)


def entry_in(path: str, stored: StoredObject | None) -> Entry | None:
    """Return the entry in the object; None where there is no object, or none that can be read."""
    if stored is None:
        return None
    try:
        return read_entry(path, stored.data)
    except PermanentError as cause:  # one unreadable entry must not silence a chat
        logs.error("record_unreadable", cause=cause)
        return None


@lru_cache(maxsize=_CATALOGS_CACHED)
def _decoded(data: bytes) -> Catalog:
    """Return the decoded catalog, cached: most reads between two changes find the same bytes."""
    return decode(Catalog, data)


def path_in(name: str) -> str:
    """Return an object's path below the chat's entries: `path_in("entries/c1/people/sato.md")` is `people/sato.md`."""
    return name.split("/", 2)[2]
