"""Erasures on request.  An erasure of more than the person's own words needs a press of a button below the counts of stored objects.

An erasure of the person's own messages needs a press if the model proposes it; then only the person who asked can confirm.
A press counts once, within ten minutes of its question, in the question's chat, and from a member; any other press does nothing. Of
several presses the first counts: it creates an outcome with an id derived from the question's, for example `01KA…-press`.
"""

from dataclasses import dataclass
from typing import Final

from shared import logs
from shared.bus.result import EventResult
from shared.conversation.history import History
from shared.conversation.history_reader import HistoryReader
from shared.conversation.person_messages import PersonMessages
from shared.conversation.provenance import Provenance
from shared.conversation.records import Erasure, Offer, OutcomeKind, OutcomeRecord
from shared.conversation.store import Conversation, Conversations
from shared.conversation.withdrawal import Withdrawal
from shared.handlers.holdings import Holdings
from shared.handlers.persons import messages_of
from shared.knowledge.entry_store import EntryStore
from shared.line.display_names import Profiles
from shared.line.events import LineEvent, MessageContent
from shared.line.messaging import Membership
from shared.line.phrases import Phrase, Phrases
from shared.turns.announcement import Announcement, Announcer
from shared.turns.deferral import CONFIRMED_WITHIN_MS

