"""The responder: turns a question into an outcome with the model and the tools."""

import datetime as dt
import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import Final, Protocol

from shared import logs, tracing
from shared.agent.attachments import without_footnotes, without_lines_of
from shared.agent.catch_up import UNREAD, CatchUp, is_catch_up_only
from shared.agent.claims import is_claimed_done, unbacked_claims
from shared.agent.loop import Agent, Thought
from shared.agent.media_parts import MediaParts, ShownMedia, recent_media
from shared.agent.model import Content, FilePart, MediaPart, MixedContent, Part, TextContent
from shared.agent.outcomes import (
    GAP,
    having_read,
    marked_outside,
    room_above_lists,
    with_card,
    with_forgetting,
    with_handover,
    with_proposals,
    with_staged,
    with_translation,
)
from shared.agent.people import People
from shared.agent.prompt import PromptBuilder
from shared.agent.receipts import is_blank, receipt, without_receipt_symbols
from shared.agent.refused_prompts import RefusedPrompts
from shared.agent.remedies import Trouble, wrong_weekday
from shared.agent.reply_words import deeds_without_strange_links, trouble_with_reply, without_strange_links
from shared.agent.said_weekdays import wrong_weekday_in
from shared.agent.suggestions import with_going_on, with_suggestions
from shared.agent.transcript import words
from shared.agent.turn_context import TurnContext
from shared.agent.turn_contexts import TurnContexts
from shared.conversation.provenance import FILE, MEDIA, Provenance
from shared.conversation.records import OutcomeKind, OutcomeRecord, provenance_of
from shared.errors import (
    BudgetSpentError,
    LimitReachedError,
    ModelBlockedError,
    ModelRefusedError,
    ModelUnavailableError,
)
from shared.files.document import Unread
from shared.frozen import frozen
from shared.line.bubbles import ANSWER, DIGEST, length_of, shown_text
from shared.line.ids import mask_ids
from shared.line.language import language_of
from shared.line.phrases import Phrase, Phrases, phrase
from shared.line.presence import Presence
from shared.turns.question import Question

REPLY: Final = "reply"
_MEDIA_TYPES: Final = ("image/", "audio/", "video/")
_AGENT: Final = "aizuchi"
_LEAST_WORDS: Final = 100  # characters of the model's words, however long the code's lines below
_SENTENCES: Final[Mapping[Unread, Phrase]] = {
    Unread.EMPTY: Phrase.FILE_EMPTY,
    Unread.PROTECTED: Phrase.FILE_PROTECTED,
    Unread.UNKNOWN_TYPE: Phrase.FILE_UNKNOWN_TYPE,
    Unread.DAMAGED: Phrase.FILE_DAMAGED,
    Unread.TOO_LARGE: Phrase.FILE_TOO_LARGE,
}
_LONG_ANSWERS: Final = frozenset({"generate_digest"})  # tools whose results may fill larger bubbles


class EarlierCalls(Protocol):
    """External calls of earlier attempts at a turn."""

    def describe_earlier(self, context: TurnContext) -> tuple[str, ...]:
        """Return a sentence for the model about each call.  Raises: StorageUnavailableError."""
        ...


@frozen
class _Answer:
    """An answer as people see it.  `is_cut`: its words end with the line that says that there is more."""

    text: str
    is_cut: bool


