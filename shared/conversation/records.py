"""What is stored of a chat, and how it is written down: one JSON object a record, each with a `version`.

The JSON Schemas are in schemas/records/. A record of a newer version is an error, never a loss; unknown fields of our own version are
ignored, so that an older release can run beside a newer one.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from shared.errors import CorruptRecordError, UnknownRecordVersionError

VERSION: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageRecord:
    """A message as received; written once.

    `text` is what a prompt shows of it, `addressed` whether it was meant for the bot. `timestamp_ms` is LINE's.
    """

    line_message_id: str
    webhook_event_id: str
    timestamp_ms: int
    type: str
    addressed: bool
    text: str = field(repr=False)
    user_id: str | None = field(default=None, repr=False)


class OutcomeKind(StrEnum):
    """What became of the messages that an outcome covers."""

    REPLIED = "replied"
    SKIPPED = "skipped"
    APOLOGISED = "apologised"
    UNDELIVERED = "undelivered"
    UNKNOWN = "unknown"
    WITHDRAWN = "withdrawn"


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeRecord:
    """What a turn did; written once, and never again except to take the text out.

    `covers` are the messages that it answered, `saw` those that its prompt held. `text` is what was said, None where that was nothing or
    was withdrawn; `kind` tells whether it arrived. `timestamp_ms` is LINE's, of the event that it answers.
    """

    webhook_event_id: str
    timestamp_ms: int
    kind: OutcomeKind
    covers: tuple[str, ...] = ()
    saw: tuple[str, ...] = ()
    text: str | None = field(default=None, repr=False)
    model_name: str | None = None
    tools_used: tuple[str, ...] = ()
    sent_message_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Amendment:
    """What became of a message's text after it was sent: None means that it was withdrawn, which is final."""

    line_message_id: str
    timestamp_ms: int
    text: str | None = field(default=None, repr=False)


def encode_message(record: MessageRecord) -> bytes:
    """Return the record's bytes."""
    return _encode(
        line_message_id=record.line_message_id,
        webhook_event_id=record.webhook_event_id,
        timestamp_ms=record.timestamp_ms,
        type=record.type,
        addressed=record.addressed,
        text=record.text,
        user_id=record.user_id,
    )


def decode_message(data: bytes) -> MessageRecord:
    """Read the bytes back.  Raises: CorruptRecordError, UnknownRecordVersionError."""
    fields = _decode(data)
    try:
        return MessageRecord(
            line_message_id=_string(fields, "line_message_id"),
            webhook_event_id=_string(fields, "webhook_event_id"),
            timestamp_ms=_integer(fields, "timestamp_ms"),
            type=_string(fields, "type"),
            addressed=fields["addressed"] is True,
            text=_string(fields, "text"),
            user_id=_optional_string(fields, "user_id"),
        )
    except (KeyError, TypeError) as cause:
        raise CorruptRecordError("a message record lacks what every message has") from cause


def encode_outcome(record: OutcomeRecord) -> bytes:
    """Return the record's bytes."""
    return _encode(
        webhook_event_id=record.webhook_event_id,
        timestamp_ms=record.timestamp_ms,
        kind=record.kind.value,
        covers=record.covers,
        saw=record.saw,
        text=record.text,
        model_name=record.model_name,
        tools_used=record.tools_used,
        sent_message_ids=record.sent_message_ids,
    )


def decode_outcome(data: bytes) -> OutcomeRecord:
    """Read the bytes back.  Raises: CorruptRecordError, UnknownRecordVersionError."""
    fields = _decode(data)
    try:
        return OutcomeRecord(
            webhook_event_id=_string(fields, "webhook_event_id"),
            timestamp_ms=_integer(fields, "timestamp_ms"),
            kind=OutcomeKind(_string(fields, "kind")),
            covers=_strings(fields, "covers"),
            saw=_strings(fields, "saw"),
            text=_optional_string(fields, "text"),
            model_name=_optional_string(fields, "model_name"),
            tools_used=_strings(fields, "tools_used"),
            sent_message_ids=_strings(fields, "sent_message_ids"),
        )
    except (KeyError, TypeError, ValueError) as cause:
        raise CorruptRecordError("an outcome record lacks what every outcome has") from cause


def encode_amendment(record: Amendment) -> bytes:
    """Return the record's bytes."""
    return _encode(line_message_id=record.line_message_id, timestamp_ms=record.timestamp_ms, text=record.text)


def decode_amendment(data: bytes) -> Amendment:
    """Read the bytes back.  Raises: CorruptRecordError, UnknownRecordVersionError."""
    fields = _decode(data)
    try:
        return Amendment(
            line_message_id=_string(fields, "line_message_id"),
            timestamp_ms=_integer(fields, "timestamp_ms"),
            text=_optional_string(fields, "text"),
        )
    except (KeyError, TypeError) as cause:
        raise CorruptRecordError("an amendment lacks what every amendment has") from cause


def _encode(**fields: object) -> bytes:
    return json.dumps({"version": VERSION, **fields}, ensure_ascii=False).encode()


def _decode(data: bytes) -> Mapping[str, object]:
    try:
        fields = json.loads(data)
    except (ValueError, RecursionError) as cause:
        raise CorruptRecordError("a stored record is not JSON") from cause
    if not isinstance(fields, dict) or not isinstance(fields.get("version"), int):
        raise CorruptRecordError("a stored record has no version")
    if fields["version"] > VERSION:
        raise UnknownRecordVersionError(
            f"a stored record has version {fields['version']}; this release reads {VERSION}"
        )
    return fields


def _string(fields: Mapping[str, object], key: str) -> str:
    value = fields[key]
    if not isinstance(value, str):
        raise TypeError(key)
    return value


def _optional_string(fields: Mapping[str, object], key: str) -> str | None:
    return None if fields.get(key) is None else _string(fields, key)


def _integer(fields: Mapping[str, object], key: str) -> int:
    value = fields[key]
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(key)
    return value


def _strings(fields: Mapping[str, object], key: str) -> tuple[str, ...]:
    values = fields[key]
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise TypeError(key)
    return tuple(values)
