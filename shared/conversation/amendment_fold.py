"""The fold of a chat's amendments: the events older than an hour, as one object, for instances new to the chat.

amended/{conversation_id}/~fold.json

Most events withdraw one message. The fold holds only ids for them, so a thousand cost a reader 10 kB.
"""

import datetime as dt
from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from typing import Final

import msgspec

from shared import logs
from shared.conversation.amendment_events import AmendmentEvent, AmendmentKind, event_in, parsed, withdrawal_of
from shared.conversation.packed_ids import packed, unpacked
from shared.errors import CorruptRecordError
from shared.frozen import frozen
from shared.storage.codec import VERSION, decode, encode
from shared.storage.object_cache import ObjectCache
from shared.storage.object_names import AmendedName, ObjectNames
from shared.storage.object_store import ListedObject, StoredObject
from shared.unknown_fields import Extensible

_FOLDED_AT_ONCE: Final = 1_000


@frozen
class FoldedEvent(Extensible):
    """A folded event, with the name of its former object."""

    name: str
    event: AmendmentEvent


@frozen
class AmendmentFold(Extensible):
    """The events older than an hour, the oldest first.

    `withdrawn`: packed ids of messages withdrawn one by one, by the day of writing. For example, `{"2026-11-22": "ci a =m3"}` holds 450,
    460 and m3. `events`: all other events.
    """

    version: int = VERSION
    withdrawn: Mapping[str, str] = field(default_factory=dict, repr=False)
    events: tuple[FoldedEvent, ...] = field(default=(), repr=False)

    @property
    def withdrawn_ids(self) -> frozenset[str]:
        """The messages withdrawn one by one."""
        return frozenset().union(*map(unpacked, self.withdrawn.values()))

    def with_events(self, events: Iterable[tuple[str, int, AmendmentEvent]]) -> "AmendmentFold":
        """Return the fold with the events, given as name, time of writing and content."""
        withdrawn = {day: set(unpacked(ids)) for day, ids in self.withdrawn.items()}
        other_events: dict[str, FoldedEvent] = {}
        for name, written_ms, event in events:
            if is_single_withdrawal(event):
                withdrawn.setdefault(_day(written_ms), set()).add(event.id)
            else:
                other_events[name] = FoldedEvent(name=name, event=event)
        other_events |= {folded.name: folded for folded in self.events}
        return replace(
            self,
            withdrawn={day: packed(withdrawn[day]) for day in sorted(withdrawn)},
            events=tuple(other_events[name] for name in sorted(other_events)),
        )

    def since(self, names: ObjectNames, written_ms: int) -> "AmendmentFold":
        """Return the fold without the events written before the time; single withdrawals are compared by the day."""
        first_name, first_day = names.amended_since(written_ms), _day(written_ms)
        return replace(
            self,
            withdrawn={day: ids for day, ids in self.withdrawn.items() if day >= first_day},
            events=tuple(folded for folded in self.events if folded.name >= first_name),
        )


def is_single_withdrawal(event: AmendmentEvent) -> bool:
    """Whether the event only withdraws one message; when LINE sent the unsend matters to no reader."""
    return (
        event.kind is AmendmentKind.WITHDRAWAL
        and event.unknown_fields is msgspec.UNSET
        and replace(event, timestamp_ms=0) == withdrawal_of([event.id], timestamp_ms=0)
    )


def fold_in(stored: StoredObject | None) -> AmendmentFold:
    """Return the fold; an empty fold where none is stored, or where the stored fold cannot be read, which is logged."""
    if stored is None:
        return AmendmentFold()
    try:
        return readable_fold(stored.data)
    except CorruptRecordError as cause:
        logs.error("record_unreadable", cause=cause)
        return AmendmentFold()


def readable_fold(data: bytes) -> AmendmentFold:
    """Read the bytes of a fold.  Raises: CorruptRecordError, UnknownRecordVersionError."""
    fold = decode(AmendmentFold, data)
    for ids in fold.withdrawn.values():
        unpacked(ids)
    return fold


def fold_events(objects: ObjectCache, names: ObjectNames, *, before_ms: int, retained_since_ms: int) -> None:
    """Fold the events written before `before_ms`; the fold forgets events from before `retained_since_ms`.

    Only the writer whose swap won deletes the folded events. Raises: StorageUnavailableError.
    """
    store = objects.store
    event_objects = store.list(names.amended_prefix, before=names.amended_since(before_ms))[:_FOLDED_AT_ONCE]
    events = parsed(names, (one.name for one in event_objects))
    readable = _readable(objects, {one: events[one.name] for one in event_objects if one.name in events})
    if not readable:
        return
    stored = store.read(names.amended_fold)
    written = (
        (event_object.name, events[event_object.name].written_ms, event) for event_object, event in readable.items()
    )
    fold = fold_in(stored).with_events(written).since(names, retained_since_ms)
    if store.replace(names.amended_fold, encode(fold), generation=stored.generation if stored else 0) is not None:
        list(
            objects.reads.map(
                lambda event_object: store.delete(event_object.name, generation=event_object.generation), readable
            )
        )
        logs.info("amendments_folded", events=len(readable))


def _readable(
    objects: ObjectCache, names_by_object: Mapping[ListedObject, AmendedName]
) -> dict[ListedObject, AmendmentEvent]:
    """Return the stored events; kinds unknown to this release are left alone."""
    bodies = zip(names_by_object.items(), objects.read_all(names_by_object), strict=True)
    events = {one: event_in(name, data) for (one, name), data in bodies if data is not None}
    return {one: event for one, event in events.items() if event is not None}


def _day(written_ms: int) -> str:
    return dt.datetime.fromtimestamp(written_ms / 1_000, dt.UTC).date().isoformat()
