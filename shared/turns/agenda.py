"""The agenda of a turn: which pending messages it covers, which of them the model is asked about, and what pressed buttons ask for."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

from shared.conversation.history import History
from shared.conversation.records import MessageRecord, OutcomeKind, OutcomeRecord, by_time
from shared.frozen import frozen
from shared.line.phrases import Phrase
from shared.line.postback_data import AnswerButton
from shared.turns.deferral import CONFIRMED_WITHIN_MS


@frozen
class Agenda:
    """The work of a turn: messages to cover, messages to think about, and deferrals or a proposal to fulfil.

    `stored`: the stored answer to send. `proposal`: the outcome whose proposed changes a press confirmed. `notice`: a fixed text for the
    covered presses, for example PRESS_EXPIRED; the turn says so and does nothing else.
    """

    covers: tuple[MessageRecord, ...]
    asked: tuple[MessageRecord, ...] = ()
    answers: tuple[str, ...] = ()
    stored: OutcomeRecord | None = None
    proposal: OutcomeRecord | None = None
    notice: Phrase | None = None


def agenda_of(history: History, pending: Sequence[MessageRecord]) -> Agenda:
    """Return the work of the next turn.

    Three kinds of presses get short turns of their own, which come first: a press for a proposal, a press for a stored answer, and a press
    without effect, which is told why. All other pending messages are answered together. An answer is sent only if none of its deferrals has
    another answer that was delivered, or may have been.
    """
    for_tap = _agenda_of_tap(history, pending)
    if for_tap is not None:
        return for_tap
    deferrals = {one.webhook_event_id: one for one in history.outcomes if one.offer.is_deferral}
    delivered = _delivered_deferrals(history)
    pressed = {one.presses for one in pending if one.presses is not None}
    open_by_button = {button: _unanswered_deferrals(history, deferrals, button, delivered) for button in pressed}
    roots = frozenset(root for open_roots in open_by_button.values() for root in open_roots)
    fitting = (one for one in _stored_answers(history, delivered) if not roots.isdisjoint(one.answers))
    stored = max(fitting, key=lambda answer: (answer.timestamp_ms, answer.webhook_event_id), default=None)
    if stored is not None:
        answered = {button for button in pressed if not set(open_by_button[button]).isdisjoint(stored.answers)}
        covers = tuple(one for one in pending if one.presses in answered)
        return Agenda(covers=covers, answers=stored.answers, stored=stored)
    without_effect = [one for one in pending if one.presses is not None and not open_by_button[one.presses]]
    if without_effect:
        notices = [_notice(history, deferrals, one, delivered) for one in without_effect]
        with_notices = zip(without_effect, notices, strict=True)
        return Agenda(covers=tuple(press for press, notice in with_notices if notice is notices[0]), notice=notices[0])
    questions = _questions(history, deferrals, roots)
    asked = {one.line_message_id: one for one in (*questions, *(one for one in pending if one.presses is None))}
    return Agenda(covers=tuple(pending), asked=tuple(sorted(asked.values(), key=by_time)), answers=tuple(sorted(roots)))


def _agenda_of_tap(history: History, pending: Sequence[MessageRecord]) -> Agenda | None:
    """Return the turn of the oldest press of a proposal's button; None without such a press.

    The press counts once, within ten minutes by LINE's timestamps, and only while the proposal and all messages behind it are stored,
    because the changes came from these messages. Any other press is told why it has no effect. A proposal is declined likewise.
    Example: a press at 12:10:00 confirms a proposal of 12:00:00; a press at 12:10:01 gets PRESS_EXPIRED.
    """
    proposals = {
        outcome.webhook_event_id: outcome
        for outcome in history.outcomes
        if outcome.offer.proposes and outcome.kind is not OutcomeKind.STORED
    }
    press = next((one for one in pending if one.presses in proposals), None)
    if press is None:
        return None
    proposal = proposals[press.presses or ""]
    answered = _answered_ids(history, proposal)
    messages = [one for one in _all_messages(history) if one.line_message_id in answered]
    asked = tuple(sorted((one for one in messages if one.presses is None), key=by_time))
    is_stored = proposal.holds_words and bool(asked) and len(messages) == len(answered)
    is_stored = is_stored and not _is_edited_again(history, proposal)
    notice = Phrase.PRESS_DECLINED if press.button is AnswerButton.DECLINE else None
    if _is_pressed(history, proposal):
        notice = Phrase.PRESS_REPEATED
    elif not _is_in_time(press, proposal):
        notice = Phrase.PRESS_EXPIRED
    elif not is_stored:
        notice = Phrase.PRESS_VOID
    if notice is not None:
        is_declined = notice is Phrase.PRESS_DECLINED
        return Agenda(covers=(press,), answers=(proposal.webhook_event_id,) if is_declined else (), notice=notice)
    return Agenda(covers=(press,), asked=asked, answers=(proposal.webhook_event_id,), proposal=proposal)


def _answered_ids(history: History, proposal: OutcomeRecord) -> frozenset[str]:
    """Return the messages behind the proposal: the covered messages, the questions of fulfilled deferrals, an edited message."""
    deferrals = {one.webhook_event_id: one for one in history.outcomes if one.offer.is_deferral}
    edited = () if proposal.offer.refiles is None else (proposal.offer.refiles,)
    return (_covered_ids(deferrals, frozenset(proposal.answers)) - history.amendments.withdrawn).union(
        proposal.answered_ids, edited
    )


def _is_edited_again(history: History, proposal: OutcomeRecord) -> bool:
    """Whether the words that the proposal files were replaced by a later edit."""
    refiles = proposal.offer.refiles
    return refiles is not None and history.amendments.edited_ms.get(refiles, 0) > proposal.timestamp_ms


def _is_pressed(history: History, proposal: OutcomeRecord) -> bool:
    """Whether a press has carried out or declined the proposal.

    A press of another question of the same answer, such as "Erase these messages?", names the answer, too, but covers no press.
    """
    return any(proposal.webhook_event_id in one.answers and one.answered_ids for one in history.outcomes)


def _is_in_time(press: MessageRecord, proposal: OutcomeRecord) -> bool:
    return 0 <= press.timestamp_ms - proposal.timestamp_ms <= CONFIRMED_WITHIN_MS


def _delivered_deferrals(history: History) -> frozenset[str]:
    """Return the deferrals with an answer that arrived, or may have: a withdrawn outcome may have been sent before the withdrawal."""
    arrived = {OutcomeKind.REPLIED, OutcomeKind.UNKNOWN, OutcomeKind.WITHDRAWN}
    answering = (one for one in history.outcomes if one.kind in arrived and not one.offer.is_deferral)
    return frozenset(root for one in answering for root in one.answers)


def _unanswered_deferrals(
    history: History, deferrals: Mapping[str, OutcomeRecord], pressed: str, delivered: AbstractSet[str]
) -> tuple[str, ...]:
    """Return the deferrals behind a button that need an answer: none was delivered, and a question or a stored answer remains."""
    deferral = deferrals.get(pressed)
    roots = deferral.answers if deferral else (pressed,)
    stored = frozenset(root for one in _stored_answers(history, delivered) for root in one.answers)
    return tuple(
        root for root in roots if root not in delivered and (root in stored or _questions(history, deferrals, {root}))
    )


def _notice(
    history: History, deferrals: Mapping[str, OutcomeRecord], press: MessageRecord, delivered: AbstractSet[str]
) -> Phrase:
    """Return why the press has no effect: the answer was shown, what it asked about is gone, or neither is known.

    A deferral stands for the deferrals that it continues. An answer of unknown fate may be above; NOTHING_TO_SHOW names both cases. A
    proposal that is not in memory cannot be carried out.
    """
    pressed = press.presses or ""
    roots = frozenset({pressed, *(deferrals[pressed].answers if pressed in deferrals else ())})
    if any(one.kind is OutcomeKind.REPLIED and not roots.isdisjoint(one.answers) for one in history.outcomes):
        return Phrase.ANSWER_SHOWN
    asked_ids = _covered_ids(deferrals, roots) - {
        message.line_message_id for message in _all_messages(history) if message.presses is not None
    }
    is_withdrawn = bool(asked_ids) and asked_ids <= history.amendments.withdrawn and roots.isdisjoint(delivered)
    is_of_proposal = press.button in {AnswerButton.CARRY_OUT, AnswerButton.DECLINE} and pressed not in deferrals
    return Phrase.PRESS_VOID if is_withdrawn or is_of_proposal else Phrase.NOTHING_TO_SHOW


def _questions(
    history: History, deferrals: Mapping[str, OutcomeRecord], roots: AbstractSet[str]
) -> tuple[MessageRecord, ...]:
    """Return the messages behind these deferrals, without presses."""
    covered = _covered_ids(deferrals, roots)
    return tuple(one for one in _all_messages(history) if one.line_message_id in covered and one.presses is None)


def _covered_ids(deferrals: Mapping[str, OutcomeRecord], roots: AbstractSet[str]) -> frozenset[str]:
    return frozenset(one for root in roots if root in deferrals for one in deferrals[root].answered_ids)


def _all_messages(history: History) -> tuple[MessageRecord, ...]:
    return (*history.older, *history.unshown, *history.messages)


def _stored_answers(history: History, delivered: AbstractSet[str]) -> tuple[OutcomeRecord, ...]:
    """Return the answers that wait for a press, without those whose prompt held words that an edit has replaced since."""
    edited_ms = history.amendments.edited_ms
    return tuple(
        outcome
        for outcome in history.outcomes
        if outcome.kind is OutcomeKind.STORED
        and outcome.text is not None
        and delivered.isdisjoint(outcome.answers)
        and not outcome.provenance.has_withdrawn(lambda own_id, words_ms: words_ms < edited_ms.get(own_id, -1))
    )
