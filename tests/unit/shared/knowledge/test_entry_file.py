import json
import unicodedata
from dataclasses import replace

import frontmatter
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.conversation.provenance import Provenance, Source
from shared.errors import CorruptRecordError, UnknownRecordVersionError, UnusableIdError
from shared.knowledge.entry import Entry, Note
from shared.knowledge.entry_file import (
    LIMIT_BYTES,
    SLUG_LIMIT,
    format_entry,
    free_slug,
    read_entry,
    revision_of,
    slug_candidates,
    slug_of,
    traces_in,
)
from shared.knowledge.schema import Category
from shared.knowledge.staging import ENTRIES_LIMIT
from shared.storage.object_names import ENTRY_CATEGORIES, ObjectNames, is_entry_path, is_slug
from tests.support import schemas
from tests.support.knowledge import CHAT, SATO, FilingChat, entries

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
provenance:
  messages:
    '':
      m1: 1000
message_ids: {name: [m1], notes: [{lines: 1, ids: [m1]}]}
---
## Notes

月曜から
"""


@settings(max_examples=300)
@given(entries())
def test_an_entry_round_trips_through_its_file(entry: Entry) -> None:
    assert read_entry(entry.path, format_entry(entry).encode()) == entry


@settings(max_examples=300)
@given(entries())
def test_the_front_matter_matches_its_schema(entry: Entry) -> None:
    values = frontmatter.loads(format_entry(entry)).metadata

    schemas.validator("records/entry").validate(json.loads(json.dumps(values)))


@given(entries())
def test_a_file_tells_the_key_of_its_write(entry: Entry) -> None:
    assert revision_of(format_entry(entry).encode()) == entry.revision


def test_front_matter_with_a_name_that_is_no_text_tells_no_key() -> None:
    assert revision_of(GARDEN.encode()) == (3, 1)
    assert revision_of(GARDEN.replace("status: active", "1: x").encode()) == (0, 0)


def test_a_file_is_readable_markdown() -> None:
    chat = FilingChat()

    text = chat.file_text(chat.file("庭の工事は来週の月曜から", name="庭の工事", next_action="佐藤さんに電話"))

    assert text.startswith("---\nid: id-1\nname: 庭の工事\nstatus: active\nnext_action: 佐藤さんに電話\n")
    assert text.endswith("---\n\n## Notes\n\n庭の工事は来週の月曜から\n")


def test_a_body_edited_by_hand_came_from_all_sources() -> None:
    edited = GARDEN.replace("月曜から", "月曜から\n\nあと火曜も")

    assert read_entry("projects/庭.md", edited.encode()).notes == (
        Note(text="月曜から\n\nあと火曜も", message_ids=("m1",)),
    )


def test_a_body_that_was_removed_by_hand_leaves_no_note() -> None:
    assert read_entry("projects/庭.md", GARDEN.replace("月曜から\n", "").encode()).notes == ()


def test_an_entry_without_notes_has_no_heading() -> None:
    entry = read_entry("projects/庭.md", GARDEN.partition("## Notes")[0].encode())

    assert format_entry(entry).endswith("---\n")


def test_an_entry_that_was_never_changed_was_updated_when_it_was_created() -> None:
    changed = GARDEN.replace("source_channel:", "updated_at: '2026-11-21T10:00:00+09:00'\nsource_channel:")

    assert read_entry("projects/庭.md", GARDEN.encode()).updated_at == "2026-11-20T10:00:00+09:00"
    assert read_entry("projects/庭.md", changed.encode()).updated_at == "2026-11-21T10:00:00+09:00"


def test_a_file_as_large_as_allowed_is_read_and_a_larger_one_is_corrupt() -> None:
    largest = GARDEN + "x" * (LIMIT_BYTES - len(GARDEN.encode()))

    assert read_entry("projects/庭.md", largest.encode()).name == "庭"
    with pytest.raises(CorruptRecordError, match="larger than"):
        read_entry("projects/庭.md", f"{largest}x".encode())


@pytest.mark.parametrize("path", ["projects/a/b.md", "projects/庭", "poems/庭.md"])
def test_an_object_elsewhere_is_no_entry(path: str) -> None:
    with pytest.raises(CorruptRecordError):
        read_entry(path, GARDEN.encode())


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
        ("m1: 1000", "m1: soon"),
        ("m1: 1000", "../m1: 1000"),
        ("status: active", "status: 2026-99-99"),
        ("status: active", "? [a, b]\n: c"),
        ("status: active", "status: active\n1: x"),
        ("version: 1", "version: x"),
        ("---\n## Notes", ""),
        ("id: '1'", "id: '1'\nx: " + "[" * 2_000),
        ("月曜から", "x" * 300_000),
    ],
)
def test_a_file_with_an_invalid_part_is_corrupt(what: str, instead: str) -> None:
    assert what in GARDEN

    with pytest.raises(CorruptRecordError):
        read_entry("projects/庭.md", GARDEN.replace(what, instead).encode())


@given(
    st.binary(max_size=200) | st.text(max_size=200).map(lambda text: f"---\n{text}\n---\n".encode("utf-8", "replace"))
)
def test_a_file_with_arbitrary_content_is_corrupt(data: bytes) -> None:
    with pytest.raises(CorruptRecordError):
        read_entry("projects/x.md", data)
    assert revision_of(data) == (0, 0)


def test_a_file_of_a_newer_version_is_refused() -> None:
    with pytest.raises(UnknownRecordVersionError, match="version 2; this release reads 1"):
        read_entry("projects/庭.md", GARDEN.replace("version: 1", "version: 2").encode())


def test_a_source_names_whoever_sent_it_where_that_is_known() -> None:
    told = Source(line_message_id="m1", timestamp_ms=1, by="member-0a")
    entry = replace(SATO, provenance=Provenance.of_sources((told, *SATO.provenance.sources[1:])))
    text = format_entry(entry)

    assert read_entry(entry.path, text.encode()).provenance.sources == entry.provenance.sources
    assert text.count("member-0a:") == 1
    assert traces_in(text.encode()) == Provenance.of_sources(replace(one, by="") for one in entry.provenance.sources)
    with pytest.raises(CorruptRecordError):
        read_entry(entry.path, text.replace("member-0a", "member-!").encode())


def test_an_unreadable_file_still_tells_its_sources() -> None:
    broken = GARDEN.replace("status: active", "status: [").encode()

    assert traces_in(broken) == Provenance.of_sources((Source(line_message_id="m1", timestamp_ms=1000),))


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("ClientCo Integration", "clientco-integration"),
        ("庭の工事", "庭の工事"),
        ("ガレージの鍵、どこ？", "ガレージの鍵-どこ"),
        ("ｶﾞﾚｰｼﾞ", "ガレージ"),
        ("ไปตลาดน้ำ", "ไปตลาดน้\u0e4d\u0e32"),  # NFKC takes the last letter apart
        ("한국어 공부", "한국어-공부"),
        ("整理收件匣", "整理收件匣"),
        ("Ünïcode ÅÉ", "ünïcode-åé"),
        ("../../etc/passwd", "etc-passwd"),
        ("😀", "entry"),
        ("", "entry"),
        ("---", "entry"),
        ("a" * 80, "a" * 50),
    ],
)
def test_a_slug_keeps_the_letters_of_every_script(name: str, slug: str) -> None:
    assert slug_of(name) == slug


@settings(max_examples=500)
@given(st.text(max_size=80))
def test_the_slug_of_any_name_fits_into_an_object_name(name: str) -> None:
    slug = slug_of(name)

    assert is_slug(slug)
    assert len(slug) <= SLUG_LIMIT
    assert slug_of(slug) == slug
    assert not set(slug) & set("/\\.\n\r\t #?%*[]")
    assert all(unicodedata.category(character)[0] in "LMN-P" for character in slug)
    for category in Category:
        assert ObjectNames(CHAT).entry(f"{category}/{slug}.md") == f"entries/{CHAT}/{category}/{slug}.md"


@settings(max_examples=500)
@given(
    st.text(max_size=40)
    | st.sampled_from(
        [
            "../x.md",
            "people/../x.md",
            "people/x",
            "people/.md",
            "people//x.md",
            "people/x.md/y.md",
            "People/x.md",
            "people/x.md\n",
            "people/\u304b\u3099.md",
            "people/Ⅸ.md",
        ]
    )
)
def test_only_entry_paths_become_object_names(path: str) -> None:
    if is_entry_path(path) or path in {"index.md", "search.json", "undo.json"}:
        assert ObjectNames(CHAT).entry(path).count("/") <= 3
        return
    with pytest.raises(UnusableIdError, match="no path of an entry"):
        ObjectNames(CHAT).entry(path)


def test_a_taken_slug_gets_the_first_free_number() -> None:
    taken = {"a", "a-2", "a-4"}

    assert free_slug("a", taken.__contains__) == "a-3"
    assert free_slug("b", taken.__contains__) == "b"


def test_the_suffix_of_a_slug_has_four_digits_at_most() -> None:
    candidates = [*slug_candidates("a")]

    assert candidates[:3] == ["a", "a-2", "a-3"]
    assert (candidates[-1], len(candidates)) == ("a-9999", 9_999)


def test_a_full_chat_has_free_slugs_for_names_of_emoji_alone() -> None:
    taken = [*slug_candidates(slug_of("🎉"))][:ENTRIES_LIMIT]

    assert free_slug(slug_of("🎊"), frozenset(taken).__contains__) == f"entry-{ENTRIES_LIMIT + 1}"


def test_object_names_and_entries_have_the_same_categories() -> None:
    assert tuple(Category) == ENTRY_CATEGORIES


def test_a_path_that_is_not_in_nfkc_is_refused() -> None:
    assert is_entry_path("people/\u304c.md")
    assert not is_entry_path("people/\u304b\u3099.md")
