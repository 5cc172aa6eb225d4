"""A chat's open entries, and the digest of its day, as fixed texts: the answers of `/notes` and `/digest`."""

import datetime as dt
from collections.abc import Collection, Sequence
from dataclasses import field, replace
from functools import partial
from typing import Final

from shared.agent.receipts import without_receipt_symbols
from shared.conversation.amendments import Amendments
from shared.conversation.overview import Overview
from shared.conversation.provenance import Provenance
from shared.conversation.store import Conversation
from shared.frozen import frozen
from shared.knowledge.catalog import Row
from shared.knowledge.digest import digest, digest_texts
from shared.knowledge.entry_cards import ENTRIES_A_CARD, entry_row, words_of
from shared.knowledge.entry_store import EntryStore
from shared.knowledge.list_cards import list_card, list_rows
from shared.knowledge.schema import DONE, Category
from shared.knowledge.shared_lists import handle_of_list, lists_in, without_items
from shared.line.cards.card import Card, CardButton, CardRow, title_of, written
from shared.line.cards.written import digest_card
from shared.line.ids import mask_ids
from shared.line.phrases import Phrase, Phrases
from shared.line.postback_data import PagePress

_SHOWN: Final = 30
_ORDER: Final = (
    Category.PROJECTS,
    Category.ADMIN,
    Category.PEOPLE,
    Category.IDEAS,
    Category.DETAILS,
    Category.INBOX,
)


@frozen
class FiledEntries:
    """A chat's entries as read at `now_ms`, without entries from withdrawn messages."""

    rows: Sequence[Row] = field(repr=False)
    amendments: Amendments = field(repr=False)
    now_ms: int

    @classmethod
    def read(cls, conversation: Conversation) -> "FiledEntries":
        """Read the chat's entries.  Raises: StorageUnavailableError."""
        catalog, amendments = EntryStore(conversation).catalog(), conversation.amendments.look()
        rows = catalog.without(amendments.is_withdrawn_from_entries).rows
        return cls(rows=rows, amendments=amendments, now_ms=conversation.turn.clock.now_ms())

    def with_done(self, paths: Collection[str]) -> "FiledEntries":
        """Return the entries as they are once those at `paths` are done."""
        rows = (replace(row, shown={**row.shown, "status": DONE}) if row.path in paths else row for row in self.rows)
        return replace(self, rows=tuple(rows))


def open_entries(filed: FiledEntries, *, phrases: Phrases, locale: str, page: int | None = None) -> Overview:
    """Return the open entries by category, the newest first.

    For example: "Notes (2):", "[projects]", "・Garden: call the gardener". Without a `page`, the text has thirty entries; with a page,
    counted from 0, text and card have its twelve. A page beyond the last is the last.
    """
    lists = lists_in(filed.rows)
    open_rows = sorted(
        (row for row in without_items(filed.rows) if row.is_open),
        key=lambda row: (row.updated_at, row.path),
        reverse=True,
    )
    open_rows.sort(key=lambda row: _ORDER.index(row.category))
    if not open_rows and not lists:
        return Overview(text=phrases.text(Phrase.NOTES_NONE, locale=locale))
    first = 0 if page is None else min(page, max(len(open_rows) - 1, 0) // ENTRIES_A_CARD) * ENTRIES_A_CARD
    shown = open_rows[first : first + (_SHOWN if page is None else ENTRIES_A_CARD)]
    heading, hidden_count = (
        phrases.text(Phrase.NOTES_OPEN, locale=locale, count=str(len(open_rows))),
        len(open_rows) - first - len(shown),
    )
    lines, drawn_rows = [heading], list[CardRow]()
    drawn = partial(entry_row, locale=locale, listed_ms=filed.now_ms)
    for category in _ORDER:
        of_category = [row for row in shown if row.category is category]
        if of_category:
            title = digest_texts(locale).of_category[category]
            lines += [f"[{title}]", *(f"・{_line(row, locale=locale, now_ms=filed.now_ms)}" for row in of_category)]
            drawn_rows += [CardRow(text=title, is_heading=True), *map(drawn, of_category)]
    lines += [f"… +{hidden_count}"] if hidden_count else []
    rows_of_lists = () if hidden_count else list_rows(lists, locale=locale)
    if rows_of_lists:
        title = phrases.text(Phrase.LISTS_HEADING, locale=locale)
        lines += [f"[{title}]", *(f"・{row.text}" for row in rows_of_lists)]
        drawn_rows += [CardRow(text=title, is_heading=True), *rows_of_lists]
    items = () if hidden_count else tuple(row for shared_list in lists for row in shared_list.rows)
    overview = _overview("\n".join(lines), (*shown, *items), filed.amendments)
    if page is None:
        return overview
    more = CardButton(
        label=phrases.text(Phrase.MORE_BUTTON, locale=locale),
        value=PagePress(command="notes", page=first // ENTRIES_A_CARD + 1).data,
    )
    card = Card(title=title_of(heading), rows=tuple(drawn_rows), buttons=(more,) if hidden_count else ())
    return replace(overview, card=card)


def overview_of_list(filed: FiledEntries, handle: str, *, locale: str, page: int = 0) -> Overview | None:
    """Return a page of the shared list with this handle; None: there is no such list."""
    shared_list = next((one for one in lists_in(filed.rows) if handle_of_list(one.name) == handle), None)
    if shared_list is None:
        return None
    card = list_card(shared_list, locale=locale, listed_ms=filed.now_ms, page=page)
    return replace(_overview(written(card), shared_list.rows, filed.amendments), card=card)


def digest_of_today(filed: FiledEntries, *, locale: str, time_zone: dt.tzinfo) -> Overview:
    """Return the daily digest, at the time of the reading."""
    now = dt.datetime.fromtimestamp(filed.now_ms / 1_000, time_zone)
    overview = _overview(digest(filed.rows, kind="daily", locale=locale, now=now).text, filed.rows, filed.amendments)
    return replace(overview, card=digest_card(overview.text))


def _overview(text: str, rows: Sequence[Row], amendments: Amendments) -> Overview:
    provenance = Provenance.union(row.provenance for row in rows)
    return Overview(
        text=without_receipt_symbols(mask_ids(text)),
        provenance=provenance.in_entries_spared_by(amendments),
    )


def _line(row: Row, *, locale: str, now_ms: int) -> str:
    """Return the name and the first detail that the row has: "Garden: call the gardener"."""
    name, detail = words_of(row, locale=locale, now_ms=now_ms)
    return f"{name}: {detail}" if detail else name
