"""Remove withdrawn words from entries: no object of a chat's entries holds words of a withdrawn, erased or edited message."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final, TypeAlias

from shared import logs
from shared.conversation.amendments import Amendments
from shared.conversation.provenance import IsWithdrawn
from shared.conversation.store import Conversation
from shared.conversation.undo import UNDO_FILE, UndoRecord, format_undo, read_undo
from shared.conversation.word_holder import Removal, WordHolder
from shared.conversation.write_key import WriteKey
from shared.errors import PermanentError, StorageUnavailableError
from shared.frozen import frozen
from shared.knowledge.catalog import Catalog, Row, row_of
from shared.knowledge.entry import Entry
from shared.knowledge.entry_file import format_entry, read_entry, revision_of, slug_candidates, slug_of, traces_in
from shared.knowledge.entry_store import CATALOG_FILE, SWAP_ATTEMPTS, EntryStore, path_in
from shared.knowledge.index import rebuild_index
from shared.knowledge.schema import Category
from shared.knowledge.tombstone import encoded_tombstone, tombstone_in
from shared.storage.codec import encode
from shared.storage.compare_and_swap import update_by_swap
from shared.storage.object_names import is_entry_path
from shared.storage.object_store import ListedObject, ObjectStore, StoredObject

_NO_DIGIT: Final = re.compile(r"\D")

_States: TypeAlias = dict[str, Row | int]
"""The state of each entry after the removal, by path: a row, or the generation of the deleted object or of the tombstone."""


class EntryWords(WordHolder):
    """The words in entries."""

    def begin_removal(self, conversation: Conversation) -> Removal:
        """No entry, and no object derived from entries, holds withdrawn words.

        An entry from withdrawn messages alone is deleted; any other entry keeps the words of the other messages. Reads a listing, the
        catalog, and the entries that changed since the last write of the catalog or came from withdrawn messages. Other workers may file at
        the same time.
        Repeated: does the rest, also after a partial run.
        Raises: StorageUnavailableError; UnknownRecordVersionError, after everything readable was cleaned.
        """
        objects, entries = conversation.objects, EntryStore(conversation)
        listing = objects.reads.submit(lambda: objects.store.list(conversation.names.entries_prefix))

        def remove(amendments: Amendments) -> None:
            _Removal(entries=entries, is_withdrawn=amendments.is_withdrawn_from_entries).run(listing.result())

        return remove


@frozen
class _Removal:
    """A removal of withdrawn words from a chat's entries."""

    entries: EntryStore
    is_withdrawn: IsWithdrawn

    def run(self, objects: Sequence[ListedObject]) -> None:
        conversation = self.entries.conversation
        if not objects:
            return
        rows = self._catalog().by_path
        suspects = [one for one in objects if is_entry_path(path_in(one.name)) and self._may_hold(rows, one)]
        states: _States = {}
        for entry_states in conversation.objects.reads.map(self._clean_entry, suspects):
            states |= entry_states
        states |= self._end_moves({**rows, **states})
        self._clean_undo()
        self._clean_catalog(states)
        rebuild_index(self.entries)
        if suspects:
            logs.info("entries_withdrawn", looked_at=len(suspects))

    @property
    def _store(self) -> ObjectStore:
        return self.entries.conversation.objects.store

    def _catalog(self) -> Catalog:
        """Return the catalog; where the object is unreadable, an empty catalog, so every entry is read."""
        try:
            return self.entries.catalog()
        except PermanentError as cause:
            logs.error("record_unreadable", cause=cause)
            return Catalog()

    def _may_hold(self, rows: Mapping[str, Row], entry_object: ListedObject) -> bool:
        row = rows.get(path_in(entry_object.name))
        return row is None or row.generation != entry_object.generation or row.is_from_withdrawn(self.is_withdrawn)

    def _clean_entry(self, entry_object: ListedObject) -> _States:
        """Remove withdrawn words from the entry; return the entry's state for the catalog.

        Not an `update_by_swap`, because the object may also be deleted, or move to another path.
        """
        path = path_in(entry_object.name)
        for _ in range(SWAP_ATTEMPTS):
            stored = self._store.read(entry_object.name)
            states: _States | None = {path: entry_object.generation}
            if stored is not None:
                states = self._clean_stored(path, stored)
            if states is not None:
                return states
        raise StorageUnavailableError("others kept changing an entry")

    def _clean_stored(self, path: str, stored: StoredObject) -> _States | None:
        """Clean the object as read; None where another worker has filed at the path meanwhile."""
        tombstone = tombstone_in(stored.data)
        if tombstone is not None:
            is_withdrawn = tombstone.is_withdrawn(self.is_withdrawn)  # the path may repeat withdrawn words
            return self._delete(path, stored) if is_withdrawn else {path: stored.generation}
        entry = _readable(path, stored.data)
        if entry is None:
            return self._delete(path, stored) if self._names_withdrawn(stored.data) else {}
        remainder = entry.without(self.is_withdrawn)
        if remainder is None:
            return self._delete(path, stored)
        if remainder is entry:  # cleaned before, or newer than the catalog
            return {path: row_of(remainder, generation=stored.generation)}
        return self._write_remainder(entry, remainder, stored)

    def _write_remainder(self, entry: Entry, remainder: Entry, stored: StoredObject) -> _States | None:
        """Write the remainder over the entry, or at another path; None as in `_clean_stored`."""
        if entry.has_withdrawn_path(self.is_withdrawn):
            row, deleted = self._create_elsewhere(remainder), self._delete(entry.path, stored)
            return None if row is None or deleted is None else {**deleted, row.path: row}
        name = self.entries.conversation.names.entry(entry.path)
        generation = self._store.replace(name, format_entry(remainder).encode(), generation=stored.generation)
        return None if generation is None else {entry.path: row_of(remainder, generation=generation)}

    def _delete(self, path: str, stored: StoredObject) -> _States | None:
        """Delete the object as read, so an entry filed meanwhile at the path stays; None as in `_clean_stored`.

        No tombstone replaces the object, because the path may repeat withdrawn words.
        """
        name = self.entries.conversation.names.entry(path)
        return {path: stored.generation} if self._store.delete(name, generation=stored.generation) else None

    def _end_moves(self, states: Mapping[str, Row | int]) -> _States:
        """Delete each entry whose move was half made; return the states of the deleted entries.

        A worker that dies between the two writes of a move leaves the entry at both paths, and a withdrawal takes the rest of the outcome's
        writes away. The newer write stays: for example, of `people/sato.md` with the key `(3, 0)` and `projects/sato.md` with `(7, 0)` the
        second.
        """
        paths_by_id: dict[str, list[str]] = {}
        for path, state in states.items():
            if isinstance(state, Row) and state.id:
                paths_by_id.setdefault(state.id, []).append(path)
        ended: _States = {}
        for paths in (paths for paths in paths_by_id.values() if len(paths) > 1):
            entries = [entry for entry in self.entries.entries(paths) if entry is not None]
            newest = max((entry.revision for entry in entries), default=(0, 0))
            for entry in (entry for entry in entries if entry.revision < newest):
                ended |= self._end_move(entry, key=newest)
        return ended

    def _end_move(self, entry: Entry, *, key: WriteKey) -> _States:
        """Leave a tombstone with the key in place of an entry older than the key."""
        name, deleted_ms = (
            self.entries.conversation.names.entry(entry.path),
            self.entries.conversation.turn.clock.now_ms(),
        )

        def tombstone(data: bytes | None) -> bytes | None:
            is_older = data is not None and tombstone_in(data) is None and revision_of(data) < key
            return encoded_tombstone(entry.path, data, key=key, deleted_ms=deleted_ms) if data and is_older else None

        stored = update_by_swap(self._store, name, tombstone, what="an entry", attempts=SWAP_ATTEMPTS)
        is_ended = stored is None or tombstone_in(stored.data) is not None
        return {entry.path: stored.generation if stored is not None else 0} if is_ended else {}

    def _names_withdrawn(self, data: bytes) -> bool:
        """Whether an unreadable object names a withdrawn message."""
        return traces_in(data).has_withdrawn(self.is_withdrawn)

    def _create_elsewhere(self, remainder: Entry) -> Row | None:
        """Create the entry at a path without withdrawn words; None where another worker changes the entry there meanwhile.

        For example, an entry whose name was withdrawn moves from `people/sato.md` to `people/call-back.md`, after the note "Call back".
        Repeated: finds the entry by id, and updates it.
        """
        stamp = f"{_NO_DIGIT.sub('', remainder.created_at[:19])}-"
        is_stamped = remainder.category is Category.INBOX and remainder.slug.startswith(stamp)
        for slug in slug_candidates(f"{stamp if is_stamped else ''}{slug_of(remainder.name)}"):
            renamed = remainder.at_slug(slug)
            if renamed.path == remainder.path:  # the old entry's path: all names of signs alone share a slug
                continue
            name, data = self.entries.conversation.names.entry(renamed.path), format_entry(renamed).encode()
            generation = self._store.create(name, data)
            if generation is not None:
                return row_of(renamed, generation=generation)
            existing = self.entries.with_generation(renamed.path)
            if existing is not None and existing[0].id == remainder.id:
                if existing[0].revision >= remainder.revision:
                    return row_of(existing[0], generation=existing[1])
                generation = self._store.replace(name, data, generation=existing[1])
                return None if generation is None else row_of(renamed, generation=generation)
        raise StorageUnavailableError("no path is free for an entry")

    def _clean_undo(self) -> None:
        def without_withdrawn(data: bytes | None) -> bytes | None:
            if data is None:
                return None
            try:
                record = read_undo(data)
                if not record.provenance.has_withdrawn(self.is_withdrawn):
                    return None
            except PermanentError as cause:
                logs.error("record_unreadable", cause=cause)
                record = UndoRecord()
            return format_undo(UndoRecord(revision=record.revision, is_partial=record.is_partial)).encode()

        name = self.entries.conversation.names.entry(UNDO_FILE)
        update_by_swap(self._store, name, without_withdrawn, what="an undo record", attempts=SWAP_ATTEMPTS)

    def _clean_catalog(self, states: _States) -> None:
        def with_states(data: bytes | None) -> bytes | None:
            # There is no catalog yet where the worker that filed the first entries died before writing it
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
            encoded = encode(cleaned)
            return None if encoded == data else encoded

        name = self.entries.conversation.names.entry(CATALOG_FILE)
        update_by_swap(self._store, name, with_states, what="the catalog of a chat", attempts=SWAP_ATTEMPTS)


def _readable(path: str, data: bytes) -> Entry | None:
    try:
        return read_entry(path, data)
    except PermanentError as cause:
        logs.error("record_unreadable", cause=cause)
        return None


def _is_overtaken(catalog: Catalog, path: str, state: Row | int) -> bool:
    """Whether the catalog includes a later state of the entry, filed meanwhile by another worker."""
    row = catalog.by_path.get(path)
    return row is not None and row.generation > (state.generation if isinstance(state, Row) else state)
