"""Carries out confirmed proposals of an answer through the proposing tools."""

import json
import zoneinfo
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from shared import logs
from shared.agent.executor import ToolExecutor
from shared.agent.model import FunctionCall
from shared.agent.outcomes import having_read, marked_outside, with_forgetting, with_staged
from shared.agent.receipts import DeedKind, receipt
from shared.agent.turn_context import TurnContext
from shared.agent.turn_contexts import TurnContexts
from shared.clock import Deadline
from shared.conversation.records import OutcomeKind, OutcomeRecord, ProposedCall
from shared.frozen import frozen
from shared.line.ids import mask_ids
from shared.line.language import language_of
from shared.line.phrases import Phrase, Phrases
from shared.turns.question import Question

_UNDO: Final = "undo_last_change"
_NAMED_OTHERWISE: Final = frozenset({DeedKind.FILED, DeedKind.EXPENSES_SETTLED})
"""A new entry gets its name from the classifier; a settlement is bound to the revision of every expense that it closes."""
_UNSEEN: Final = frozenset({OutcomeKind.UNDELIVERED, OutcomeKind.STORED})
_TARGETS: Final = ("path", "id", "page_id")  # the arguments that name a thing


@frozen
class ConfirmedCalls:
    """Runs confirmed calls; a ConfirmedChanges.  Receipts are in the language of the question, else in `locale`."""

    tools: ToolExecutor
    contexts: TurnContexts
    phrases: Phrases
    locale: str
    time_zone: zoneinfo.ZoneInfo

    def carry_out(self, question: Question, proposed: tuple[ProposedCall, ...]) -> OutcomeRecord:
        """Return the draft with the receipt of the confirmed calls; no model is asked, and nothing else is done.

        A call is not run if its target changed after the person read the question, or if a newer question asks about the same target. If
        any call touches a thing of another name, all staged writes are dropped.
        """
        context = replace(self.contexts.of(question), confirmed=proposed)
        # An undo comes first: otherwise it would undo the other calls
        current = tuple(
            call
            for call in proposed
            if not _is_asked_anew(call, question.history.outcomes) and self.tools.is_as_proposed(call, context)
        )
        undo, other_calls = (
            tuple(one for one in current if (one.tool == _UNDO) is is_undo) for is_undo in (True, False)
        )
        failed = [one for one in proposed if one not in current]
        failed += [one for calls in (undo, other_calls) for one in self._run_twice(calls, context, question.deadline)]
        context.close_staging()
        shown_names = {name for one in proposed for name in _shown_names(one)}
        touched = [one for one in context.deeds if one.kind not in _NAMED_OTHERWISE]
        is_as_shown = {_in_one_line(one.name) for one in touched} <= shown_names
        committed = context if is_as_shown else replace(context, staged=context.staged.dropped())
        locale = self._locale_of(question, proposed)
        text = receipt(committed.deeds, locale=locale)
        if failed or not is_as_shown:
            logs.warning("confirmed_change_failed", tools=[one.tool for one in proposed])
            text = "\n\n".join(filter(None, (text, self.phrases.text(Phrase.CHANGE_FAILED, locale=locale))))
        else:  # without a receipt another tap has made the same change since the question
            text = text or self.phrases.text(Phrase.CHANGE_NOT_NEEDED, locale=locale)
        outcome = replace(
            question.draft,
            kind=OutcomeKind.REPLIED,
            text=mask_ids(text),
            offer=replace(question.draft.offer, locale=locale),
            audit=replace(question.draft.audit, tools_used=tuple(one.tool for one in proposed)),
        )
        outcome = having_read(outcome, context)
        outcome = with_staged(with_forgetting(outcome, context, self.time_zone) if is_as_shown else outcome, committed)
        return marked_outside(outcome, context)

    def _locale_of(self, question: Question, proposed: tuple[ProposedCall, ...]) -> str:
        """Return the language of the answer that proposed the calls, else of the people who pressed."""
        proposing = (
            outcome.text
            for outcome in question.history.outcomes
            if outcome.text and not set(proposed).isdisjoint(outcome.offer.proposes)
        )
        return language_of((*question.heard, *proposing), default=self.locale, chosen=question.chosen_locale)

    def _run_twice(
        self, proposed: tuple[ProposedCall, ...], context: TurnContext, deadline: Deadline
    ) -> tuple[ProposedCall, ...]:
        """Run the calls, and repeat failed calls once; return the calls that failed twice."""
        failed = proposed
        for _ in range(2):
            calls = [FunctionCall(name=one.tool, args=json.loads(one.arguments)) for one in failed]
            results = self.tools.run(calls, context, deadline)
            failed = tuple(
                call for call, answer in zip(failed, results.responses, strict=True) if "error" in answer.response
            )
        return failed


def _is_asked_anew(call: ProposedCall, outcomes: Iterable[OutcomeRecord]) -> bool:
    """Whether a newer answer proposes another change of the same thing, so that the older question is void.

    For example, "☐ Change “milk”" replaces an earlier "☐ Delete “milk”". An unseen answer replaces nothing.
    """
    seen = (one for one in outcomes if one.offer.has_proposals and one.kind not in _UNSEEN)
    asking = sorted(seen, key=lambda answer: answer.timestamp_ms)
    places = [place for place, answer in enumerate(asking) if call in answer.offer.proposes]
    target = _target_of(call)
    if target is None or not places:
        return False
    newer = (one for answer in asking[places[-1] + 1 :] for one in answer.offer.proposes)
    return any(_target_of(one) == target for one in newer)


def _target_of(call: ProposedCall) -> object:
    """Return the target of the call, by path or id; None for a call without a target, or a proposal whose words were removed."""
    arguments = json.loads(call.arguments) if call.arguments else {}
    return next((arguments[name] for name in _TARGETS if name in arguments), None)


def _shown_names(call: ProposedCall) -> tuple[str, ...]:
    """Return the names that the person read: of the target, of items of a list, a reminder's text, a new name of an entry or an expense."""
    arguments = json.loads(call.arguments)
    updates = arguments.get("updates")
    renamed = updates.get("name", call.name) if isinstance(updates, dict) else call.name
    items = arguments.get("items")
    item_names = items if isinstance(items, list) else ()
    names = (call.name, arguments.get("text", call.name), arguments.get("what", call.name), renamed, *item_names)
    return tuple(_in_one_line(str(name)) for name in names)


def _in_one_line(name: str) -> str:
    """Return the name in one line, as a reminder is stored; a proposal may have several lines."""
    return " ".join(name.split())
