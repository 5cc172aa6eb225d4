"""Erasures on request.  An erasure of more than the person's own words needs a press of a button below the counts of stored objects.

An erasure of the person's own messages needs a press if the model proposes it. Which press counts is decided in question_press.py; a press
that does not count is answered with the reason.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from shared import logs
from shared.bus.result import EventResult
from shared.conversation.history_reader import HistoryReader
from shared.conversation.records import Erasure, Offer, OutcomeRecord
from shared.conversation.store import Conversation, Conversations
from shared.conversation.undo import stage_beyond_undo
from shared.conversation.withdrawal import Withdrawal
from shared.errors import UnreadableRecordError
from shared.features.stored_feature import StoredFeature
from shared.features.stored_features import STORED_FEATURES
from shared.frozen import frozen
from shared.handlers.holdings import Held, described, holdings_of
from shared.handlers.persons import messages_of
from shared.handlers.question_press import QuestionPresses
from shared.handlers.silence import SilenceHandler
from shared.handlers.translation import TranslationHandler
from shared.knowledge.entry_store import EntryStore
from shared.line.events import LineEvent, MessageContent
from shared.line.messaging import Membership
from shared.line.phrases import Phrase, Phrases
from shared.turns.announcement import (
    Announcement,
    Announcer,
    Stage,
    in_chats_language,
    locale_of,
    phrased,
    stage_nothing,
)
from shared.turns.deferral import CONFIRMED_WITHIN_MS

if TYPE_CHECKING:
    from shared.handlers.hooks import HooksHandler

_QUESTIONS: Final = {
    Erasure.RESET: Phrase.RESET_QUESTION,
    Erasure.FORGET: Phrase.FORGET_QUESTION,
    Erasure.LEAVE: Phrase.LEAVE_QUESTION,
}


@frozen
class ErasureHandler:
    """Asks, erases, and reports what was erased."""

    conversations: Conversations
    announcer: Announcer
    withdrawal: Withdrawal
    reader: HistoryReader
    membership: Membership
    presses: QuestionPresses
    silence: SilenceHandler
    hooks: "HooksHandler | None" = None
    translation: TranslationHandler | None = None
    phrases: Phrases
    features: Sequence[StoredFeature] = STORED_FEATURES

    def ask(self, event: LineEvent, content: MessageContent, erasure: Erasure) -> EventResult:
        """The chat was asked to confirm, with the counts of stored objects; a withdrawn command asks nothing.

        Repeated: asked once. Raises: as an announcement does.
        """
        conversation = self.conversations.of(event.conversation_id)
        if content.line_message_id in conversation.amendments.look().withdrawn:
            return EventResult.WITHDRAWN
        holdings = holdings_of(conversation, self.features)
        spared = [holding for holding in holdings if holding.outlasts_reset and erasure is Erasure.RESET]
        erased = [holding for holding in holdings if holding not in spared]

        def worded(locale: str | None) -> Announcement:
            shown_in = locale or self.phrases.locale
            facts = {
                "erased": described(erased, locale=shown_in, otherwise=Held.CONVERSATION),
                "spared": described(spared, locale=shown_in),
                "until": self.phrases.hour(event.timestamp_ms + CONFIRMED_WITHIN_MS, locale=shown_in),
            }
            return Announcement(
                event=event,
                text=self.phrases.text(_QUESTIONS[erasure], locale=shown_in, **facts),
                offer=Offer(asks=erasure, asked_by=content.line_message_id),
            )

        question = in_chats_language(worded)
        return self.announcer.announce(conversation, question)

    def confirm(self, event: LineEvent, question_id: str) -> EventResult:  # noqa: PLR0911 - one return a question
        """The erasure is carried out if this press counts; any other press changes nothing, and is told why.

        Repeated: an unfinished erasure is completed, as of its press. Raises: as a command does.
        """
        conversation = self.conversations.of(event.conversation_id)
        press = self.presses.counting(conversation, event, question_id)
        if isinstance(press, Phrase):
            return self._refuse(conversation, event, press)
        if press.offer.silence is not None:
            return self.silence.carry_out(event, press.offer.silence)
        if press.offer.hook is not None and self.hooks is not None:
            return self.hooks.make(event, question_id)
        if press.offer.translation is not None and self.translation is not None:
            return self.translation.carry_out(event, press.offer.translation, question_id)
        if press.offer.forgets:
            return self._forget_messages(conversation, event, press, question_id)
        match press.offer.asks:
            case Erasure.RESET:
                return self.erase(event, Phrase.RESET_DONE, spares_entries=True, locale=press.offer.locale)
            case Erasure.FORGET:
                return self.erase(event, Phrase.FORGET_DONE, spares_entries=False, locale=press.offer.locale)
            case Erasure.LEAVE:
                return self._leave(conversation, event, locale=press.offer.locale)
            case _:
                return self._refuse(conversation, event, Phrase.PRESS_VOID)

    def decline(self, event: LineEvent, question_id: str) -> EventResult:
        """Nothing is erased by a later press of the question, if this press counts; the answer says so, or why it does not count.

        Repeated: answered once. Raises: as a command does.
        """
        conversation = self.conversations.of(event.conversation_id)
        press = self.presses.counting(conversation, event, question_id, declines=True)
        if isinstance(press, Phrase):
            return self._refuse(conversation, event, press)
        return self._say(event, Phrase.PRESS_DECLINED, locale=press.offer.locale)

    def erase(self, event: LineEvent, words: Phrase, *, spares_entries: bool, locale: str = "") -> EventResult:
        """Everything in the chat before the event is erased, and an answer says so, in the `locale` of the question, if any."""
        conversation = self.conversations.of(event.conversation_id)
        locale = locale or self._locale_of(conversation, event)
        self.withdrawal.erase(conversation, until_ms=event.timestamp_ms - 1, spares_entries=spares_entries)
        result = self._say(event, words, locale=locale, stage=stage_beyond_undo if spares_entries else stage_nothing)
        logs.info("conversation_erased")
        return result

    def forget_member(self, event: LineEvent, content: MessageContent) -> EventResult:
        """Every message of the person in this chat, and every derived record, is withdrawn; the answer gives the number of messages.

        The person's display name leaves the expenses of others, also where no message of the person is stored: then the command itself is
        withdrawn. A message sent before the command and delivered afterwards is withdrawn on arrival.
        Repeated: withdraws the remaining messages, and is answered once.
        Raises: StorageUnavailableError, TurnBusyError; safe to deliver again.
        """
        conversation = self.conversations.of(event.conversation_id)
        user_id = event.user_id
        if user_id is None:
            return self._say(event, Phrase.FORGET_ME_UNNAMED)
        locale = self._locale_of(conversation, event)
        until_ms = event.timestamp_ms - 1
        conversation.amendments.forget_member(user_id, until_ms=until_ms)
        stored = messages_of(conversation, user_id, until_ms=until_ms, features=self.features)
        edited = conversation.amendments.edited_by(user_id, until_ms=until_ms)
        ids = stored.ids | edited or frozenset({content.line_message_id})
        self.withdrawal.withdraw_all(conversation, ids, timestamp_ms=event.timestamp_ms)
        logs.info("member_forgotten", messages=len(stored.own))
        count = str(len(stored.own))
        return self._say(event, Phrase.FORGET_ME_DONE, locale=locale, stage=stage_beyond_undo, messages=count)

    def _forget_messages(
        self, conversation: Conversation, event: LineEvent, press: OutcomeRecord, question_id: str
    ) -> EventResult:
        """Withdraw the question's messages, as unsends would; the receipt counts the removed answers and entries."""
        ids = frozenset(press.offer.forgets)
        entries = sum(not ids.isdisjoint(row.provenance.message_ids) for row in EntryStore(conversation).catalog().rows)
        self.withdrawal.withdraw_all(conversation, ids, timestamp_ms=event.timestamp_ms)
        redacted_ids = conversation.amendments.look().redacted.keys() - {question_id}
        answers = sum(one.webhook_event_id in redacted_ids for one in self.reader.read_newest(conversation).outcomes)
        logs.info("messages_forgotten", messages=len(ids))
        facts = {"messages": str(len(ids)), "answers": str(answers), "entries": str(entries)}
        locale, done = press.offer.locale, Phrase.FORGET_MESSAGES_DONE
        return self._say(event, done, locale=locale, stage=stage_beyond_undo, **facts)

    def _refuse(self, conversation: Conversation, event: LineEvent, reason: Phrase) -> EventResult:
        """Say why the press changed nothing; say nothing in a group that the bot has left since, where nobody would read it."""
        logs.info("press_refused", reason=reason.value)
        if not event.is_one_on_one and self._is_of_an_earlier_stay(conversation, event):
            return EventResult.LEFT_BEFORE
        return self._say(event, reason)

    def _leave(self, conversation: Conversation, event: LineEvent, *, locale: str) -> EventResult:
        """Say goodbye, leave the group, and erase the whole chat, the goodbye included."""
        self.withdrawal.erase(conversation, until_ms=event.timestamp_ms - 1)
        is_late = self._is_of_an_earlier_stay(conversation, event)
        result = EventResult.LEFT_BEFORE if is_late else self._say_goodbye(conversation, event, locale)
        self.withdrawal.erase(conversation, until_ms=event.timestamp_ms)
        return result

    def _say_goodbye(self, conversation: Conversation, event: LineEvent, locale: str) -> EventResult:
        result = self._say(event, Phrase.GOODBYE_GROUP, locale=locale)
        if not self._is_of_an_earlier_stay(conversation, event):  # the goodbye may have waited for the turn
            self.membership.leave(conversation.id)
            logs.info("chat_left")
        return result

    def _is_of_an_earlier_stay(self, conversation: Conversation, event: LineEvent) -> bool:
        """Whether the bot left the group after the press, or joined it again."""
        if conversation.amendments.watermark().entries_ms >= event.timestamp_ms:
            return True
        outcomes = self.reader.read_newest(conversation).outcomes
        return any(one.is_joining and one.timestamp_ms > event.timestamp_ms for one in outcomes)

    def _locale_of(self, conversation: Conversation, event: LineEvent) -> str:
        """Return the chat's language, before the words that show it are erased; "" if nothing shows a language, or nothing can be read."""
        chosen = conversation.turn.chosen_locale()
        try:
            messages = () if chosen else self.reader.read_newest(conversation).messages
        except UnreadableRecordError:  # an erasure removes such records
            messages = ()
        return locale_of(event, chosen=chosen, messages=messages) or ""

    def _say(
        self, event: LineEvent, which: Phrase, *, locale: str = "", stage: Stage = stage_nothing, **facts: str
    ) -> EventResult:
        """Announce the text in the `locale` of the question, if any, else in the chat's language."""
        announcement = phrased(event, self.phrases, which, offer=None, stage=stage, until_ms=None, **facts)
        if locale and announcement.in_locale is not None:
            announcement = announcement.in_locale(locale)
        conversation = self.conversations.of(event.conversation_id)
        return self.announcer.announce(conversation, announcement)
