"""The fold of a chat's amendments: the events that are older than an hour, as one object, for instances that have not seen them.

amended/{conversation_id}/~fold.json
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from shared import logs
from shared.conversation.amendment_events import AmendmentEvent, event_in, parsed
from shared.storage.codec import VERSION, decode_if_readable, encode
from shared.storage.object_cache import ObjectCache
from shared.storage.object_names import AmendedName, ObjectNames
from shared.storage.object_store import ListedObject, StoredObject
from shared.unknown_fields import Extensible

_FOLDED_AT_ONCE: Final = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldedEvent(Extensible):
    """An event that is folded, with the name of the object that it was."""

    name: str
    event: AmendmentEvent


@dataclass(frozen=True, slots=True, kw_only=True)
class AmendmentFold(Extensible):
    """The events that are older than an hour, the oldest first."""

    version: int = VERSION
    events: tuple[FoldedEvent, ...] = field(default=(), repr=False)


def events_in(stored: StoredObject | None) -> tuple[AmendmentEvent, ...]:
    """Return the folded events; none where there is no fold, or one that cannot be read, which is logged."""
    return tuple(one.event for one in _fold_in(stored).events)


def fold_events(objects: ObjectCache, names: ObjectNames, *, before_ms: int, kept_since_ms: int) -> None:
    """Fold the events that were written before `before_ms`; the fold forgets those that were written before `kept_since_ms`.

    Only the writer whose swap won deletes what it has folded. Raises: StorageUnavailableError.
    """
    store = objects.store
    listed = store.list(names.amended_prefix, before=names.amended_since(before_ms))[:_FOLDED_AT_ONCE]
    events = parsed(names, (one.name for one in listed))
    readable = _readable(objects, {one: events[one.name] for one in listed if one.name in events})
    if not readable:
        return
    stored = store.read(names.amended_fold)
    before = _fold_in(stored)
    new = {one.name: FoldedEvent(name=one.name, event=event) for one, event in readable.items()}
    folded = new | {one.name: one for one in before.events}
    kept_since = names.amended_since(kept_since_ms)
    fold = replace(before, events=tuple(folded[name] for name in sorted(folded) if name >= kept_since))
    if store.replace(names.amended_fold, encode(fold), generation=stored.generation if stored else 0) is not None:
        list(objects.reads.map(lambda one: store.delete(one.name, generation=one.generation), readable))
        logs.info("amendments_folded", events=len(readable))


def _readable(objects: ObjectCache, listed: Mapping[ListedObject, AmendedName]) -> dict[ListedObject, AmendmentEvent]:
    """Return the events that are there; without those of a kind that this release does not know, which it leaves alone."""
    bodies = zip(listed.items(), objects.read_all(listed), strict=True)
    events = {one: event_in(name, data) for (one, name), data in bodies if data is not None}
    return {one: event for one, event in events.items() if event is not None}


def _fold_in(stored: StoredObject | None) -> AmendmentFold:
    return decode_if_readable(AmendmentFold, stored.data if stored is not None else None) or AmendmentFold()
