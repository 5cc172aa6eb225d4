"""Being in a group or room, and leaving it.  Source: LINE, "Leave group chat", "Leave multi-person chat"."""

from typing import Protocol


class Membership(Protocol):
    """The bot's seat in groups and rooms."""

    def leave(self, conversation_id: str) -> None:
        """The bot is not in the group or room.  Not in it (any more): does nothing.

        Raises: LineUnavailableError, LineRefusedError.
        """
        ...
