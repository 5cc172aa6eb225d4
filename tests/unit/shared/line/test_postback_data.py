import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.line.postback_data import (
    DATA_LIMIT,
    AnswerButton,
    AnswerPress,
    ReminderChoice,
    ReminderPress,
    answer_press_in,
    carry_out_data,
    confirm_data,
    decline_data,
    question_id_in,
    remind_data,
    reminder_press_in,
    show_answer_data,
    spare_data,
    spared_question_id_in,
)

IDS = st.from_regex(r"[0-9A-Za-z_-]{1,64}", fullmatch=True)
PRESSES = st.builds(
    ReminderPress, choice=st.sampled_from(ReminderChoice), reminder_id=IDS, occurrence_ms=st.integers(0, 10**15 - 1)
)


@given(PRESSES)
def test_the_press_of_a_reminder_is_read_as_it_was_written(press: ReminderPress) -> None:
    data = remind_data(press)

    assert reminder_press_in(data) == press
    assert len(data) <= DATA_LIMIT


@given(IDS, PRESSES)
def test_the_data_of_a_button_belongs_to_one_kind_only(some_id: str, press: ReminderPress) -> None:
    readers = (answer_press_in, question_id_in, spared_question_id_in, reminder_press_in)
    of_answers = (show_answer_data(some_id), carry_out_data(some_id), decline_data(some_id))
    for data in (*of_answers, confirm_data(some_id), spare_data(some_id), remind_data(press)):
        assert sum(found(data) is not None for found in readers) == 1


@given(IDS)
def test_the_id_of_a_button_is_read_as_it_was_written(some_id: str) -> None:
    assert question_id_in(confirm_data(some_id)) == some_id
    assert spared_question_id_in(spare_data(some_id)) == some_id
    assert answer_press_in(show_answer_data(some_id)) == AnswerPress(button=AnswerButton.SHOW, answer_id=some_id)
    assert answer_press_in(carry_out_data(some_id)) == AnswerPress(button=AnswerButton.CARRY_OUT, answer_id=some_id)
    assert answer_press_in(decline_data(some_id)) == AnswerPress(button=AnswerButton.DECLINE, answer_id=some_id)


@pytest.mark.parametrize("data", [None, "", "late:", "late:../x", "storeId=12345", "late:" + "x" * 65, "no:x\n"])
def test_other_data_is_no_press_of_an_answer_or_a_question(data: str | None) -> None:
    assert [read(data) for read in (answer_press_in, question_id_in, spared_question_id_in)] == [None] * 3


@pytest.mark.parametrize(
    "data",
    [
        None,
        "",
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
def test_other_data_is_no_press_of_a_reminder(data: str | None) -> None:
    assert reminder_press_in(data) is None
