"""I6 and I9 for presses of buttons: each counts once, in time and in its chat, and none is in vain."""

from collections.abc import Iterator
from typing import Final

from shared.conversation.records import OutcomeKind, OutcomeRecord
from shared.line.phrases import Phrase
from shared.line.postback_data import AnswerButton, AnswerPress
from shared.turns.deferral import CONFIRMED_WITHIN_MS
from tests.simulation.fixed_texts import begins_with_one, in_every_language
from tests.simulation.people import Order
from tests.simulation.refused_presses import DECLINED, is_declined, times_carried_out
from tests.simulation.story import Story
from tests.simulation.wiring import NO_LIMITS
from tests.simulation.world import EPOCH_MS
from tests.support.buttons import confirmed_question_in, spared_question_in

_ERASING: Final = {"reset", "exit", "bye", "confirm"}
_TWO_MS: Final = 0.002
PRESS_LATE: Final = in_every_language(Phrase.LIST_PRESS_LATE) | in_every_language(Phrase.EXPENSES_PRESS_LATE)
"""What the chat is told of presses whose tokens died before its turn was free."""
_NOTHING_TO_SHOW: Final = in_every_language(Phrase.NOTHING_TO_SHOW)


def check_confirmed(story: Story, press: Order) -> Iterator[str]:
    """A press counts once, for ten minutes, in the chat of its question, and not after the command was withdrawn."""
    asking = _asking(story, press)
    answers = times_carried_out(press, story.said)
    if answers and asking is None:
        yield "I9: a press confirmed what its chat was not asked"
    if answers and asking is not None and press.at_s - asking.at_s > CONFIRMED_WITHIN_MS / 1_000:
        yield "I9: a press was carried out more than ten minutes after the question"
    if answers and asking is not None and asking.withdrawn_s < press.at_s:
        yield "I9: a press confirmed a command that had been withdrawn"
    presses = [one for one in story.people.orders if one.presses == press.presses]
    if press is presses[0] and sum(times_carried_out(one, story.said) for one in presses) > 1:
        yield "I9: two presses of a button were carried out"
    if story.people.is_group:
        joined_s = [
            said.at_s
            for said in story.said
            for welcome in story.people.welcomes
            if welcome.reply_token == said.reply_token and welcome.at_s > press.at_s
        ]
        later = [one for one in story.people.orders if one.presses and one.at_s > press.at_s]
        for left_s in (at_s for chat, at_s in story.world.truth.left if chat == story.chat):
            if any(one < left_s for one in joined_s) and not later:
                yield "I6: a group was left that had been joined since"
    if story.is_calm and asking is not None and asking.command in {"forget", "forget me"} and must_count(story, press):
        others = [one for one in story.people.orders if one is not press and one.command in _ERASING]
        was_erased = story.people.erased_entries_s >= press.at_s - _TWO_MS
        if not others and not story.people.departed_s and not was_erased:
            yield "I6: a press that confirms /forget erased nothing"


def check_declined(story: Story, press: Order) -> Iterator[str]:
    """A question that was declined is carried out by no press, also by none that came at the same time."""
    if not is_declined(press, story.said):
        return
    question_id = spared_question_in(press.presses)
    confirming = [one for one in story.people.orders if confirmed_question_in(one.presses) == question_id]
    if any(times_carried_out(one, story.said) for one in confirming):
        yield "I9: a question was declined and carried out"


def check_proposed(story: Story, press: Order) -> Iterator[str]:
    """A press below a question that the model asked about translation counts once, for ten minutes, and in its chat."""
    if not times_carried_out(press, story.said):
        return
    asking = (one for _, one in story.effects() if one.offer.translation is not None)
    question = next((one for one in asking if one.webhook_event_id == confirmed_question_in(press.presses)), None)
    if question is None:
        yield "I9: a press confirmed what its chat was not asked"
        return
    if EPOCH_MS + press.at_s * 1_000 - question.timestamp_ms > CONFIRMED_WITHIN_MS:
        yield "I9: a press was carried out more than ten minutes after the question"
    presses = [one for one in story.people.orders if one.presses == press.presses]
    if sum(times_carried_out(one, story.said) for one in presses) > 1:
        yield "I9: two presses of a button were carried out"


