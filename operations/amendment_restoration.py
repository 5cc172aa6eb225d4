"""The amendments of an export, as a restoration compares and writes them.

Workers that know the chat list only events of the last minutes. So what is restored is appended under the present time, also what was
folded: `amended/{c}/001763700000000.withdrawal.4711.8c0f2a1b.json` returns as `amended/{c}/001763900000000.withdrawal.4711.8c0f2a1b.json`.
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
"""What tells one event from another, whenever it was written: its kind, its id and the digest of its bytes; of anything else the name."""


def stored_amendments(store: ObjectStore, names: ObjectNames) -> dict[str, bytes]:
    """Return what the bucket holds of the chat's amendments, by name; the fold last, because events that are gone are in it."""
    prefixes = (names.amended_prefix, names.amended_fold, names.edited_prefix, names.watermark)
    listed = (one for prefix in prefixes for one in store.list(prefix))
    return {one.name: stored.data for one in listed if (stored := store.read(one.name)) is not None}


def unfolded(names: ObjectNames, objects: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the objects with the events of the fold one by one, and without the fold; a fold that cannot be read stays as it is.

    An event that cannot be read becomes what its name says, as it counts for every reader, folded or not.
    Raises: UnknownRecordVersionError; UnusableIdError, if the fold holds something under another name than that of an event.
    """
    rest = dict(objects)
    try:
        fold = readable_fold(rest[names.amended_fold])
    except (KeyError, CorruptRecordError):
        fold = None
    if fold is not None:
        rest.pop(names.amended_fold)
        for folded in fold.events:
            names.amended_name_in(folded.name)
            rest.setdefault(folded.name, encode(folded.event))
        for day, ids in fold.withdrawn.items():
            for event in (withdrawal_of([an_id], timestamp_ms=0) for an_id in unpacked(ids)):
                rest.setdefault(event.name(names, written_ms=_first_ms(day)), encode(event))
    return dict(_as_it_counts(names, name, data) for name, data in rest.items())


def event_key(names: ObjectNames, name: str) -> EventKey:
    """Return what the event of this name is known by."""
    try:
        event = names.amended_name_in(name)
    except UnusableIdError:
        return name
    return event.kind, event.id, event.digest


def create_now(store: ObjectStore, names: ObjectNames, name: str, data: bytes, *, clock: Clock) -> bool:
    """Return whether the object was created: an event under the present time, anything else under its name, if it is free.

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


def _as_it_counts(names: ObjectNames, name: str, data: bytes) -> tuple[str, bytes]:
    """Return the object as every reader takes it, under the name that it then has, whether it was folded or not."""
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
