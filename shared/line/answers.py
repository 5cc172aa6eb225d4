"""What the model wrote, as people see it: plain text, without ids, and then in bubbles.

The plain text is what is committed and remembered; the bubbles are cut from it when it is sent, the same ones however often that is.
"""

from typing import Final

from shared.line.bubbles import ANSWER, DIGEST, Layout, bubbles, shortened
from shared.line.characters import without_lone_surrogates
from shared.line.masking import mask_ids
from shared.line.outgoing import MESSAGES_A_CALL, OutgoingMessage
from shared.line.plain_text import plain_text
from shared.line.text import split_at_graphemes

_SMALL: Final = Layout(text_limit=MESSAGES_A_CALL * ANSWER.bubble_limit, bubble_limit=ANSWER.bubble_limit)


def shown_text(markdown: str, *, limit: int = ANSWER.text_limit) -> str:
    """Return what people see of what the model wrote: no Markdown, no ids, and a clean end within the limit.  It may be blank."""
    return shortened(mask_ids(plain_text(without_lone_surrogates(markdown))), limit=limit)


def answer_messages(text: str, *, quote_token: str | None = None) -> tuple[OutgoingMessage, ...]:
    """Return a shown text as messages that LINE takes in one call; the first quotes the question.  A blank text: none.

    Bubbles are short; what does not fit into five of those, such as a digest or links to sources, gets larger ones.
    """
    fits = shortened(text, limit=_SMALL.text_limit) == text.strip()
    return _quoting(bubbles(text, _SMALL if fits else DIGEST), quote_token)


def fixed_messages(text: str, *, quote_token: str | None = None) -> tuple[OutgoingMessage, ...]:
    """Return words of our own as messages, in one bubble where LINE takes it, exactly as they are written."""
    return _quoting(split_at_graphemes(text)[:MESSAGES_A_CALL], quote_token)


def _quoting(texts: tuple[str, ...], quote_token: str | None) -> tuple[OutgoingMessage, ...]:
    return tuple(
        OutgoingMessage(text=text, quote_token=None if index else quote_token) for index, text in enumerate(texts)
    )
