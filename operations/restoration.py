"""Restore a chat from an export after a loss of objects.

Withdrawn words must not return. So an export is refused after a later withdrawal, edit or erasure, and if the export is so old that the
bucket may have deleted the amendments since; existing objects keep their words. If the chat went on after the loss, the turn and the
snapshot are adjusted, so that later turns can change the restored objects and no compaction deletes any.
"""

import base64
import binascii
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from operations.amendment_restoration import create_now, event_key, stored_amendments, unfolded
from shared.clock import Clock
from shared.conversation.snapshot_records import SnapshotRecord
from shared.conversation.turn import TurnRecord
from shared.errors import (
    PermanentError,
    UnknownRecordVersionError,
    UnreadableRecordError,
    UnusableIdError,
)
from shared.features.stored_feature import StoredFeature, Transfer
from shared.features.stored_features import STORED_FEATURES
from shared.line.ids import checked_conversation_id
from shared.storage.codec import decode, decode_if_readable, encode
from shared.storage.compare_and_swap import update_by_swap
from shared.storage.object_names import ObjectNames
from shared.storage.object_store import ObjectStore

# Amendments are restored first, so that a worker that reads the chat meanwhile shows no withdrawn words; the features come before the turn.
_FIRST: Final = (
    "erased",
    "edited",
    "amended",
    "admitted",
    "silences",
    "members",
    "archive",
    "snapshots",
)
_LAST: Final = ("turns", "journal")


MOST_DAYS: Final = 29
"""The greatest age of an export: the bucket keeps withdrawals for 30 days (infra/terraform/history.tf)."""
_DAY_MS: Final = 86_400_000


