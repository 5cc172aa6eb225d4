"""A shared list as a card: the open items, each with a button for ticking, then the ticked items, with a button for clearing."""

from collections.abc import Sequence
from typing import Final

from shared.agent.receipts import without_receipt_symbols
from shared.knowledge.entry_cards import ENTRIES_A_CARD, entry_row
from shared.knowledge.schema import DONE
from shared.knowledge.shared_lists import SharedList, handle_of_list
from shared.line.cards.card import Card, CardButton, CardRow
from shared.line.graphemes import cut
from shared.line.ids import mask_ids
from shared.line.phrases import Phrase, phrase
from shared.line.postback_data import ListChoice, ListPress

_MOST_TITLES: Final = 10
_TITLE_UTF16: Final = 60


def list_card(shared_list: SharedList, *, locale: str, listed_ms: int, page: int = 0) -> Card:
    """Return a page of the list, counted from 0, as it is at `listed_ms`; a page beyond the last is the last."""
    rows = (*shared_list.open_rows, *shared_list.done_rows)
    first = min(page, max(len(rows) - 1, 0) // ENTRIES_A_CARD) * ENTRIES_A_CARD
    shown = rows[first : first + ENTRIES_A_CARD]
    title = title_of_list(shared_list, locale=locale)
    handle = handle_of_list(shared_list.name)
    buttons = list[CardButton]()
    if first + len(shown) < len(rows):
        more = ListPress(choice=ListChoice.SHOW, handle=handle, number=first // ENTRIES_A_CARD + 1)
        buttons.append(_button(Phrase.MORE_BUTTON, more, locale))
    if shared_list.done_rows:
        cleared = ListPress(choice=ListChoice.CLEAR, handle=handle, number=listed_ms)
        buttons.append(_button(Phrase.LIST_CLEAR_BUTTON, cleared, locale))
    done = phrase(Phrase.LIST_ITEM_DONE, locale=locale, bot_name="")
    drawn = (entry_row(row, locale=locale, listed_ms=listed_ms) for row in shown)
    drawn_rows = tuple(
        CardRow(text=one.text, detail=done) if row.status == DONE else one
        for row, one in zip(shown, drawn, strict=True)
    )
    return Card(title=title, rows=drawn_rows, buttons=tuple(buttons))


def list_rows(lists: Sequence[SharedList], *, locale: str) -> tuple[CardRow, ...]:
    """Return the lists as rows, each with the number of open items and a button for showing the list."""
    return tuple(
        CardRow(
            text=title_of_list(one, locale=locale),
            buttons=(
                _button(
                    Phrase.LIST_BUTTON,
                    ListPress(choice=ListChoice.SHOW, handle=handle_of_list(one.name), number=0),
                    locale,
                ),
            ),
        )
        for one in lists[:_MOST_TITLES]
    )


def title_of_list(shared_list: SharedList, *, locale: str) -> str:
    """Return the list's name with the number of its open items, for example "Shopping (3)"."""
    name = cut(" ".join(shared_list.name.split()), limit_utf16=_TITLE_UTF16)
    shown = without_receipt_symbols(mask_ids(name)) or phrase(Phrase.LIST_UNNAMED, locale=locale, bot_name="")
    count = str(len(shared_list.open_rows))
    return phrase(Phrase.LIST_TITLE, locale=locale, bot_name="", name=shown, count=count)


def _button(label: Phrase, press: ListPress, locale: str) -> CardButton:
    return CardButton(label=phrase(label, locale=locale, bot_name=""), value=press.data)
