import json

import frontmatter
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.errors import CorruptRecordError, UnknownRecordVersionError
from shared.knowledge.entry import Entry, Note, Source
from shared.knowledge.entry_file import read_entry, revision_of, traces_in, written
from tests.support import schemas
from tests.support.knowledge import FilingChat, entries

GARDEN = """---
id: '1'
name: 庭
status: active
next_action: ''
created_at: '2026-11-20T10:00:00+09:00'
source_channel: chat
confidence: 0.9
version: 1
revision: '3.1'
sources:
- line_message_id: m1
  timestamp_ms: 1000
came_from: {name: [m1], notes: [{lines: 1, ids: [m1]}]}
---
## Notes

月曜から
"""


@settings(max_examples=300)
@given(entries())
def test_an_entry_is_read_as_it_was_written(entry: Entry) -> None:
    assert read_entry(entry.path, written(entry).encode()) == entry


@settings(max_examples=300)
@given(entries())
def test_the_front_matter_is_as_its_schema_says(entry: Entry) -> None:
    values = frontmatter.loads(written(entry)).metadata

    schemas.validator("records/entry").validate(json.loads(json.dumps(values)))


@given(entries())
def test_the_key_of_a_write_stands_in_its_object(entry: Entry) -> None:
    assert revision_of(written(entry).encode()) == entry.revision


def test_a_file_is_markdown_that_people_can_read() -> None:
    chat = FilingChat()

    text = chat.file_text(chat.file("庭の工事は来週の月曜から", name="庭の工事", next_action="佐藤さんに電話"))

    assert text.startswith("---\nid: id-1\nname: 庭の工事\nstatus: active\nnext_action: 佐藤さんに電話\n")
    assert text.endswith("---\n\n## Notes\n\n庭の工事は来週の月曜から\n")


def test_a_body_that_somebody_edited_by_hand_came_from_all_the_messages() -> None:
    edited = GARDEN.replace("月曜から", "月曜から\n\nあと火曜も")

    assert read_entry("projects/庭.md", edited.encode()).notes == (
        Note(text="月曜から\n\nあと火曜も", came_from=("m1",)),
    )


@pytest.mark.parametrize(
    ("what", "instead"),
    [
        ("confidence: 0.9", "confidence: 1.5"),
        ("confidence: 0.9", "confidence: .nan"),
        ("status: active", "status: dancing"),
        ("name: 庭", "name: [1, 2]"),
        ("name: 庭", "name: !!python/object/apply:os.system ['true']"),
        ("name: 庭", "name: !secret x"),
        ("name: 庭", "name: &a 庭\nx: *a"),
        ("id: '1'", "id: 1"),
        ("revision: '3.1'", "revision: x"),
        ("  timestamp_ms: 1000", "  timestamp_ms: soon"),
        ("- line_message_id: m1", "- line_message_id: ../m1"),
        ("status: active", "status: 2026-99-99"),
        ("status: active", "? [a, b]\n: c"),
        ("version: 1", "version: x"),
        ("---\n## Notes", ""),
        ("id: '1'", "id: '1'\nx: " + "[" * 2_000),
        ("月曜から", "x" * 300_000),
    ],
)
def test_an_entry_that_cannot_be_trusted_is_corrupt(what: str, instead: str) -> None:
    assert what in GARDEN

    with pytest.raises(CorruptRecordError):
        read_entry("projects/庭.md", GARDEN.replace(what, instead).encode())


@given(
    st.binary(max_size=200) | st.text(max_size=200).map(lambda text: f"---\n{text}\n---\n".encode("utf-8", "replace"))
)
def test_whatever_stands_in_an_object_is_an_entry_or_corrupt(data: bytes) -> None:
    with pytest.raises(CorruptRecordError):
        read_entry("projects/x.md", data)
    assert revision_of(data) == (0, 0)


def test_a_newer_version_is_an_error_and_not_a_guess() -> None:
    with pytest.raises(UnknownRecordVersionError, match="version 2; this release reads 1"):
        read_entry("projects/庭.md", GARDEN.replace("version: 1", "version: 2").encode())


def test_an_unreadable_entry_still_tells_which_messages_it_came_from() -> None:
    broken = GARDEN.replace("status: active", "status: [").encode()

    assert traces_in(broken) == (Source(line_message_id="m1", timestamp_ms=1000),)
