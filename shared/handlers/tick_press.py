"""Presses of "Done" beside a listed entry: the entry is marked as done; a press sets, and never toggles."""

import datetime as dt
import zoneinfo
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

from shared import logs
from shared.agent.overlay import Attempt
from shared.agent.receipts import Deed, DeedKind, receipt
from shared.agent.staged import Staged
from shared.bus.result import EventResult
from shared.conversation.overview import Overview
from shared.conversation.records import Offer, StagedWrite
from shared.conversation.store import Conversation, Conversations
from shared.knowledge.catalog import Row
from shared.knowledge.entry import Entry
from shared.knowledge.entry_cards import handle_of
from shared.knowledge.entry_store import EntryStore
from shared.knowledge.overview import FiledEntries, open_entries, overview_of_list
from shared.knowledge.schema import DONE, LIST, Category, status_choices
from shared.knowledge.shared_lists import handle_of_list, lists_in
from shared.knowledge.staging import EntryOverlay, lists_of, place_of
from shared.line.cards.card import Card, CardButton, CardRow, card_text
from shared.line.events import LineEvent
from shared.line.phrases import Phrase, Phrases
from shared.line.postback_data import ListChoice, ListPress, PagePress, TickPress
from shared.turns.announcement import Announcement, Announcer, in_chats_language, phrased

_TICKS_A_CARD: Final = 5
"""After so many ticks of a card, the answer is the list anew."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ticked:
    """An entry that a press marks as done; `shows_list`: its card has many ticks, so the answer is the list anew."""

    entry: Entry = field(repr=False)
    row: Row = field(repr=False)
    filed: FiledEntries
    shows_list: bool

    @property
    def list_handle(self) -> str:
        """The handle of the shared list of an item; empty for another entry."""
        is_item = self.entry.category is Category.ITEMS
        return handle_of_list(str(self.entry.fields[LIST])) if is_item else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TickPressHandler:
    """Carries presses out in the chat's turn, and answers each with a receipt or with the reason why nothing was changed."""

    conversations: Conversations
    announcer: Announcer
    phrases: Phrases
    time_zone: zoneinfo.ZoneInfo = field(repr=False)

    def __call__(self, event: LineEvent, press: TickPress) -> EventResult:
        """The entry is done, unless it was done before, moved, deleted or withdrawn; the answer says so.

        What holds is read while the turn is held, so a turn in between is not overwritten. Repeated: carried out once, answered once.
        Raises: StorageUnavailableError, TurnBusyError; safe to deliver again.
        """
        conversation = self.conversations.of(event.conversation_id)
        refusal = phrased(event, self.phrases, Phrase.ENTRY_GONE)
        decide = partial(self._decided, conversation, event, press)
        return self.announcer.announce(conversation, replace(refusal, decide=decide))

    def _decided(self, conversation: Conversation, event: LineEvent, press: TickPress) -> Announcement:
        """Return the receipt with the write of the entry, or the reason why nothing is written."""
        filed = FiledEntries.read(conversation)
        amendments, rows = filed.amendments, filed.rows
        row = next(
            (row for row in rows if handle_of(row) == press.handle and DONE in status_choices(row.category)), None
        )
        entry = EntryStore(conversation).entry(row.path) if row is not None else None
        if row is None or entry is None or entry.without(amendments.is_withdrawn_from_entries) is not entry:
            return self._refused(event, Phrase.ENTRY_GONE)
        if entry.status == DONE:
            return self._refused(event, Phrase.ENTRY_WAS_DONE)
        logs.info("entry_ticked")
        ticked_count = sum(_was_ticked(row, since_ms=press.listed_ms) for row in rows) + 1
        shows_list = ticked_count % _TICKS_A_CARD == 0 or _is_last_open_item(row, rows)
        ticked = Ticked(entry=entry, row=row, filed=filed, shows_list=shows_list)
        stage = partial(self._writes, conversation, entry, filed)

        def worded(locale: str | None) -> Announcement:
            answer = self._answer(ticked, locale=locale or self.phrases.locale)
            provenance = answer.provenance | entry.provenance
            return Announcement(
                event=event,
                text=answer.text,
                offer=Offer(card=card_text(answer.card)),
                provenance=provenance.in_entries_spared_by(amendments),
                stage=stage,
            )

        return in_chats_language(worded)

    def _refused(self, event: LineEvent, reason: Phrase) -> Announcement:
        """Return the reason why nothing is written."""
        logs.info("press_refused", reason=reason.value)
        return phrased(event, self.phrases, reason)

    def _answer(self, ticked: Ticked, *, locale: str) -> Overview:
        """Return the receipt, with a button for the list, or with the list itself."""
        entry = ticked.entry
        deed = Deed(kind=DeedKind.DONE, name=entry.name, place=place_of(entry), details=lists_of(entry))
        confirmation, handle, path = receipt([deed], locale=locale), ticked.list_handle, ticked.row.path
        if not ticked.shows_list:
            page = (
                ListPress(choice=ListChoice.SHOW, handle=handle, number=0)
                if handle
                else PagePress(command="notes", page=0)
            )
            again = CardButton(label=self.phrases.text(Phrase.LIST_BUTTON, locale=locale), value=page.data)
            return Overview(text=confirmation, card=Card(title=confirmation, buttons=(again,)))
        overview = overview_of_list(ticked.filed, handle, locale=locale, ticked_path=path) if handle else None
        if overview is None:
            overview = open_entries(ticked.filed, phrases=self.phrases, locale=locale, page=0, except_path=path)
        card = overview.card
        if card is not None:
            card = replace(card, rows=(CardRow(text=confirmation, is_heading=True), *card.rows))
        return replace(overview, text=f"{confirmation}\n\n{overview.text}", card=card)

    def _writes(
        self, conversation: Conversation, entry: Entry, filed: FiledEntries, sequence: int
    ) -> tuple[StagedWrite, ...]:
        """Return the writes of the ticked entry and of the undo record.

        The entry is ticked at the time of the reading, so that a list anew in the answer shows it as ticked by then.
        """
        now_ms = filed.now_ms
        stamp = dt.datetime.fromtimestamp(now_ms / 1_000, self.time_zone).isoformat(timespec="seconds")
        attempt = Attempt.at(conversation, sequence=sequence, now_ms=now_ms, amendments=filed.amendments)
        staged = Staged.begin(attempt, [EntryOverlay])
        ticked = replace(entry.with_values({"status": DONE}, {}), updated_at=stamp)
        staged.of(EntryOverlay).stage({entry.path: ticked})
        return staged.changes()


def _is_last_open_item(row: Row, rows: Sequence[Row]) -> bool:
    """Whether the row is the only open item of its shared list, so that all of the list is done."""
    return any(shared_list.open_rows == (row,) for shared_list in lists_in(rows))


def _was_ticked(row: Row, *, since_ms: int) -> bool:
    """Whether the entry was marked as done since the list was sent; the entry's time has whole seconds."""
    try:
        changed_s = int(dt.datetime.fromisoformat(row.updated_at).timestamp())
    except ValueError:
        return False
    return row.status == DONE and changed_s >= since_ms // 1_000
