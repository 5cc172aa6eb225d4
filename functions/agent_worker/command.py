"""What people tell the bot to do without the model: help, ids, and to forget.

Every command acts as of its event's timestamp: what is older than that goes, what came later stays. The command itself is kept nowhere, and
the words that answer it are not older than it, so they outlive what it erases.
"""

from dataclasses import dataclass, field
from typing import assert_never

from shared import logs
from shared.conversation.history import Reader
from shared.conversation.turn import Route
from shared.conversation.withdrawal import Withdrawal
from shared.handlers.forget_question import is_confirmed
from shared.line.commands import Command
from shared.line.events import LineEvent, MessageContent
from shared.line.messaging import Membership
from shared.line.phrases import Phrase, Say
from shared.line.presence import Presence
from shared.turns.announcement import Announcing


@dataclass(frozen=True, slots=True, kw_only=True)
class Commands:
    """Handles messages that are commands, and presses of the button that confirms `/forget`."""

    announce: Announcing
    withdrawal: Withdrawal
    reader: Reader
    membership: Membership
    presence: Presence
    phrase: Say = field(repr=False)

    def __call__(self, event: LineEvent, content: MessageContent, command: Command, received_ms: int) -> str:
        """The command was carried out and answered.  Returns what came of it.

        Repeated: what was said is not said again, what came since is not erased, and a group that was joined since is not left.
        Raises: TurnBusyError, StorageUnavailableError, LineUnavailableError; safe to deliver again.
        """
        with self.presence.during(mark_as_read_token=content.mark_as_read_token):
            match command:
                case Command.HELP:
                    words = Phrase.HELP_FRIEND if event.is_one_on_one else Phrase.HELP_GROUP
                    return self._say(event, received_ms, self.phrase(words))
                case Command.ID:
                    return self._say(event, received_ms, self.phrase(Phrase.ID, id=event.conversation_id))
                case Command.FORGET:
                    return self._ask(event, received_ms)
                case Command.RESET:
                    return self._erase(event, received_ms, Phrase.RESET_DONE, spares_entries=True)
                case Command.EXIT | Command.BYE if event.is_one_on_one:
                    return self._erase(event, received_ms, Phrase.GOODBYE_FRIEND, spares_entries=True)
                case Command.EXIT | Command.BYE:
                    return self._leave(event, received_ms)
                case _:
                    assert_never(command)

    def confirm(self, event: LineEvent, question_id: str, received_ms: int) -> str:
        """Everything is forgotten, if this chat was asked that not long ago; else the question is asked anew.

        Repeated: an erasure that was begun is carried to its end, as of the first press. Raises: as a command does.
        """
        history = self.reader.now(event.conversation_id)
        own = next((one for one in history.outcomes if one.webhook_event_id == event.webhook_event_id), None)
        if own is not None:
            confirms = not own.asks_to_forget
        else:  # once the erasure was begun, the question itself may be gone
            was_begun = history.amendments.erased_ms == event.timestamp_ms - 1
            confirms = was_begun or is_confirmed(history, question_id, pressed_ms=event.timestamp_ms)
        if not confirms:
            return self._ask(event, received_ms)
        return self._erase(event, received_ms, Phrase.FORGET_DONE, spares_entries=False)

    def _ask(self, event: LineEvent, received_ms: int) -> str:
        return self._say(event, received_ms, self.phrase(Phrase.FORGET_QUESTION), asks_to_forget=True)

    def _erase(self, event: LineEvent, received_ms: int, words: Phrase, *, spares_entries: bool) -> str:
        """What is older than the event is gone; that is said as soon as nobody sees it any more, because certainty takes half a minute."""
        until_ms = event.timestamp_ms - 1
        self.withdrawal.begin_erasure(event.conversation_id, until_ms=until_ms, spares_entries=spares_entries)
        came_of = self._say(event, received_ms, self.phrase(words))
        self.withdrawal.end_erasure(event.conversation_id, until_ms=until_ms)
        logs.info("conversation_erased")
        return came_of

    def _leave(self, event: LineEvent, received_ms: int) -> str:
        """Goodbye is said, the bot has left, and nothing of the group is kept, not even the goodbye."""
        self.withdrawal.begin_erasure(event.conversation_id, until_ms=event.timestamp_ms - 1)
        came_of = "left_before" if self._is_of_an_earlier_stay(event) else self._say_goodbye(event, received_ms)
        self.withdrawal.erase(event.conversation_id, until_ms=event.timestamp_ms)
        return came_of

    def _say_goodbye(self, event: LineEvent, received_ms: int) -> str:
        came_of = self._say(event, received_ms, self.phrase(Phrase.GOODBYE_GROUP))
        if not self._is_of_an_earlier_stay(event):  # it may have waited for the turn
            self.membership.leave(event.conversation_id)
            logs.info("chat_left")
        return came_of

    def _is_of_an_earlier_stay(self, event: LineEvent) -> bool:
        """Whether the bot has left the group since, or has joined it again."""
        if self.withdrawal.amendments.watermark(event.conversation_id).entries_ms >= event.timestamp_ms:
            return True
        outcomes = self.reader.now(event.conversation_id).outcomes
        return any(one.is_joining and one.timestamp_ms > event.timestamp_ms for one in outcomes)

    def _say(self, event: LineEvent, received_ms: int, text: str, *, asks_to_forget: bool = False) -> str:
        return self.announce(
            event.conversation_id,
            event.webhook_event_id,
            timestamp_ms=event.timestamp_ms,
            route=Route(
                kind="token",
                reply_token=event.reply_token,
                received_ms=received_ms,
            ),
            text=text,
            asks_to_forget=asks_to_forget,
        )
