"""Remove withdrawn words from entries: what a withdrawn, erased or edited message said is in no object of the chat's entries."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from shared import logs
from shared.conversation.amendments import Amendments
from shared.conversation.provenance import IsWithdrawn
from shared.conversation.store import Conversation
from shared.errors import PermanentError, StorageUnavailableError
from shared.knowledge.catalog import Catalog, Row, row_of
from shared.knowledge.entry import Entry
from shared.knowledge.entry_file import format_entry, read_entry, slug_candidates, slug_of, traces_in
from shared.knowledge.entry_store import CATALOG_FILE, SWAP_ATTEMPTS, UNDO_FILE, EntryStore, path_in
from shared.knowledge.index import rebuild_index
from shared.knowledge.schema import Category
from shared.knowledge.tombstone import tombstone_in
from shared.knowledge.undo import UndoRecord, format_undo, read_undo
from shared.storage.codec import encode
from shared.storage.compare_and_swap import update_by_swap
from shared.storage.object_names import is_entry_path
from shared.storage.object_store import ListedObject, ObjectStore, StoredObject

_NO_DIGIT: Final = re.compile(r"\D")

_States: TypeAlias = dict[str, Row | int]
"""The state of an entry after the removal, by path: its row, or the generation at which its object was deleted, or is a tombstone."""


class EntryWords:
    """The words in entries; a WordHolder."""

    def remove_withdrawn(self, conversation: Conversation, amendments: Amendments) -> None:
        """No entry, and no object derived from entries, holds withdrawn words.

        An entry that came from withdrawn messages alone is deleted; any other keeps what the other messages said. Reads one listing, the
        catalog, and the entries that changed since it was written or that came from withdrawn messages. Other workers may file at the same
        time. Repeated, also after a part of it: does the rest.
        Raises: StorageUnavailableError; UnknownRecordVersionError, once everything that can be read was cleaned.
        """
        _Removal(entries=EntryStore(conversation), is_withdrawn=amendments.is_withdrawn_from_entries).run()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Removal:
    """One removal from one chat's entries."""

    entries: EntryStore
    is_withdrawn: IsWithdrawn

    def run(self) -> None:
        conversation = self.entries.conversation
        listed = self._store.list(conversation.names.entries_prefix)
        if not listed:
            return
        rows = self._catalog().by_path
        suspects = [one for one in listed if is_entry_path(path_in(one.name)) and self._may_hold(rows, one)]
        states: _States = {}
        for found in conversation.objects.reads.map(self._clean_entry, suspects):
            states |= found
        self._clean_undo()
        self._clean_catalog(states)
        rebuild_index(self.entries)
        if suspects:
            logs.info("entries_withdrawn", looked_at=len(suspects))

    @property
    def _store(self) -> ObjectStore:
        return self.entries.conversation.objects.store

    def _catalog(self) -> Catalog:
        """Return the catalog; an empty one, so that every entry is read, where it cannot be read."""
        try:
            return self.entries.catalog()
        except PermanentError as cause:
            logs.error("record_unreadable", cause=cause)
            return Catalog()

    def _may_hold(self, rows: Mapping[str, Row], listed: ListedObject) -> bool:
        row = rows.get(path_in(listed.name))
        return row is None or row.generation != listed.generation or row.is_from_withdrawn(self.is_withdrawn)

    def _clean_entry(self, listed: ListedObject) -> _States:
        """The entry holds no withdrawn words; return its state, for the catalog.

        This is no `update_by_swap`, because the object may also be deleted, or be moved to another path.
        """
        path = path_in(listed.name)
        for _ in range(SWAP_ATTEMPTS):
            stored = self._store.read(listed.name)
            states: _States | None = {path: listed.generation}
            if stored is not None:
                states = self._clean_stored(path, stored)
            if states is not None:
                return states
        raise StorageUnavailableError("others kept changing an entry")

    def _clean_stored(self, path: str, stored: StoredObject) -> _States | None:
        """Clean the object as it was read; None where another worker has filed something under the path meanwhile."""
        tombstone = tombstone_in(stored.data)
        if tombstone is not None:
            is_withdrawn = tombstone.is_withdrawn(self.is_withdrawn)  # its path may repeat something withdrawn
            return self._delete(path, stored) if is_withdrawn else {path: stored.generation}
        entry = _readable(path, stored.data)
        if entry is None:
            return self._delete(path, stored) if self._names_withdrawn(stored.data) else {}
        rest = entry.without(self.is_withdrawn)
        if rest is None:
            return self._delete(path, stored)
        if rest is entry:  # it was cleaned before, or is newer than the catalog
            return {path: row_of(rest, generation=stored.generation)}
        return self._write_rest(entry, rest, stored)

    def _write_rest(self, entry: Entry, rest: Entry, stored: StoredObject) -> _States | None:
        """Write what stays of the entry over it, or under another path; None as above."""
        if entry.has_withdrawn_path(self.is_withdrawn):
            row, deleted = self._create_elsewhere(rest), self._delete(entry.path, stored)
            return None if row is None or deleted is None else {**deleted, row.path: row}
        name = self.entries.conversation.names.entry(entry.path)
        generation = self._store.replace(name, format_entry(rest).encode(), generation=stored.generation)
        return None if generation is None else {entry.path: row_of(rest, generation=generation)}

    def _delete(self, path: str, stored: StoredObject) -> _States | None:
        """Delete the object as it was read, so that an entry that is filed meanwhile under the path stays; None as above.

        There is no tombstone in its place, because the path may repeat what was withdrawn.
        """
        name = self.entries.conversation.names.entry(path)
        return {path: stored.generation} if self._store.delete(name, generation=stored.generation) else None

    def _names_withdrawn(self, data: bytes) -> bool:
        """Whether an object that cannot be read names a withdrawn message."""
        return bool(traces_in(data).withdrawn_ids(self.is_withdrawn))

    def _create_elsewhere(self, rest: Entry) -> Row | None:
        """The entry has another path, which repeats no withdrawn word; None where another worker changes it there meanwhile.

        Repeated: finds the entry by its id, and brings it up to date.
        """
        stamp = f"{_NO_DIGIT.sub('', rest.created_at[:19])}-"
        is_stamped = rest.category is Category.INBOX and rest.slug.startswith(stamp)
        for slug in slug_candidates(f"{stamp if is_stamped else ''}{slug_of(rest.name)}"):
            renamed = rest.at_slug(slug)
            if renamed.path == rest.path:  # where the entry still stands as it was: names of signs alone have one slug
                continue
            name, data = self.entries.conversation.names.entry(renamed.path), format_entry(renamed).encode()
            generation = self._store.create(name, data)
            if generation is not None:
                return row_of(renamed, generation=generation)
            there = self.entries.with_generation(renamed.path)
            if there is not None and there[0].id == rest.id:
                if there[0].revision >= rest.revision:
                    return row_of(there[0], generation=there[1])
                generation = self._store.replace(name, data, generation=there[1])
                return None if generation is None else row_of(renamed, generation=generation)
        raise StorageUnavailableError("no path is free for an entry")

    def _clean_undo(self) -> None:
        def without_withdrawn(data: bytes | None) -> bytes | None:
            if data is None:
                return None
            try:
                record = read_undo(data)
                if not record.provenance.withdrawn_ids(self.is_withdrawn):
                    return None
            except PermanentError as cause:
                logs.error("record_unreadable", cause=cause)
                record = UndoRecord()
            return format_undo(UndoRecord(revision=record.revision)).encode()

        name = self.entries.conversation.names.entry(UNDO_FILE)
        update_by_swap(self._store, name, without_withdrawn, what="an undo record", attempts=SWAP_ATTEMPTS)

    def _clean_catalog(self, states: _States) -> None:
        def with_states(data: bytes | None) -> bytes | None:
            # There is none yet where the worker that filed the first entries died before it wrote one
            if data is None and not any(isinstance(state, Row) for state in states.values()):
                return None
            catalog = self.entries.catalog_in(data)
            rows: dict[str, Row | None] = {
                row.path: None for row in catalog.rows if row.is_from_withdrawn(self.is_withdrawn)
            }
            for path, state in states.items():
                if path in rows or not _is_overtaken(catalog, path, state):
                    rows[path] = state if isinstance(state, Row) else None
            cleaned = replace(catalog.with_rows(rows, key=catalog.key), unknown_fields=catalog.wordless_fields)
            wanted = encode(cleaned)
            return None if wanted == data else wanted

        name = self.entries.conversation.names.entry(CATALOG_FILE)
        update_by_swap(self._store, name, with_states, what="the catalog of a chat", attempts=SWAP_ATTEMPTS)


def _readable(path: str, data: bytes) -> Entry | None:
    try:
        return read_entry(path, data)
    except PermanentError as cause:
        logs.error("record_unreadable", cause=cause)
        return None


def _is_overtaken(catalog: Catalog, path: str, state: Row | int) -> bool:
    """Whether the catalog includes a later state of the entry, which another worker filed meanwhile."""
    there = catalog.by_path.get(path)
    return there is not None and there.generation > (state.generation if isinstance(state, Row) else state)
