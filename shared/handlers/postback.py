"""Postback events: presses of the bot's own buttons."""

from dataclasses import dataclass

from shared.bus.result import EventResult
from shared.handlers.erasure import ErasureHandler
from shared.handlers.message import MessageHandler
from shared.handlers.reminder_press import ReminderPressHandler
from shared.line.events import LineEvent
from shared.line.postback_data import deferral_id_in, question_id_in, reminder_press_in


@dataclass(frozen=True, slots=True, kw_only=True)
class PostbackHandler:
    """Hands a press to what its button belongs to."""

    message: MessageHandler
    erasure: ErasureHandler
    reminder: ReminderPressHandler

    def __call__(self, event: LineEvent) -> EventResult:
        """A press of "show the answer" gets the answer; one that confirms an erasure, or answers a reminder, is carried out.

        Any other is ignored. Repeated, and raises: as the handler of the button does.
        """
        if event.reply_token is None:
            return EventResult.NOT_ANSWERABLE
        deferral_id, question_id = deferral_id_in(event.postback_data), question_id_in(event.postback_data)
        if deferral_id is not None:
            return self.message.press(event, deferral_id)
        if question_id is not None:
            return self.erasure.confirm(event, question_id)
        press = reminder_press_in(event.postback_data)
        return EventResult.IGNORED if press is None else self.reminder(event, press)