class RestorationRefusedError(PermanentError):
    """The export cannot be restored; nothing was written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """The number of created objects, and of objects that existed already."""

    created: int
    present: int

    def __add__(self, other: "Restored") -> "Restored":
        return Restored(created=self.created + other.created, present=self.present + other.present)


def restore(
    store: ObjectStore,
    lines: Iterable[str],
    *,
    clock: Clock,
    features: Sequence[StoredFeature] = STORED_FEATURES,
) -> Restored:
    """Create every object of the export.  `lines` are the lines after the first; `check_date` takes the first.

    Amendments are appended under the present time, so that workers that know the chat find them. Repeated: creates missing objects.
    Raises: RestorationRefusedError; StorageUnavailableError, safe to repeat.
    """
    order = (*_FIRST, *(feature.folder for feature in features), *_LAST)
    objects = dict(_object(number, line, order) for number, line in enumerate(lines, start=2) if line.strip())
    conversations = {_conversation_of(name) for name in objects}
    if len(conversations) != 1:
        raise RestorationRefusedError("the export holds no chat, or several")
    (conversation_id,) = conversations
    names = ObjectNames(conversation_id)
    objects, stored = _unfold(names, objects), _unfold(names, stored_amendments(store, names))
    _refuse_amended_since(names, objects, stored)
    transfers = {feature.folder: feature.transfer for feature in features}
    _check_features(objects, transfers)
    _remove_segment_names(store, conversation_id, objects)
    present_keys = {event_key(names, name) for name in stored}
    ordered = sorted(objects, key=lambda name: (order.index(_kind(name)), name))
    created = 0
    for name in ordered:
        if event_key(names, name) in present_keys:
            continue
        present_keys.add(event_key(names, name))
        if create_now(store, names, name, objects[name], clock=clock):
            created += 1
        elif _kind(name) == "turns":
            _raise_sequence(store, name, objects[name])
    for name in ordered:
        if _kind(name) in transfers:
            transfers[_kind(name)].finish(store, name)
    return Restored(created=created, present=len(objects) - created)


def chat_of(lines: Iterable[str]) -> str:
    """Return the chat of an export, given the lines after the first.  Raises: RestorationRefusedError."""
    for number, line in enumerate(lines, start=2):
        if line.strip():
            return _conversation_of(_object(number, line)[0])
    raise RestorationRefusedError("the export holds no chat")


def date_line(now_ms: int) -> str:
    """Return the first line of an export: `date_line(1795655520000) -> '{"exported_ms": 1795655520000}'`."""
    return json.dumps({"exported_ms": now_ms})


def check_date(line: str, *, now_ms: int) -> None:
    """Check the first line of an export.  Raises: RestorationRefusedError, without a date, for a future date, or after MOST_DAYS."""
    try:
        exported_ms = int(json.loads(line)["exported_ms"])
    except (KeyError, TypeError, ValueError, RecursionError) as cause:
        raise RestorationRefusedError("the export does not begin with its date") from cause
    if exported_ms > now_ms:
        raise RestorationRefusedError("the export's date is in the future; is this machine's clock right?")
    if now_ms - exported_ms > MOST_DAYS * _DAY_MS:
        raise RestorationRefusedError(
            f"the export is older than {MOST_DAYS} days: what was withdrawn since may be forgotten, and would come back"
        )


def _unfold(names: ObjectNames, objects: Mapping[str, bytes]) -> dict[str, bytes]:
    try:
        return unfolded(names, objects)
    except UnknownRecordVersionError as cause:
        raise RestorationRefusedError("a newer release wrote the fold of amendments; use that release") from cause
    except UnusableIdError as cause:
        raise RestorationRefusedError("the fold of amendments was changed by hand") from cause


def _refuse_amended_since(names: ObjectNames, objects: Mapping[str, bytes], stored: Mapping[str, bytes]) -> None:
    exported = {event_key(names, name): data for name, data in objects.items()}
    for name, data in stored.items():
        exported_data = exported.get(event_key(names, name))
        if exported_data is None or not _is_same(exported_data, data):
            raise RestorationRefusedError(
                "something was withdrawn, edited or erased since this export, and would come back; use a newer export"
            )


def _is_same(exported: bytes, stored: bytes) -> bool:
    """Whether both are the same JSON: `_is_same(b'{"a": 1}', b'{"a":1}') -> True`.  Other content is compared byte by byte."""
    try:
        return bool(json.loads(exported) == json.loads(stored))
    except (ValueError, RecursionError):
        return exported == stored


def _check_features(objects: Mapping[str, bytes], transfers: Mapping[str, Transfer]) -> None:
    """Refuse an object that this release cannot use: for example, a reminder of a newer release, whose due time cannot be read."""
    for name, data in objects.items():
        try:
            if _kind(name) in transfers:
                transfers[_kind(name)].check(data)
        except UnknownRecordVersionError as cause:
            raise RestorationRefusedError(
                f"a newer release wrote an object of {_kind(name)}/ of the export; use that release"
            ) from cause


def _remove_segment_names(store: ObjectStore, conversation_id: str, objects: Mapping[str, bytes]) -> None:
    """Remove the segment names from the snapshot, so that no compaction deletes the export's segments.

    A snapshot written after the loss names only newer segments. A compaction takes an unnamed segment between two named segments for the
    leftover of a lost swap.
    """
    segment_names = {listing.name for listing in store.list(f"archive/{conversation_id}/")}
    if all(name in segment_names for name in objects if _kind(name) == "archive"):
        return

    def unnamed(data: bytes | None) -> bytes | None:
        record = decode_if_readable(SnapshotRecord, data)
        return encode(replace(record, segments=())) if record is not None and record.segments else None

    update_by_swap(store, f"snapshots/{conversation_id}.json", unnamed, what="the snapshot")


def _raise_sequence(store: ObjectStore, name: str, exported: bytes) -> None:
    """Raise the turn's sequence to the export's: else the next commit's writes to restored objects would count as older.

    A worker that holds the turn continues from the raised number.
    """

    def counted(data: bytes | None) -> bytes | None:
        turn, exported_turn = (_turn_in(data), _turn_in(exported)) if data is not None else (None, None)
        if turn is None or exported_turn is None or turn.sequence >= exported_turn.sequence:
            return None
        return encode(replace(turn, sequence=exported_turn.sequence))

    update_by_swap(store, name, counted, what="the turn")


def _turn_in(data: bytes) -> TurnRecord | None:
    try:
        return decode(TurnRecord, data)
    except UnreadableRecordError:
        return None


def _object(number: int, line: str, kinds: Collection[str] | None = None) -> tuple[str, bytes]:
    """Return the name and the bytes of an object; with `kinds`, only of an object of these kinds.  Raises: RestorationRefusedError."""
    try:
        fields: dict[str, Any] = json.loads(line)
        name, content = str(fields["name"]), fields
        if kinds is not None and _kind(name) not in kinds:
            raise KeyError(name)  # noqa: TRY301 - a kind that no chat has
        if "json" in content:
            return name, json.dumps(content["json"], ensure_ascii=False, separators=(",", ":")).encode()
        return name, content["text"].encode() if "text" in content else base64.b64decode(
            content["base64"], validate=True
        )
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError, binascii.Error) as cause:
        raise RestorationRefusedError(f"line {number} is no line of an export") from cause


def _conversation_of(name: str) -> str:
    try:
        return checked_conversation_id(name.split("/")[1].removesuffix(".json"))
    except (IndexError, UnusableIdError) as cause:
        raise RestorationRefusedError("a line names an object of no chat") from cause


def _kind(name: str) -> str:
    return name.partition("/")[0]
