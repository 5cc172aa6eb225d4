from dataclasses import replace

import pytest

from shared.conversation.amendments import Amendments
from shared.conversation.history import History
from shared.conversation.records import MessageRecord, Offer, OutcomeKind, OutcomeRecord, ProposedCall, provenance_of
from shared.line.phrases import Phrase
from shared.line.postback_data import AnswerButton
from shared.turns.agenda import Agenda, agenda_of
from shared.turns.deferral import CONFIRMED_WITHIN_MS, stored_id
from tests.support.chats import answer, made_with, message

QUESTION = message(1, "how high is it?")
DEFERRAL = replace(
    answer(1, "still thinking"), kind=OutcomeKind.DEFERRED, answers=("e1",), offer=Offer(is_deferral=True)
)
STORED = replace(answer(1, "3,776 m"), webhook_event_id="e1-late", kind=OutcomeKind.STORED, answers=("e1",))
PROPOSAL = replace(answer(1, "shall I?"), offer=Offer(proposes=(ProposedCall(tool="delete_entry", arguments="{}"),)))


def press(number: int, answer_id: str = "e1", button: AnswerButton = AnswerButton.SHOW) -> MessageRecord:
    return replace(message(number, ""), type="postback", presses=answer_id, button=button)


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


@pytest.mark.parametrize(
    ("kind", "notice"),
    [
        (OutcomeKind.REPLIED, Phrase.ANSWER_SHOWN),
        (OutcomeKind.UNKNOWN, Phrase.NOTHING_TO_SHOW),
        (OutcomeKind.WITHDRAWN, Phrase.NOTHING_TO_SHOW),
    ],
)
def test_answer_that_was_or_may_have_been_delivered_is_not_repeated(kind: OutcomeKind, notice: Phrase) -> None:
    delivered = replace(answer(5, "3,776 m"), kind=kind, answers=("e1",))

    agenda = agenda_of(history(DEFERRAL, STORED, delivered), [press(6)])

    assert agenda == Agenda(covers=(press(6),), notice=notice)


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

    assert agenda == Agenda(covers=(press(5, "e777"),), notice=Phrase.NOTHING_TO_SHOW)


@pytest.mark.parametrize("button", [AnswerButton.CARRY_OUT, AnswerButton.DECLINE])
def test_a_tap_of_a_proposal_that_left_memory_is_told_that_its_question_is_void(button: AnswerButton) -> None:
    tap = press(5, "e777", button)

    assert agenda_of(history(), [tap]) == Agenda(covers=(tap,), notice=Phrase.PRESS_VOID)


def test_presses_without_effect_are_told_each_its_own_reason_in_turns_of_their_own() -> None:
    delivered = replace(answer(5, "3,776 m"), answers=("e1",))
    shown, unknown = press(6), press(7, "e777")

    first = agenda_of(history(DEFERRAL, delivered), [shown, unknown])
    then = agenda_of(history(DEFERRAL, delivered), [unknown])

    assert first == Agenda(covers=(shown,), notice=Phrase.ANSWER_SHOWN)
    assert then == Agenda(covers=(unknown,), notice=Phrase.NOTHING_TO_SHOW)


def test_a_stored_answer_to_words_that_were_edited_since_is_not_sent_and_the_question_is_asked_again() -> None:
    edited = replace(QUESTION, text="how high is Haku?", edited_ms=4)
    amendments = Amendments(edits={"m1": edited.text}, edited_ms={"m1": 4})
    newer = replace(STORED, provenance=provenance_of((edited,)))

    def agenda(stored: OutcomeRecord) -> Agenda:
        return agenda_of(replace(history(DEFERRAL, stored, messages=(edited,)), amendments=amendments), [press(5)])

    assert (agenda(STORED).stored, agenda(STORED).asked, agenda(STORED).answers) == (None, (edited,), ("e1",))
    assert agenda(newer).stored == newer


def test_newest_of_several_stored_answers_is_sent() -> None:
    second = made_with(
        replace(DEFERRAL, webhook_event_id="e5", timestamp_ms=5, answers=("e5", "e1"), answered_ids=("m5",))
    )
    newer = replace(answer(5, "3,776.24 m"), webhook_event_id="e5-late", kind=OutcomeKind.STORED, answers=("e5", "e1"))

    assert agenda_of(history(DEFERRAL, second, newer, STORED), [press(6)]).stored == newer


@pytest.mark.parametrize("covered", [("m1",), ("m1", "m4")])
def test_press_whose_question_was_withdrawn_is_told_that_it_is_void(covered: tuple[str, ...]) -> None:
    chat = history(made_with(replace(DEFERRAL, answered_ids=covered)), messages=(press(4),))
    withdrawn = replace(chat, amendments=Amendments(withdrawn=frozenset({"m1"})))

    assert agenda_of(withdrawn, [press(5)]) == Agenda(covers=(press(5),), notice=Phrase.PRESS_VOID)


