"""Commands: help, ids and forgetting, without the model.

A command acts as of its event's timestamp: what is older is erased, what came later stays. The command itself is not recorded, and the text
that answers it is not older than it, so it outlives what the command erases.
"""

from dataclasses import dataclass
from typing import Final, assert_never

from shared import logs
from shared.bus.result import EventResult
from shared.conversation.history import History, HistoryReader
from shared.conversation.store import Conversation, Conversations
from shared.conversation.withdrawal import Withdrawal
from shared.line.commands import Command
from shared.line.events import LineEvent, MessageContent
from shared.line.messaging import Membership
from shared.line.phrases import Phrase, Phrases
from shared.line.presence import Presence
from shared.turns.announcement import Announcement, Announcer

CONFIRMED_WITHIN_MS: Final = 10 * 60_000
_EXPLANATIONS: Final = {
    Command.HELP: (Phrase.HELP_FRIEND, Phrase.HELP_GROUP),
    Command.START: (Phrase.GREETING_FRIEND, Phrase.GREETING_GROUP),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandHandler:
    """Handles messages that are commands, and presses of the button that confirms `/forget`."""

    conversations: Conversations
    announcer: Announcer
    withdrawal: Withdrawal
    reader: HistoryReader
    membership: Membership
    presence: Presence
    phrases: Phrases

    def __call__(self, event: LineEvent, content: MessageContent, command: Command) -> EventResult:
        """The command was carried out and answered.

        Repeated: what was sent is not sent again, what came since is not erased, and a group that was joined since is not left.
        Raises: TurnBusyError, StorageUnavailableError, LineUnavailableError; safe to deliver again.
        """
        logs.info("command_received", command=command.value)
        conversation = self.conversations.of(event.conversation_id)
        with self.presence.during(mark_as_read_token=content.mark_as_read_token):
            match command:
                case Command.HELP | Command.START:
                    friend, group = _EXPLANATIONS[command]
                    return self._say(conversation, event, self.phrases.text(friend if event.is_one_on_one else group))
                case Command.ID:
                    return self._say(conversation, event, self.phrases.text(Phrase.ID, id=conversation.id))
                case Command.FORGET:
                    return self._ask(conversation, event)
                case Command.RESET:
                    return self._erase(conversation, event, Phrase.RESET_DONE, spares_entries=True)
                case Command.EXIT | Command.BYE if event.is_one_on_one:
                    return self._erase(conversation, event, Phrase.GOODBYE_FRIEND, spares_entries=True)
                case Command.EXIT | Command.BYE:
                    return self._leave(conversation, event)
                case _:
                    assert_never(command)

    def confirm(self, event: LineEvent, question_id: str) -> EventResult:
        """Everything is forgotten, if this chat was asked that not long ago; else the question is asked anew.

        Repeated: an erasure that was begun is carried to its end, as of the first press. Raises: as a command does.
        """
        conversation = self.conversations.of(event.conversation_id)
        history = self.reader.read_newest(conversation)
        own = next((one for one in history.outcomes if one.webhook_event_id == event.webhook_event_id), None)
        if own is not None:
            confirms = not own.asks_to_forget
        else:  # once the erasure was begun, the question itself may be gone
            was_begun = history.amendments.erased_ms == event.timestamp_ms - 1
            confirms = was_begun or is_confirmed(history, question_id, pressed_ms=event.timestamp_ms)
        if not confirms:
            return self._ask(conversation, event)
        return self._erase(conversation, event, Phrase.FORGET_DONE, spares_entries=False)

    def _ask(self, conversation: Conversation, event: LineEvent) -> EventResult:
        return self._say(conversation, event, self.phrases.text(Phrase.FORGET_QUESTION), asks_to_forget=True)

    def _erase(
        self, conversation: Conversation, event: LineEvent, words: Phrase, *, spares_entries: bool
    ) -> EventResult:
        """Erase what is older than the event, and confirm it."""
        self.withdrawal.erase(conversation, until_ms=event.timestamp_ms - 1, spares_entries=spares_entries)
        result = self._say(conversation, event, self.phrases.text(words))
        logs.info("conversation_erased")
        return result

    def _leave(self, conversation: Conversation, event: LineEvent) -> EventResult:
        """Say goodbye, leave the group, and erase all of it, the goodbye included."""
        self.withdrawal.erase(conversation, until_ms=event.timestamp_ms - 1)
        is_late = self._is_of_an_earlier_stay(conversation, event)
        result = EventResult.LEFT_BEFORE if is_late else self._say_goodbye(conversation, event)
        self.withdrawal.erase(conversation, until_ms=event.timestamp_ms)
        return result

    def _say_goodbye(self, conversation: Conversation, event: LineEvent) -> EventResult:
        result = self._say(conversation, event, self.phrases.text(Phrase.GOODBYE_GROUP))
        if not self._is_of_an_earlier_stay(conversation, event):  # it may have waited for the turn
            self.membership.leave(conversation.id)
            logs.info("chat_left")
        return result

    def _is_of_an_earlier_stay(self, conversation: Conversation, event: LineEvent) -> bool:
        """Whether the bot has left the group since, or has joined it again."""
        if conversation.amendments.watermark().entries_ms >= event.timestamp_ms:
            return True
        outcomes = self.reader.read_newest(conversation).outcomes
        return any(one.is_joining and one.timestamp_ms > event.timestamp_ms for one in outcomes)

    def _say(
        self, conversation: Conversation, event: LineEvent, text: str, *, asks_to_forget: bool = False
    ) -> EventResult:
        announcement = Announcement(
            webhook_event_id=event.webhook_event_id,
            timestamp_ms=event.timestamp_ms,
            text=text,
            asks_to_forget=asks_to_forget,
        )
        return self.announcer.announce(conversation, announcement, event.reply_token)


def is_confirmed(history: History, question_id: str, *, pressed_ms: int) -> bool:
    """Whether the chat was asked this question, at most ten minutes before the press; both by LINE's timestamp."""
    asked = next((one for one in history.outcomes if one.webhook_event_id == question_id), None)
    return asked is not None and asked.asks_to_forget and 0 <= pressed_ms - asked.timestamp_ms <= CONFIRMED_WITHIN_MS
