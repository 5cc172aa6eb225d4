"""The amendments of an export, as a restoration compares and writes them.

Workers that know the chat list only events of the last minutes. So what is restored is appended under the present time, also what was
folded: `amended/{c}/001763700000000.withdrawal.4711.8c0f2a1b.json` returns as `amended/{c}/001763900000000.withdrawal.4711.8c0f2a1b.json`.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeAlias

from shared.clock import Clock
from shared.conversation.amendment_events import event_in
from shared.conversation.amendment_fold import AmendmentFold
from shared.conversation.amendment_views import AmendmentTimes
from shared.errors import CorruptRecordError, UnknownRecordVersionError, UnusableIdError
from shared.storage.codec import decode, encode
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
        fold = decode(AmendmentFold, rest[names.amended_fold])
    except (KeyError, CorruptRecordError):
        fold = None
    if fold is not None:
        rest.pop(names.amended_fold)
        for folded in fold.events:
            names.amended_name_in(folded.name)
            rest.setdefault(folded.name, encode(folded.event))
    return {name: _as_it_counts(names, name, data) for name, data in rest.items()}


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


def _as_it_counts(names: ObjectNames, name: str, data: bytes) -> bytes:
    try:
        event = event_in(names.amended_name_in(name), data)
    except (UnusableIdError, UnknownRecordVersionError):
        return data
    return encode(event) if event is not None else data
