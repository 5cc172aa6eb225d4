"""Postback events: presses of the bot's own buttons."""

from dataclasses import dataclass

from shared.bus.result import EventResult
from shared.handlers.erasure import ErasureHandler
from shared.handlers.message import MessageHandler
from shared.line.events import LineEvent
from shared.line.postback_data import deferral_id_in, question_id_in


@dataclass(frozen=True, slots=True, kw_only=True)
class PostbackHandler:
    """Hands a press to what its button belongs to."""

    message: MessageHandler
    erasure: ErasureHandler

    def __call__(self, event: LineEvent) -> EventResult:
        """A press of "show the answer" gets the answer, one that confirms an erasure carries it out; any other is ignored.

        Repeated, and raises: as the handler of the button does.
        """
        if event.reply_token is None:
            return EventResult.NOT_ANSWERABLE
        deferral_id, question_id = deferral_id_in(event.postback_data), question_id_in(event.postback_data)
        if deferral_id is not None:
            return self.message.press(event, deferral_id)
        return EventResult.IGNORED if question_id is None else self.erasure.confirm(event, question_id)
