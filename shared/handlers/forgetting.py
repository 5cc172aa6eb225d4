"""Forgettings: events that take something back.  They pass without admission in every chat with stored objects.

A revoked chat keeps its memory, and may be admitted again. An unsend, an edit, a confirmation or an erasure therefore works there at
once. A chat without stored objects has nothing to forget, and its events leave nothing.
"""

from typing import Final

from shared.conversation.store import Conversations
from shared.frozen import frozen
from shared.handlers.intake import Intake
from shared.handlers.traces import Traces
from shared.line.commands import Command
from shared.line.events import LineEvent, MessageContent
from shared.line.postback_data import ConfirmPress, SparePress

_COMMANDS: Final = frozenset({Command.RESET, Command.EXIT, Command.BYE, Command.FORGET, Command.FORGET_ME})


@frozen
class Forgetting:
    """Decides which events pass admission because they take something back."""

    conversations: Conversations
    intake: Intake
    traces: Traces

    def passes_admission(self, event: LineEvent) -> bool:
        """Whether the event takes something back, in a chat with stored objects.  Raises: StorageUnavailableError.

        Such events are commands (`/forget`), edits, presses under a question whether to erase, and joinings of members: recall shows a new
        member nothing from the time before.
        """
        if not self._takes_back(event):
            return False
        return not self.traces.has_none_of(self.conversations.of(event.conversation_id))

    def _takes_back(self, event: LineEvent) -> bool:
        match event:
            case LineEvent(type="message", message=MessageContent() as content):
                return self.intake.command(event, content) in _COMMANDS
            case LineEvent(type="postback"):
                data = event.postback_data
                return ConfirmPress.read(data) is not None or SparePress.read(data) is not None
            case _:
                return event.type in {"messageEdited", "memberJoined"}
