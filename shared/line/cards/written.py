"""Written texts as cards with the same words: a digest and a greeting line by line, the help paragraph by paragraph."""

from collections.abc import Sequence
from typing import Final

from shared.line.cards.card import Card, CardButton, CardRow
from shared.line.postback_data import SuggestionPress

_ITEM_MARKS: Final = ("・", "- ", "• ")


def digest_card(text: str) -> Card:
    """Return a digest as a card, line by line: "【Top 3】" is a heading, "・Garden" a row."""
    title, *lines = [line for line in text.splitlines() if line.strip()] or [""]
    rows = tuple(_row_of(line) for line in lines)
    return Card(title=title, rows=rows)


def help_card(text: str, answer_id: str, examples: Sequence[str]) -> Card:
    """Return an explanation as a card, a paragraph a row, with the examples of its second paragraph as buttons.

    The buttons suggest what a person may say below the answer of this id; the first line of that paragraph stands above them.
    """
    title, _, body = text.strip().partition("\n")
    abilities, tries, *further = [paragraph.strip() for paragraph in body.split("\n\n")]
    rows = (abilities, *further)
    return Card(
        title=title,
        rows=(*(CardRow(text=row) for row in rows), CardRow(text=tries.partition("\n")[0], is_heading=True)),
        buttons=_examples(answer_id, examples),
    )


def greeting_card(text: str, answer_id: str, examples: Sequence[str]) -> Card:
    """Return a greeting as a card, a line a row, with the examples as buttons, as in `help_card`."""
    rows = (CardRow(text=line) for line in text.splitlines() if line.strip())
    return Card(rows=tuple(rows), buttons=_examples(answer_id, examples))


def _examples(answer_id: str, examples: Sequence[str]) -> tuple[CardButton, ...]:
    return tuple(
        CardButton(label=words, value=SuggestionPress(answer_id=answer_id, number=number).data)
        for number, words in enumerate(examples)
    )


def _row_of(line: str) -> CardRow:
    mark = next((mark for mark in _ITEM_MARKS if line.startswith(mark)), None)
    return CardRow(text=line, is_heading=True) if mark is None else CardRow(text=line.removeprefix(mark))
