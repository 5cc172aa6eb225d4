"""Postback events: presses of the bot's own buttons."""

from dataclasses import dataclass

from shared.bus.result import EventResult
from shared.handlers.erasure import ErasureHandler
from shared.handlers.message import MessageHandler
from shared.handlers.reminder_press import ReminderPressHandler
from shared.line.display_names import Profiles
from shared.line.events import LineEvent
from shared.line.postback_data import deferral_id_in, proposal_id_in, question_id_in, reminder_press_in


@dataclass(frozen=True, slots=True, kw_only=True)
class PostbackHandler:
    """Calls the handler of the pressed button."""

    message: MessageHandler
    erasure: ErasureHandler
    reminder: ReminderPressHandler
    profiles: Profiles

    def __call__(self, event: LineEvent) -> EventResult:
        """A press of "show the answer" gets the answer; a press that confirms a question or answers a reminder is carried out.

        Any other press is ignored. Repeated, and raises: as the handler of the button does.
        """
        data = event.postback_data
        if event.reply_token is None:
            return EventResult.NOT_ANSWERABLE
        if (question_id := question_id_in(data)) is not None:
            return self.erasure.confirm(event, question_id)
        answer_id = deferral_id_in(data) or proposal_id_in(
            data
        )  # the answer decides what the press does, not the word before the answer's id
        if answer_id is not None and self._is_of_member(event):
            return self.message.press(event, answer_id)
        press = reminder_press_in(data)
        return EventResult.IGNORED if press is None else self.reminder(event, press)

    def _is_of_member(self, event: LineEvent) -> bool:
        """Whether a member of the chat pressed; if LINE does not answer, the signed event, which names the chat, is taken as proof."""
        if event.is_one_on_one:  # the chat's id is the person's id
            return True
        return event.user_id is not None and self.profiles.is_member(event.conversation_id, event.user_id) is not False
