"""The amendments of an export, as a restoration writes them.

Workers that know the chat list only events of the last minutes. So what is restored is appended under the present time, also what was
folded: `amended/{c}/000001763700000000.withdrawal.4711.8c0f2a1b.json` returns as `amended/{c}/000001763900000000.withdrawal.4711...`.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeAlias

from shared.conversation.amendment_fold import AmendmentFold
from shared.errors import CorruptRecordError, UnusableIdError
from shared.storage.codec import decode, encode
from shared.storage.object_names import ObjectNames

EventKey: TypeAlias = tuple[str, str, str] | str
"""What tells one event from another, whenever it was written: its kind, its id and the digest of its bytes; of anything else the name."""


def unfolded(names: ObjectNames, objects: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the objects with the events of a fold one by one, and without the fold.  A fold that cannot be read stays as it is.

    Raises: UnknownRecordVersionError.
    """
    try:
        fold = decode(AmendmentFold, objects[names.amended_fold])
    except (KeyError, CorruptRecordError):
        return dict(objects)
    events = {one.name: encode(one.event) for one in fold.events}
    return {name: data for name, data in {**events, **objects}.items() if name != names.amended_fold}


def event_key(names: ObjectNames, name: str) -> EventKey:
    """Return what the event of this name is known by."""
    try:
        found = names.amended_name_in(name)
    except UnusableIdError:
        return name
    return found.kind, found.id, found.digest


def written_now(names: ObjectNames, name: str, *, now_ms: int) -> str:
    """Return the name under which the event is appended now; whatever is no event keeps its name."""
    try:
        return names.amended(replace(names.amended_name_in(name), written_ms=now_ms))
    except UnusableIdError:
        return name
