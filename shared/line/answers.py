"""What the model wrote, as the messages that LINE is given: plain text, without ids, in bubbles."""

from shared.line.bubbles import ANSWER, Layout, bubbles
from shared.line.characters import without_lone_surrogates
from shared.line.masking import mask_ids
from shared.line.outgoing import OutgoingMessage
from shared.line.plain_text import plain_text


def answer_messages(
    markdown: str, *, quote_token: str | None = None, layout: Layout = ANSWER
) -> tuple[OutgoingMessage, ...]:
    """Return at most `layout.at_most` messages that LINE takes; the first quotes the question.  A blank text: none."""
    text = mask_ids(plain_text(without_lone_surrogates(markdown)))
    return tuple(
        OutgoingMessage(text=bubble, quote_token=None if index else quote_token)
        for index, bubble in enumerate(bubbles(text, layout))
    )
