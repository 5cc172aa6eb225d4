"""Presses of "Done" beside a listed entry: the entry is marked as done; a press sets, and never toggles.

The press that gets the chat's turn carries out the same person's presses that wait behind it, too: who ticks six items of a list while the
bot thinks is answered once, with all six. A press whose entry cannot be ticked, or is of another list, is answered alone; so is another
person's, in that person's language.
"""

import datetime as dt
import zoneinfo
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

from shared import logs
from shared.agent.overlay import Attempt
from shared.agent.receipts import Deed, DeedKind, receipt
from shared.agent.staged import Staged
from shared.bus.result import EventResult
from shared.conversation.overview import Overview
from shared.conversation.provenance import Provenance
from shared.conversation.records import Offer, StagedWrite
from shared.conversation.store import Conversation, Conversations
from shared.frozen import frozen
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
from shared.turns.announcement import Announcement, Announcer, in_chats_language, phrased, postponed_once

_TICKS_A_CARD: Final = 5
"""After so many ticks of a card, the answer is the list anew."""


@frozen
class _Tick:
    """An entry that a press marks as done."""

    entry: Entry = field(repr=False)
    row: Row = field(repr=False)

    @property
    def list_handle(self) -> str:
        """The handle of the shared list of an item; empty for another entry."""
        is_item = self.entry.category is Category.ITEMS
        return handle_of_list(str(self.entry.fields[LIST])) if is_item else ""


@dataclass(frozen=True, slots=True)
class _WaitingPresses:
    """The presses that wait for their chat's turn in this instance; safe to share between threads."""

    _presses: dict[tuple[str, str], tuple[LineEvent, TickPress]] = field(default_factory=dict, repr=False)

    @contextmanager
    def place(self, event: LineEvent, press: TickPress) -> Iterator[None]:
        """The press waits inside the block."""
        key = event.conversation_id, event.webhook_event_id
        self._presses[key] = event, press
        try:
            yield
        finally:
            self._presses.pop(key, None)

    def beside(self, event: LineEvent) -> list[tuple[LineEvent, TickPress]]:
        """Return the other presses of the same person in the event's chat, in the order of their arrival."""
        waiting, sender = [*self._presses.values()], (event.conversation_id, event.user_id)
        return [
            (other, press)
            for other, press in waiting
            if (other.conversation_id, other.user_id) == sender and other.webhook_event_id != event.webhook_event_id
        ]


