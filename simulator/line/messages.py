"""A message in a chat, with the state of delivery to the webhook."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import regex

JsonObject = dict[str, Any]


class DeliveryState(StrEnum):
    """The result of the newest attempt to deliver. The bot's own messages are not delivered: `NONE`."""

    NONE = "none"
    SENDING = "sending"
    DELIVERED = "delivered"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A message.

    `content` is LINE's message object without `id` and tokens, e.g. `{"type": "text", "text": "hello"}`; a bot's message is kept as sent.
    `failure` is a status code or one of LINE's reasons, e.g. `503` or `request_timeout`.
    """

    line_message_id: str
    sender_id: str
    timestamp_ms: int
    content: JsonObject
    quote_token: str | None = field(default=None, repr=False)
    mark_as_read_token: str | None = field(default=None, repr=False)
    quoted_message_id: str | None = None
    webhook_event_id: str | None = None
    is_read: bool = False
    is_unsent: bool = False
    is_edited: bool = False
    delivery: DeliveryState = DeliveryState.NONE
    failure: str | None = None

    @property
    def type(self) -> str:
        """LINE's name of the kind of message, e.g. `sticker`."""
        return str(self.content["type"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """A line in the middle of the chat: `followed`, `blocked`, `joined`, `left`, `member_joined`, `member_left`."""

    timestamp_ms: int
    name: str
    display_name: str


def utf16_units(text: str) -> int:
    """The length in UTF-16 code units, as counted by LINE: `utf16_units("a😀")` is 3.  Source: docs/messaging-api/text-character-count."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def graphemes(text: str) -> int:
    """The number of characters as seen by people: `graphemes("👍🏽")`, an emoji with a skin tone, is 1."""
    return sum(1 for _ in regex.finditer(r"\X", text))