def check_taken_back(story: Story, press: Order) -> Iterator[str]:
    """A press takes back what the bot proposed to take back: once, for ten minutes, in its chat, and only for the person who asked."""
    if not times_carried_out(press, story.said):
        return
    proposals = (one for _, one in story.effects() if one.offer.forgets)
    proposal = next((one for one in proposals if one.webhook_event_id == confirmed_question_in(press.presses)), None)
    if proposal is None:
        yield "I9: a press confirmed what its chat was not asked"
        return
    if EPOCH_MS + press.at_s * 1_000 - proposal.timestamp_ms > CONFIRMED_WITHIN_MS:
        yield "I9: a press was carried out more than ten minutes after the question"
    if press.author != proposal.offer.forgets_for:
        yield "I9: a press took back messages of somebody else"
    presses = [one for one in story.people.orders if one.presses == press.presses]
    if sum(times_carried_out(one, story.said) for one in presses) > 1:
        yield "I9: two presses of a button were carried out"


def must_count(story: Story, press: Order) -> bool:
    """Whether nothing excuses that a press does nothing: it is in time, the only one of its button, and its command stands."""
    asking = _asking(story, press)
    question_id = confirmed_question_in(press.presses)
    of_question = (confirmed_question_in(one.presses) or spared_question_in(one.presses) for one in story.people.orders)
    alone = sum(one == question_id for one in of_question) == 1
    if asking is None or not alone or press.at_s - asking.at_s > CONFIRMED_WITHIN_MS / 1_000:
        return False
    return asking.line_message_id not in story.people.unsent_commands and asking.at_s > story.people.erased_s


def _asking(story: Story, press: Order) -> Order | None:
    """Return the command of this chat whose question the button belongs to."""
    return next((one for one in story.people.orders if confirmed_question_in(press.presses) == one.id), None)


def answers_to(story: Story, order: Order) -> int:
    """Return how many answers of any kind the command or press got; the answer to another press may tell of it, too."""
    told = (said.outcome for said in story.said)
    along = sum(one is not None and order.id in one.pressed_ids for one in told)
    return sum(said.reply_token == order.reply_token for said in story.said) + along


def check_late_presses(story: Story) -> Iterator[str]:
    """A press that the chat is told of as having changed nothing has changed nothing."""
    truth, chat = story.world.truth, story.chat
    acted = {
        own_id
        for owner, outcome in truth.staged
        if owner == chat and outcome.writes and (chat, outcome.id, outcome.sequence) not in truth.voided
        for own_id in (outcome.id, *outcome.pressed_ids)
    }
    for said in story.said:
        is_late = said.outcome is not None and any(late in (said.outcome.text or "") for late in PRESS_LATE)
        if is_late and said.outcome is not None and not acted.isdisjoint(said.outcome.answers):
            yield "I10: a press was told that it had changed nothing, and it had"


