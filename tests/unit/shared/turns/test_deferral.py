from dataclasses import replace

import pytest

from shared.conversation.amendments import Amendments
from shared.conversation.history import History
from shared.conversation.records import MessageRecord, Offer, OutcomeKind, OutcomeRecord, ProposedCall
from shared.line.postback_data import deferral_id_in, show_answer_data
from shared.turns.deferral import CONFIRMED_WITHIN_MS, Agenda, agenda_of, stored_id
from tests.support.chats import answer, made_with, message

QUESTION = message(1, "how high is it?")
DEFERRAL = replace(
    answer(1, "still thinking"), kind=OutcomeKind.DEFERRED, answers=("e1",), offer=Offer(is_deferral=True)
)
STORED = replace(answer(1, "3,776 m"), webhook_event_id="e1-late", kind=OutcomeKind.STORED, answers=("e1",))
PROPOSAL = replace(answer(1, "shall I?"), offer=Offer(proposes=(ProposedCall(tool="delete_entry", arguments="{}"),)))


def press(number: int, deferral_id: str = "e1") -> MessageRecord:
    return replace(message(number, ""), type="postback", presses=deferral_id)


def history(*outcomes: OutcomeRecord, messages: tuple[MessageRecord, ...] = (QUESTION,)) -> History:
    return History(messages=messages, outcomes=outcomes)


def test_press_gets_the_stored_answer() -> None:
    pressed = press(5)

    assert agenda_of(history(DEFERRAL, STORED), [pressed]) == Agenda(covers=(pressed,), answers=("e1",), stored=STORED)


def test_two_presses_of_one_button_are_covered_together() -> None:
    presses = (press(5), press(6))

    assert agenda_of(history(DEFERRAL, STORED), presses).covers == presses


def test_stored_answer_gets_a_turn_of_its_own() -> None:
    other = message(6, "hello")

    assert agenda_of(history(DEFERRAL, STORED), [press(5), other]).covers == (press(5),)


def test_press_without_a_stored_answer_asks_the_question_again() -> None:
    other = message(6, "hello")

    agenda = agenda_of(history(DEFERRAL), [press(5), other])

    assert (agenda.covers, agenda.asked, agenda.answers) == ((press(5), other), (QUESTION, other), ("e1",))


@pytest.mark.parametrize("kind", [OutcomeKind.REPLIED, OutcomeKind.UNKNOWN, OutcomeKind.WITHDRAWN])
def test_answer_that_was_or_may_have_been_delivered_is_not_repeated(kind: OutcomeKind) -> None:
    delivered = replace(answer(5, "3,776 m"), kind=kind, answers=("e1",))

    assert agenda_of(history(DEFERRAL, STORED, delivered), [press(6)]).is_fulfilled


def test_undelivered_answer_can_be_requested_again() -> None:
    lost = replace(answer(5, "3,776 m"), kind=OutcomeKind.UNDELIVERED, answers=("e1",))

    assert agenda_of(history(DEFERRAL, STORED, lost), [press(6)]).stored == STORED


def test_button_of_unknown_fate_still_gets_its_answer() -> None:
    deferral = replace(DEFERRAL, kind=OutcomeKind.UNKNOWN)

    assert agenda_of(history(deferral, STORED), [press(5)]).stored == STORED


def test_deferral_of_a_deferral_fulfils_the_first() -> None:
    second = made_with(replace(DEFERRAL, webhook_event_id="e5", answers=("e5", "e1"), answered_ids=("m5",)))
    chat = history(DEFERRAL, second, messages=(QUESTION, press(5)))

    agenda = agenda_of(chat, [press(9, "e5")])

    assert (agenda.asked, agenda.answers) == ((QUESTION,), ("e1",))


def test_button_of_another_chat_or_of_a_lost_deferral_is_unknown() -> None:
    agenda = agenda_of(history(DEFERRAL), [press(5, "e777")])

    assert (agenda.is_fulfilled, agenda.is_unknown) == (True, True)


def test_unknown_button_beside_one_that_was_served_is_told_so() -> None:
    delivered = replace(answer(5, "3,776 m"), answers=("e1",))

    agenda = agenda_of(history(DEFERRAL, delivered), [press(6), press(7, "e777")])

    assert (agenda.is_fulfilled, agenda.is_unknown, agenda.answers) == (True, True, ("e777",))


def test_newest_of_several_stored_answers_is_sent() -> None:
    second = made_with(
        replace(DEFERRAL, webhook_event_id="e5", timestamp_ms=5, answers=("e5", "e1"), answered_ids=("m5",))
    )
    newer = replace(answer(5, "3,776.24 m"), webhook_event_id="e5-late", kind=OutcomeKind.STORED, answers=("e5", "e1"))

    assert agenda_of(history(DEFERRAL, second, newer, STORED), [press(6)]).stored == newer


