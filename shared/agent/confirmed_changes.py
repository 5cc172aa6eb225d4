"""Carries out what an answer proposed and a person confirmed, through the tools that proposed it."""

import json
import zoneinfo
from collections.abc import Iterable
from dataclasses import dataclass, replace
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
from shared.line.ids import mask_ids
from shared.line.language import language_of
from shared.line.phrases import Phrase, Phrases
from shared.turns.question import Question

_UNDO: Final = "undo_last_change"
_TARGETS: Final = ("path", "id", "page_id")  # the arguments that name a thing


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfirmedCalls:
    """Runs confirmed calls; a ConfirmedChanges.  Receipts are in the language of the person who asked, else in `locale`."""

    tools: ToolExecutor
    contexts: TurnContexts
    phrases: Phrases
    locale: str
    time_zone: zoneinfo.ZoneInfo

    def carry_out(self, question: Question, proposed: tuple[ProposedCall, ...]) -> OutcomeRecord:
        """Return the draft with the receipt of these calls, which a person confirmed; no model is asked, and nothing else is done.

        A change of something that has changed since the person read the question, or of which a newer question asks, is not made. One that
        would touch something of another name is not kept.
        """
        context = replace(self.contexts.of(question), confirmed=proposed)
        # An undo comes first, because it would take back what the others do
        current = tuple(
            one
            for one in proposed
            if not _is_asked_anew(one, question.history.outcomes) and self.tools.is_as_proposed(one, context)
        )
        undo, others = (tuple(one for one in current if (one.tool == _UNDO) is is_undo) for is_undo in (True, False))
        failed = [one for one in proposed if one not in current]
        failed += [one for calls in (undo, others) for one in self._run_twice(calls, context, question.deadline)]
        context.seal()
        told_names = {name for one in proposed for name in _told_names(one)}
        # A thought is filed under a name of the classifier's, and touches nothing that is there
        touched = [one for one in context.deeds if one.kind is not DeedKind.FILED]
        is_as_told = {_in_one_line(one.name) for one in touched} <= told_names
        kept = context if is_as_told else replace(context, entries=None, reminders=None)
        told = receipt(kept.deeds, locale=language_of(context.said, default=self.locale))
        if failed or not is_as_told:
            logs.warning("confirmed_change_failed", tools=[one.tool for one in proposed])
            told = "\n\n".join(filter(None, (told, self.phrases.text(Phrase.CHANGE_FAILED))))
        outcome = replace(
            question.draft,
            kind=OutcomeKind.REPLIED,
            text=mask_ids(told),
            audit=replace(question.draft.audit, tools_used=tuple(one.tool for one in proposed)),
        )
        outcome = having_read(outcome, context)
        outcome = with_staged(with_forgetting(outcome, context, self.time_zone) if is_as_told else outcome, kept)
        return marked_outside(outcome, context)

    def _run_twice(
        self, proposed: tuple[ProposedCall, ...], context: TurnContext, deadline: Deadline
    ) -> tuple[ProposedCall, ...]:
        """Run the calls, and once more those that may succeed then; return those that failed."""
        left = proposed
        for _ in range(2):
            calls = [FunctionCall(name=one.tool, args=json.loads(one.arguments)) for one in left]
            ran = self.tools.run(calls, context, deadline)
            left = tuple(one for one, answer in zip(left, ran.responses, strict=True) if "error" in answer.response)
        return left


def _is_asked_anew(call: ProposedCall, outcomes: Iterable[OutcomeRecord]) -> bool:
    """Whether a newer answer proposes another change of the same thing, so that the older question counts no more.

    For example, after "☐ Delete “milk”" an answer asks "☐ Change “milk”".
    """
    asking = sorted((one for one in outcomes if one.offer.has_proposals), key=lambda one: one.timestamp_ms)
    places = [place for place, one in enumerate(asking) if call in one.offer.proposes]
    target = _target_of(call)
    if target is None or not places:
        return False
    newer = (one for outcome in asking[places[-1] + 1 :] for one in outcome.offer.proposes)
    return any(_target_of(one) == target for one in newer)


def _target_of(call: ProposedCall) -> object:
    """Return what the call would change, by its path or id; None: nothing that is there, or the proposal has lost its words."""
    arguments = json.loads(call.arguments) if call.arguments else {}
    return next((arguments[name] for name in _TARGETS if name in arguments), None)


def _told_names(one: ProposedCall) -> tuple[str, ...]:
    """Return the names that the person read: that of what the call touches, the text that a reminder gets, and an entry's new name."""
    arguments = json.loads(one.arguments)
    updates = arguments.get("updates")
    renamed = updates.get("name", one.name) if isinstance(updates, dict) else one.name
    return tuple(_in_one_line(str(name)) for name in (one.name, arguments.get("text", one.name), renamed))


def _in_one_line(name: str) -> str:
    """Return the name as it is told: a reminder is kept in one line, and a proposal may have several."""
    return " ".join(name.split())
