"""What the bot sends: texts, and texts with a button that stays in the chat.

A button is one of a buttons template and not a quick reply: quick replies are shown on phones only and vanish with the next message, while
somebody may come back for an answer after twenty more.  Source: LINE, "Use quick replies", "Buttons template", "Postback action",
"Send quote messages": a template cannot quote.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from shared.line.characters import utf16_length

MESSAGES_A_CALL: Final = 5
TEXT_LIMIT_UTF16: Final = 5_000  # Source: LINE, "Text message"
TEMPLATE_TEXT_LIMIT: Final = 160  # without image and title
LABEL_LIMIT: Final = 20
DATA_LIMIT: Final = 300
DISPLAY_TEXT_LIMIT: Final = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class PostbackButton:
    """A button whose press comes back as a postback event with `data`; `display_text` then stands in the chat as the person's own words."""

    label: str
    data: str = field(repr=False)
    display_text: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OutgoingMessage:
    """One bubble.  `quote_token` shows it as the answer to a message of the same chat; a message with a button has none."""

    text: str = field(repr=False)
    quote_token: str | None = field(default=None, repr=False)
    button: PostbackButton | None = None


def is_sendable(messages: Sequence[OutgoingMessage]) -> bool:
    """Whether LINE takes the messages in one call, as far as that can be known without it.

    Texts of templates are counted by UTF-16 units too, although LINE counts graphemes there, which are never more.
    """
    return 1 <= len(messages) <= MESSAGES_A_CALL and all(map(_fits, messages))


def _fits(message: OutgoingMessage) -> bool:
    button = message.button
    if button is None:
        return _within(message.text, TEXT_LIMIT_UTF16)
    return (
        message.quote_token is None
        and _within(message.text, TEMPLATE_TEXT_LIMIT)
        and _within(button.label, LABEL_LIMIT)
        and _within(button.data, DATA_LIMIT)
        and (button.display_text is None or _within(button.display_text, DISPLAY_TEXT_LIMIT))
    )


def _within(text: str, limit_utf16: int) -> bool:
    return bool(text.strip()) and utf16_length(text) <= limit_utf16
