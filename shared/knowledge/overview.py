"""A chat's open entries, and the digest of its day, as fixed texts: the answers of `/notes` and `/digest`."""

import datetime as dt
import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from shared.agent.receipts import without_receipt_symbols
from shared.conversation.amendments import Amendments
from shared.conversation.provenance import Provenance
from shared.conversation.store import Conversation
from shared.knowledge.catalog import Row, is_cut
from shared.knowledge.digest import digest, digest_texts
from shared.knowledge.entry_store import EntryStore
from shared.knowledge.schema import DONE, Category, status_choices
from shared.line.cards.card import Card, CardButton, CardRow, title_of
from shared.line.cards.written import digest_card
from shared.line.graphemes import cut
from shared.line.ids import mask_ids
from shared.line.phrases import Phrase, Phrases
from shared.line.postback_data import TickPress, page_data, tick_data

_SHOWN: Final = 30
_A_PAGE: Final = 12
_NAME_UTF16: Final = 60
_DETAIL_UTF16: Final = 40
_ORDER: Final = (
    Category.PROJECTS,
    Category.ADMIN,
    Category.PEOPLE,
    Category.IDEAS,
    Category.DETAILS,
    Category.INBOX,
)
_COPIED: Final = "value"
_DETAILS: Final = ("due_date", "next_action", "context", "one_liner", "value")


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryOverview:
    """The text, the provenance of the repeated words, and the same words as a card."""

    text: str = field(repr=False)
    provenance: Provenance = field(default_factory=Provenance)
    card: Card | None = None


def open_entries(
    conversation: Conversation, *, phrases: Phrases, locale: str, page: int | None = None, except_path: str = ""
) -> EntryOverview:
    """Return the open entries by category, the newest first, without entries from withdrawn messages.

    For example: "Notes (2):", "[projects]", "・Garden: call the gardener". Without a `page`, the text has thirty entries; with a page,
    counted from 0, text and card have its twelve. A page beyond the last is the last. The entry at `except_path`, which is about to be
    done, is left out. Raises: StorageUnavailableError.
    """
    rows, amendments = _rows_of(conversation)
    open_rows = sorted(
        (row for row in rows if row.is_open and row.path != except_path),
        key=lambda row: (row.updated_at, row.path),
        reverse=True,
    )
    open_rows.sort(key=lambda row: _ORDER.index(row.category))
    if not open_rows:
        return EntryOverview(text=phrases.text(Phrase.NOTES_NONE, locale=locale))
    first = 0 if page is None else min(page, (len(open_rows) - 1) // _A_PAGE) * _A_PAGE
    shown = open_rows[first : first + (_SHOWN if page is None else _A_PAGE)]
    heading, hidden_count = (
        phrases.text(Phrase.NOTES_OPEN, locale=locale, count=str(len(open_rows))),
        len(open_rows) - first - len(shown),
    )
    lines, drawn_rows = [heading], list[CardRow]()
    entry_rows = _EntryRows(phrases=phrases, locale=locale, listed_ms=conversation.turn.clock.now_ms())
    for category in _ORDER:
        of_category = [row for row in shown if row.category is category]
        if of_category:
            title = digest_texts(locale).of_category[category]
            lines += [f"[{title}]", *(f"・{_line(row)}" for row in of_category)]
            drawn_rows += [CardRow(text=title, is_heading=True), *map(entry_rows.drawn, of_category)]
    lines += [f"… +{hidden_count}"] if hidden_count else []
    overview = _overview("\n".join(lines), shown, amendments)
    if page is None:
        return overview
    more = CardButton(
        label=phrases.text(Phrase.MORE_BUTTON, locale=locale), value=page_data("notes", first // _A_PAGE + 1)
    )
    card = Card(title=title_of(heading), rows=tuple(drawn_rows), buttons=(more,) if hidden_count else ())
    return replace(overview, card=card)


def digest_of_today(conversation: Conversation, *, locale: str, now: dt.datetime) -> EntryOverview:
    """Return the daily digest at `now`, without entries from withdrawn messages.  Raises: StorageUnavailableError."""
    rows, amendments = _rows_of(conversation)
    today = digest(rows, kind="daily", locale=locale, now=now)
    overview = _overview(today.text, rows, amendments)
    return replace(overview, card=digest_card(overview.text))


def _rows_of(conversation: Conversation) -> tuple[Sequence[Row], Amendments]:
    catalog = EntryStore(conversation).catalog()
    amendments = conversation.amendments.look()
    return catalog.without(amendments.is_withdrawn_from_entries).rows, amendments


def _overview(text: str, rows: Sequence[Row], amendments: Amendments) -> EntryOverview:
    provenance = Provenance.union(row.provenance for row in rows)
    return EntryOverview(
        text=without_receipt_symbols(mask_ids(text)),
        provenance=replace(provenance, entries_since_ms=amendments.erased_entries_ms + 1),
    )


def _line(row: Row) -> str:
    """Return the name and the first detail that the row has: "Garden: call the gardener"."""
    name, detail = _words_of(row)
    return f"{name}: {detail}" if detail else name


@dataclass(frozen=True, slots=True, kw_only=True)
class _EntryRows:
    """Draws entries as rows of a list that is sent at `listed_ms`."""

    phrases: Phrases
    locale: str
    listed_ms: int

    def drawn(self, row: Row) -> CardRow:
        """Return the row: what can be done has a button that marks it as done, and a detail one that copies it."""
        name, detail = (without_receipt_symbols(mask_ids(words)) for words in _words_of(row))
        return CardRow(text=name, detail=detail, buttons=tuple(self._buttons(row, name)))

    def _buttons(self, row: Row, name: str) -> Iterator[CardButton]:
        value = row.shown.get(_COPIED, "")
        if DONE in status_choices(row.category):
            label = self.phrases.text(Phrase.TICK_BUTTON, locale=self.locale)
            press = TickPress(handle=handle_of(row), listed_ms=self.listed_ms)
            yield CardButton(label=label, value=tick_data(press), shown=f"{label}: {name}")
        elif value and not is_cut(value) and value == mask_ids(value):
            yield CardButton(
                label=self.phrases.text(Phrase.COPY_BUTTON, locale=self.locale), value=value, action="copy"
            )


def handle_of(row: Row) -> str:
    """Return a short name for the entry in the data of buttons, which holds no words; another entry at its path has another handle."""
    return hashlib.sha256(f"{row.path}\n{row.created_at}".encode()).hexdigest()[:16]


def _words_of(row: Row) -> tuple[str, str]:
    detail = next((row.shown[key] for key in _DETAILS if key in row.shown), "")
    name = cut(" ".join(row.name.split()), limit_utf16=_NAME_UTF16)
    return name, cut(" ".join(detail.split()), limit_utf16=_DETAIL_UTF16)