@pytest.mark.parametrize("covered", [("m1",), ("m1", "m4")])
def test_withdrawn_question_wants_no_answer(covered: tuple[str, ...]) -> None:
    chat = history(made_with(replace(DEFERRAL, answered_ids=covered)), messages=(press(4),))
    withdrawn = replace(chat, amendments=Amendments(withdrawn=frozenset({"m1"})))

    agenda = agenda_of(withdrawn, [press(5)])

    assert (agenda.is_fulfilled, agenda.is_unknown) == (True, False)


def test_press_whose_question_is_forgotten_is_told_so_once() -> None:
    forgotten = history(DEFERRAL, messages=(message(2),))
    told = replace(answer(5, "nothing to show"), kind=OutcomeKind.APOLOGISED, answers=("e1",))
    apology_for_another = made_with(replace(told, answers=(), answered_ids=("m2",)))

    first = agenda_of(forgotten, [press(5), press(6)])
    second = agenda_of(history(DEFERRAL, told, messages=(message(2), press(5))), [press(6)])
    beside = agenda_of(history(DEFERRAL, apology_for_another, messages=(message(2), press(5))), [press(6)])

    assert (first.is_fulfilled, first.is_unknown, first.covers) == (True, True, (press(5), press(6)))
    assert first.answers == ("e1",)
    assert (second.is_fulfilled, second.is_unknown) == (True, False)
    assert (beside.is_fulfilled, beside.is_unknown) == (True, True)


def test_press_whose_question_is_forgotten_is_told_so_in_a_turn_that_comes_first() -> None:
    other, another = (
        message(6, "hello"),
        replace(answer(7, "still thinking"), answers=("e7",), offer=Offer(is_deferral=True)),
    )
    chat = history(DEFERRAL, another, messages=(message(7, "how deep is it?"),))

    beside_a_message = agenda_of(chat, [press(5), other])
    beside_a_press = agenda_of(chat, [press(5), press(8, "e7")])

    for told in (beside_a_message, beside_a_press):
        assert (told.covers, told.asked, told.answers) == ((press(5),), (), ("e1",))
        assert (told.is_fulfilled, told.is_unknown) == (True, True)


def test_press_that_was_told_before_is_covered_by_the_answer_to_the_message_beside_it() -> None:
    told = replace(answer(5, "nothing to show"), kind=OutcomeKind.APOLOGISED, answers=("e1",))
    other = message(7, "hello")

    agenda = agenda_of(history(DEFERRAL, told, messages=(message(2),)), [press(6), other])

    assert (agenda.covers, agenda.asked) == ((press(6), other), (other,))
    assert (agenda.is_fulfilled, agenda.is_unknown) == (False, False)


def test_press_of_a_newer_button_is_told_that_its_question_is_forgotten_although_an_older_one_was() -> None:
    newer = made_with(
        replace(DEFERRAL, webhook_event_id="e5", timestamp_ms=5, answers=("e5", "e1"), answered_ids=("m5",))
    )
    told = replace(answer(6, "nothing to show"), kind=OutcomeKind.APOLOGISED, answers=("e1",))
    told_of_both = replace(told, answers=("e1", "e5"))

    after_the_older = agenda_of(history(DEFERRAL, newer, told, messages=(message(2),)), [press(9, "e5")])
    after_the_newer = agenda_of(history(DEFERRAL, newer, told_of_both, messages=(message(2),)), [press(9)])

    assert (after_the_older.is_unknown, after_the_older.answers) == (True, ("e1", "e5"))
    assert (after_the_newer.is_fulfilled, after_the_newer.is_unknown) == (True, False)


def test_press_is_told_that_its_question_is_forgotten_beside_one_that_was_told_before() -> None:
    other = replace(
        answer(2, "still thinking"), kind=OutcomeKind.DEFERRED, answers=("e2",), offer=Offer(is_deferral=True)
    )
    told = replace(answer(5, "nothing to show"), kind=OutcomeKind.APOLOGISED, answers=("e1",))

    agenda = agenda_of(history(DEFERRAL, other, told, messages=(message(3),)), [press(6), press(7, "e2")])

    assert (agenda.covers, agenda.answers) == ((press(6), press(7, "e2")), ("e2",))
    assert (agenda.is_fulfilled, agenda.is_unknown) == (True, True)


def test_press_is_told_that_its_question_is_forgotten_where_the_model_failed_another_press_before() -> None:
    failed = replace(answer(5, "try again later"), kind=OutcomeKind.APOLOGISED)

    assert agenda_of(history(DEFERRAL, failed, messages=(press(5),)), [press(6)]).is_unknown


def test_press_is_told_that_one_of_two_questions_is_forgotten_where_the_other_was_withdrawn() -> None:
    chat = history(made_with(replace(DEFERRAL, answered_ids=("m1", "m2"))), messages=())
    withdrawn = replace(chat, amendments=Amendments(withdrawn=frozenset({"m1"})))

    assert agenda_of(withdrawn, [press(5)]).is_unknown


@pytest.mark.parametrize("deferrals", [(DEFERRAL,), ()])
def test_press_gets_the_stored_answer_although_the_question_is_forgotten(deferrals: tuple[OutcomeRecord, ...]) -> None:
    agenda = agenda_of(history(*deferrals, STORED, messages=()), [press(5)])

    assert (agenda.stored, agenda.covers) == (STORED, (press(5),))


