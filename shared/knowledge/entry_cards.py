"""Entries as rows of cards: tasks and projects have a button for marking as done; details, codes and addresses, a button for copying."""

import datetime as dt
import hashlib
from collections.abc import Iterator, Sequence
from typing import Final

from shared.agent.receipts import without_receipt_symbols
from shared.knowledge.catalog import Row, is_cut
from shared.knowledge.schema import DONE, status_choices
from shared.line.cards.card import Card, CardButton, CardRow
from shared.line.cards.copied import code_or_address, copy_button
from shared.line.graphemes import cut
from shared.line.ids import mask_ids
from shared.line.phrases import Phrase, phrase
from shared.line.postback_data import TickPress
from shared.locales.local_times import shown_value

ENTRIES_A_CARD: Final = 12
_NAME_UTF16: Final = 60
_DETAIL_UTF16: Final = 40
_SHORTEST_NAME: Final = 2
_VALUE: Final = "value"
_DUE: Final = "due_date"
_DETAILS: Final = (_DUE, "next_action", "context", "one_liner", _VALUE)


def entry_row(row: Row, *, locale: str, listed_ms: int) -> CardRow:
    """Return the entry as a row of a card that is sent at `listed_ms`."""
    words = tuple(without_receipt_symbols(mask_ids(part)) for part in words_of(row, locale=locale, now_ms=listed_ms))
    return CardRow(text=words[0], detail=words[1], buttons=tuple(_buttons(row, words, locale, listed_ms)))


def results_card(rows: Sequence[Row], text: str, *, locale: str, listed_ms: int) -> Card | None:
    """Return the entries of a search that an answer of the text names, as a card below the answer.

    None if there is nothing to tap or choose: the answer names one entry without a value to copy. For example, "The Wi-Fi password is
    harbour-42." gets a card with "Wi-Fi password" and a button for copying "harbour-42".
    """
    named_rows = [row for row in rows if _is_named(row, text)][:ENTRIES_A_CARD]
    drawn_rows = tuple(entry_row(row, locale=locale, listed_ms=listed_ms) for row in named_rows)
    can_be_copied = any(button.action == "copy" for row in drawn_rows for button in row.buttons)
    return Card(rows=drawn_rows) if len(drawn_rows) > 1 or can_be_copied else None


def words_of(row: Row, *, locale: str, now_ms: int) -> tuple[str, str]:
    """Return the name and the first detail that the entry has: ("Garden", "call the gardener"), or ("milk", "Wed 25 Nov")."""
    key = next((key for key in _DETAILS if key in row.shown), "")
    detail = row.shown.get(key, "")
    if key == _DUE:
        detail = shown_value(detail, locale=locale, this_year=dt.datetime.fromtimestamp(now_ms / 1_000, dt.UTC).year)
    name = cut(" ".join(row.name.split()), limit_utf16=_NAME_UTF16)
    return name, cut(" ".join(detail.split()), limit_utf16=_DETAIL_UTF16)


def handle_of(row: Row) -> str:
    """Return a short name for the entry in the data of buttons, which holds no words; another entry at its path has another handle."""
    return hashlib.sha256(f"{row.path}\n{row.created_at}".encode()).hexdigest()[:16]


def _is_named(row: Row, text: str) -> bool:
    value = _copied(row)
    return (len(row.name) >= _SHORTEST_NAME and row.name in text) or (bool(value) and value in text)


def _buttons(row: Row, words: Sequence[str], locale: str, listed_ms: int) -> Iterator[CardButton]:
    if row.is_open and DONE in status_choices(row.category):
        label = phrase(Phrase.TICK_BUTTON, locale=locale, bot_name="")
        press = TickPress(handle=handle_of(row), listed_ms=listed_ms)
        yield CardButton(label=label, value=press.data, shown=f"{label}: {words[0]}")
    if value := _copied(row) or code_or_address(" ".join(words)):
        yield copy_button(value, locale)


def _copied(row: Row) -> str:
    """Return the text that a button copies: a detail's value, where the row has the whole value, without a name."""
    value = row.shown.get(_VALUE, "")
    return "" if is_cut(value) or value != mask_ids(value) else value
