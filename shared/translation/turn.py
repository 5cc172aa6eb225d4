"""A translation's own turn: messages of members, answered once in the chat's other languages, on the newest of their own reply tokens.

    members write ─▶ journal ─▶ wait for the chat's turn ─▶ the oldest five that wait ─▶ one request ─▶ one bubble a message

A message whose token died while it waited, because questions come first, is translated with the next one, on that one's token.
Nobody asked the bot, so a failure is silent: the messages count as answered, and nothing is pushed, deferred or apologised for. No answer
to a question counts on the token of such a message, and this turn uses no other token.
"""

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import Final

from shared import logs
from shared.access.budgets import Budgets
from shared.agent.people import People
from shared.bus.result import EventResult
from shared.clock import Clock, Deadline
from shared.conversation.history import History
from shared.conversation.history_reader import Listing, newest_words_of
from shared.conversation.records import (
    ANSWERABLE_MS,
    MessageRecord,
    OutcomeKind,
    OutcomeRecord,
    TranslatedBubble,
    Translations,
    by_time,
    outcome_of,
    provenance_of,
)
from shared.conversation.spending import Spending, weighted_tokens
from shared.conversation.store import Conversation
from shared.conversation.turn import FENCE, Route, StoredTurn
from shared.errors import BudgetSpentError, PromptAmendedError
from shared.frozen import frozen
from shared.line.events import LineEvent
from shared.line.messaging import MESSAGES_A_CALL, SENDING_S, ReplyToken
from shared.line.phrases import Phrase, Phrases
from shared.line.utf16 import TEXT_LIMIT_UTF16, utf16_length
from shared.locales import LOCALES
from shared.locales.language_names import LANGUAGES
from shared.metering import Meter, log_usage, metered
from shared.translation.left_alone import is_left_alone
from shared.translation.setting import TranslationSetting
from shared.translation.store import TranslationStore
from shared.translation.translator import CONTEXT_LINES, TextToTranslate, TranslatedText, TranslationRequest, Translator
from shared.turns.basis import Basis
from shared.turns.free_token import is_told_on_token_of
from shared.turns.lease import Lease
from shared.turns.outbox import Outbox
from shared.turns.runner import TurnDelivery, TurnRunner, Waiting

MOST_WAITING: Final = 15
"""How many messages wait for their translation; of a flood, older messages are cut, and the last bubble tells how many."""
MISSED_MS: Final = ANSWERABLE_MS
"""How old a message may be, by LINE's timestamp, to be translated with a later one because its own token died.

Of older messages, the chat's turn does not tell any more whether they were translated.
"""
_SECONDS: Final = 8.0
_TO_THINK: Final = 0.5  # the part of the fence in which the model may think: the lease is not renewed meanwhile


@frozen
class TranslationTurns:
    """Translates messages of members, each once."""

    runner: TurnRunner
    outbox: Outbox
    translator: Translator
    people: People
    budgets: Budgets
    phrases: Phrases
    clock: Clock = field(repr=False)

    def translates(self, setting: TranslationSetting, message: MessageRecord) -> bool:
        """Whether the message is one of those that are translated."""
        terms = tuple(term.text for term in setting.terms)
        return setting.covers(message) and not is_left_alone(message.text, setting.languages, terms)

    def __call__(
        self, conversation: Conversation, message: MessageRecord, setting: TranslationSetting, deadline: Deadline
    ) -> EventResult:
        """The message, which the journal holds, was translated, alone or with others, or is left alone.

        Repeated: the model is not asked again about a message that has an outcome. Raises: TurnBusyError, StorageUnavailableError; safe to
        deliver again.
        """
        stored_turn = conversation.turn.read()
        if self._has_ended_today(conversation, stored_turn):
            return EventResult.KEPT_AS_CONTEXT
        self.people.begin(conversation, message)
        work = _MessageWork(turns=self, conversation=conversation, own=message, setting=setting, deadline=deadline)
        return self.runner.run(conversation, work.in_turn, stored_turn, deadline).result

    def translate_edit(self, conversation: Conversation, event: LineEvent, line_message_id: str) -> EventResult:
        """The edited message, which the records hold in its new words, was translated anew, if it had been translated before.

        The translation goes on the edit's own token; without a token, and for any other message, nothing happens. Repeated, and raises:
        as for a message.
        """
        setting = TranslationStore(conversation).read() if event.reply_token is not None else TranslationSetting()
        stored_turn = conversation.turn.read() if setting.is_on else None
        if stored_turn is None or self._has_ended_today(conversation, stored_turn):
            return EventResult.EDITED
        work = _EditWork(
            turns=self,
            conversation=conversation,
            event=event,
            line_message_id=line_message_id,
            setting=setting,
            deadline=event.deadline,
        )
        return self.runner.run(conversation, work.in_turn, stored_turn, event.deadline).result

    def _has_ended_today(self, conversation: Conversation, stored_turn: StoredTurn) -> bool:
        """Whether nothing more is translated today, and the chat knows, or is told with its next question."""
        spending = conversation.turn.spending(stored_turn.record)
        if self.budgets.spent(spending) is not None and not spending.is_reserved:
            return True
        return spending.was_told_of_translations and not self.budgets.may_translate(spending)


