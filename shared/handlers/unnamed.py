"""Events of a 1:1 chat without a user id: a fixed text answers them, and nothing is stored, because the chat is unknown."""

from dataclasses import field

from shared.bus.result import EventResult
from shared.clock import Clock, Deadline
from shared.frozen import frozen
from shared.line.messaging import OutgoingMessage, ReplyApi, ReplyToken, reply_deadline, spend_reply_token
from shared.line.phrases import Phrase, Phrases


@frozen
class UnnamedHandler:
    """Tells a person without an id how to be named."""

    line: ReplyApi
    phrases: Phrases
    clock: Clock = field(repr=False)

    def __call__(self, reply_token: ReplyToken, deadline: Deadline) -> EventResult:
        """The person has got the notice, if the token is alive.

        Repeated: LINE takes a token once, so no text is sent again. Raises: LineRefusedError.
        """
        notice = (OutgoingMessage(text=self.phrases.text(Phrase.NO_USER_ID)),)
        until = reply_deadline(reply_token, self.clock, latest=deadline)
        delivery = spend_reply_token(self.line, reply_token, notice, clock=self.clock, deadline=until)
        if delivery.is_delivered is None:
            return EventResult.UNKNOWN
        return EventResult.REPLIED if delivery.is_delivered else EventResult.UNDELIVERED
