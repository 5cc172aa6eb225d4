import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.errors import UnusableIdError
from shared.storage.object_names import (
    ENTRY_CATEGORIES,
    ENTRY_FILES,
    DueMarker,
    ObjectNames,
    SegmentName,
    admitted_id_in,
    due_after,
    invitation_name,
    is_entry_path,
    is_slug,
    usage_name,
    usage_prefix,
)

CHAT = "U" + "1" * 32
CHAT_IDS = st.from_regex(r"[UCR][0-9a-f]{32}", fullmatch=True)
IDS = st.from_regex(r"[0-9A-Za-z_-]{1,64}", fullmatch=True)


def names_of_id(names: ObjectNames, an_id: str) -> dict[str, str]:
    """Return the name of every object that an id below the chat can have, by the method that makes it."""
    made = (
        names.message,
        names.outcome,
        names.amended,
        names.call,
        names.call_result,
        names.medium,
        names.medium_label,
        names.reminder,
    )
    return {make.__name__: make(an_id) for make in made}


def test_every_object_of_a_chat_has_its_name() -> None:
    names = ObjectNames(CHAT)

    assert names_of_id(names, "x1") == {
        "message": f"journal/{CHAT}/x1.json",
        "outcome": f"journal/{CHAT}/x1.outcome.json",
        "amended": f"amended/{CHAT}/x1.json",
        "call": f"calls/{CHAT}/x1.json",
        "call_result": f"calls/{CHAT}/x1.result.json",
        "medium": f"media/{CHAT}/x1",
        "medium_label": f"media/{CHAT}/x1.json",
        "reminder": f"reminders/{CHAT}/x1.json",
    }
    assert (names.turn, names.watermark, names.snapshot, names.admission, names.members) == (
        f"turns/{CHAT}.json",
        f"erased/{CHAT}.json",
        f"snapshots/{CHAT}.json",
        f"admitted/{CHAT}.json",
        f"members/{CHAT}.json",
    )
    assert (names.reminders_prefix, names.archive_prefix) == (f"reminders/{CHAT}/", f"archive/{CHAT}/")
    assert names.entry("projects/庭.md") == f"entries/{CHAT}/projects/庭.md"
    assert names.entry("index.md") == f"entries/{CHAT}/index.md"


@given(CHAT_IDS, IDS)
def test_an_object_lies_below_the_prefix_of_its_kind(conversation_id: str, an_id: str) -> None:
    names = ObjectNames(conversation_id)

    assert names.message(an_id).startswith(names.journal_prefix)
    assert names.outcome(an_id).startswith(names.journal_prefix)
    assert names.amended(an_id).startswith(names.amended_prefix)
    assert names.call(an_id).startswith(names.calls_prefix)
    assert names.call_result(an_id).startswith(names.calls_prefix)
    assert names.medium(an_id).startswith(names.media_prefix)
    assert names.medium_label(an_id).startswith(names.media_prefix)
    assert names.reminder(an_id).startswith(names.reminders_prefix)


@given(CHAT_IDS, IDS)
def test_an_id_is_read_back_from_a_name_in_the_journal(conversation_id: str, an_id: str) -> None:
    names = ObjectNames(conversation_id)

    assert names.message_id_in(names.message(an_id)) == an_id
    assert names.outcome_id_in(names.outcome(an_id)) == an_id


@given(st.lists(st.tuples(CHAT_IDS, IDS), min_size=2, max_size=2, unique=True))
def test_two_ids_never_share_an_object(ids: list[tuple[str, str]]) -> None:
    first, second = (set(names_of_id(ObjectNames(chat), an_id).values()) for chat, an_id in ids)

    assert first.isdisjoint(second)


@pytest.mark.parametrize(
    "conversation_id", ["", "..", "../x", f"{CHAT}/..", f"{CHAT}\n", "U1", "X" + "1" * 32, "U" + "٠" * 32]
)
def test_a_chat_id_that_is_not_lines_is_refused_at_once(conversation_id: str) -> None:
    with pytest.raises(UnusableIdError, match="no LINE id of a user, group or room"):
        ObjectNames(conversation_id)


@pytest.mark.parametrize("an_id", ["", "..", "a/b", "a.b", "a\n", "a" * 65, "日本"])
@pytest.mark.parametrize("method", ["message", "outcome", "amended", "call", "call_result", "medium", "medium_label"])
def test_an_id_that_is_not_lines_gets_no_name(method: str, an_id: str) -> None:
    with pytest.raises(UnusableIdError, match="no LINE id of an event or message"):
        getattr(ObjectNames(CHAT), method)(an_id)


