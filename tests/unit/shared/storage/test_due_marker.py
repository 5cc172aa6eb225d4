import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.errors import UnusableIdError
from shared.storage.due_marker import DueMarker, due_after

CHAT = "U" + "1" * 32
CHAT_IDS = st.from_regex(r"[UCR][0-9a-f]{32}", fullmatch=True)
IDS = st.from_regex(r"[0-9A-Za-z_-]{1,64}", fullmatch=True)
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
