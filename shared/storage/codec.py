"""Records as bytes: one JSON object each, with a `version`, for example `{"version":1,"line_message_id":"5931",…}`.

A record of a newer version is an error, never a loss. A release with new fields keeps the version: older releases keep
unknown fields in every record that they rewrite (`Extensible`), so both releases may run at the same time.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, Final, TypeVar, cast, get_args, get_origin, get_type_hints

import msgspec

from shared import logs
from shared.errors import CorruptRecordError, UnknownRecordVersionError
from shared.unknown_fields import Extensible

VERSION: Final = 1
_UNKNOWN: Final = "unknown_fields"
_Record = TypeVar("_Record")


def encode(record: object) -> bytes:
    """Return the bytes of a record (a dataclass with a `version`), unknown fields included: equal records have equal bytes.

    Sets and the keys of mappings are sorted, since the order of a set differs from process to process.
    """
    data = msgspec.json.encode(record, order="deterministic")
    return data if f'"{_UNKNOWN}":'.encode() not in data else _with_unknown_fields(record, data)


def decode(kind: type[_Record], data: bytes) -> _Record:
    """Read a record.  Raises: CorruptRecordError, UnknownRecordVersionError."""
    try:
        version = _VERSIONS.decode(data).version
        if version > VERSION:
            raise UnknownRecordVersionError(f"a stored record has version {version}; this release reads {VERSION}")
        decoder: msgspec.json.Decoder[_Record] = _decoder(cast("Any", kind))
        record = decoder.decode(data)
        if _has_unknown_fields(kind, data):
            _keep_unknown_fields(record, msgspec.json.decode(data))
    except (msgspec.MsgspecError, ValueError, RecursionError) as cause:
        raise CorruptRecordError(f"a stored {kind.__name__} cannot be read") from cause
    return record


def is_corrupt(kind: type[object], data: bytes) -> bool:
    """Whether the bytes are no record of this kind.  Raises: UnknownRecordVersionError."""
    try:
        decode(kind, data)
    except CorruptRecordError:
        return True
    return False


def decode_readable(kind: type[_Record], bodies: Iterable[bytes | None]) -> list[_Record]:
    """Return the readable records; a corrupt record is logged and skipped, and does not silence its chat.

    Raises: UnknownRecordVersionError.
    """
    return [record for body in bodies if (record := decode_if_readable(kind, body)) is not None]


def decode_if_readable(kind: type[_Record], data: bytes | None) -> _Record | None:
    """Return the record; None without bytes, or for a corrupt record, after logging.  Raises: UnknownRecordVersionError."""
    if data is None:
        return None
    try:
        return decode(kind, data)
    except CorruptRecordError as cause:
        logs.error("record_unreadable", cause=cause)
        return None


class _Version(msgspec.Struct):
    version: int


_VERSIONS: Final = msgspec.json.Decoder(_Version)


def _has_unknown_fields(kind: type, data: bytes) -> bool:
    """Whether the JSON has a field that the class lacks, at any level.  Costs half as much as `decode`."""
    try:
        _decoder(_strict(cast("Any", kind))).decode(data)
    except msgspec.ValidationError:
        return True
    return False


def _keep_unknown_fields(record: object, stored: Mapping[str, Any]) -> None:
    """Set `unknown_fields` on the record and on its parts, at every level.  No other code has seen the record yet."""
    for part, stored_fields in _parts_of(record, stored):
        unknown = {
            name: value for name, value in stored_fields.items() if name not in _known_names(cast("Any", type(part)))
        }
        if unknown or part.unknown_fields is not msgspec.UNSET:
            encoded = msgspec.json.encode(unknown).decode() if unknown else msgspec.UNSET
            object.__setattr__(part, _UNKNOWN, encoded)


def _with_unknown_fields(record: object, data: bytes) -> bytes:
    written = msgspec.json.decode(data)
    for part, own in _parts_of(record, written):
        own.pop(_UNKNOWN, None)
        if isinstance(part.unknown_fields, str):
            own.update(msgspec.json.decode(part.unknown_fields))
    return msgspec.json.encode(written, order="deterministic")


def _parts_of(value: object, stored: Any) -> Iterator[tuple[Extensible, dict[str, Any]]]:  # noqa: ANN401 - JSON
    """Yield every extensible part of the value, each with its stored JSON object."""
    if isinstance(value, tuple) and isinstance(stored, list):
        for item, own in zip(value, stored, strict=False):
            yield from _parts_of(item, own)
    elif is_dataclass(value) and isinstance(stored, dict):
        if isinstance(value, Extensible):
            yield value, stored
        for name in _nested_names(cast("Any", type(value))):
            yield from _parts_of(getattr(value, name), stored.get(name))


@cache
def _known_names(kind: Any) -> frozenset[str]:  # noqa: ANN401 - a class
    return frozenset(one.name for one in fields(kind)) - {_UNKNOWN}


@cache
def _nested_names(kind: Any) -> tuple[str, ...]:  # noqa: ANN401 - a class
    """Return the dataclass's fields that contain other dataclasses."""
    hints = get_type_hints(kind)
    return tuple(one.name for one in fields(kind) if _mentions_dataclass(hints[one.name]))


def _mentions_dataclass(hint: Any) -> bool:  # noqa: ANN401 - an annotation
    return is_dataclass(hint) or any(map(_mentions_dataclass, get_args(hint)))


@cache
def _decoder(kind: Any) -> Any:  # noqa: ANN401 - a decoder of a kind of record
    return msgspec.json.Decoder(kind)


@cache
def _strict(kind: Any) -> Any:  # noqa: ANN401 - classes
    """Return a class that has the same fields, decodes no values, and refuses any other field."""
    hints = get_type_hints(kind)
    names = [one.name for one in fields(kind) if one.name != _UNKNOWN]
    return msgspec.defstruct(
        kind.__name__, [(name, _strict_hint(hints[name]), None) for name in names], forbid_unknown_fields=True
    )


def _strict_hint(hint: Any) -> Any:  # noqa: ANN401 - annotations
    if is_dataclass(hint):
        return _strict(cast("Any", hint)) if issubclass(cast("Any", hint), Extensible) else msgspec.Raw
    arguments = get_args(hint)
    if not any(map(_mentions_dataclass, arguments)):
        return msgspec.Raw
    if get_origin(hint) is tuple:
        return tuple[_strict_hint(arguments[0]), ...]  # type: ignore[misc]  # made while it runs
    return _strict_hint(next(one for one in arguments if _mentions_dataclass(one))) | None