@pytest.mark.parametrize(
    "path",
    [
        *("", "/", "garden.md", "projects/", "projects/.md", "projects/garden", "projects/garden.json"),
        *("projects/../x.md", "projects/a/b.md", "../index.md", "other/garden.md", "Projects/garden.md"),
        *("projects/a b.md", "projects/a.b.md", "projects/ｇ.md", "projects/a\u200b.md", f"projects/{'a' * 81}.md"),
    ],
)
def test_a_path_that_is_no_entry_gets_no_name(path: str) -> None:
    assert not is_entry_path(path)
    with pytest.raises(UnusableIdError, match="no path of an entry"):
        ObjectNames(CHAT).entry(path)


@given(st.text(max_size=100), st.sampled_from(ENTRY_CATEGORIES))
def test_a_slug_never_leaves_its_category(slug: str, category: str) -> None:
    path = f"{category}/{slug}.md"

    assert is_entry_path(path) is is_slug(slug)
    assert not is_slug(slug) or not set(slug) & set("/.\\\n ")


def test_a_slug_may_have_eighty_characters() -> None:
    assert [is_slug("a" * length) for length in (0, 1, 80, 81)] == [False, True, True, False]


def test_entries_and_derived_files_never_share_a_name() -> None:
    assert not any(map(is_entry_path, ENTRY_FILES))


def test_an_admission_is_told_by_its_name() -> None:
    assert admitted_id_in(ObjectNames(CHAT).admission) == CHAT


@pytest.mark.parametrize("name", ["", "admitted/", "admitted/x.json", f"admitted/{CHAT}/x.json"])
def test_a_name_that_no_admission_has_is_refused(name: str) -> None:
    with pytest.raises(UnusableIdError):
        admitted_id_in(name)


def test_an_invitation_lies_at_the_digest_of_its_code() -> None:
    assert invitation_name("0f") == "invitations/0f.json"
    with pytest.raises(UnusableIdError):
        invitation_name("../0f")


def test_what_an_instance_spent_lies_below_its_day() -> None:
    assert usage_prefix("2026-11-22") == "usage/2026-11-22/"
    assert usage_name("2026-11-22", "i-1") == "usage/2026-11-22/i-1.json"


@pytest.mark.parametrize("day", ["", "..", "2026/11/22", "2026-11-22/", "２０２６-11-22"])
def test_what_is_no_day_has_no_usage(day: str) -> None:
    with pytest.raises(UnusableIdError, match="no day"):
        usage_prefix(day)


def test_a_chats_id_is_not_in_the_repr() -> None:
    assert CHAT not in repr(ObjectNames(CHAT))


MINUTE_MS = 60_000
DUE_MS = 1_795_339_800_000  # 2026-11-22T09:30:00Z
KINDS = st.from_regex(r"[a-z-]+", fullmatch=True)
TIMES_MS = st.integers(min_value=0, max_value=253_402_300_740_000)


def due_at(at_ms: int, *, kind: str = "reminder", conversation_id: str = CHAT, an_id: str = "m1") -> DueMarker:
    return DueMarker.at(at_ms, kind=kind, conversation_id=conversation_id, id=an_id)


@pytest.mark.parametrize("late_ms", [0, 1, MINUTE_MS - 1])
def test_a_due_marker_lies_in_the_first_minute_that_does_not_begin_before_its_time(late_ms: int) -> None:
    assert due_at(DUE_MS - late_ms).name == f"due/20261122T0930/reminder.{CHAT}.m1"


@given(TIMES_MS, KINDS, CHAT_IDS, IDS)
def test_a_due_marker_is_read_back_from_its_name(at_ms: int, kind: str, conversation_id: str, an_id: str) -> None:
    marker = due_at(at_ms, kind=kind, conversation_id=conversation_id, an_id=an_id)

    assert DueMarker.parse(marker.name) == marker
    assert 0 <= marker.due_ms - at_ms < MINUTE_MS


@given(TIMES_MS, st.integers(min_value=0, max_value=253_402_300_739_999), KINDS)
def test_exactly_the_names_of_markers_whose_minute_has_come_sort_before_the_first_later_one(
    at_ms: int, now_ms: int, kind: str
) -> None:
    marker = due_at(at_ms, kind=kind)

    assert (marker.name < due_after(now_ms)) is (marker.due_ms <= now_ms)


