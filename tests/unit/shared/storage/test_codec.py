import io
import json
from dataclasses import replace

import msgspec
import pytest

from shared.conversation.amendment_records import Amendment
from shared.conversation.records import MessageRecord, OutcomeRecord
from shared.errors import CorruptRecordError, UnknownRecordVersionError
from shared.storage.codec import decode, decode_readable, encode
from tests.support.chats import message

MESSAGE = message(1)


@pytest.mark.parametrize("kind", [MessageRecord, OutcomeRecord, Amendment])
@pytest.mark.parametrize(
    "data", [b"", b"{", b"[]", b"{}", b'{"version": "1"}', b'{"version": 1}', b"\xff", b"[" * 100_000]
)
def test_bytes_that_cannot_be_read_are_a_corrupt_record(kind: type[object], data: bytes) -> None:
    with pytest.raises(CorruptRecordError, match=f"a stored {kind.__name__} cannot be read"):
        decode(kind, data)


@pytest.mark.parametrize("kind", [MessageRecord, OutcomeRecord, Amendment])
def test_a_newer_version_is_an_error(kind: type[object]) -> None:
    with pytest.raises(UnknownRecordVersionError, match="version 2; this release reads 1"):
        decode(kind, b'{"version": 2}')


def test_an_unknown_field_of_a_known_version_is_kept() -> None:
    newer = {**json.loads(encode(MESSAGE)), "mood": "sunny"}

    read = decode(MessageRecord, json.dumps(newer).encode())

    assert replace(read, unknown_fields=msgspec.UNSET) == MESSAGE
    assert json.loads(encode(replace(read, addressed=True))) == {**newer, "addressed": True}


def test_of_several_records_those_are_left_out_that_are_gone_or_cannot_be_read(lines: io.StringIO) -> None:
    first, last = message(1), message(2)

    assert decode_readable(MessageRecord, [encode(first), None, b"{", encode(last)]) == [first, last]

    assert lines.getvalue().count('"record_unreadable"') == 1


def test_of_several_records_one_of_a_newer_version_is_an_error() -> None:
    with pytest.raises(UnknownRecordVersionError):
        decode_readable(MessageRecord, [encode(MESSAGE), b'{"version": 2}'])