def test_every_press_whose_question_is_forgotten_is_told_so() -> None:
    told = replace(answer(5, "nothing to show"))
    presses = (press(6), press(7))

    agenda = agenda_of(history(DEFERRAL, told, messages=(message(2), press(5))), presses)

    assert agenda == Agenda(covers=presses, notice=Phrase.NOTHING_TO_SHOW)


def test_press_whose_question_is_forgotten_is_told_so_in_a_turn_that_comes_first() -> None:
    other, another = (
        message(6, "hello"),
        replace(answer(7, "still thinking"), answers=("e7",), offer=Offer(is_deferral=True)),
    )
    chat = history(DEFERRAL, another, messages=(message(7, "how deep is it?"),))

    beside_a_message = agenda_of(chat, [press(5), other])
    beside_a_press = agenda_of(chat, [press(5), press(8, "e7")])

    for agenda in (beside_a_message, beside_a_press):
        assert agenda == Agenda(covers=(press(5),), notice=Phrase.NOTHING_TO_SHOW)


def test_press_is_told_that_one_of_two_questions_is_forgotten_where_the_other_was_withdrawn() -> None:
    chat = history(made_with(replace(DEFERRAL, answered_ids=("m1", "m2"))), messages=())
    withdrawn = replace(chat, amendments=Amendments(withdrawn=frozenset({"m1"})))

    assert agenda_of(withdrawn, [press(5)]).notice is Phrase.NOTHING_TO_SHOW


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

    assert (agenda.stored, agenda.notice) == (None, Phrase.ANSWER_SHOWN)


def test_press_asks_a_question_again_that_a_burst_pushed_out_of_the_prompt() -> None:
    chat = History(unshown=(QUESTION,), outcomes=(DEFERRAL,))

    assert agenda_of(chat, [press(5)]).asked == (QUESTION,)


def test_messages_without_a_press_are_answered_together() -> None:
    pending = (message(5), message(6))

    assert agenda_of(history(DEFERRAL, STORED), pending) == Agenda(covers=pending, asked=pending)


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
        else Agenda(covers=(tap,), notice=Phrase.PRESS_EXPIRED)
    )


@pytest.mark.parametrize("button", [AnswerButton.CARRY_OUT, AnswerButton.DECLINE])
@pytest.mark.parametrize(
    ("outcomes", "messages", "notice"),
    [
        ((PROPOSAL, answer(2), replace(answer(4), answers=("e1",))), (QUESTION,), Phrase.PRESS_REPEATED),
        (
            (replace(PROPOSAL, text=None, offer=Offer(proposes=(ProposedCall(tool="delete_entry"),))),),
            (QUESTION,),
            Phrase.PRESS_VOID,
        ),
        ((PROPOSAL,), (), Phrase.PRESS_VOID),
        ((made_with(replace(PROPOSAL, answered_ids=("m1", "m2"))),), (QUESTION,), Phrase.PRESS_VOID),
    ],
    ids=["carried out already", "its words are gone", "its question is gone", "a part of its question is gone"],
)
def test_a_tap_of_what_cannot_be_carried_out_is_told_why(
    outcomes: tuple[OutcomeRecord, ...], messages: tuple[MessageRecord, ...], notice: Phrase, button: AnswerButton
) -> None:
    chat, tap = history(*outcomes, messages=(*messages, message(9))), press(5, "e1", button)

    assert agenda_of(chat, [tap]) == Agenda(covers=(tap,), notice=notice)


def test_a_proposal_that_is_declined_counts_as_pressed() -> None:
    declined = press(5, "e1", AnswerButton.DECLINE)

    agenda = agenda_of(history(PROPOSAL), [declined])

    assert agenda == Agenda(covers=(declined,), answers=("e1",), notice=Phrase.PRESS_DECLINED)


def test_a_press_of_another_question_of_the_same_answer_leaves_the_proposal_open() -> None:
    erased = replace(answer(4), webhook_event_id="e1-press", answered_ids=(), answers=("e4", "e1"))
    tap = press(5, "e1", AnswerButton.CARRY_OUT)

    assert agenda_of(history(PROPOSAL, erased), [tap]).proposal == PROPOSAL


def test_a_press_for_a_stored_answer_that_proposes_shows_it_first() -> None:
    stored = replace(STORED, webhook_event_id="e1", offer=Offer(proposes=PROPOSAL.offer.proposes))

    assert agenda_of(history(stored), [press(5)]).proposal is None
