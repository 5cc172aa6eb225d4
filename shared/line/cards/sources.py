"""What the code writes at the end of an answer as cards below it: its sources with a button for each link, and its receipt."""

import re
from typing import Final

from shared.line.cards.card import Card, CardButton, written
from shared.line.cards.drawing import ALT_TEXT_LIMIT, LABEL_LIMIT, is_drawable
from shared.line.graphemes import cut
from shared.line.utf16 import utf16_length

_GAP: Final = "\n\n"
_RECEIPT: Final = "✓ "
# As `footnote` of shared/tools/web.py writes them: "[1] tenki.jp" or "Google: Osaka weather", then the link
_SOURCE: Final = re.compile(r"(?P<title>\[\d{1,3}\] [^\n]+|Google: [^\n]+)\n(?P<url>https://[!-~]+)(?:\n|\Z)")


def sources_apart(text: str) -> tuple[str, str, Card | None]:
    r"""Return the words of an answer, the text of its sources, and the sources as a card.

    None: the answer ends without sources, or has nothing but sources, or LINE would refuse the card; then the words are the whole text.
    For example: "Sunny [1].\\n\\n[1] tenki.jp\\nhttps://tenki.jp/" -> "Sunny [1].", "[1] tenki.jp\\nhttps://tenki.jp/", and a card with one
    button.
    """
    paragraphs = text.split(_GAP)
    first = len(paragraphs)
    while first > 0 and _is_of_sources(paragraphs[first - 1]):
        first -= 1
    words, source_text = _GAP.join(paragraphs[:first]), _GAP.join(paragraphs[first:])
    if not words.strip() or not source_text or utf16_length(source_text) > ALT_TEXT_LIMIT:
        return text, "", None
    buttons = tuple(
        CardButton(label=cut(source["title"], limit_utf16=LABEL_LIMIT), value=source["url"], action="open")
        for source in _SOURCE.finditer(source_text)
    )
    card = Card(buttons=buttons)
    return (words, source_text, card) if is_drawable(card) else (text, "", None)


def card_apart(text: str, card: Card) -> tuple[str, str]:
    """Return the words above an answer's card, and the card's own words: the receipt within the text, or the rows of the card.

    A paragraph of the text with the very words of the card stands on the card only, such as an attached balance.
    The card's words are "" where the answer is nothing but a receipt, or LINE would refuse the card; then the words are the whole text.
    """
    paragraphs = text.split(_GAP)
    card_text = written(card)
    words = [paragraph for paragraph in paragraphs if paragraph != card_text]
    if card.rows[0].text.startswith(_RECEIPT):
        receipts = [paragraph for paragraph in paragraphs if paragraph.startswith(_RECEIPT)]
        words = [paragraph for paragraph in paragraphs if not paragraph.startswith(_RECEIPT)]
        card_text = _GAP.join(receipts)
    is_shown = bool(words and card_text) and utf16_length(card_text) <= ALT_TEXT_LIMIT and is_drawable(card)
    return (_GAP.join(words), card_text) if is_shown else (text, "")


def _is_of_sources(paragraph: str) -> bool:
    """Whether the paragraph holds nothing but sources."""
    return bool(paragraph) and not _SOURCE.sub("", paragraph)
