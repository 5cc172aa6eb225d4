"""The settle window: a message waits a moment before a turn is opened, so that messages right after it get the same answer.

Images that were sent together come as several events, in any order; the window stays open until all images are in the journal.
"""

from dataclasses import dataclass, field
from typing import Final

from shared.clock import Clock, Deadline
from shared.conversation.history_reader import HistoryReader
from shared.conversation.records import MessageRecord
from shared.conversation.store import Conversation

IMAGE_SET_S: Final = 6.0
_POLL_S: Final = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class SettleWindow:
    """Waits before turns; `seconds` for every message, and up to IMAGE_SET_S more for an image set.

    Example: of three photos sent together, each event has `image_set_size=3`; the first photo waits until the journal holds all three.
    """

    seconds: float
    reader: HistoryReader
    clock: Clock = field(repr=False)

    def wait(self, conversation: Conversation, message: MessageRecord) -> None:
        """The window is over.  A press of a button does not wait.  Raises: StorageUnavailableError."""
        if message.presses is not None:
            return
        self.clock.sleep(self.seconds)
        deadline = Deadline.after(self.clock, IMAGE_SET_S)
        while message.image_set_size > 1 and deadline.left_s:
            history = self.reader.read_newest(conversation)
            arrived = {one.line_message_id for one in history.messages if one.image_set_id == message.image_set_id}
            if len(arrived) >= message.image_set_size:
                return
            self.clock.sleep(min(_POLL_S, deadline.left_s))
