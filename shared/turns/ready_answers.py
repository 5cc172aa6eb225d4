"""Ready answers: what a turn commits without asking the model, such as a stored answer, or the notice that a budget is spent."""

from dataclasses import field, replace
from typing import Final

from shared import logs
from shared.access.budgets import Budgets
from shared.clock import Clock
from shared.conversation.records import Audit, OutcomeKind, OutcomeRecord, outcome_of
from shared.frozen import frozen
from shared.line.phrases import Phrase, Phrases
from shared.locales import LOCALES
from shared.turns.attempt import Attempt

_TRIES: Final = 3
_THOUGHTS: Final = 4  # a request; each but the last ended because something in its prompt was edited or withdrawn


@frozen
class ReadyAnswers:
    """Answers of a turn that need no model."""

    budgets: Budgets
    phrases: Phrases
    clock: Clock = field(repr=False)

    def find(self, attempt: Attempt, *, thoughts: int) -> OutcomeRecord | None:
        """Return what to commit without asking the model, which was asked `thoughts` times; None: the model has to be asked.

        Example: the fourth time that the prompt was amended meanwhile, the turn apologises.
        """
        agenda = attempt.agenda
        if agenda.notice is not None:
            logs.info("press_not_carried_out", reason=agenda.notice.value)
            text = self.phrases.text(agenda.notice, locale=attempt.locale)
            return replace(outcome_of(agenda.covers, OutcomeKind.REPLIED), text=text, answers=agenda.answers)
        if not attempt.routes:  # the next prompt shows these messages as unanswered
            return outcome_of(agenda.covers, OutcomeKind.UNDELIVERED)
        if agenda.stored is not None:
            return _repeat(attempt.draft, agenda.stored)
        if agenda.proposal is None and not attempt.lease.record.spending.is_reserved:
            return self._over_limit(attempt)
        is_deadly = attempt.lease.record.tries >= _TRIES
        if is_deadly or thoughts >= _THOUGHTS:
            return replace(self._apology(attempt, Phrase.APOLOGY_BUSY), audit=Audit(isolates=is_deadly))
        return None

    def without_second_notice(self, attempt: Attempt, outcome: OutcomeRecord) -> OutcomeRecord:
        """Return the outcome; silence, if its whole text says again that a budget is spent, and another turn has just said so."""
        limit_texts = [
            self.phrases.text(Phrase.LIMIT_REACHED, locale=locale, hour=self._renewal(locale)) for locale in LOCALES
        ]
        says_limit = outcome.text in limit_texts
        if not (outcome.audit.is_over_limit and says_limit and attempt.lease.record.spending.was_told):
            return outcome
        return replace(outcome_of(attempt.agenda.covers, OutcomeKind.SKIPPED), audit=outcome.audit)

    def _over_limit(self, attempt: Attempt) -> OutcomeRecord:
        """Say once a day that the budget of the chat, or of the deployment, is spent; afterwards, say nothing."""
        spending, covers = attempt.lease.record.spending, attempt.agenda.covers
        if spending.was_told:
            return replace(outcome_of(covers, OutcomeKind.SKIPPED), audit=Audit(is_over_limit=True))
        logs.warning("budget_spent", scope=self.budgets.spent(spending))
        apology = self._apology(attempt, Phrase.LIMIT_REACHED, hour=self._renewal(attempt.locale))
        return replace(apology, audit=Audit(is_over_limit=True))

    def _renewal(self, locale: str) -> str:
        return self.phrases.day_begin(self.budgets.renewal_ms(self.clock.now_ms()), locale=locale)

    def _apology(self, attempt: Attempt, words: Phrase, **facts: str) -> OutcomeRecord:
        apology = outcome_of(attempt.agenda.covers, OutcomeKind.APOLOGISED)
        return replace(apology, text=self.phrases.text(words, locale=attempt.locale, **facts))


def _repeat(draft: OutcomeRecord, stored: OutcomeRecord) -> OutcomeRecord:
    """Return the outcome that sends a stored answer."""
    return replace(
        stored,
        webhook_event_id=draft.webhook_event_id,
        timestamp_ms=draft.timestamp_ms,
        kind=OutcomeKind.REPLIED,
        answered_ids=draft.answered_ids,
        provenance=stored.provenance | draft.provenance.only_messages(frozenset(draft.answered_ids)),
    )