@frozen
class AgentResponder:
    """Answers questions with the agent; a Responder."""

    agent: Agent
    prompt: PromptBuilder
    people: People
    parts: MediaParts
    contexts: TurnContexts
    earlier_calls: EarlierCalls
    catch_up: CatchUp
    refused: RefusedPrompts
    presence: Presence
    phrases: Phrases

    def respond(self, question: Question) -> OutcomeRecord:
        """Return the draft with the decision.  In a 1:1 chat, LINE's loading animation runs meanwhile.

        The outcome is an apology if the model is unavailable, refuses, or does not decide within its limits. Raises: PromptAmendedError.
        """
        conversation = question.conversation
        with (
            self.presence.during(loading_for=conversation.id if conversation.is_one_on_one else None),
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

    def _decide(self, question: Question) -> OutcomeRecord:
        with self.parts.shown(
            question.conversation,
            (*recent_media(question.history, question.asked), *question.asked),
            quotable=question.history.quotable,
            fetches=question.fetches,
            deadline=question.deadline,
        ) as shown:
            return self._unread_files(question, shown) or self._think(question, shown.parts)

    def _unread_files(self, question: Question, shown: ShownMedia) -> OutcomeRecord | None:
        """Return the fixed text if only unreadable files are to be answered, else None; the model is not asked.

        For example, an empty file and a zip archive, sent together, get a sentence each.
        """
        reasons = [shown.unread.get(message.line_message_id) for message in question.asked]
        if question.is_overheard or any(message.quoted_message_id for message in question.asked):
            return None
        sentences = dict.fromkeys(_SENTENCES[reason] for reason in reasons if reason is not None)
        if not sentences or None in reasons:
            return None
        locale = language_of(question.heard, default=self.prompt.locale, chosen=question.chosen_locale)
        name = self.prompt.bot_name.shown
        text = "\n".join(phrase(sentence, locale=locale, bot_name=name) for sentence in sentences)
        logs.info("files_unread", reasons=sorted({reason.value for reason in reasons if reason is not None}))
        return question.draft.with_fixed_text(text, OutcomeKind.REPLIED)

    def _think(self, question: Question, shown: Mapping[str, Sequence[Part]]) -> OutcomeRecord:
        context = self.contexts.of(question)
        contents = self._contents(question, shown, now_ms=context.now_ms)
        earlier = self.earlier_calls.describe_earlier(context)
        done = tuple(
            TextContent(role="user", texts=(f"[earlier attempt] {words(sentence, limit_tokens=len(sentence))}",))
            for sentence in earlier
        )
        missed = self.catch_up.content(context)
        notes = done if missed is None else (*done, missed)
        _record_prompt(context, (*contents, *notes), index=question.history.shown_texts)
        try:
            thought = self.agent.think(
                self.prompt.system_instruction(),
                (*contents, *notes),
                context,
                deadline=question.deadline,
                only=(REPLY,) if is_catch_up_only(context) else (),
                asked_only=lambda: _with_read(self._asked_only(question, shown, now_ms=context.now_ms), notes),
                unread=None
                if missed is None
                else lambda: (*self._asked_only(question, shown, now_ms=context.now_ms), *done, UNREAD),
                on_last_request=question.on_last_request,
                trouble_with_reply=lambda message: (
                    trouble_with_reply(context.untrusted_input, message)
                    or self._wrong_weekday(message, question, context)
                ),
                unbacked_claims=_no_claims if earlier or missed is not None else unbacked_claims,
                is_claimed_done=is_claimed_done,
            )
        except ModelBlockedError as cause:
            return self._answer_others(question, shown) or self._refusal(question, context, cause)
        except BudgetSpentError as cause:
            logs.warning("budget_spent", scope=cause.scope)
            locale = context.locale(default=self.prompt.locale)
            hour = self.phrases.day_begin(cause.renewal_ms, locale=locale)
            apology = self._apology(question.draft, context, Phrase.LIMIT_REACHED, hour=hour)
            return replace(apology, audit=replace(apology.audit, is_over_limit=True))
        except (ModelUnavailableError, ModelRefusedError, LimitReachedError) as cause:
            logs.error("turn_apologised", cause=cause, reason=str(cause))
            return self._apology(question.draft, context, Phrase.APOLOGY_BUSY)
        if thought.remedies_used:
            self.refused.suspect_rest(question, thought.remedies_used, self._names(question))
        if thought.saw_asked_only:
            question = replace(question, draft=_having_seen_asked_only(question))
            context = replace(context, prompt=question.draft.provenance)
        context.close_staging()
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
        answer = None if message is None else self._answer_of(message, thought, context)
        if answer is not None and not answer.text:
            logs.error("turn_apologised", reason="the model's answer is blank as plain text")
            return self._apology(question.draft, context, Phrase.APOLOGY_BUSY)
        outcome = replace(
            question.draft,
            kind=OutcomeKind.SKIPPED if answer is None else OutcomeKind.REPLIED,
            text=None if answer is None else answer.text,
            audit=replace(
                question.draft.audit,
                model_name=thought.model_name,
                tools_used=thought.tools_used,
                skip_kind=thought.decision.skip_kind,
                prompt_version=version,
            ),
        )
        outcome = with_forgetting(having_read(outcome, context), context, self.prompt.time_zone)
        outcome = with_translation(with_handover(outcome, context), context)
        locale = context.locale(message or "", default=self.prompt.locale)
        outcome = replace(outcome, offer=replace(outcome.offer, locale="" if answer is None else locale))
        if not question.is_overheard:
            outcome = with_proposals(with_staged(outcome, context), context, locale=locale)
            outcome = with_card(outcome, context, locale=locale)
            outcome = with_suggestions(outcome, thought.decision.suggestions, context)
        if answer is not None and answer.is_cut:
            outcome = with_going_on(outcome, self.phrases.text(Phrase.GO_ON_BUTTON, locale=locale))
        return marked_outside(outcome, context)

    def _refusal(self, question: Question, context: TurnContext, cause: ModelBlockedError) -> OutcomeRecord:
        """Return the apology for a refusal to the askers, and suspect the messages to answer."""
        logs.warning("turn_apologised", reason=str(cause))
        self.refused.suspect_asked(question)
        return self._apology(question.draft, context, Phrase.APOLOGY_REFUSED)

    def _answer_others(self, question: Question, shown: Mapping[str, Sequence[Part]]) -> OutcomeRecord | None:
        """Answer the messages that are not refused, and mention the refused message; None without such messages or without time."""
        answerable, suspicion = self.refused.divide(question)
        if not answerable:
            return None
        outcome = self._think(replace(question, history=question.history.isolated(answerable), asked=answerable), shown)
        self.refused.culprits.suspect(question.conversation, suspicion)
        return self._with_notice(outcome, question)

    def _with_notice(self, outcome: OutcomeRecord, question: Question) -> OutcomeRecord:
        """Return the outcome with a notice of the refused message; if the model skips the others, the outcome is the apology for it."""
        heard = (*question.heard, outcome.text or "")
        locale = language_of(heard, default=self.prompt.locale, chosen=question.chosen_locale)
        if outcome.text is None:
            apology = self.phrases.text(Phrase.APOLOGY_REFUSED, locale=locale)
            told = outcome.with_fixed_text(apology, OutcomeKind.APOLOGISED)
            return replace(told, answers=(), offer=replace(outcome.offer, card=""))  # a card below it would tell more
        return replace(outcome, text=f"{outcome.text}{GAP}{self.phrases.text(Phrase.PARTLY_REFUSED, locale=locale)}")

    def _names(self, question: Question) -> Mapping[str, str]:
        history = question.history
        return self.people.of(question.conversation, (*history.messages, *question.asked), refused=history.refused)

    def _contents(self, question: Question, shown: Mapping[str, Sequence[Part]], *, now_ms: int) -> tuple[Content, ...]:
        conversation, history, asked = question.conversation, question.history, question.asked
        return self.prompt.contents(
            history,
            pending=asked,
            now_ms=now_ms,
            names=self._names(question),
            shown=shown,
            recent=recent_media(history, asked),
            is_overheard=question.is_overheard,
            is_group=not conversation.is_one_on_one,
        )

    def _asked_only(
        self, question: Question, shown: Mapping[str, Sequence[Part]], *, now_ms: int
    ) -> tuple[Content, ...]:
        """Return the contents of a prompt with only the messages to answer: no other part of the chat, no names."""
        asked = question.asked
        return self.prompt.contents(
            question.history.isolated(asked),
            pending=asked,
            now_ms=now_ms,
            shown={message.line_message_id: shown.get(message.line_message_id, ()) for message in asked},
            is_overheard=question.is_overheard,
            is_group=not question.conversation.is_one_on_one,
        )

    def _answer_of(self, message: str, thought: Thought, context: TurnContext) -> _Answer:
        """Return the answer as people see it: the model's text within the limit, the receipt, and the footnotes that fit LINE's bubbles.

        The model's words and the footnotes leave room for the receipt and for the proposals; the latter are added later. A longer text is
        cut, and says so in its last line.
        """
        locale = context.locale(message, default=self.prompt.locale)
        receipt_text = mask_ids(receipt(deeds_without_strange_links(context), locale=locale))
        receipt_text = f"{GAP}{receipt_text}" if receipt_text else ""
        room = room_above_lists(context, locale=locale, time_zone=self.prompt.time_zone)
        without_links = partial(without_strange_links, context.untrusted_input)
        attached = tuple(
            without_receipt_symbols(without_links(mask_ids(text))) for text in context.attachments.texts(locale)
        )
        is_long = context.recalled.is_stretch or not _LONG_ANSWERS.isdisjoint(thought.tools_used)
        code_length = length_of(GAP.join((*attached, receipt_text)))
        limit = min(DIGEST.text_limit if is_long else ANSWER.text_limit, max(room - code_length, _LEAST_WORDS))
        goes_on = self.phrases.text(Phrase.GOES_ON, locale=locale)
        text = without_receipt_symbols(shown_text(message, limit=limit, cleaned=without_links, goes_on=goes_on))
        is_cut = text.endswith(goes_on)
        if is_blank(text) and not attached:
            return _Answer(text="", is_cut=False)
        text = without_footnotes(thought.footnotes, text)
        text = GAP.join(filter(None, (without_lines_of(attached, text) if attached else text, *attached)))
        text += receipt_text
        for addition in map(mask_ids, filter(None, thought.footnotes)):
            longer = GAP.join(filter(None, (text, addition)))
            if length_of(longer) > room:
                logs.warning("footnote_left_out", length=len(addition))
                continue
            text = longer
        return _Answer(text=text, is_cut=is_cut)

    def _wrong_weekday(self, message: str | None, question: Question, context: TurnContext) -> Trouble | None:
        now = dt.datetime.fromtimestamp(context.now_ms / 1_000, self.prompt.time_zone)
        mismatch = None if message is None else wrong_weekday_in(message, now=now, heard=question.heard)
        return None if mismatch is None else wrong_weekday(mismatch)

    def _apology(self, draft: OutcomeRecord, context: TurnContext, which: Phrase, **facts: str) -> OutcomeRecord:
        """Return the apology, with the receipt of the turn's external calls; staged writes are dropped.

        `answers` is always empty.
        """
        locale = context.locale(default=self.prompt.locale)
        text = self.phrases.text(which, locale=locale, **facts)
        draft = replace(draft, writes=context.staged.dropped().changes(acted_outside=context.outside.has_acted))
        receipt_text = receipt(context.outside.done, locale=locale)
        if not receipt_text:
            return replace(draft.with_fixed_text(text, OutcomeKind.APOLOGISED), answers=())
        text = f"{text}\n\n{mask_ids(receipt_text)}"
        return having_read(replace(draft, kind=OutcomeKind.APOLOGISED, text=text, answers=()), context)


def _with_read(asked_only: tuple[Content, ...], notes: Sequence[Content]) -> tuple[Content, ...]:
    """Return the contents with the notes on earlier attempts, and with what the code read for the messages to answer."""
    return (*asked_only, *notes)


def _no_claims(_: str, __: Collection[str]) -> tuple[()]:
    """Return no claim: the reply may tell what an earlier attempt or other people did."""
    return ()


def _having_seen_asked_only(question: Question) -> OutcomeRecord:
    """Return the draft of an answer whose prompt held only the messages to answer and their quotes."""
    history, asked, draft = question.history.isolated(question.asked), question.asked, question.draft
    prompt = history.provenance | provenance_of(asked) | history.provenance_of_quotes(asked)
    answered = draft.provenance.only_messages(frozenset(draft.answered_ids))
    return replace(draft, provenance=prompt | Provenance.of_sources(answered.sources))


@lru_cache(maxsize=64)
def prompt_version(system_instruction: str, tools: tuple[str, ...]) -> str:
    """Return a short hash of the deployment's instruction and tools, for comparing answers of different prompts.

    For example, `prompt_version("Be brief.", ("reply",))` has 12 hexadecimal digits.
    """
    return hashlib.sha256("\n".join((system_instruction, *tools)).encode()).hexdigest()[:12]


def _record_prompt(context: TurnContext, contents: Sequence[Content], *, index: str) -> None:
    """Record the prompt: its links may be repeated, media come from outside, and the index repeats filed words."""
    for content in contents:
        if isinstance(content, MixedContent):
            for part in (one for one in content.parts if not isinstance(one, str)):
                context.untrusted_input.record_outside(
                    _source_of(part), part.text if isinstance(part, FilePart) else None
                )
        if isinstance(content, TextContent | MixedContent):
            for text in content.texts:
                context.untrusted_input.record(text)
    context.untrusted_input.record(index, is_filed=True)
    if context.is_tainted:
        context.untrusted_input.read_links_strictly()


def _source_of(part: MediaPart | FilePart) -> str:
    return MEDIA if isinstance(part, MediaPart) and part.content_type.startswith(_MEDIA_TYPES) else FILE
