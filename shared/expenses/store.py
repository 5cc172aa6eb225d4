"""The expenses and settlements of a chat as objects of the bucket."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from shared import logs
from shared.conversation.amendments import Amendments
from shared.conversation.provenance import Provenance
from shared.conversation.records import StagedWrite
from shared.conversation.store import Conversation
from shared.conversation.thing_store import StagedThingStore
from shared.conversation.undo import UNDO_FILE, UndoRecord, format_undo, read_undo
from shared.conversation.word_holder import Removal, WordHolder
from shared.errors import UnreadableRecordError
from shared.expenses.expense import FOLDER, Expense, ExpenseRecord, Settlement
from shared.storage.codec import decode, encode
from shared.storage.compare_and_swap import update_by_swap
from shared.storage.object_store import ListedObject

_IDS: Final = re.compile(r"[es][0-9a-f]{10}", re.ASCII)


def entry_in(own_id: str, data: bytes) -> ExpenseRecord:
    """Return the record with this id.  Raises: UnreadableRecordError."""
    return decode(_kind_of(own_id), data)


class ExpenseStore(StagedThingStore[ExpenseRecord]):
    """Reads and writes a chat's expenses and settlements."""

    __slots__ = ()
    folder = FOLDER
    ids = _IDS
    noun = "an expense"

    def kind_of(self, thing_id: str) -> type[ExpenseRecord]:
        return _kind_of(thing_id)

    def present(self) -> tuple[ExpenseRecord, ...]:
        """Return every readable record that was not removed."""
        return tuple(entry for entry in self.read_all() if not entry.is_removed)

    def provenance_in(self, amendments: Amendments, entry: ExpenseRecord) -> Provenance:
        """Return the provenance by which amendments take the record: a settlement outlasts the asking member's `/forget me`."""
        return entry.without_members(amendments.members).provenance


def _kind_of(own_id: str) -> type[ExpenseRecord]:
    return Settlement if own_id.startswith("s") else Expense


class ExpenseWords(WordHolder):
    """The words in expenses: an expense goes with any message behind the expense, a settlement with the asking message.

    After `/forget me`, a member's share of an expense told by another member stays, and the member's display name goes; a settlement
    stays, without the member's mark.
    """

    def begin_removal(self, conversation: Conversation) -> Removal:
        """Delete expenses of withdrawn, erased or edited messages, and names and marks of members after `/forget me`.

        Repeated: does nothing. Raises: StorageUnavailableError.
        """
        store = ExpenseStore(conversation)
        listing = store.begin_listing()
        return lambda amendments: _remove_withdrawn(store, listing(), amendments)


def _remove_withdrawn(store: ExpenseStore, objects: Sequence[ListedObject], amendments: Amendments) -> None:
    removed_ids = store.remove_withdrawn(amendments, objects)
    if removed_ids:
        logs.info("expenses_withdrawn", count=len(removed_ids))
    if amendments.members:
        for entry in store.present():
            if _without_members(entry, amendments) is not None:
                store.update(entry.id, lambda stored: _without_members(stored, amendments))
        _clean_undo(store.conversation, amendments)


def _clean_undo(conversation: Conversation, amendments: Amendments) -> None:
    """Remove the same from the records that an undo would bring back."""

    def cleaned(data: bytes | None) -> bytes | None:
        try:
            record = read_undo(data) if data is not None else UndoRecord()
            before = tuple(_unnamed_write(write, amendments) for write in record.before)
        except UnreadableRecordError:  # the removal of entries deletes what cannot be read
            return None
        return format_undo(replace(record, before=before)).encode() if before != record.before else None

    name = conversation.names.entry(UNDO_FILE)
    update_by_swap(conversation.objects.store, name, cleaned, what="an undo record")


def _unnamed_write(write: StagedWrite, amendments: Amendments) -> StagedWrite:
    own_id = write.path.removeprefix(f"{FOLDER}/")
    if write.text is None or own_id == write.path:
        return write
    unnamed = _without_members(entry_in(own_id, write.text.encode()), amendments)
    return write if unnamed is None else replace(write, text=encode(unnamed).decode())


def _without_members(entry: ExpenseRecord | None, amendments: Amendments) -> ExpenseRecord | None:
    """Return the record without names and marks of members after `/forget me`; None: nothing goes."""
    if entry is None:
        return None
    unnamed = entry.without_members(amendments.members)
    return unnamed if unnamed is not entry else None
