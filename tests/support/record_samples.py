"""A sample of each kind of record, in which every field has a value: what a release freezes, so that the next one is tried with it.

python -m tests.support.record_samples     writes tests/records/last_release/, once for each release
"""

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import StrEnum
from pathlib import Path
from types import NoneType
from typing import Any, Final, Literal, get_args, get_origin, get_type_hints

import msgspec

from shared.access.admission import AdmissionRecord
from shared.access.invitations import InvitationRecord
from shared.access.usage import UsageRecord
from shared.conversation.amendment_events import AmendmentEvent
from shared.conversation.amendment_fold import AmendmentFold
from shared.conversation.amendment_records import EditedWords, Watermark
from shared.conversation.external_calls import CallRecord, CallResult
from shared.conversation.media import MediumLabel
from shared.conversation.members import MembersRecord
from shared.conversation.numbering import Numbered
from shared.conversation.pushes import PushesRecord
from shared.conversation.records import MessageRecord, OutcomeRecord
from shared.conversation.silences import SilencesRecord
from shared.conversation.snapshot_records import Segment, SnapshotRecord
from shared.conversation.turn import TurnRecord
from shared.conversation.undo import UndoRecord
from shared.hooks.hook import Hook
from shared.knowledge.catalog import Catalog
from shared.knowledge.tombstone import Tombstone
from shared.reminders.reminder import Reminder
from shared.storage.codec import VERSION, encode
from shared.translation.setting import TranslationSetting

FOLDER: Final = Path(__file__).parents[1] / "records" / "last_release"
KINDS: Final[Mapping[str, type[Any]]] = {
    "admission": AdmissionRecord,
    "amendment": AmendmentEvent,
    "amendment-fold": AmendmentFold,
    "call": CallRecord,
    "call-result": CallResult,
    "edited-words": EditedWords,
    "invitation": InvitationRecord,
    "medium": MediumLabel,
    "members": MembersRecord,
    "silences": SilencesRecord,
    "message": MessageRecord,
    "outcome": OutcomeRecord,
    "pushes": PushesRecord,
    "reminder": Reminder,
    "hook": Hook,
    "search": Catalog,
    "segment": Segment,
    "snapshot": SnapshotRecord,
    "tombstone": Tombstone,
    "translation": TranslationSetting,
    "turn": TurnRecord,
    "undo": UndoRecord,
    "usage": UsageRecord,
    "watermark": Watermark,
}
"""By the names of their schemas; an entry, which is no JSON, has a file of its own."""


def sample_of(kind: Any) -> Any:  # noqa: ANN401 - a dataclass and its instance
    """Return an instance in which every field has a value, also those that may be empty."""
    hints = get_type_hints(kind)
    values = {one.name: _value(hints[one.name], one.name) for one in fields(kind) if one.name != "unknown_fields"}
    return kind(**values)


def _value(hint: Any, name: str) -> Any:  # noqa: ANN401, PLR0911 - one line for each kind of type
    if name == "version":
        return VERSION
    if is_dataclass(hint):
        return sample_of(hint)
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return [*hint][-1]
    simple = {str: f"{name}-1", int: 7, bool: True, float: 0.5, object: "anything"}
    if hint in simple:
        return simple[hint]
    arguments = [one for one in get_args(hint) if one not in {NoneType, msgspec.UnsetType, Ellipsis}]
    origin = get_origin(hint)
    if origin is Literal:
        return arguments[-1]
    if origin is tuple:
        return tuple(_value(one, name) for one in arguments)
    if origin is frozenset:
        return frozenset({_value(arguments[0], name)})
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {f"{name}-key": _value(arguments[1], name)}
    return _value(arguments[0], name)  # of a union the first


def with_tomorrows_fields(record: object, *, word: str = "sunny") -> bytes:
    """Return the bytes as a newer release may write them: every record in the record, at every level, has two fields more."""
    stored = msgspec.json.decode(encode(record))
    for own in _objects_in(record, stored):
        own |= {"tomorrow": [word], "tomorrow_count": 3}
    return msgspec.json.encode(stored)


def _objects_in(value: object, stored: Any) -> list[dict[str, Any]]:  # noqa: ANN401 - JSON
    if isinstance(value, tuple):
        return [own for one, part in zip(value, stored, strict=True) for own in _objects_in(one, part)]
    if not is_dataclass(value) or isinstance(value, Numbered):  # which is made anew whenever its record is written
        return []
    nested = [own for one in fields(value) for own in _objects_in(getattr(value, one.name), stored.get(one.name))]
    return [stored, *nested]


def freeze() -> None:
    """Write the sample of each kind as this release writes it."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, kind in KINDS.items():
        text = json.dumps(json.loads(encode(sample_of(kind))), ensure_ascii=False, indent=1, sort_keys=True)
        (FOLDER / f"{name}.json").write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    freeze()
