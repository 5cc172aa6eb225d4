"""Records as bytes: one JSON object each, with a `version`.

A record of a newer version is an error, never a loss. Unknown fields of a known version are ignored, so that an older release can run
beside a newer one.
"""

from collections.abc import Iterable
from functools import cache
from typing import Any, Final, TypeVar, cast

import msgspec

from shared import logs
from shared.errors import CorruptRecordError, UnknownRecordVersionError

VERSION: Final = 1
_Record = TypeVar("_Record")


def encode(record: object) -> bytes:
    """Return the bytes of a record, a dataclass with a `version`; equal records have equal bytes."""
    return msgspec.json.encode(record, order="deterministic")


def decode(kind: type[_Record], data: bytes) -> _Record:
    """Read the bytes back.  Raises: CorruptRecordError, UnknownRecordVersionError."""
    try:
        version = _VERSIONS.decode(data).version
        if version > VERSION:
            raise UnknownRecordVersionError(f"a stored record has version {version}; this release reads {VERSION}")
        decoder: msgspec.json.Decoder[_Record] = _decoder(cast("Any", kind))
        return decoder.decode(data)
    except (msgspec.MsgspecError, ValueError, RecursionError) as cause:
        raise CorruptRecordError(f"a stored {kind.__name__} cannot be read") from cause


def is_corrupt(kind: type[object], data: bytes) -> bool:
    """Whether the bytes are no record of this kind.  Raises: UnknownRecordVersionError."""
    try:
        decode(kind, data)
    except CorruptRecordError:
        return True
    return False


def decode_readable(kind: type[_Record], bodies: Iterable[bytes | None]) -> list[_Record]:
    """Return the records that can be read; a corrupt one is logged and left out, so that it does not silence a chat.

    Raises: UnknownRecordVersionError.
    """
    return [record for body in bodies if (record := decode_if_readable(kind, body)) is not None]


def decode_if_readable(kind: type[_Record], data: bytes | None) -> _Record | None:
    """Return the record; None where there is none, or a corrupt one, which is logged.  Raises: UnknownRecordVersionError."""
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


@cache
def _decoder(kind: Any) -> Any:  # noqa: ANN401 - a decoder of a kind of record
    return msgspec.json.Decoder(kind)
