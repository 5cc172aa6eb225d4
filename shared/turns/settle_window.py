"""Images that were sent together come as several events, in any order: wait for the others, so that they are one question."""

from dataclasses import dataclass, field
from typing import Final

from shared.clock import Clock, Deadline
from shared.conversation.history import Reader
from shared.conversation.records import MessageRecord

PATIENCE_S: Final = 6.0
_POLL_S: Final = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathering:
    """Waits for image sets."""

    reader: Reader
    clock: Clock = field(repr=False)

    def __call__(self, conversation_id: str, message: MessageRecord) -> None:
        """The whole set of the message is in the journal, or it was waited for long enough.  No set, or of unknown size: does nothing.

        Raises: StorageUnavailableError.
        """
        patience = Deadline.after(self.clock, PATIENCE_S)
        while message.image_set_size > 1 and patience.left_s:
            history = self.reader.now(conversation_id)
            arrived = {one.line_message_id for one in history.messages if one.image_set_id == message.image_set_id}
            if len(arrived) >= message.image_set_size:
                return
            self.clock.sleep(min(_POLL_S, patience.left_s))
