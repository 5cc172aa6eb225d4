"""The expenses and settlements of a chat as objects of the bucket."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from shared import logs
from shared.conversation.amendments import Amendments
from shared.conversation.provenance import Provenance
from shared.conversation.store import Conversation
from shared.errors import CorruptRecordError, StorageUnavailableError, UnreadableRecordError
from shared.expenses.expense import FOLDER, Expense, ExpenseRecord, Settlement
from shared.line.ids import checked_id
from shared.storage.codec import decode, encode
from shared.storage.compare_and_swap import SWAP_ATTEMPTS, update_by_swap
from shared.storage.object_store import ListedObject

_ID: Final = re.compile(r"[es][0-9a-f]{10}", re.ASCII)


def id_of(name: str) -> str:
    """Return the id of a record by the name of its object: `e0123456789` of `expenses/C…/e0123456789.json`."""
    return name.rpartition("/")[2].removesuffix(".json")


def entry_in(name: str, data: bytes) -> ExpenseRecord:
    """Return the record of an object by its name or id.  Raises: UnreadableRecordError."""
    own_id = name.rpartition("/")[2]
    return decode(Settlement, data) if own_id.startswith("s") else decode(Expense, data)


@dataclass(frozen=True, slots=True)
class ExpenseStore:
    """Reads and writes a chat's expenses.  Every method raises StorageUnavailableError when the bucket does not answer in time."""

    conversation: Conversation

    def name_of(self, own_id: str) -> str:
        """Return the name of the object, for example `expenses/C…/e0123456789.json`."""
        return f"{FOLDER}/{self.conversation.id}/{checked_id(own_id)}.json"

    def list_objects(self) -> tuple[ListedObject, ...]:
        """Return the objects of all expenses and settlements, also of removed ones."""
        prefix = f"{FOLDER}/{self.conversation.id}/"
        objects = self.conversation.objects.store.list(prefix)
        return tuple(one for one in objects if _ID.fullmatch(one.name.removeprefix(prefix).removesuffix(".json")))

    def read_all(self) -> tuple[ExpenseRecord, ...]:
        """Return every readable record, also removed ones, in two round trips."""
        return self.read(self.list_objects())

    def read(self, objects: Sequence[ListedObject]) -> tuple[ExpenseRecord, ...]:
        """Return the readable records of listed objects, also removed ones, in one round trip."""
        bodies = self.conversation.objects.read_all(objects)
        return tuple(_readable(zip((one.name for one in objects), bodies, strict=True)))

    def update(self, own_id: str, change: Callable[[ExpenseRecord | None], ExpenseRecord | None]) -> None:
        """Change a record by compare-and-swap, as `update_by_swap` does; an unreadable record stays unchanged."""

        def changed(data: bytes | None) -> bytes | None:
            updated = change(entry_in(own_id, data) if data is not None else None)
            return None if updated is None else encode(updated)

        try:
            update_by_swap(self.conversation.objects.store, self.name_of(own_id), changed, what="an expense")
        except CorruptRecordError as cause:
            logs.error("record_unreadable", cause=cause)

    def provenances(self) -> Iterator[tuple[str, Provenance]]:
        """Yield the name and the provenance of each record that was not removed."""
        for entry in self.read_all():
            if not entry.is_removed:
                yield self.name_of(entry.id), entry.provenance


def _readable(named_bodies: Iterable[tuple[str, bytes | None]]) -> Iterator[ExpenseRecord]:
    for name, body in named_bodies:
        if body is None:
            continue
        try:
            yield entry_in(name, body)
        except UnreadableRecordError as cause:
            logs.error("record_unreadable", cause=cause)


class ExpenseWords:
    """The words in expenses; a WordHolder: an expense goes with any message behind it, a settlement with the message that asked for it."""

    def remove_withdrawn(self, conversation: Conversation, amendments: Amendments) -> None:
        """Delete what comes from withdrawn, erased or edited messages.  Repeated: does nothing.  Raises: StorageUnavailableError."""
        expenses, objects = ExpenseStore(conversation), conversation.objects
        things = expenses.list_objects()
        affected = [
            thing
            for thing, body in zip(things, objects.read_all(things), strict=True)
            if body is not None and _is_affected(thing.name, body, amendments)
        ]
        for thing in affected:
            _delete(conversation, thing.name, amendments)
        if affected:
            logs.info("expenses_withdrawn", count=len(affected))


def _delete(conversation: Conversation, name: str, amendments: Amendments) -> None:
    store = conversation.objects.store
    for _ in range(SWAP_ATTEMPTS):
        stored = store.read(name)
        if stored is None or not _is_affected(name, stored.data, amendments):
            return
        if store.delete(name, generation=stored.generation):
            return
    raise StorageUnavailableError("others kept changing an expense")


def _is_affected(name: str, body: bytes, amendments: Amendments) -> bool:
    """Whether the record must be deleted; an unreadable record, if it names a withdrawn message, or if anything was erased."""
    try:
        return bool(entry_in(name, body).provenance.withdrawn_ids(amendments.is_withdrawn_from_entries))
    except UnreadableRecordError as cause:
        logs.error("record_unreadable", cause=cause)
        amended_ids = (*amendments.withdrawn, *amendments.edits)
        return amendments.erased_entries_ms >= 0 or any(f'"{one}"'.encode() in body for one in amended_ids)