@pytest.mark.parametrize(
    "name",
    [
        *("", "due/", "due/20261122T0930", "due/20261122T0930/", f"due/20261122T0930/reminder.{CHAT}"),
        *(
            f"due/20261122T0930/reminder.{CHAT}.m1.json",
            f"due/20261122T0930/reminder.{CHAT}.m1/",
            f"reminder.{CHAT}.m1",
        ),
        *(f"due/20261122T0930/Reminder.{CHAT}.m1", f"due/20261122T0930/.{CHAT}.m1", "due/20261122T0930/reminder.U1.m1"),
        *(
            f"due/20261122T0960/reminder.{CHAT}.m1",
            f"due/20261131T0930/reminder.{CHAT}.m1",
            f"due/now/reminder.{CHAT}.m1",
        ),
        *(f"due/2026112T0930/reminder.{CHAT}.m1", f"due/00010101T0000/reminder.{CHAT}.m1", f"due//reminder.{CHAT}.m1"),
        *(
            f"due/２０２６1122T0930/reminder.{CHAT}.m1",
            f"due/20261122T0930/reminder.{CHAT}.日本",
            f"x/20261122T0930/a.{CHAT}.m",
        ),
        *(
            f"due/20261122T0930/a/reminder.{CHAT}.m1",
            f"20261122T0930/reminder.{CHAT}.m1",
            f"due/20261122T0930 /a.{CHAT}.m1",
        ),
    ],
)
def test_a_name_that_no_marker_has_is_refused(name: str) -> None:
    with pytest.raises(UnusableIdError):
        DueMarker.parse(name)


@given(st.text())
def test_any_text_is_a_markers_name_or_refused(text: str) -> None:
    for name in (text, f"due/{text}", f"due/20261122T0930/{text}", f"due/{text}/reminder.{CHAT}.m1"):
        try:
            assert DueMarker.parse(name).name == name
        except UnusableIdError:
            continue


@pytest.mark.parametrize("kind", ["", "Reminder", "a.b", "a/b", "a\n", "a1", "あ"])
def test_a_kind_that_cannot_be_told_apart_gets_no_name(kind: str) -> None:
    with pytest.raises(UnusableIdError, match="no kind of a due marker"):
        due_at(DUE_MS, kind=kind)


@pytest.mark.parametrize("at_ms", [-MINUTE_MS, 253_402_300_800_000, 10**30])
def test_a_time_that_would_not_sort_gets_no_name(at_ms: int) -> None:
    with pytest.raises(UnusableIdError, match="no whole minute"):
        due_at(at_ms)


def test_the_chat_of_a_marker_is_not_in_the_repr() -> None:
    assert CHAT not in repr(due_at(DUE_MS))


@given(
    TIMES_MS,
    TIMES_MS,
    st.integers(1, 10**9),
    st.from_regex(r"[0-9a-f]{16}", fullmatch=True),
)
def test_a_segment_is_read_back_from_its_name(one_ms: int, other_ms: int, number: int, digest: str) -> None:
    first_ms, last_ms = sorted((one_ms, other_ms))
    name = SegmentName(first_ms=first_ms, last_ms=last_ms, number=number, digest=digest)

    written = ObjectNames(CHAT).segment(name)
    assert written.startswith(ObjectNames(CHAT).archive_prefix)
    assert SegmentName.parse(written) == SegmentName.parse(name.file) == name


@given(TIMES_MS, TIMES_MS)
def test_segments_sort_by_their_first_timestamps(one_ms: int, other_ms: int) -> None:
    one, other = (SegmentName(first_ms=at, last_ms=at, number=1, digest="0" * 16) for at in (one_ms, other_ms))

    assert (one.file < other.file) is (one_ms < other_ms)


@given(st.text())
def test_any_text_is_a_segments_name_or_refused(text: str) -> None:
    for file in (text, f"{text}-1-0123456789abcdef.json", f"000000000000001-000000000000002-{text}.json"):
        try:
            assert SegmentName.parse(file).file == file.rsplit("/", 1)[-1]
        except UnusableIdError:
            continue


@pytest.mark.parametrize(
    "file",
    [
        "1-2-1-0123456789abcdef.json",  # not padded
        "000000000000001-000000000000002-01-0123456789abcdef.json",
        "000000000000001-000000000000002-1-0123456789abcdef",
        "000000000000001-000000000000002-0123456789abcdef.json",
    ],
)
def test_a_name_that_no_segment_has_is_refused(file: str) -> None:
    with pytest.raises(UnusableIdError, match="no name of a segment"):
        SegmentName.parse(file)


@pytest.mark.parametrize(
    ("first_ms", "last_ms", "number", "digest"),
    [
        (-1, 5, 1, "0" * 16),
        (6, 5, 1, "0" * 16),
        (5, 253_402_300_800_000, 1, "0" * 16),
        (5, 6, 0, "0" * 16),
        (5, 6, 1, "0" * 15),
        (5, 6, 1, "g" * 16),
    ],
)
def test_a_segment_that_could_not_be_found_again_gets_no_name(
    first_ms: int, last_ms: int, number: int, digest: str
) -> None:
    with pytest.raises(UnusableIdError, match="of a segment"):
        SegmentName(first_ms=first_ms, last_ms=last_ms, number=number, digest=digest)