_PRESS_SUFFIX: Final = "-press"
_QUESTIONS: Final = {
    Erasure.RESET: Phrase.RESET_QUESTION,
    Erasure.FORGET: Phrase.FORGET_QUESTION,
    Erasure.LEAVE: Phrase.LEAVE_QUESTION,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasureHandler:
    """Asks, erases, and reports what was erased."""

    conversations: Conversations
    announcer: Announcer
    withdrawal: Withdrawal
    reader: HistoryReader
    membership: Membership
    profiles: Profiles
    phrases: Phrases

    def ask(self, event: LineEvent, content: MessageContent, erasure: Erasure) -> EventResult:
        """The chat was asked to confirm, with the counts of stored objects; a withdrawn command asks nothing.

        Repeated: asked once. Raises: as an announcement does.
        """
        conversation = self.conversations.of(event.conversation_id)
        if content.line_message_id in conversation.amendments.look().withdrawn:
            return EventResult.WITHDRAWN
        question = Announcement(
            webhook_event_id=event.webhook_event_id,
            timestamp_ms=event.timestamp_ms,
            text=self.phrases.text(_QUESTIONS[erasure], **Holdings.of(conversation).facts),
            offer=Offer(asks=erasure, asked_by=content.line_message_id),
        )
        return self.announcer.announce(conversation, question, event.reply_token, event.deadline)

    def confirm(self, event: LineEvent, question_id: str) -> EventResult:
        """The erasure is carried out if this press is the first that counts; any other press does nothing.

        Repeated: an unfinished erasure is completed, as of its press. Raises: as a command does.
        """
        conversation = self.conversations.of(event.conversation_id)
        press = self._counting_press(conversation, event, question_id)
        if press is not None and press.offer.forgets:
            return self._forget_messages(conversation, event, press, question_id)
        if press is None or press.offer.asks is None:
            logs.info("press_ignored")
            return EventResult.IGNORED
        match press.offer.asks:
            case Erasure.RESET:
                return self.erase(event, Phrase.RESET_DONE, spares_entries=True)
            case Erasure.FORGET:
                return self.erase(event, Phrase.FORGET_DONE, spares_entries=False)
            case Erasure.LEAVE:
                return self._leave(conversation, event)

    def erase(self, event: LineEvent, words: Phrase, *, spares_entries: bool, **facts: str) -> EventResult:
        """Everything in the chat before the event is erased, and an answer says so."""
        conversation = self.conversations.of(event.conversation_id)
        self.withdrawal.erase(conversation, until_ms=event.timestamp_ms - 1, spares_entries=spares_entries)
        result = self._say(conversation, event, self.phrases.text(words, **facts))
        logs.info("conversation_erased")
        return result

    def forget_member(self, event: LineEvent) -> EventResult:
        """Every message of the person in this chat, and every derived record, is withdrawn; the answer gives the number of messages.

        A message sent before the command and delivered afterwards is withdrawn on arrival. In a 1:1 chat everything is erased.
        Repeated: withdraws the remaining messages, and is answered once.
        Raises: StorageUnavailableError, TurnBusyError; safe to deliver again.
        """
        conversation = self.conversations.of(event.conversation_id)
        user_id = event.user_id
        if user_id is None:
            return self._say(conversation, event, self.phrases.text(Phrase.FORGET_ME_UNNAMED))
        until_ms = event.timestamp_ms - 1
        if event.is_one_on_one:
            own = PersonMessages.stored_in(conversation, user_id, until_ms=until_ms).own
            return self.erase(event, Phrase.FORGET_ME_DONE, spares_entries=False, messages=str(len(own)))
        conversation.amendments.forget_member(user_id, until_ms=until_ms)
        stored = messages_of(conversation, user_id, until_ms=until_ms)
        edited = conversation.amendments.edited_by(user_id, until_ms=until_ms)
        self.withdrawal.withdraw_all(conversation, stored.taken_back | edited, timestamp_ms=event.timestamp_ms)
        logs.info("member_forgotten", messages=len(stored.own))
        return self._say(conversation, event, self.phrases.text(Phrase.FORGET_ME_DONE, messages=str(len(stored.own))))

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
        words = self.phrases.text(Phrase.FORGET_MESSAGES_DONE, **facts)
        return self._say(conversation, event, words)

    def _counting_press(self, conversation: Conversation, event: LineEvent, question_id: str) -> OutcomeRecord | None:
        """Return the press that counts for the question, if it is this event's; None otherwise."""
        press_id = f"{question_id[: 64 - len(_PRESS_SUFFIX)]}{_PRESS_SUFFIX}"
        history = self.reader.read_newest(conversation, required_ids={question_id, press_id})
        press = next((one for one in history.outcomes if one.webhook_event_id == press_id), None)
        if press is None:
            asked = confirmed_question(history, question_id, pressed_ms=event.timestamp_ms)
            if asked is None or not self._may_press(conversation, event, asked):
                return None
            press = _press_of(asked, event, press_id)
            conversation.journal.record_outcome(press)
            press = conversation.journal.outcome_of(press_id) or press  # another press may have come first
        return press if press.answers == (event.webhook_event_id,) else None

    def _may_press(self, conversation: Conversation, event: LineEvent, asked: OutcomeRecord) -> bool:
        """Whether a member of the chat pressed, and the command was not withdrawn.

        If LINE does not answer about the membership, the signed event is taken as proof, because it names the chat.
        """
        if asked.offer.asked_by is not None and asked.offer.asked_by in conversation.amendments.look().withdrawn:
            return False
        if asked.offer.forgets and event.user_id != asked.offer.forgets_for:
            return False
        if event.is_one_on_one:  # the chat's id is the person's id
            return True
        return event.user_id is not None and self.profiles.is_member(conversation.id, event.user_id) is not False

    def _leave(self, conversation: Conversation, event: LineEvent) -> EventResult:
        """Say goodbye, leave the group, and erase the whole chat, the goodbye included."""
        self.withdrawal.erase(conversation, until_ms=event.timestamp_ms - 1)
        is_late = self._is_of_an_earlier_stay(conversation, event)
        result = EventResult.LEFT_BEFORE if is_late else self._say_goodbye(conversation, event)
        self.withdrawal.erase(conversation, until_ms=event.timestamp_ms)
        return result

    def _say_goodbye(self, conversation: Conversation, event: LineEvent) -> EventResult:
        result = self._say(conversation, event, self.phrases.text(Phrase.GOODBYE_GROUP))
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

    def _say(self, conversation: Conversation, event: LineEvent, text: str) -> EventResult:
        announcement = Announcement(webhook_event_id=event.webhook_event_id, timestamp_ms=event.timestamp_ms, text=text)
        return self.announcer.announce(conversation, announcement, event.reply_token, event.deadline)


def confirmed_question(history: History, question_id: str, *, pressed_ms: int) -> OutcomeRecord | None:
    """Return the question if it still stands and was asked at most ten minutes before the press, by LINE's timestamps."""
    asked = next((one for one in history.outcomes if one.webhook_event_id == question_id), None)
    if asked is None or not (asked.offer.asks or asked.offer.forgets) or not asked.holds_words:
        return None
    return asked if 0 <= pressed_ms - asked.timestamp_ms <= CONFIRMED_WITHIN_MS else None


def _press_of(asked: OutcomeRecord, event: LineEvent, press_id: str) -> OutcomeRecord:
    return OutcomeRecord(
        webhook_event_id=press_id,
        timestamp_ms=event.timestamp_ms,
        kind=OutcomeKind.SKIPPED,
        provenance=Provenance(since_ms=event.timestamp_ms, until_ms=event.timestamp_ms),
        answers=(event.webhook_event_id,),
        offer=Offer(asks=asked.offer.asks, forgets=asked.offer.forgets),
    )