@frozen
class _TranslationWork:
    """What the works of messages and of edits share: one request, one outcome, one token."""

    turns: TranslationTurns
    conversation: Conversation
    setting: TranslationSetting
    deadline: Deadline

    def spends(self, spending: Spending) -> Spending:
        budgets = self.turns.budgets
        return budgets.opened(spending) if budgets.may_translate(spending) else spending

    def has_work_by_name(self, stored_turn: StoredTurn, listing: Listing) -> bool:  # noqa: ARG002 - the port's own words
        return False

    def waiting(self, token: ReplyToken | None) -> Waiting:
        """Return how a delivery waits: for as long as its token may live, and behind everything that people asked for."""
        return Waiting(
            turn_s=_SECONDS + SENDING_S,
            gives_way=False,
            is_optional=True,
            is_answerable=lambda: self.is_alive(token),
            hand_over=lambda _: EventResult.KEPT_AS_CONTEXT,
        )

    def is_alive(self, token: ReplyToken | None) -> bool:
        """Whether LINE may take the token."""
        return token is not None and not token.is_surely_dead(self.turns.clock.now_ms())

    def answer(
        self,
        lease: Lease,
        history: History,
        draft: OutcomeRecord,
        batch: Sequence[MessageRecord],
        *,
        token: ReplyToken | None,
    ) -> OutcomeRecord | None:
        """Translate the batch and send it on the token; return the recorded outcome, or None if the chat has to be read again.

        The `draft` may answer more messages than the batch has: those are cut.
        """
        context = _context(history, batch[0])
        prompt = provenance_of((*batch, *context))
        basis = Basis(
            conversation=self.conversation,
            lease=lease,
            prompt=prompt,
            before=history.amendments,
            looked_s=history.looked_s,
        )
        decided = replace(draft, provenance=prompt | draft.provenance, quote_token=None, translations=Translations())
        try:
            outcome = self._decide(lease, decided, basis, batch, context)
        except PromptAmendedError:
            lease.release()
            return None
        is_model_asked = bool(outcome.audit.usage)
        route = Route.on(token) if outcome.is_spoken else Route()
        committed = lease.commit(outcome, route, basis=basis if is_model_asked else None)
        if committed is None:
            return None
        return self.turns.outbox.finish(lease, committed, deadline=self.deadline)

    def _decide(
        self,
        lease: Lease,
        decided: OutcomeRecord,
        basis: Basis,
        batch: Sequence[MessageRecord],
        context: Sequence[MessageRecord],
    ) -> OutcomeRecord:
        """Return the outcome with the bubbles; without bubbles where the budget is spent, or the model gives no translation.

        Raises: PromptAmendedError, if something in the prompt was edited or withdrawn.
        """
        spending = lease.record.spending
        if not self.turns.budgets.may_translate(spending):
            return decided if spending.was_told_of_translations else self._limit_told(decided)
        if not spending.is_reserved:
            return decided
        names = self.turns.people.of(self.conversation, (*context, *batch))
        meter = Meter(self.conversation.id, is_of_turn=True)
        end_check = basis.begin_check()
        try:
            with metered(meter):
                translated = self.turns.translator.translate(
                    self._request(batch, context, names),
                    self.deadline.within(min(_SECONDS, self.conversation.turn.lease_s * FENCE * _TO_THINK)),
                )
        except BudgetSpentError:
            return decided
        end_check()
        log_usage(meter, weigh=weighted_tokens)
        cut_count = max(0, len(decided.answered_ids) - len(batch))
        bubbles = self._bubbles(translated, batch, names, cut_count=cut_count)
        logs.info("messages_translated", messages=len(batch), bubbles=len(bubbles), cut=cut_count)
        return replace(
            decided,
            kind=OutcomeKind.REPLIED if bubbles else OutcomeKind.SKIPPED,
            translations=Translations(bubbles=bubbles),
            audit=replace(decided.audit, model_name=self.turns.translator.model_name, usage=meter.usage),
        )

    def _limit_told(self, decided: OutcomeRecord) -> OutcomeRecord:
        """Return the outcome that says, in each of the chat's languages, that no more is translated today."""
        turns = self.turns
        renewal_ms = turns.budgets.renewal_ms(turns.clock.now_ms())
        text = "\n".join(
            turns.phrases.text(
                Phrase.TRANSLATION_LIMIT, locale=locale, hour=turns.phrases.day_begin(renewal_ms, locale=locale)
            )
            for locale in self._locales
        )
        logs.info("translation_limit_reached")
        notice = decided.with_fixed_text(text, OutcomeKind.REPLIED)
        return replace(notice, translations=Translations(tells_limit=True))

    def _request(
        self, batch: Sequence[MessageRecord], context: Sequence[MessageRecord], names: Mapping[str, str]
    ) -> TranslationRequest:
        return TranslationRequest(
            languages=self.setting.languages,
            messages=tuple(
                TextToTranslate(
                    line_message_id=message.line_message_id, text=message.text, speaker=_name_of(message, names)
                )
                for message in batch
            ),
            context=tuple(f"{_name_of(message, names)}: {message.text}" for message in context),
            terms=tuple(term.text for term in self.setting.terms),
            names=tuple(names.values()),
        )

    def _bubbles(
        self,
        translated: Sequence[TranslatedText],
        batch: Sequence[MessageRecord],
        names: Mapping[str, str],
        *,
        cut_count: int,
    ) -> tuple[TranslatedBubble, ...]:
        by_id = {message.line_message_id: message for message in batch}
        with_messages = [(translation, by_id[translation.line_message_id]) for translation in translated]
        bubbles = [
            TranslatedBubble(
                line_message_id=message.line_message_id,
                text=_bubble_text(translation.texts, _name_of(message, names)),
                quote_token=message.quote_token,
            )
            for translation, message in with_messages
        ]
        if bubbles and cut_count:
            phrases = self.turns.phrases
            lines = (
                phrases.text(Phrase.TRANSLATION_CUT, locale=locale, count=str(cut_count)) for locale in self._locales
            )
            bubbles[-1] = replace(bubbles[-1], text="\n".join((bubbles[-1].text, *lines)))
        return tuple(bubbles)

    @property
    def _locales(self) -> Sequence[str]:
        """The locales of fixed texts: the chat's languages that have any, else the bot's."""
        return [language for language in self.setting.languages if language in LOCALES] or [self.turns.phrases.locale]


