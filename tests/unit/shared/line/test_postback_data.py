import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.line.postback_data import (
    DATA_LIMIT,
    AnswerButton,
    AnswerPress,
    ConfirmPress,
    HookChoice,
    HookPress,
    LanguagePress,
    ListedChoice,
    ListedReminderPress,
    PagePress,
    Press,
    ReminderChoice,
    ReminderPress,
    SparePress,
    SuggestionPress,
    TickPress,
)
from shared.locales import LOCALES

KINDS = (
    AnswerPress,
    ConfirmPress,
    SparePress,
    SuggestionPress,
    ReminderPress,
    ListedReminderPress,
    TickPress,
    PagePress,
    HookPress,
    LanguagePress,
)
IDS = st.from_regex(r"[0-9A-Za-z_-]{1,64}", fullmatch=True)
TIMES = st.integers(0, 10**15 - 1)
PRESSES = st.one_of(
    st.builds(AnswerPress, button=st.sampled_from(AnswerButton), answer_id=IDS),
    st.builds(ConfirmPress, question_id=IDS),
    st.builds(SparePress, question_id=IDS),
    st.builds(SuggestionPress, answer_id=IDS, number=st.integers(0, 9)),
    st.builds(ReminderPress, choice=st.sampled_from(ReminderChoice), reminder_id=IDS, occurrence_ms=TIMES),
    st.builds(ListedReminderPress, choice=st.sampled_from(ListedChoice), reminder_id=IDS, next_ms=TIMES),
    st.builds(TickPress, handle=st.from_regex("[0-9a-f]{16}", fullmatch=True), listed_ms=TIMES),
    st.builds(PagePress, command=st.sampled_from(("notes", "reminders")), page=st.integers(0, 999)),
    st.builds(
        HookPress,
        choice=st.sampled_from(HookChoice),
        hook_id=st.from_regex("h[0-9a-v]{16}", fullmatch=True),
        mark=st.from_regex("[0-9a-f]{24}", fullmatch=True),
    ),
    st.builds(LanguagePress, locale=st.sampled_from(LOCALES)),
)


@given(PRESSES)
def test_a_press_is_read_by_its_own_class_only(press: Press) -> None:
    assert [read for kind in KINDS if (read := kind.read(press.data)) is not None] == [press]
    assert len(press.data) <= DATA_LIMIT


@pytest.mark.parametrize(
    ("press", "data"),
    [
        (AnswerPress(button=AnswerButton.SHOW, answer_id="01J"), "late:01J"),
        (AnswerPress(button=AnswerButton.CARRY_OUT, answer_id="01J"), "do:01J"),
        (AnswerPress(button=AnswerButton.DECLINE, answer_id="01J"), "no:01J"),
        (ConfirmPress(question_id="01J"), "confirm:01J"),
        (SparePress(question_id="01J"), "spare:01J"),
        (SuggestionPress(answer_id="01J", number=0), "say:01J:0"),
        (ReminderPress(choice=ReminderChoice.DONE, reminder_id="r1", occurrence_ms=1), "remind:done:r1:1"),
        (ListedReminderPress(choice=ListedChoice.HOUR_LATER, reminder_id="r1", next_ms=1), "listed:hour:r1:1"),
        (TickPress(handle="0123456789abcdef", listed_ms=1), "tick:0123456789abcdef:1"),
        (PagePress(command="notes", page=1), "page:notes:1"),
        (LanguagePress(locale="zh-TW"), "language:zh-TW"),
    ],
)
def test_the_data_of_buttons_that_were_sent_stays_readable(press: Press, data: str) -> None:
    assert press.data == data


@pytest.mark.parametrize(
    "data",
    [
        None,
        "",
        "late:",
        "late:../x",
        "storeId=12345",
        "late:" + "x" * 65,
        "no:x\n",
        "say:01J:10",
        "page:entries:1",
        "tick:0123456789ABCDEF:1",
        "language:fr",
        "remind:done:r1",
        "remind:done:r1:",
        "remind:done:r1:-1",
        "remind:done:r1:1\n",
        "remind:done:r1:١٢",
        "remind:never:r1:1",
        "remind:done:../r1:1",
        f"remind:done:{'r' * 65}:1",
        f"remind:done:r1:{'1' * 16}",
    ],
)
def test_other_data_is_no_press(data: str | None) -> None:
    assert [kind for kind in KINDS if kind.read(data) is not None] == []
