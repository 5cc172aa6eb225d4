"""Refiling: the new words of an edited message, proposed as a note in place of the note that the edit removed."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from shared.agent.proposals import ARGUMENTS_LIMIT, described
from shared.conversation.history import History
from shared.conversation.provenance import Provenance
from shared.conversation.records import (
    MessageRecord,
    OutcomeKind,
    OutcomeRecord,
    ProposedCall,
    provenance_of,
    waiting_texts,
)
from shared.frozen import frozen
from shared.line.bubbles import length_of, longest_answer
from shared.line.language import language_of
from shared.line.messaging import MESSAGES_A_CALL
from shared.turns.lease import Lease

_CAPTURE: Final = "classify_and_capture"
_GAP: Final = "\n\n"


def filing_of(message: MessageRecord) -> tuple[ProposedCall, ...]:
    """Return the call that files the words of the message, as a proposal; nothing for a text that no question could show whole.

    Example: the message "rice, 5 kg" gives the call `classify_and_capture` with `{"text": "rice, 5 kg"}`.
    """
    arguments = json.dumps({"text": message.text}, ensure_ascii=False)
    if len(arguments) > ARGUMENTS_LIMIT:
        return ()
    return (ProposedCall(tool=_CAPTURE, arguments=arguments, name=message.text),)


def with_filing_offered(outcome: OutcomeRecord, message: MessageRecord, *, locale: str) -> OutcomeRecord:
    """Return the outcome with the message's words as a proposal below the text, if they fit and no other button is offered.

    Example: "… gone: notes 1, reminders 0." is followed by "☐ File: “rice, 5 kg”".
    """
    proposed = filing_of(message)
    if not proposed or outcome.offer.may_be_pressed:
        return outcome
    lines = described(proposed, locale=locale)
    text = outcome.text or ""
    text = text if lines in text else f"{text}{_GAP}{lines}"
    if length_of(text) > _room_of(outcome):
        return outcome
    offer = replace(outcome.offer, proposes=proposed, refiles=message.line_message_id)
    return replace(outcome, text=text, offer=offer, provenance=outcome.provenance | provenance_of((message,)))


@frozen
class PostponedNotices:
    """Adds the postponed texts of a chat to its next answer; an Additions.  Nothing is read: the chat's outcomes show what waits."""

    locale: str

    def begin(self, lease: Lease) -> Callable[[OutcomeRecord, History], OutcomeRecord]:
        """Return a function that adds each waiting text once, the oldest first, while the answer has room."""
        chosen_locale = lease.record.chosen_locale

        def add(outcome: OutcomeRecord, history: History) -> OutcomeRecord:
            if outcome.kind is not OutcomeKind.REPLIED or not outcome.text or outcome.offer.is_deferral:
                return outcome
            for same in postponed_of_one_text(history):
                outcome = self._with(outcome, same, history, chosen_locale)
            return outcome

        return add

    def _with(
        self, outcome: OutcomeRecord, same: tuple[OutcomeRecord, ...], history: History, chosen_locale: str | None
    ) -> OutcomeRecord:
        """Return the answer with the notice, and with a button for the edited message's words where the answer has no button."""
        notice = same[-1]
        text = f"{outcome.text}{_GAP}{notice.text}"
        if length_of(text) > _room_of(outcome):
            return outcome
        notice_source = Provenance(derived_ids=frozenset(one.id for one in same))
        added = replace(
            outcome,
            text=text,
            answers=(*outcome.answers, *(one.id for one in same)),
            provenance=Provenance.union((outcome.provenance, *(one.provenance for one in same), notice_source)),
        )
        edited = (one for one in history.messages if one.line_message_id == notice.offer.refiles)
        message = next(edited, None)
        if message is None:
            return added
        locale = language_of((message.text,), default=self.locale, chosen=chosen_locale)
        return with_filing_offered(added, message, locale=locale)


def _room_of(outcome: OutcomeRecord) -> int:
    """Return the longest text of the answer above the questions, one at least."""
    return longest_answer(at_most=MESSAGES_A_CALL - max(1, outcome.offer.questions))


def postponed_of_one_text(history: History) -> tuple[tuple[OutcomeRecord, ...], ...]:
    """Return the waiting texts in groups, each said once: those with one `said_once_as`, and each other text alone.

    For example, three members left within a minute, and the chat is told once that its calendar has another address, in the words of the
    newest text, also where its language has changed between them.
    """
    same: dict[str, list[OutcomeRecord]] = {}
    for notice in waiting_texts(history.outcomes):
        same.setdefault(notice.offer.said_once_as or notice.id, []).append(notice)
    return tuple(map(tuple, same.values()))