def test_stored_answer_covers_the_presses_that_wait_for_it_alone() -> None:
    other = replace(answer(7, "still thinking"), answers=("e7",), offer=Offer(is_deferral=True))
    chat = history(DEFERRAL, other, STORED, messages=(QUESTION, message(7, "how deep is it?")))

    assert agenda_of(chat, [press(5), message(6, "hello"), press(8, "e7")]).covers == (press(5),)


def test_press_gets_no_stored_answer_of_which_a_part_was_delivered() -> None:
    second = made_with(replace(DEFERRAL, webhook_event_id="e5", answers=("e5", "e1"), answered_ids=("m5",)))
    stored = replace(STORED, answers=("e5", "e1"))
    delivered = replace(answer(6, "3,776 m"), answers=("e1",))

    agenda = agenda_of(history(second, stored, delivered, messages=()), [press(9, "e5")])

    assert (agenda.stored, agenda.is_fulfilled, agenda.is_unknown) == (None, True, False)


def test_press_asks_a_question_again_that_a_burst_pushed_out_of_the_prompt() -> None:
    chat = History(unshown=(QUESTION,), outcomes=(DEFERRAL,))

    assert agenda_of(chat, [press(5)]).asked == (QUESTION,)


def test_messages_without_a_press_are_answered_together() -> None:
    pending = (message(5), message(6))

    assert agenda_of(history(DEFERRAL, STORED), pending) == Agenda(covers=pending, asked=pending)


def test_postback_data_carries_the_deferral_id_or_none() -> None:
    assert deferral_id_in(show_answer_data("01FZ74A0TDDPYRVKNK77XK0024")) == "01FZ74A0TDDPYRVKNK77XK0024"
    for data in (None, "", "late:", "late:../x", "storeId=12345", "late:" + "x" * 65):
        assert deferral_id_in(data) is None


def test_id_of_a_stored_answer_has_at_most_64_characters() -> None:
    assert stored_id("e1") == "e1-late"
    assert len(stored_id("x" * 64)) == 64


def test_a_tap_gets_a_turn_of_its_own_about_what_the_proposal_answers() -> None:
    tap, other = press(5), message(4, "hello")

    agenda = agenda_of(history(PROPOSAL, messages=(QUESTION, other)), [other, tap])

    assert agenda == Agenda(covers=(tap,), asked=(QUESTION,), answers=("e1",), proposal=PROPOSAL)


def test_a_tap_is_also_about_the_question_behind_a_deferral_that_the_proposal_fulfils() -> None:
    deferral = replace(answer(0, "still thinking"), kind=OutcomeKind.DEFERRED, offer=Offer(is_deferral=True))
    proposal = replace(PROPOSAL, answers=("e0",))

    agenda = agenda_of(history(proposal, deferral, messages=(message(0), QUESTION)), [press(5)])

    assert agenda.asked == (message(0), QUESTION)


def test_of_several_taps_the_oldest_comes_first() -> None:
    assert agenda_of(history(PROPOSAL), [press(5), press(6)]).covers == (press(5),)


@pytest.mark.parametrize(
    ("pressed_ms", "is_in_time"),
    [(0, False), (1, True), (1 + CONFIRMED_WITHIN_MS, True), (2 + CONFIRMED_WITHIN_MS, False)],
)
def test_a_tap_counts_for_ten_minutes(pressed_ms: int, *, is_in_time: bool) -> None:
    tap = replace(press(5), timestamp_ms=pressed_ms)

    agenda = agenda_of(history(PROPOSAL), [tap])

    assert agenda == (
        Agenda(covers=(tap,), asked=(QUESTION,), answers=("e1",), proposal=PROPOSAL)
        if is_in_time
        else Agenda(covers=(tap,), is_fulfilled=True)
    )


@pytest.mark.parametrize(
    ("outcomes", "messages"),
    [
        ((PROPOSAL, answer(2), replace(answer(4), answers=("e1",))), (QUESTION,)),
        ((replace(PROPOSAL, text=None, offer=Offer(proposes=(ProposedCall(tool="delete_entry"),))),), (QUESTION,)),
        ((PROPOSAL,), ()),
        ((made_with(replace(PROPOSAL, answered_ids=("m1", "m2"))),), (QUESTION,)),
    ],
    ids=["carried out already", "its words are gone", "its question is gone", "a part of its question is gone"],
)
def test_a_tap_of_what_cannot_be_carried_out_is_met_with_silence(
    outcomes: tuple[OutcomeRecord, ...], messages: tuple[MessageRecord, ...]
) -> None:
    chat = history(*outcomes, messages=(*messages, message(9)))

    assert agenda_of(chat, [press(5)]) == Agenda(covers=(press(5),), is_fulfilled=True)


def test_a_press_for_a_stored_answer_that_proposes_shows_it_first() -> None:
    stored = replace(STORED, webhook_event_id="e1", offer=Offer(proposes=PROPOSAL.offer.proposes))

    assert agenda_of(history(stored), [press(5)]).proposal is None
