"""Forgettings: the events that take something back.  Admission does not stop them in a chat of which the bucket holds anything.

A chat that was revoked keeps its memory, and may be admitted again. So what its members take back has to go at once, and what they confirm,
edit or ask to be erased, too. A chat of which nothing is stored has nothing to forget, and its events leave nothing.
"""

from dataclasses import dataclass
from typing import Final

from shared.conversation.store import Conversations
from shared.handlers.intake import Intake
from shared.handlers.traces import Traces
from shared.line.commands import Command
from shared.line.events import LineEvent, MessageContent
from shared.line.postback_data import question_id_in

_COMMANDS: Final = frozenset({Command.RESET, Command.EXIT, Command.BYE, Command.FORGET, Command.FORGET_ME})


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgetting:
    """Tells which events pass admission because they take something back."""

    conversations: Conversations
    intake: Intake
    traces: Traces

    def passes_admission(self, event: LineEvent) -> bool:
        """Whether the event takes something back, and something is stored of its chat.  Raises: StorageUnavailableError.

        Commands and edits do, and presses of the button under a question whether to erase. So does the joining of a member, because recall
        shows that member nothing from before.
        """
        if not self._takes_back(event):
            return False
        return not self.traces.has_none_of(self.conversations.of(event.conversation_id))

    def _takes_back(self, event: LineEvent) -> bool:
        match event:
            case LineEvent(type="message", message=MessageContent() as content):
                return self.intake.command(event, content) in _COMMANDS
            case LineEvent(type="postback"):
                return question_id_in(event.postback_data) is not None
            case _:
                return event.type in {"messageEdited", "memberJoined"}
