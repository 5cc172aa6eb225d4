"""Image sets: images that were sent together come as several events, in any order; a turn waits until the journal holds all of them."""

from dataclasses import field
from typing import Final

from shared.clock import Clock, Deadline
from shared.conversation.history_reader import HistoryReader
from shared.conversation.records import MessageRecord
from shared.conversation.store import Conversation
from shared.frozen import frozen

IMAGE_SET_S: Final = 6.0
_POLL_S: Final = 0.5


@frozen
class ImageSets:
    """Waits for the other images of a set, up to IMAGE_SET_S.

    Example: of three photos sent together, each event has `image_set_size=3`; the first photo waits until the journal holds all three.
    """

    reader: HistoryReader
    clock: Clock = field(repr=False)

    def wait(self, conversation: Conversation, message: MessageRecord) -> None:
        """The set of the message is complete, or the wait is over.  Other messages do not wait.  Raises: StorageUnavailableError."""
        deadline = Deadline.after(self.clock, IMAGE_SET_S)
        while message.image_set_size > 1 and deadline.left_s:
            history = self.reader.read_newest(conversation)
            arrived = {one.line_message_id for one in history.messages if one.image_set_id == message.image_set_id}
            if len(arrived) >= message.image_set_size:
                return
            self.clock.sleep(min(_POLL_S, deadline.left_s))
