"""Presses of the button under a question whether to erase something, or to be silent: which press counts, and why others do not.

A press counts once, within ten minutes of its question, in the question's chat, from a member, and while the command behind the question
stands. Only the person who asked may confirm that own messages are taken back, and only another person that everybody's are translated. Of
several presses the first counts: the press creates an outcome with an id derived from the question's.
"""

from dataclasses import replace
from typing import Final

from shared.conversation.history import History
from shared.conversation.history_reader import HistoryReader
from shared.conversation.member_mark import mark_id
from shared.conversation.provenance import Provenance
from shared.conversation.records import Offer, OfferedHook, OutcomeKind, OutcomeRecord
from shared.conversation.store import Conversation
from shared.frozen import frozen
from shared.line.display_names import Profiles
from shared.line.events import LineEvent
from shared.line.language import shown_language
from shared.line.phrases import Phrase
from shared.turns.deferral import CONFIRMED_WITHIN_MS

_PRESS_SUFFIX: Final = "-press"


@frozen
class QuestionPresses:
    """Decides which press of a question counts."""

    reader: HistoryReader
    profiles: Profiles

    def counting(
        self, conversation: Conversation, event: LineEvent, question_id: str, *, declines: bool = False
    ) -> OutcomeRecord | Phrase:
        """Return the press that the event has stored, else the text that says why the press does not count.

        `declines`: the press is of the declining button, and counts like a press of the other button, but offers nothing to carry out.
        For example, the second of two presses gets PRESS_REPEATED, also where both are delivered at once.
        """
        press_id = _press_id_of(question_id)
        history = self.reader.read_newest(conversation, required_ids={question_id, press_id})
        press = _outcome_in(history, press_id)
        if press is None:
            question = confirmed_question(history, question_id, pressed_ms=event.timestamp_ms)
            if isinstance(question, Phrase):
                return question
            refusal = self._refusal(conversation, event, question)
            if refusal is not None:
                return refusal
            asked_in = question.offer.locale or shown_language([question.text or ""]) or ""
            offer = Offer() if declines else question.offer
            own = _press_of(replace(offer, locale=asked_in), event, question_id)
            conversation.journal.record_outcome(own)
            press = conversation.journal.outcome_of(press_id) or own  # another press may have come first
        press = _folded_press(conversation, press_id) or press
        return press if event.webhook_event_id in press.answers else Phrase.PRESS_REPEATED

    def _refusal(self, conversation: Conversation, event: LineEvent, question: OutcomeRecord) -> Phrase | None:
        """Return why this person may not press: not the one who asked, no member, or the command was withdrawn.  None: the person may.

        If LINE does not answer whether the person is a member, the signed event, which names the chat, is taken as proof.
        """
        offer, translation = question.offer, question.offer.translation
        if offer.asked_by is not None and offer.asked_by in conversation.amendments.look().withdrawn:
            return Phrase.PRESS_VOID
        if event.is_one_on_one:  # the id of the chat is that of its person
            return None
        if event.user_id is None:
            return Phrase.PRESS_UNNAMED
        if offer.forgets and event.user_id != offer.forgets_for:
            return Phrase.PRESS_OF_ANOTHER
        if translation is not None and translation.is_joining and translation.by == mark_id(event.user_id):
            return Phrase.TRANSLATION_NEEDS_ANOTHER
        return Phrase.PRESS_VOID if self.profiles.is_member(conversation.id, event.user_id) is False else None


def confirmed_question(history: History, question_id: str, *, pressed_ms: int) -> OutcomeRecord | Phrase:
    """Return the question, or why no press can confirm the question: withdrawn, or asked more than ten minutes before the press.

    Both times are LINE's timestamps. For example, a press eleven minutes after its question gets PRESS_EXPIRED.
    """
    question = _outcome_in(history, question_id)
    is_question = question is not None and bool(
        question.offer.asks
        or question.offer.silence
        or question.offer.forgets
        or question.offer.hook
        or question.offer.translation
    )
    if question is None or not is_question or not question.holds_words:
        return Phrase.PRESS_VOID
    is_in_time = 0 <= pressed_ms - question.timestamp_ms <= CONFIRMED_WITHIN_MS
    return question if is_in_time else Phrase.PRESS_EXPIRED


def _outcome_in(history: History, outcome_id: str) -> OutcomeRecord | None:
    return next((outcome for outcome in history.outcomes if outcome.webhook_event_id == outcome_id), None)


def _folded_press(conversation: Conversation, press_id: str) -> OutcomeRecord | None:
    """Return the press in the snapshot, which came before every press in the journal; None if no press was folded.

    A compaction deletes a folded press from the journal, so a worker that read the chat before can record another press under the same id.
    """
    outcomes = conversation.snapshot.read().record.outcomes
    return next((outcome for outcome in outcomes if outcome.webhook_event_id == press_id), None)


def _press_id_of(question_id: str) -> str:
    """Return the id of the press that counts, the same for every worker."""
    return f"{question_id[: 64 - len(_PRESS_SUFFIX)]}{_PRESS_SUFFIX}"


def _press_of(offer: Offer, event: LineEvent, question_id: str) -> OutcomeRecord:
    """Return the press as an outcome, without words of people: a hook's name, and a word, stay with their question.

    The press names its question among `answers`, so memory keeps the press for as long as a button can confirm the question.
    """
    hook = OfferedHook(mode=offer.hook.mode) if offer.hook is not None else None
    return OutcomeRecord(
        webhook_event_id=_press_id_of(question_id),
        timestamp_ms=event.timestamp_ms,
        kind=OutcomeKind.SKIPPED,
        provenance=Provenance(since_ms=event.timestamp_ms, until_ms=event.timestamp_ms),
        answers=(event.webhook_event_id, question_id),
        offer=Offer(
            asks=offer.asks,
            silence=offer.silence,
            forgets=offer.forgets,
            locale=offer.locale,
            hook=hook,
            translation=offer.translation.without_term() if offer.translation is not None else None,
        ),
    )
