"""Chats: their members, and the entries on the phone's screen."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final

from .messages import Message, Notice

ENTRIES_KEPT: Final = 1_000


class ChatKind(StrEnum):
    """LINE's `source.type`."""

    USER = "user"
    GROUP = "group"
    ROOM = "room"


@dataclass(slots=True, kw_only=True)
class Chat:
    """A chat. A 1:1 chat has the person's id. The newest `ENTRIES_KEPT` entries are kept.

    `awaits_join`: the bot was added to a room; the join event is sent just before the room's next event.
    Source: Messaging API reference, "Join event".
    """

    chat_id: str
    kind: ChatKind
    name: str
    member_ids: tuple[str, ...]
    bot_is_member: bool = False
    awaits_join: bool = False
    loading_until_ms: int = 0
    entries: list[Message | Notice] = field(default_factory=list)

    @property
    def messages(self) -> Iterator[Message]:
        """The messages, oldest first."""
        return (entry for entry in self.entries if isinstance(entry, Message))

    def add(self, entry: Message | Notice) -> None:
        """Append the entry, and drop the oldest beyond `ENTRIES_KEPT`."""
        self.entries.append(entry)
        del self.entries[:-ENTRIES_KEPT]

    def message(self, line_message_id: str) -> Message | None:
        """Return the message by id, unsent or not."""
        return next((message for message in self.messages if message.line_message_id == line_message_id), None)

    def put(self, message: Message) -> None:
        """Replace the message with the same id. Does nothing if that message is no longer kept."""
        for position, entry in enumerate(self.entries):
            if isinstance(entry, Message) and entry.line_message_id == message.line_message_id:
                self.entries[position] = message
                return

    def has_quote_token(self, quote_token: str) -> bool:
        """Whether the token was issued in this chat; an unsent message can still be quoted."""
        return any(message.quote_token == quote_token for message in self.messages)

    def find_quoted(self, quote_token: str) -> str | None:
        """Return the id of the message that the token quotes."""
        line_message_ids = (message.line_message_id for message in self.messages if message.quote_token == quote_token)
        return next(line_message_ids, None)

    def has_tracking_id(self, bot_user_id: str, tracking_id: str) -> bool:
        """Whether the account sent a video with this tracking id."""
        videos = (message.content for message in self.messages if message.sender_id == bot_user_id)
        return any(content["type"] == "video" and content.get("trackingId") == tracking_id for content in videos)

    def mark_read(self, mark_as_read_token: str) -> bool:
        """Mark the token's message and all earlier ones of people as read.  Returns: False for a token of another chat."""
        tokens = [entry.mark_as_read_token if isinstance(entry, Message) else None for entry in self.entries]
        if mark_as_read_token not in tokens:
            return False
        for message in [
            entry for entry in self.entries[: tokens.index(mark_as_read_token) + 1] if isinstance(entry, Message)
        ]:
            if message.mark_as_read_token is not None:
                self.put(replace(message, is_read=True))
        return True

    def wrote_since(self, user_id: str, timestamp_ms: int) -> bool:
        """Whether the person sent a message here at or after that time."""
        return any(message.sender_id == user_id and message.timestamp_ms >= timestamp_ms for message in self.messages)