@frozen
class TickPressHandler:
    """Carries presses out in the chat's turn, and answers each with a receipt or with the reason why nothing was changed."""

    conversations: Conversations
    announcer: Announcer
    phrases: Phrases
    time_zone: zoneinfo.ZoneInfo = field(repr=False)
    waiting: _WaitingPresses = field(default_factory=_WaitingPresses, repr=False)

    def __call__(self, event: LineEvent, press: TickPress) -> EventResult:
        """The entry is done, unless it was done before, moved, deleted or withdrawn; the answer, or that of another press, says so.

        What holds is read while the turn is held, so a turn in between is not overwritten. Where the token dies before, nothing is ticked,
        and the chat's next answer says so. Repeated: carried out once, answered once.
        Raises: StorageUnavailableError, TurnBusyError; safe to deliver again.
        """
        conversation = self.conversations.of(event.conversation_id)
        refusal = phrased(event, self.phrases, Phrase.ENTRY_GONE)
        decide = partial(self._decided, conversation, event, press)

        def late() -> Announcement | None:
            return self._late(conversation, event, press)

        with self.waiting.place(event, press):
            return self.announcer.announce(conversation, replace(refusal, decide=decide, if_late=late))

    def _late(self, conversation: Conversation, event: LineEvent, press: TickPress) -> Announcement | None:
        """Return the notice of a press without a turn, for the chat's next answer; None: nothing to tick, or changed since the press.

        Otherwise a second delivery of a carried out press, after the outcome has left memory, could claim the contrary.
        """
        tick = _tick_of(conversation, FiledEntries.read(conversation), press)
        if isinstance(tick, Phrase) or (tick.row.updated_s or 0) > event.timestamp_ms // 1_000:
            return None
        return postponed_once(event, self.phrases, Phrase.LIST_PRESS_LATE)

    def _decided(self, conversation: Conversation, event: LineEvent, press: TickPress) -> Announcement:
        """Return the receipt with the writes of the entries, or the reason why nothing is written."""
        filed = FiledEntries.read(conversation)
        own = _tick_of(conversation, filed, press)
        if isinstance(own, Phrase):
            return self._refused(event, own, list_handle=_list_handle_of(filed, press))
        by_event = self._ticks_beside(conversation, filed, event, own)
        ticks = tuple({tick.row.path: tick for tick in (own, *by_event.values())}.values())
        logs.info("entries_ticked", count=len(ticks))
        shows_list = _shows_list(filed.rows, ticks, since_ms=press.listed_ms)

        def worded(locale: str | None) -> Announcement:
            answer = self._answer(filed, ticks, shows_list=shows_list, locale=locale or self.phrases.locale)
            provenance = Provenance.union((answer.provenance, *(tick.entry.provenance for tick in ticks)))
            return Announcement(
                event=event,
                text=answer.text,
                offer=Offer(card=card_text(answer.card)),
                is_silent=True,
                pressed_ids=tuple(by_event),
                provenance=provenance.in_entries_spared_by(filed.amendments),
                stage=partial(self._writes, conversation, filed, ticks),
            )

        return in_chats_language(worded)

    def _refused(self, event: LineEvent, reason: Phrase, *, list_handle: str) -> Announcement:
        """Return why nothing is ticked, with a button for the list of an item that is there."""
        logs.info("press_refused", reason=reason.value)
        if not list_handle:
            return phrased(event, self.phrases, reason)

        def worded(locale: str | None) -> Announcement:
            text = self.phrases.text(reason, locale=locale)
            card = Card(title=text, buttons=(self._button_of(list_handle, locale=locale),))
            return Announcement(event=event, text=text, offer=Offer(card=card_text(card)), is_silent=True)

        return in_chats_language(worded)

    def _button_of(self, list_handle: str, *, locale: str | None) -> CardButton:
        """Return the button that shows the list, or the notes without the handle of a list."""
        shown = ListPress(choice=ListChoice.SHOW, handle=list_handle, number=0) if list_handle else None
        press = shown or PagePress(command="notes", page=0)
        return CardButton(label=self.phrases.text(Phrase.LIST_BUTTON, locale=locale), value=press.data)

    def _ticks_beside(
        self, conversation: Conversation, filed: FiledEntries, event: LineEvent, own: _Tick
    ) -> dict[str, _Tick]:
        """Return what the person's waiting presses on the same list tick, by the ids of their events."""
        ticks = {
            other.webhook_event_id: _tick_of(conversation, filed, press)
            for other, press in self.waiting.beside(event)
            if other.timestamp_ms > filed.amendments.erased_ms
        }
        return {
            event_id: tick
            for event_id, tick in ticks.items()
            if isinstance(tick, _Tick) and tick.list_handle == own.list_handle
        }

    def _answer(self, filed: FiledEntries, ticks: Sequence[_Tick], *, shows_list: bool, locale: str) -> Overview:
        """Return the receipt, with a button for the list, or with the list itself."""
        confirmation, handle = receipt([*map(_deed, ticks)], locale=locale), ticks[0].list_handle
        if not shows_list:
            again = self._button_of(handle, locale=locale)
            return Overview(text=confirmation, card=Card(title=confirmation, buttons=(again,)))
        ticked = filed.with_done({tick.row.path for tick in ticks})
        overview = overview_of_list(ticked, handle, locale=locale) if handle else None
        if overview is None:
            overview = open_entries(ticked, phrases=self.phrases, locale=locale, page=0)
        card = overview.card
        if card is not None:
            card = replace(card, rows=(CardRow(text=confirmation, is_heading=True), *card.rows))
        return replace(overview, text=f"{confirmation}\n\n{overview.text}", card=card)

    def _writes(
        self, conversation: Conversation, filed: FiledEntries, ticks: Sequence[_Tick], sequence: int
    ) -> tuple[StagedWrite, ...]:
        """Return the writes of the ticked entries and of the undo record.

        The entries are ticked at the time of the reading, so that a list anew in the answer shows them as ticked by then.
        """
        stamp = dt.datetime.fromtimestamp(filed.now_ms / 1_000, self.time_zone).isoformat(timespec="seconds")
        attempt = Attempt.at(conversation, sequence=sequence, now_ms=filed.now_ms, amendments=filed.amendments)
        staged = Staged.begin(attempt, [EntryOverlay])
        entries = (replace(tick.entry.with_values({"status": DONE}, {}), updated_at=stamp) for tick in ticks)
        staged.of(EntryOverlay).stage({entry.path: entry for entry in entries})
        return staged.changes()


def _tick_of(conversation: Conversation, filed: FiledEntries, press: TickPress) -> _Tick | Phrase:
    """Return what the press ticks, or the reason why the press ticks nothing."""
    of_handle = (row for row in filed.rows if handle_of(row) == press.handle and DONE in status_choices(row.category))
    row = next(of_handle, None)
    entry = EntryStore(conversation).entry(row.path) if row is not None else None
    if row is None or entry is None or entry.without(filed.amendments.is_withdrawn_from_entries) is not entry:
        return Phrase.ENTRY_GONE
    return Phrase.ENTRY_WAS_DONE if entry.status == DONE else _Tick(entry=entry, row=row)


def _list_handle_of(filed: FiledEntries, press: TickPress) -> str:
    """Return the handle of the shared list of the pressed item; empty where there is no such item."""
    items = (row for row in filed.rows if row.category is Category.ITEMS and handle_of(row) == press.handle)
    row = next(items, None)
    return handle_of_list(row.shown.get(LIST, "")) if row is not None else ""


def _deed(tick: _Tick) -> Deed:
    entry = tick.entry
    return Deed(kind=DeedKind.DONE, name=entry.name, place=place_of(entry), details=lists_of(entry))


def _shows_list(rows: Sequence[Row], ticks: Sequence[_Tick], *, since_ms: int) -> bool:
    """Whether the answer is the list anew: the card has five ticks more, or all of a shared list is done."""
    done_s = [row.updated_s for row in rows if row.status == DONE]
    before = sum(changed_s is not None and changed_s >= since_ms // 1_000 for changed_s in done_s)
    paths = {tick.row.path for tick in ticks}
    is_done = any(
        shared_list.open_rows and all(row.path in paths for row in shared_list.open_rows)
        for shared_list in lists_in(rows)
    )
    return is_done or before // _TICKS_A_CARD != (before + len(ticks)) // _TICKS_A_CARD
