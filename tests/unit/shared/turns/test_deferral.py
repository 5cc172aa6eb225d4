from dataclasses import replace

import pytest

from shared.conversation.history import History
from shared.conversation.records import MessageRecord, OutcomeKind, OutcomeRecord
from shared.line.postback_data import deferral_id_in, show_answer_data
from shared.turns.deferral import Errand, errand, stored_id
from tests.support.chats import answer, message

QUESTION = message(1, "how high is it?")
DEFERRAL = replace(answer(1, "still thinking"), kind=OutcomeKind.DEFERRED, has_button=True, answers=("e1",))
STORED = replace(answer(1, "3,776 m"), webhook_event_id="e1-late", kind=OutcomeKind.STORED, answers=("e1",))


def press(number: int, deferral: str = "e1") -> MessageRecord:
    return replace(message(number, ""), type="postback", presses=deferral)


def history(*outcomes: OutcomeRecord, messages: tuple[MessageRecord, ...] = (QUESTION,)) -> History:
    return History(messages=messages, outcomes=outcomes)


def test_a_press_gets_the_stored_answer() -> None:
    pressed = press(5)

    assert errand(history(DEFERRAL, STORED), [pressed]) == Errand(covers=(pressed,), answers=("e1",), stored=STORED)


def test_two_presses_of_one_button_get_it_together() -> None:
    pressed = (press(5), press(6))

    assert errand(history(DEFERRAL, STORED), pressed).covers == pressed


def test_a_stored_answer_has_a_turn_of_its_own() -> None:
    other = message(6, "hello")

    assert errand(history(DEFERRAL, STORED), [press(5), other]).covers == (press(5),)


def test_a_press_for_which_nothing_is_stored_asks_the_question_again() -> None:
    other = message(6, "hello")

    asked = errand(history(DEFERRAL), [press(5), other])

    assert (asked.covers, asked.asked, asked.answers) == ((press(5), other), (QUESTION, other), ("e1",))


@pytest.mark.parametrize("kind", [OutcomeKind.REPLIED, OutcomeKind.UNKNOWN])
def test_what_was_delivered_or_perhaps_delivered_is_not_said_again(kind: OutcomeKind) -> None:
    said = replace(answer(5, "3,776 m"), kind=kind, answers=("e1",))

    assert errand(history(DEFERRAL, STORED, said), [press(6)]).nothing_left


@pytest.mark.parametrize("kind", [OutcomeKind.UNDELIVERED, OutcomeKind.WITHDRAWN])
def test_what_did_not_arrive_may_be_asked_for_again(kind: OutcomeKind) -> None:
    lost = replace(answer(5, "3,776 m"), kind=kind, answers=("e1",))

    assert errand(history(DEFERRAL, STORED, lost), [press(6)]).stored == STORED


def test_a_button_that_may_not_have_arrived_is_still_a_button() -> None:
    unsure = replace(DEFERRAL, kind=OutcomeKind.UNKNOWN)

    assert errand(history(unsure, STORED), [press(5)]).stored == STORED


def test_a_deferral_of_a_deferral_makes_the_first_good() -> None:
    second = replace(DEFERRAL, webhook_event_id="e5", covers=("m5",), answers=("e5", "e1"))
    chat = history(DEFERRAL, second, messages=(QUESTION, press(5)))

    asked = errand(chat, [press(9, "e5")])

    assert (asked.asked, asked.answers) == ((QUESTION,), ("e1",))


def test_a_button_of_another_chat_or_of_long_ago_is_unknown() -> None:
    asked = errand(history(DEFERRAL), [press(5, "e777")])

    assert (asked.nothing_left, asked.unknown) == (True, True)


def test_a_question_that_was_taken_back_wants_no_answer_any_more() -> None:
    asked = errand(history(DEFERRAL, messages=()), [press(5)])

    assert (asked.nothing_left, asked.unknown) == (True, False)


def test_without_a_press_everything_is_answered_together() -> None:
    pending = (message(5), message(6))

    assert errand(history(DEFERRAL, STORED), pending) == Errand(covers=pending, asked=pending)


def test_a_button_carries_its_deferral_and_nothing_else_counts_as_one() -> None:
    assert deferral_id_in(show_answer_data("01FZ74A0TDDPYRVKNK77XK0024")) == "01FZ74A0TDDPYRVKNK77XK0024"
    for data in (None, "", "late:", "late:../x", "storeId=12345", "late:" + "x" * 65):
        assert deferral_id_in(data) is None


def test_the_name_of_a_stored_answer_is_never_too_long() -> None:
    assert stored_id("e1") == "e1-late"
    assert len(stored_id("x" * 64)) == 64
