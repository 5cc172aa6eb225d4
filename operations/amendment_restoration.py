"""The amendments of an export, as a restoration compares and writes them.

Workers that know the chat list only the events of the last minutes. So events, folded events included, are appended under the present
time: `amended/{c}/001763700000000.withdrawal.4711.8c0f2a1b.json`, for example, returns as
`amended/{c}/001763900000000.withdrawal.4711.8c0f2a1b.json`.
"""

import datetime as dt
from collections.abc import Mapping
from dataclasses import replace
from typing import TypeAlias

from shared.clock import Clock
from shared.conversation.amendment_events import event_in, withdrawal_of
from shared.conversation.amendment_fold import is_single_withdrawal, readable_fold
from shared.conversation.amendment_views import AmendmentTimes
from shared.conversation.packed_ids import unpacked
from shared.errors import CorruptRecordError, UnknownRecordVersionError, UnusableIdError
from shared.storage.codec import encode
from shared.storage.object_names import ObjectNames
from shared.storage.object_store import ObjectStore

EventKey: TypeAlias = tuple[str, str, str] | str
"""The identity of an event apart from the time of writing: kind, id and digest of the bytes; for any other object, the name."""


def stored_amendments(store: ObjectStore, names: ObjectNames) -> dict[str, bytes]:
    """Return the chat's stored amendments by name.  The fold is read after the events, because an event may be folded meanwhile."""
    prefixes = (names.amended_prefix, names.amended_fold, names.edited_prefix, names.watermark)
    listings = (one for prefix in prefixes for one in store.list(prefix))
    return {one.name: stored.data for one in listings if (stored := store.read(one.name)) is not None}


def unfolded(names: ObjectNames, objects: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the objects with the fold's events in place of the fold; an unreadable fold stays.

    An unreadable event is replaced by the event in its name, for example a withdrawal of 4711: every reader does so, folded or not.
    Raises: UnknownRecordVersionError; UnusableIdError, if a name in the fold is not the name of an event.
    """
    expanded = dict(objects)
    try:
        fold = readable_fold(expanded[names.amended_fold])
    except (KeyError, CorruptRecordError):
        fold = None
    if fold is not None:
        expanded.pop(names.amended_fold)
        for folded in fold.events:
            names.amended_name_in(folded.name)
            expanded.setdefault(folded.name, encode(folded.event))
        for day, ids in fold.withdrawn.items():
            for event in (withdrawal_of([an_id], timestamp_ms=0) for an_id in unpacked(ids)):
                expanded.setdefault(event.name(names, written_ms=_first_ms(day)), encode(event))
    return dict(_normalized(names, name, data) for name, data in expanded.items())


def event_key(names: ObjectNames, name: str) -> EventKey:
    """Return the identity of the object with this name: `("withdrawal", "4711", "8c0f2a1b")` for "….withdrawal.4711.8c0f2a1b.json"."""
    try:
        event = names.amended_name_in(name)
    except UnusableIdError:
        return name
    return event.kind, event.id, event.digest


def create_now(store: ObjectStore, names: ObjectNames, name: str, data: bytes, *, clock: Clock) -> bool:
    """Create an event under the present time, any other object under its own name; return False if that name is taken.

    Raises: StorageUnavailableError.
    """
    try:
        event = names.amended_name_in(name)
    except UnusableIdError:
        return store.create(name, data) is not None
    AmendmentTimes().append(
        lambda written_ms: store.create(names.amended(replace(event, written_ms=written_ms)), data), clock=clock
    )
    return True


def _normalized(names: ObjectNames, name: str, data: bytes) -> tuple[str, bytes]:
    """Return name and data of an event in the form that all readers derive, folded or not; of any other object, unchanged."""
    try:
        amended = names.amended_name_in(name)
        event = event_in(amended, data)
    except (UnusableIdError, UnknownRecordVersionError):
        return name, data
    if event is None:
        return name, data
    if is_single_withdrawal(event):
        event = replace(event, timestamp_ms=0)
    return event.name(names, written_ms=amended.written_ms), encode(event)


def _first_ms(day: str) -> int:
    return round(dt.datetime.fromisoformat(f"{day}T00:00:00+00:00").timestamp() * 1_000)