def check_presses(story: Story, history: dict[str, OutcomeRecord]) -> Iterator[str]:
    """A press of the button of a kept question shows its answer, if the model has one, or another button.

    Where the question has left the memory, the press is told so; with small bounds the end does not tell whether the question had left. No
    press meets silence.
    """
    if not story.is_calm or story.mood.skips or story.mood.downs:
        return
    if story.settings.budget != NO_LIMITS:
        return
    effects = [outcome for _, outcome in story.effects()]
    prolonged = {one for outcome in effects if _is_prolonged_by(outcome) for one in outcome.answered_ids}
    replies = (one for one in effects if not one.offer.is_deferral and one.kind is not OutcomeKind.APOLOGISED)
    answered = {root for outcome in replies for root in outcome.answers}
    deferrals = {
        AnswerPress(button=AnswerButton.SHOW, answer_id=outcome.webhook_event_id).data: outcome
        for outcome in history.values()
        if outcome.offer.is_deferral
    }
    told = {one for outcome in effects if story.forgets_outcomes or _is_empty(outcome) for one in outcome.answered_ids}
    told_buttons = {one.presses for one in story.people.messages if one.id in told}
    told_buttons |= {
        AnswerPress(button=AnswerButton.SHOW, answer_id=root).data
        for button in told_buttons
        if button in deferrals
        for root in deferrals[button].answers
    }
    remembered = {one.line_message_id for one in story.remembered}
    presses = {one.id for one in story.people.messages if one.presses is not None}
    silenced = {
        message_id
        for outcome in history.values()
        if outcome.kind is OutcomeKind.SKIPPED and outcome.audit.model_name is None
        for message_id in outcome.answered_ids
    }
    for press in story.people.messages:
        if press.presses is not None and press.id in silenced:
            yield f"I6: {press.id} was a press, and met silence"
        deferral = deferrals.get(press.presses or "")
        if deferral is None or press.id not in story.kept_ids:
            continue
        behind = [
            later
            for later in deferrals.values()
            if later.webhook_event_id in {deferral.webhook_event_id, *deferral.answers}
        ]
        asked = {one for root in behind for one in root.answered_ids} - presses
        if story.kept_ids.isdisjoint(
            asked or deferral.answered_ids
        ):  # everything that the press is about was taken back
            continue
        may_be_forgotten = story.forgets_outcomes or (bool(asked) and asked.isdisjoint(remembered))
        if may_be_forgotten and press.presses in told_buttons:
            continue
        if press.id not in prolonged and answered.isdisjoint(deferral.answers):
            yield f"I6: {press.id} was pressed in vain"


def check_taps(story: Story, history: dict[str, OutcomeRecord]) -> Iterator[str]:
    """What an answer proposed is carried out or declined at most once, by a press within ten minutes, and else by nothing.

    A press of another question of the same answer covers no press.
    """
    pressed_at_s = {one.id: (one.presses, one.at_s) for one in story.people.messages if one.presses is not None}
    carried_out = [one for one in history.values() if one.kind is not OutcomeKind.STORED and one.answered_ids]
    for proposal in (one for one in history.values() if one.offer.proposes and one.kind is not OutcomeKind.STORED):
        done = [one for one in carried_out if proposal.webhook_event_id in one.answers]
        if len(done) > 1:
            yield "I9: a proposed change was carried out twice"
        for outcome in done:
            button, at_s = pressed_at_s.get(outcome.answered_ids[0], ("", 0.0))
            is_no = begins_with_one(outcome.text, DECLINED)
            may_be = {AnswerButton.DECLINE if is_no else AnswerButton.CARRY_OUT}
            if outcome.text is None:  # an erasure took the words, so either button may have been pressed
                may_be |= {AnswerButton.DECLINE}
            if button not in {AnswerPress(button=one, answer_id=proposal.webhook_event_id).data for one in may_be}:
                yield "I9: a proposed change was carried out although nobody confirmed it"
            elif at_s - (proposal.timestamp_ms - EPOCH_MS) / 1_000 > CONFIRMED_WITHIN_MS / 1_000 + _TWO_MS:
                yield "I9: a proposed change was carried out more than ten minutes after it was proposed"


def _is_prolonged_by(outcome: OutcomeRecord) -> bool:
    """Whether a press may end so: with another button, or with an apology for the model."""
    return outcome.kind in {OutcomeKind.DEFERRED, OutcomeKind.APOLOGISED}


def _is_empty(outcome: OutcomeRecord) -> bool:
    """Whether a press is told that there is nothing to show."""
    return begins_with_one(outcome.text, _NOTHING_TO_SHOW)