@frozen
class _MessageWork(_TranslationWork):
    """Translates the messages that wait, the own one among them."""

    own: MessageRecord

    @property
    def in_turn(self) -> TurnDelivery:
        """The work, and how it waits."""
        return TurnDelivery(
            event=self.own.line_message_id,
            sent_ms=self.own.timestamp_ms,
            work=self,
            waiting=self.waiting(self.own.reply_token),
        )

    def result_in(self, history: History, unfinished: OutcomeRecord | None) -> EventResult | None:
        """Work remains while the message is neither withdrawn nor covered by an outcome, and its token may be alive."""
        if history.amendments.hides(self.own):
            return EventResult.WITHDRAWN
        if self.own.line_message_id in history.covered:
            return EventResult.ALREADY_ANSWERED
        if unfinished is not None and self.own.line_message_id in unfinished.answered_ids:
            return None
        is_waiting = any(
            message.line_message_id == self.own.line_message_id for message in self._waiting_messages(history)
        )
        return None if is_waiting else EventResult.KEPT_AS_CONTEXT

    def take_turn(self, lease: Lease, history: History) -> OutcomeRecord | None:
        waiting = self._waiting_messages(history)
        if not waiting:
            lease.release()
            return None
        cut, own_batch = waiting[:-MOST_WAITING], waiting[-MOST_WAITING:][:MESSAGES_A_CALL]
        batch, room = own_batch, MESSAGES_A_CALL - len(own_batch)
        if room:  # then nothing else is cut
            missed = self._missed_messages(history, waiting)
            cut, batch = missed[:-room], tuple(sorted((*missed[-room:], *own_batch), key=by_time))
        draft = outcome_of((*cut, *batch), OutcomeKind.SKIPPED)
        return self.answer(lease, history, draft, batch, token=own_batch[-1].reply_token)

    def _waiting_messages(self, history: History) -> tuple[MessageRecord, ...]:
        """Return the messages that wait for a translation on their own tokens, oldest first.

        A message on whose token something else was told does not wait: no token is used twice.
        """
        return tuple(
            message
            for message in self._untranslated(history)
            if self.is_alive(message.reply_token) and not is_told_on_token_of(message, history)
        )

    def _missed_messages(self, history: History, waiting: Sequence[MessageRecord]) -> tuple[MessageRecord, ...]:
        """Return the other messages without a translation, oldest first: their tokens died, or told something else.

        For example, questions kept the turn from a message for over a minute.
        """
        waiting_ids, now_ms = {message.line_message_id for message in waiting}, self.turns.clock.now_ms()
        return tuple(
            message
            for message in self._untranslated(history)
            if message.line_message_id not in waiting_ids
            and message.reply_token is not None
            and now_ms - message.timestamp_ms < MISSED_MS
        )

    def _untranslated(self, history: History) -> tuple[MessageRecord, ...]:
        """Return the messages that no outcome covers, and that the setting has translated, oldest first, in their newest words."""
        setting = self.setting.without_withdrawn(history.amendments) or TranslationSetting()
        messages = {one.line_message_id: one for one in (*history.unshown, *history.messages)}
        own = messages.get(self.own.line_message_id) or newest_words_of(self.own, self.conversation, history)
        messages[own.line_message_id] = own.refreshed_by(self.own)
        untranslated = (
            message
            for message in messages.values()
            if message.line_message_id not in history.covered
            and not history.amendments.hides(message)
            and self.turns.translates(setting, message)
        )
        return tuple(sorted(untranslated, key=by_time))


