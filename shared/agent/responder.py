"""The responder: turns a question into its outcome with the model and its tools."""

import hashlib
import json
import zoneinfo
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final, Protocol

from shared import logs, tracing
from shared.agent.catch_up import CatchUp, is_catch_up_only
from shared.agent.forgetting import proposal_text
from shared.agent.loop import Agent, Thought
from shared.agent.media_parts import MediaParts, recent_media
from shared.agent.model import Content, FunctionCall, MixedContent, Part, TextContent
from shared.agent.people import People
from shared.agent.prompt import PromptBuilder
from shared.agent.proposals import described
from shared.agent.receipts import receipt, without_marks
from shared.agent.retellings import messages_in_prompt
from shared.agent.taint import MEDIA
from shared.agent.turn_context import StagedEntries, StagedReminders, TurnContext
from shared.clock import Clock, Deadline
from shared.conversation.amendments import Amendments
from shared.conversation.records import OutcomeKind, OutcomeRecord, ProposedCall
from shared.conversation.store import Conversation
from shared.errors import LimitReachedError, ModelBlockedError, ModelRefusedError, ModelUnavailableError
from shared.line.bubbles import ANSWER, DIGEST, shown_text
from shared.line.ids import mask_ids
from shared.line.language import language_of
from shared.line.phrases import Phrase, Phrases
from shared.line.presence import Presence
from shared.turns.question import Question

REPLY: Final = "reply"
_AGENT: Final = "aizuchi"
_LONG_ANSWERS: Final = frozenset({"generate_digest"})  # tools whose results may fill larger bubbles


class StagingPort(Protocol):
    """Staged writes to entries; every attempt at a turn begins with none."""

    def begin(self, conversation: Conversation, *, sequence: int, amendments: Amendments) -> StagedEntries:
        """Return the chat's entries as the turn of commit `sequence` sees them, without staged writes."""
        ...


class ReminderStagingPort(Protocol):
    """Staged writes to reminders; every attempt at a turn begins with none."""

    def begin(
        self, conversation: Conversation, *, sequence: int, now_ms: int, amendments: Amendments
    ) -> StagedReminders:
        """Return the chat's reminders as the turn of commit `sequence` sees them, without staged writes."""
        ...


