"""Withdrawing from entries: what came from a message that was taken back or erased is in no object of the chat's entries."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from shared import logs
from shared.errors import PermanentError, StorageUnavailableError
from shared.knowledge.apply import SWAP_ATTEMPTS, EntryWrites
from shared.knowledge.catalog import Catalog, Row, row_of
from shared.knowledge.entry import Entry, Withdrawn
from shared.knowledge.entry_file import numbered, read_entry, slug_of, traces_in, written
from shared.knowledge.entry_store import CATALOG_FILE, UNDO_FILE, StoredEntries, path_in
from shared.knowledge.staging import UndoRecord, read_undo, written_undo
from shared.storage.codec import encode
from shared.storage.object_names import entries_prefix, entry_name, is_entry_path
from shared.storage.object_store import ListedObject

_STAMP: Final = re.compile(r"(\d{14}-)?(.*?)(-\d{1,3})?", re.DOTALL)

Cleaned = dict[str, Row | int]
"""By path what became of an entry: its row, or the generation at which it went."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryWithdrawal:
    """Takes words out of entries, beside whoever files at the same time."""

    entries: StoredEntries

    def __call__(self, conversation_id: str, withdrawn: Withdrawn) -> None:
        """Nothing that came from the withdrawn messages is left.

        An entry that came from them alone is deleted; another one keeps what others said. Reads one listing, the catalog, and the entries
        that changed since it was written or that came from the messages. Repeated, also after a part of it: does the rest.
        Raises: StorageUnavailableError; UnknownRecordVersionError, once everything that can be read was cleaned.
        """
        listed = self.entries.store.list(entries_prefix(conversation_id))
        if not listed:
            return
        known = self._known(conversation_id).by_path
        suspects = [one for one in listed if is_entry_path(path_in(one.name)) and _may_hold(known, one, withdrawn)]
        cleaned: Cleaned = {}
        for states in self.entries.reads.map(lambda one: self._cleaned(conversation_id, one, withdrawn), suspects):
            cleaned |= states
        self._clean_undo(conversation_id, withdrawn)
        self._clean_catalog(conversation_id, cleaned, withdrawn)
        EntryWrites(entries=self.entries).rebuild_index(conversation_id)
        if suspects:
            logs.info("entries_withdrawn", looked_at=len(suspects))

    def _known(self, conversation_id: str) -> Catalog:
        try:
            return self.entries.catalog(conversation_id)
        except PermanentError as cause:  # then every entry is read
            logs.error("record_unreadable", cause=cause)
            return Catalog()

    def _cleaned(self, conversation_id: str, listed: ListedObject, withdrawn: Withdrawn) -> Cleaned:
        """The entry holds nothing of the messages any more; return what became of it, for the catalog."""
        store, path = self.entries.store, path_in(listed.name)
        for _ in range(SWAP_ATTEMPTS):
            stored = store.read(listed.name)
            if stored is None:
                return {path: listed.generation}
            entry = _readable(path, stored.data)
            if entry is None and not _names(stored.data, withdrawn):
                return {}
            left = entry.without(withdrawn) if entry else None
            if left is None:
                store.delete(listed.name)
                return {path: listed.generation}
            if left is entry:  # cleaned already, or newer than the catalog
                return {path: row_of(left, generation=stored.generation)}
            if not _is_named_after(left.slug, left.name):
                row = self._created_anew(conversation_id, left)
                store.delete(listed.name)
                return {path: listed.generation, row.path: row}
            generation = store.replace(listed.name, written(left).encode(), generation=stored.generation)
            if generation is not None:
                return {path: row_of(left, generation=generation)}
        raise StorageUnavailableError("others kept changing an entry")

    def _created_anew(self, conversation_id: str, left: Entry) -> Row:
        """The entry stands under a path that repeats nothing withdrawn.  Repeated: finds itself by its id."""
        stamp = _stem(left.slug)[0]
        for slug in numbered(f"{stamp}{slug_of(left.name)}"):
            renamed = replace(left, slug=slug)
            name, data = entry_name(conversation_id, renamed.path), written(renamed).encode()
            generation = self.entries.store.create(name, data)
            if generation is not None:
                return row_of(renamed, generation=generation)
            there = self.entries.with_generation(conversation_id, renamed.path)
            if there is not None and there[0].id == left.id:
                return row_of(there[0], generation=there[1])
        raise StorageUnavailableError("no path is free for an entry")

    def _clean_undo(self, conversation_id: str, withdrawn: Withdrawn) -> None:
        name = entry_name(conversation_id, UNDO_FILE)
        for _ in range(SWAP_ATTEMPTS):
            stored = self.entries.store.read(name)
            if stored is None:
                return
            try:
                record = read_undo(stored.data)
                if not any(withdrawn(one.line_message_id, one.timestamp_ms) for one in record.sources):
                    return
            except PermanentError as cause:
                logs.error("record_unreadable", cause=cause)
                record = UndoRecord()
            emptied = written_undo(UndoRecord(revision=record.revision)).encode()
            if self.entries.store.replace(name, emptied, generation=stored.generation) is not None:
                return
        raise StorageUnavailableError("others kept changing a way back")

    def _clean_catalog(self, conversation_id: str, cleaned: Cleaned, withdrawn: Withdrawn) -> None:
        name = entry_name(conversation_id, CATALOG_FILE)
        for _ in range(SWAP_ATTEMPTS):
            stored = self.entries.store.read(name)
            if stored is None:
                return
            catalog = self.entries.catalog_in(conversation_id, stored)
            rows: dict[str, Row | None] = {row.path: None for row in catalog.rows if row.came_from(withdrawn)}
            for path, state in cleaned.items():
                if path in rows or not _is_overtaken(catalog, path, state):
                    rows[path] = state if isinstance(state, Row) else None
            data = encode(catalog.changed(rows, key=catalog.key))
            if data == stored.data or self.entries.store.replace(name, data, generation=stored.generation) is not None:
                return
        raise StorageUnavailableError("others kept changing the catalog of a chat")


def _readable(path: str, data: bytes) -> Entry | None:
    try:
        return read_entry(path, data)
    except PermanentError as cause:
        logs.error("record_unreadable", cause=cause)
        return None


def _names(data: bytes, withdrawn: Withdrawn) -> bool:
    """Whether an object that cannot be read names one of the messages."""
    return any(withdrawn(one.line_message_id, one.timestamp_ms) for one in traces_in(data))


def _may_hold(known: Mapping[str, Row], listed: ListedObject, withdrawn: Withdrawn) -> bool:
    row = known.get(path_in(listed.name))
    return row is None or row.generation != listed.generation or row.came_from(withdrawn)


def _is_overtaken(catalog: Catalog, path: str, state: Row | int) -> bool:
    """Whether the catalog knows a later state of the entry, which somebody filed meanwhile."""
    there = catalog.by_path.get(path)
    return there is not None and there.generation > (state.generation if isinstance(state, Row) else state)


def _is_named_after(slug: str, name: str) -> bool:
    wanted = slug_of(name)
    return slug == wanted or _stem(slug)[1] == wanted or _stem(slug)[0] + wanted == slug


def _stem(slug: str) -> tuple[str, str]:
    """Return the stamp of an inbox entry, or nothing, and the slug without it and without its numeric suffix."""
    found = _STAMP.fullmatch(slug)
    assert found is not None  # noqa: S101 - it takes anything
    return found[1] or "", found[2]
