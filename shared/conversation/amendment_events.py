"""Amendment events: what became of a chat's messages after they were sent, as objects that are created once and never changed.

    amended/{conversation_id}/{written_ms}.{kind}.{id}.{digest}.json   one event
    amended/{conversation_id}/~fold.json                               all events older than an hour

An event holds no words of people: the words of an edit are stored in `edited/`.  `written_ms` is the writer's clock, so names sort by the
time of writing, and a listing can begin where the last listing ended.  The order of the events does not matter to a reader.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import field
from enum import StrEnum

from shared import logs
from shared.conversation.amendment_records import Amendment, Watermark
from shared.conversation.member_mark import mark_id
from shared.errors import UnusableIdError
from shared.frozen import frozen
from shared.storage.codec import VERSION, decode_if_readable, encode
from shared.storage.object_names import AmendedName, ObjectNames
from shared.unknown_fields import Extensible


class AmendmentKind(StrEnum):
    """What an event says.  The meaning of `id` stands next to each kind."""

    EDIT = "edit"  # the message
    WITHDRAWAL = "withdrawal"  # the last in order of the messages withdrawn together
    PLAN = "plan"  # the round: the withdrawal's id, or that of an erasure
    ERASURE = "erasure"  # the timestamp up to which everything is erased
    RESET = "reset"  # likewise; filed entries stay
    MEMBER_ERASURE = "member"  # the member's mark


@frozen
class AmendmentEvent(Extensible):
    """One amendment.  `timestamp_ms` is LINE's, of the edit or the unsend, or the end of an erasure; 0 for a plan.

    `withdrawn_ids`: the messages withdrawn together. `by`: the mark of the member who edited. In a plan, `redacted_ids` are the answers and
    recaps that lose their words; `cleared_ids` had a redacted record in the prompt, but repeat no words of the record.
    """

    version: int = VERSION
    kind: AmendmentKind
    id: str
    timestamp_ms: int = 0
    by: str | None = None
    withdrawn_ids: tuple[str, ...] = field(default=(), repr=False)
    redacted_ids: tuple[str, ...] = ()
    cleared_ids: tuple[str, ...] = ()

    def name(self, names: ObjectNames, *, written_ms: int) -> str:
        """Return the object name of an event written now.  Raises: UnusableIdError.

        For example, an edit of message 450, written at 1,700,000,000,000 ms, is named `001700000000000.edit.450.`, a digest of 8 hex
        digits, and `.json`.
        """
        digest = hashlib.sha256(encode(self)).hexdigest()[:8]
        return names.amended(AmendedName(written_ms=written_ms, kind=self.kind, id=self.id, digest=digest))


def edit_of(amendment: Amendment) -> AmendmentEvent:
    """Return the event of an edit."""
    return AmendmentEvent(
        kind=AmendmentKind.EDIT,
        id=amendment.line_message_id,
        timestamp_ms=amendment.timestamp_ms,
        by=amendment.by,
    )


def withdrawal_of(line_message_ids: Iterable[str], *, timestamp_ms: int) -> AmendmentEvent:
    """Return the event of messages withdrawn together; the event's id is the last message id in order.

    For example, `withdrawal_of({"m2", "m1"}, timestamp_ms=5)` has the id `m2`.
    """
    ids = tuple(sorted(line_message_ids))
    return AmendmentEvent(kind=AmendmentKind.WITHDRAWAL, id=ids[-1], timestamp_ms=timestamp_ms, withdrawn_ids=ids)


def plan_of(round_id: str, *, redacted_ids: Iterable[str], cleared_ids: Iterable[str]) -> AmendmentEvent:
    """Return the event with a part of the plan of a withdrawal or an erasure."""
    return AmendmentEvent(
        kind=AmendmentKind.PLAN,
        id=round_id,
        redacted_ids=tuple(sorted(redacted_ids)),
        cleared_ids=tuple(sorted(cleared_ids)),
    )


def erasure_of(timestamp_ms: int, *, spares_entries: bool) -> AmendmentEvent:
    """Return the event of an erasure of everything up to a timestamp."""
    kind = AmendmentKind.RESET if spares_entries else AmendmentKind.ERASURE
    return AmendmentEvent(kind=kind, id=str(timestamp_ms), timestamp_ms=timestamp_ms)


def events_of(watermark: Watermark) -> tuple[AmendmentEvent, AmendmentEvent]:
    """Return the events represented by a watermark; the watermark outlasts the events."""
    entries = erasure_of(watermark.entries_ms, spares_entries=False)
    return erasure_of(watermark.timestamp_ms, spares_entries=True), entries


def member_erasure_of(user_id: str, *, until_ms: int) -> AmendmentEvent:
    """Return the event of a member who takes back everything up to a timestamp."""
    return AmendmentEvent(kind=AmendmentKind.MEMBER_ERASURE, id=mark_id(user_id), timestamp_ms=until_ms)


def event_in(name: AmendedName, data: bytes) -> AmendmentEvent | None:
    """Return the event; an unreadable event counts by the name.  None: no release of this record version writes such a name.

    For example, an unreadable `….withdrawal.450.….json` withdraws message 450. Raises: UnknownRecordVersionError.
    """
    event = decode_if_readable(AmendmentEvent, data)
    if event is not None:
        return event
    try:
        kind = AmendmentKind(name.kind)
    except ValueError:
        return None
    timestamp_ms = 0
    if kind is AmendmentKind.MEMBER_ERASURE:
        timestamp_ms = name.written_ms
    elif kind in {AmendmentKind.ERASURE, AmendmentKind.RESET} and name.id.isdecimal():
        timestamp_ms = int(name.id)
    withdrawn_ids = (name.id,) if kind is AmendmentKind.WITHDRAWAL else ()
    return AmendmentEvent(kind=kind, id=name.id, timestamp_ms=timestamp_ms, withdrawn_ids=withdrawn_ids)


def parsed(names: ObjectNames, object_names: Iterable[str]) -> dict[str, AmendedName]:
    """Return the parsed names of events, by object name.  Unparsable names are logged and left out; so is the fold's."""
    parsed_names: dict[str, AmendedName] = {}
    for name in object_names:
        try:
            if name != names.amended_fold:
                parsed_names[name] = names.amended_name_in(name)
        except UnusableIdError as cause:
            logs.error("record_unreadable", cause=cause)
    return parsed_names