class EarlierCalls(Protocol):
    """External calls of earlier attempts at a turn."""

    def describe_earlier(self, context: TurnContext) -> tuple[str, ...]:
        """Return a sentence for the model about each call.  Raises: StorageUnavailableError."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentResponder:
    """Answers questions with the agent; a Responder, and ConfirmedChanges.  `reminders` None: none can be made."""

    agent: Agent
    prompt: PromptBuilder
    people: People
    parts: MediaParts
    staging: StagingPort
    reminders: ReminderStagingPort | None = None
    earlier_calls: EarlierCalls
    catch_up: CatchUp
    presence: Presence
    phrases: Phrases
    clock: Clock = field(repr=False)

    def respond(self, question: Question) -> OutcomeRecord:
        """Return the draft with the decision.  In a 1:1 chat the loading animation shows meanwhile.

        The outcome is an apology if the model is unavailable, refuses, or does not decide within its limits. Raises: PromptAmendedError.
        """
        conversation = question.conversation
        is_watched = conversation.is_one_on_one and not question.is_overheard
        with (
            self.presence.during(loading_for=conversation.id if is_watched else None),
            tracing.span(
                tracing.Operation.INVOKE_AGENT,
                _AGENT,
                {
                    tracing.AGENT_NAME: _AGENT,
                    tracing.CONVERSATION_ID: logs.pseudonym(conversation.id),
                    tracing.REQUEST_MODEL: self.agent.model.name,
                },
            ) as span,
        ):
            outcome = self._decide(question)
            if outcome.kind is OutcomeKind.APOLOGISED:
                span.set({tracing.ERROR_TYPE: outcome.kind.value})
            return outcome

    def carry_out(self, question: Question, proposed: tuple[ProposedCall, ...]) -> OutcomeRecord:
        """Return the draft with the receipt of these calls, which a person confirmed; no model is asked, and nothing else is done.

        A change that would touch something of another name than the one that the person read is not kept.
        """
        context = self._context(question)
        failed = self._run_twice(proposed, context, Deadline.after(self.clock, question.seconds))
        told_names = {one.name for one in proposed} | {json.loads(one.arguments).get("text") for one in proposed}
        is_as_told = {one.name for one in context.deeds} <= told_names
        kept = context if is_as_told else replace(context, entries=None, reminders=None)
        told = receipt(kept.deeds, locale=language_of(context.said, default=self.prompt.locale))
        if failed or not is_as_told:
            logs.warning("confirmed_change_failed", tools=[one.tool for one in proposed])
            told = "\n\n".join(filter(None, (told, self.phrases.text(Phrase.CHANGE_FAILED))))
        outcome = replace(
            question.draft,
            kind=OutcomeKind.REPLIED,
            text=mask_ids(told),
            tools_used=tuple(one.tool for one in proposed),
        )
        return _with_staged(_having_read(outcome, context), kept)

    def _run_twice(
        self, proposed: tuple[ProposedCall, ...], context: TurnContext, deadline: Deadline
    ) -> tuple[ProposedCall, ...]:
        """Run the calls, and once more those that may succeed then; return those that failed."""
        left = proposed
        for _ in range(2):
            calls = [FunctionCall(name=one.tool, args=json.loads(one.arguments)) for one in left]
            ran = self.agent.tools.run(calls, context, deadline)
            left = tuple(one for one, answer in zip(left, ran.responses, strict=True) if "error" in answer.response)
            if not left:
                break
        return left

    def _decide(self, question: Question) -> OutcomeRecord:
        with self.parts.shown(
            question.conversation,
            (*recent_media(question.history, question.asked), *question.asked),
            quotable=question.history.quotable,
            fetches=question.fetches,
        ) as shown:
            return self._think(question, shown)

    def _think(self, question: Question, shown: Mapping[str, Sequence[Part]]) -> OutcomeRecord:
        context = self._context(question)
        contents = self._contents(question, shown, now_ms=context.now_ms)
        earlier = (f"[earlier attempt] {note}" for note in self.earlier_calls.describe_earlier(context))
        notes = tuple(TextContent(role="user", texts=(note,)) for note in earlier)
        missed = self.catch_up.content(context)
        notes = notes if missed is None else (*notes, missed)
        _note_readings(context, (*contents, *notes))
        try:
            thought = self.agent.think(
                self.prompt.system_instruction(),
                (*contents, *notes),
                context,
                seconds=question.seconds,
                only=(REPLY,) if is_catch_up_only(context) else (),
            )
        except ModelBlockedError as cause:
            logs.warning("turn_apologised", reason=str(cause))
            return self._apology(question.draft, context, Phrase.APOLOGY_REFUSED)
        except (ModelUnavailableError, ModelRefusedError, LimitReachedError) as cause:
            logs.error("turn_apologised", cause=cause, reason=str(cause))
            return self._apology(question.draft, context, Phrase.APOLOGY_BUSY)
        message = thought.decision.message
        version = prompt_version(self.prompt.system_instruction(), thought.tools_offered)
        logs.info(
            "turn_decided",
            model_calls=thought.model_calls,
            tools=thought.tools_used,
            silent=message is None,
            skip_kind=thought.decision.skip_kind,
            prompt_version=version,
        )
        text = None if message is None else self._text_of(message, thought, context)
        if text == "":
            logs.error("turn_apologised", reason="the model's answer is blank as plain text")
            return self._apology(question.draft, context, Phrase.APOLOGY_BUSY)
        outcome = replace(
            question.draft,
            kind=OutcomeKind.SKIPPED if text is None else OutcomeKind.REPLIED,
            text=text,
            model_name=thought.model_name,
            tools_used=thought.tools_used,
            skip_kind=thought.decision.skip_kind,
            prompt_version=version,
        )
        outcome = _with_forgetting(_having_read(outcome, context), context, self.prompt.time_zone)
        return outcome if question.is_overheard else _with_staged(self._with_proposals(outcome, context), context)

    def _context(self, question: Question) -> TurnContext:
        now_ms = self.clock.now_ms()
        return TurnContext(
            conversation=question.conversation,
            seen_message_ids=frozenset(question.draft.saw),
            sequence=question.sequence,
            now_ms=now_ms,
            to_answer=question.asked,
            earlier=messages_in_prompt(question.history, question.asked),
            entries=self.staging.begin(
                question.conversation, sequence=question.sequence, amendments=question.history.amendments
            ),
            reminders=self._reminders(question, now_ms=now_ms),
            question=question,
        )

    def _reminders(self, question: Question, *, now_ms: int) -> StagedReminders | None:
        if self.reminders is None:
            return None
        amendments = question.history.amendments
        return self.reminders.begin(
            question.conversation, sequence=question.sequence, now_ms=now_ms, amendments=amendments
        )

    def _contents(self, question: Question, shown: Mapping[str, Sequence[Part]], *, now_ms: int) -> tuple[Content, ...]:
        conversation, history, asked = question.conversation, question.history, question.asked
        return self.prompt.contents(
            history,
            pending=asked,
            now_ms=now_ms,
            names=self.people.of(conversation, (*history.messages, *asked)),
            shown=shown,
            recent=recent_media(history, asked),
            is_overheard=question.is_overheard,
            is_group=not conversation.is_one_on_one,
        )

    def _text_of(self, message: str, thought: Thought, context: TurnContext) -> str:
        """Return the answer as people see it: the model's text within the limit, the receipt, and the links that fit LINE's bubbles."""
        message, strange = context.readings.without_strange_links(message)
        if strange:
            logs.warning("links_removed", links=strange)
        is_long = context.recalled.is_stretch or not _LONG_ANSWERS.isdisjoint(thought.tools_used)
        limit = DIGEST.text_limit if is_long else ANSWER.text_limit
        text = without_marks(shown_text(message, limit=limit))
        if not text:
            return ""
        told = receipt(context.deeds, locale=language_of(context.said, default=self.prompt.locale))
        for addition in map(mask_ids, filter(None, (told, *thought.footnotes))):
            longer = f"{text}\n\n{addition}"
            if len(longer) > DIGEST.text_limit:
                logs.warning("footnote_left_out", length=len(addition))
                continue
            text = longer
        return text

    def _with_proposals(self, outcome: OutcomeRecord, context: TurnContext) -> OutcomeRecord:
        """Return the outcome with what waits for a tap, which stands in its text; silence proposes nothing."""
        proposed = context.proposals.proposed
        if not proposed or outcome.text is None:
            return outcome
        told = described(proposed, locale=language_of(context.said, default=self.prompt.locale))
        return replace(outcome, text=f"{outcome.text}\n\n{mask_ids(told)}", proposes=proposed)

    def _apology(self, draft: OutcomeRecord, context: TurnContext, which: Phrase) -> OutcomeRecord:
        """Return the apology, with the receipt of what the turn did outside; what it staged is not kept.

        Fixed texts quote no message, so `saw` is empty unless there is a receipt. `answers` is empty in any case.
        """
        text = self.phrases.text(which)
        told = receipt(context.outside.done, locale=language_of(context.said, default=self.prompt.locale))
        if told:
            text = f"{text}\n\n{mask_ids(told)}"
        apology = replace(draft, kind=OutcomeKind.APOLOGISED, text=text, saw=(), answers=())
        return _having_read(apology, context) if told else apology


def _with_forgetting(outcome: OutcomeRecord, context: TurnContext, time_zone: zoneinfo.ZoneInfo) -> OutcomeRecord:
    """Return the outcome with the list of what the turn proposes to take back, if it says anything."""
    proposed = context.forgetting.proposed
    if not proposed or outcome.text is None:
        return outcome
    return replace(
        outcome,
        text=f"{outcome.text}\n\n{mask_ids(proposal_text(proposed, time_zone))}",
        asked_by=context.to_answer[-1].line_message_id,
        forgets=tuple(one.line_message_id for one in proposed),
        forgets_for=proposed[0].user_id,
    )


def _having_read(outcome: OutcomeRecord, context: TurnContext) -> OutcomeRecord:
    """Return the outcome with all that the model has read, in the prompt or in what tools returned, and since when."""
    since_ms = min(outcome.since_ms, context.recalled.shown.since_ms)
    return replace(outcome, saw=tuple(sorted(context.read_message_ids)), since_ms=since_ms)


@lru_cache(maxsize=64)
def prompt_version(system_instruction: str, tools: tuple[str, ...]) -> str:
    """Return a short hash of what a deployment tells the model, so that answers of different prompts can be compared."""
    return hashlib.sha256("\n".join((system_instruction, *tools)).encode()).hexdigest()[:12]


def _note_readings(context: TurnContext, contents: Sequence[Content]) -> None:
    """Remember what the prompt shows: its links may be repeated, and media come from outside."""
    for content in contents:
        if isinstance(content, MixedContent) and len(content.texts) < len(content.parts):
            context.readings.mark_outside(MEDIA)
        if isinstance(content, TextContent | MixedContent):
            for text in content.texts:
                context.readings.note(text)
    index = context.question.history.index.text if context.question is not None else ""
    context.readings.note(index, is_kept=True)


def _with_staged(outcome: OutcomeRecord, context: TurnContext) -> OutcomeRecord:
    """Return the outcome with the staged writes: those to entries, then those to reminders."""
    if context.entries is not None:
        placement = context.entries.placement
        outcome = replace(
            outcome,
            writes=context.entries.changes(),
            filed_entry_path=placement.path if placement else None,
            filed_entry_paths=context.entries.filed_paths,
            filed_confidence=placement.confidence if placement else None,
        )
    if context.reminders is None:
        return outcome
    return replace(outcome, writes=(*outcome.writes, *context.reminders.changes(first_number=len(outcome.writes))))
