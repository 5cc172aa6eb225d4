"""Questions with buttons as cards: the question alone, or below the changes that it asks about."""

from typing import Final

from shared.line.cards.card import Card, CardRow
from shared.line.cards.drawing import ALT_TEXT_LIMIT, ROW_UTF16, is_drawable
from shared.line.utf16 import utf16_length

PARAGRAPHS_APART: Final = "\n\n"
# As `described` of shared/agent/proposals.py writes a change: its head, and below it a line for each argument
_HEAD: Final = "☐ "
_INDENT: Final = "     "


def question_card(question: str, changes: str = "") -> Card:
    """Return the question as a card; the changes that it asks about stand above it, a change a row with its arguments as detail.

    A question in two languages has a row for each. Example: "☐ File: “rice”" and "Shall I do what is marked ☐?" are two rows; the buttons
    are those of the message.
    """
    asked = (CardRow(text=paragraph) for paragraph in question.split(PARAGRAPHS_APART))
    return Card(rows=(*_rows_of(changes), *asked))


def changes_apart(text: str, question: str) -> tuple[str, str]:
    r"""Return the words of an answer, and its proposed changes if a card shows the changes whole above the question.

    The changes are "" where the answer proposes none, holds nothing else, or where LINE or the card would cut a line: the words are then
    the whole text. Example: "Delete it?\n\n☐ Delete “lunch”" -> "Delete it?", "☐ Delete “lunch”".
    """
    paragraphs = text.split(PARAGRAPHS_APART)
    changes = PARAGRAPHS_APART.join(paragraph for paragraph in paragraphs if paragraph.startswith(_HEAD))
    words = PARAGRAPHS_APART.join(paragraph for paragraph in paragraphs if not paragraph.startswith(_HEAD))
    is_whole = all(utf16_length(part) <= ROW_UTF16 for row in _rows_of(changes) for part in (row.text, row.detail))
    is_shown = (
        bool(words.strip() and changes) and utf16_length(f"{changes}{PARAGRAPHS_APART}{question}") <= ALT_TEXT_LIMIT
    )
    return (words, changes) if is_whole and is_shown and is_drawable(question_card(question, changes)) else (text, "")


def _rows_of(changes: str) -> tuple[CardRow, ...]:
    rows: list[list[str]] = []
    for line in changes.splitlines():
        if line.startswith(_HEAD) or not rows:
            rows.append([line])
        else:
            rows[-1].append(line.removeprefix(_INDENT))
    return tuple(CardRow(text=head, detail="\n".join(details)) for head, *details in rows)
