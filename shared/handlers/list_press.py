"""Presses on the card of a shared list: show a page of it, or clear what was ticked when the card was sent."""

from dataclasses import replace
from functools import partial
from typing import Final

from shared import logs
from shared.agent.overlay import CHANGES_LIMIT, Attempt
from shared.agent.receipts import Deed, DeedKind, receipt
from shared.agent.staged import Staged
from shared.bus.result import EventResult
from shared.conversation.overview import Overview
from shared.conversation.provenance import Provenance
from shared.conversation.records import Offer, StagedWrite
from shared.conversation.store import Conversation, Conversations
from shared.frozen import frozen
from shared.knowledge.catalog import Row
from shared.knowledge.list_editor import clear
from shared.knowledge.overview import FiledEntries, overview_of_list
from shared.knowledge.schema import LIST
from shared.knowledge.shared_lists import SharedList, handle_of_list, lists_in
from shared.knowledge.staging import EntryOverlay
from shared.line.cards.card import Card, CardButton, card_text
from shared.line.events import LineEvent
from shared.line.phrases import Phrase, Phrases
from shared.line.postback_data import ListChoice, ListPress
from shared.turns.announcement import Announcement, Announcer, in_chats_language, phrased, postponed_once

_MOST_CLEARED: Final = CHANGES_LIMIT


@frozen
class ListPressHandler:
    """Carries presses out in the chat's turn, and answers each with the list, a receipt, or the reason why nothing was changed."""

    conversations: Conversations
    announcer: Announcer
    phrases: Phrases

    def __call__(self, event: LineEvent, press: ListPress) -> EventResult:
        """The list is shown, or what its card shows as ticked is deleted; the answer says so.

        What holds is read while the turn is held, so a turn in between is not overwritten: an item that was put back since stays. Repeated:
        carried out once, answered once. Where the token of a clearing press dies before the turn is free, the chat's next answer says so.
        Raises: StorageUnavailableError, TurnBusyError; safe to deliver again.
        """
        conversation = self.conversations.of(event.conversation_id)
        decide = partial(self._shown if press.choice is ListChoice.SHOW else self._cleared, conversation, event, press)
        refusal = phrased(event, self.phrases, Phrase.LIST_GONE)

        def late() -> Announcement | None:
            return self._late(conversation, event, press)

        return self.announcer.announce(conversation, replace(refusal, decide=decide, if_late=late))

    def _late(self, conversation: Conversation, event: LineEvent, press: ListPress) -> Announcement | None:
        """Return the notice of a press without a turn, for the chat's next answer; None: a press to show the list, or nothing to clear."""
        is_needed = press.choice is ListChoice.CLEAR and _cleared_rows(FiledEntries.read(conversation), press)
        return postponed_once(event, self.phrases, Phrase.LIST_PRESS_LATE) if is_needed else None

    def _shown(self, conversation: Conversation, event: LineEvent, press: ListPress) -> Announcement:
        """Return a page of the list."""
        filed = FiledEntries.read(conversation)
        show = partial(overview_of_list, filed, press.handle, page=press.number)
        if show(locale=self.phrases.locale) is None:
            return self._refused(event, Phrase.LIST_GONE)
        logs.info("list_shown")

        def worded(locale: str | None) -> Announcement:
            overview = show(locale=locale or self.phrases.locale)
            assert overview is not None  # noqa: S101 - the same reading, in another language
            return _said(event, overview)

        return in_chats_language(worded)

    def _cleared(self, conversation: Conversation, event: LineEvent, press: ListPress) -> Announcement:
        """Return the receipt with the deletions, or the reason why nothing is deleted."""
        filed = FiledEntries.read(conversation)
        shared_list = _list_of(filed, press)
        if shared_list is None:
            return self._refused(event, Phrase.LIST_GONE)
        rows = _cleared_rows(filed, press)
        if not rows:
            return self._refused(event, Phrase.LIST_NOTHING_DONE)
        logs.info("list_cleared", items=len(rows))
        is_whole = len(rows) == len(shared_list.rows)

        def worded(locale: str | None) -> Announcement:
            deeds = [Deed(kind=DeedKind.DELETED, name=row.name, details=_lists_of(row)) for row in rows]
            told = receipt(deeds, locale=locale or self.phrases.locale)
            show = ListPress(choice=ListChoice.SHOW, handle=press.handle, number=0)
            label = self.phrases.text(Phrase.LIST_BUTTON, locale=locale)
            button = CardButton(label=label, value=show.data)
            card = None if is_whole else Card(title=told, buttons=(button,))
            provenance = Provenance.union(row.provenance for row in rows)
            overview = Overview(
                text=told,
                card=card,
                provenance=provenance.in_entries_spared_by(filed.amendments),
            )
            return replace(_said(event, overview), stage=partial(self._deletions, conversation, filed, rows))

        return in_chats_language(worded)

    def _refused(self, event: LineEvent, reason: Phrase) -> Announcement:
        logs.info("press_refused", reason=reason.value)
        return phrased(event, self.phrases, reason)

    @staticmethod
    def _deletions(
        conversation: Conversation, filed: FiledEntries, rows: list[Row], sequence: int
    ) -> tuple[StagedWrite, ...]:
        """Return the deletions of the ticked items, and the write of the undo record."""
        attempt = Attempt.at(conversation, sequence=sequence, now_ms=filed.now_ms, amendments=filed.amendments)
        staged = Staged.begin(attempt, [EntryOverlay])
        clear(staged.of(EntryOverlay), [row.path for row in rows])
        return staged.changes()


def _said(event: LineEvent, overview: Overview) -> Announcement:
    return Announcement(
        event=event,
        text=overview.text,
        offer=Offer(card=card_text(overview.card)),
        is_silent=True,
        provenance=overview.provenance,
    )


def _list_of(filed: FiledEntries, press: ListPress) -> SharedList | None:
    return next((one for one in lists_in(filed.rows) if handle_of_list(one.name) == press.handle), None)


def _cleared_rows(filed: FiledEntries, press: ListPress) -> list[Row]:
    """Return the items shown as ticked by the card of the press, and still ticked."""
    shared_list = _list_of(filed, press)
    done_rows = shared_list.done_rows if shared_list is not None else ()
    until_s = press.number // 1_000
    return [row for row in done_rows if row.updated_s is not None and row.updated_s <= until_s][:_MOST_CLEARED]


def _lists_of(row: Row) -> tuple[str, ...]:
    return tuple(filter(None, (row.shown.get(LIST, ""),)))