@frozen
class _EditWork(_TranslationWork):
    """Translates a translated message anew after an edit, on the edit's own token."""

    event: LineEvent
    line_message_id: str

    @property
    def in_turn(self) -> TurnDelivery:
        """The work, and how it waits."""
        return TurnDelivery(
            event=self.event.webhook_event_id,
            sent_ms=self.event.timestamp_ms,
            work=self,
            waiting=self.waiting(self.event.reply_token),
        )

    def result_in(self, history: History, unfinished: OutcomeRecord | None) -> EventResult | None:
        """Work remains if the message was translated before, and no later edit or withdrawal has taken these words."""
        if self.event.webhook_event_id in history.recorded:
            return EventResult.ALREADY_ANSWERED
        if unfinished is not None and unfinished.webhook_event_id == self.event.webhook_event_id:
            return None
        return None if self._message(history) is not None else EventResult.EDITED

    def take_turn(self, lease: Lease, history: History) -> OutcomeRecord | None:
        message = self._message(history)
        if message is None:
            lease.release()
            return None
        draft = OutcomeRecord(
            webhook_event_id=self.event.webhook_event_id,
            timestamp_ms=self.event.timestamp_ms,
            kind=OutcomeKind.SKIPPED,
            provenance=provenance_of((message,)),
        )
        return self.answer(lease, history, draft, (message,), token=message.reply_token)

    def _message(self, history: History) -> MessageRecord | None:
        """Return the message in the words of this edit, with the edit's token; None where it is not translated anew."""
        setting = self.setting.without_withdrawn(history.amendments) or TranslationSetting()
        messages = (*history.unshown, *history.messages)
        message = next((one for one in messages if one.line_message_id == self.line_message_id), None)
        if message is None or message.edited_ms != self.event.timestamp_ms or history.amendments.hides(message):
            return None
        was_translated = any(
            bubble.line_message_id == self.line_message_id
            for outcome in history.outcomes
            if outcome.translations is not None
            for bubble in outcome.translations.bubbles
        )
        is_due = was_translated and self.turns.translates(setting, message) and self.is_alive(self.event.reply_token)
        return replace(message, reply_token=self.event.reply_token) if is_due else None


def _context(history: History, first: MessageRecord) -> tuple[MessageRecord, ...]:
    """Return the last texts before the first message that is translated."""
    earlier = (message for message in history.messages if message.type == "text" and by_time(message) < by_time(first))
    return tuple(earlier)[-CONTEXT_LINES:]


def _name_of(message: MessageRecord, names: Mapping[str, str]) -> str:
    return names.get(message.user_id or "", "")


def _bubble_text(texts: Mapping[str, str], speaker: str) -> str:
    """Return a message's bubble: "Ken: …" for one language, else a line for each language below the name.

    A language that LINE's limit leaves no room for is left out.
    """
    if len(texts) == 1:
        (only,) = texts.values()
        whole = f"{speaker}: {only}" if speaker else only
        return whole if utf16_length(whole) <= TEXT_LIMIT_UTF16 else only
    lines = [speaker] if speaker else []
    for language, text in texts.items():
        line = f"{LANGUAGES[language]}: {text}"
        if utf16_length("\n".join((*lines, line))) <= TEXT_LIMIT_UTF16:
            lines.append(line)
    return "\n".join(lines)
