"""Presses of "Settle up" on the card of a chat's balances: what the card shows is closed, or the card is shown as it is now."""

import datetime as dt
import zoneinfo
from dataclasses import replace
from functools import partial

from shared import logs
from shared.agent.overlay import Attempt
from shared.agent.receipts import Deed, DeedKind, receipt
from shared.agent.staged import Staged
from shared.bus.result import EventResult
from shared.conversation.amendments import Amendments
from shared.conversation.member_mark import mark_id
from shared.conversation.provenance import Provenance, Source
from shared.conversation.records import Offer, StagedWrite
from shared.conversation.store import Conversation, Conversations
from shared.expenses.expense import Expense
from shared.expenses.people import Circle, circle_of
from shared.expenses.rates import Rates
from shared.expenses.staging import ExpenseOverlay
from shared.expenses.wording import balance_card, settlement_card
from shared.frozen import frozen
from shared.line.cards.card import Card, CardRow, card_text, written
from shared.line.events import LineEvent
from shared.line.ids import mask_ids
from shared.line.phrases import Phrase, Phrases
from shared.line.postback_data import SettlePress
from shared.turns.announcement import Announcement, Announcer, in_chats_language, phrased, postponed_once, stage_nothing


@frozen
class SettlePressHandler:
    """Carries presses out in the chat's turn, and answers each with the settlement, the card anew, or that nothing is open."""

    conversations: Conversations
    announcer: Announcer
    phrases: Phrases
    time_zone: zoneinfo.ZoneInfo

    def __call__(self, event: LineEvent, press: SettlePress) -> EventResult:
        """The expenses that the card shows are settled; if they have changed since, nothing is, and the answer shows the card anew.

        What holds is read while the turn is held; where the token dies before, nothing is settled, and the chat's next answer says so.
        Repeated: carried out once, answered once. Raises: StorageUnavailableError, TurnBusyError; safe to deliver again.
        """
        conversation = self.conversations.of(event.conversation_id)
        refusal = phrased(event, self.phrases, Phrase.EXPENSES_NONE_OPEN)
        decide = partial(self._decided, conversation, event, press)

        def late() -> Announcement | None:
            return self._late(conversation, event, press)

        return self.announcer.announce(conversation, replace(refusal, decide=decide, if_late=late))

    def _late(self, conversation: Conversation, event: LineEvent, press: SettlePress) -> Announcement | None:
        """Return the notice of a press without a turn, for the chat's next answer; None: the press would settle nothing."""
        is_needed = _Reading.of(conversation, press).would_settle
        return postponed_once(event, self.phrases, Phrase.EXPENSES_PRESS_LATE) if is_needed else None

    def _decided(self, conversation: Conversation, event: LineEvent, press: SettlePress) -> Announcement:
        """Return the settlement, or why nothing is settled."""
        reading = _Reading.of(conversation, press)
        if not reading.expenses:
            logs.info("press_refused", reason=Phrase.EXPENSES_NONE_OPEN.value)
            return phrased(event, self.phrases, Phrase.EXPENSES_NONE_OPEN)
        is_as_shown = reading.is_as_shown
        if is_as_shown:
            logs.info("expenses_settled", expenses=len(reading.expenses))
        else:
            logs.info("press_refused", reason=Phrase.EXPENSES_CHANGED.value)
        stage = partial(self._writes, event, reading) if is_as_shown else stage_nothing
        provenance = Provenance.union(expense.provenance for expense in reading.expenses)

        def worded(locale: str | None) -> Announcement:
            own = locale or self.phrases.locale
            heading = reading.receipt(own) if is_as_shown else self.phrases.text(Phrase.EXPENSES_CHANGED, locale=own)
            card = reading.settlement(own) if is_as_shown else reading.balance(own)
            words = heading if card is None else f"{heading}\n\n{written(card)}"
            drawn = card and replace(card, rows=(CardRow(text=heading, is_heading=True), *card.rows))
            return Announcement(
                event=event,
                text=mask_ids(words),
                offer=Offer(card=card_text(drawn)),
                provenance=provenance.in_entries_spared_by(reading.amendments),
                stage=stage,
            )

        return in_chats_language(worded)

    def _writes(self, event: LineEvent, reading: "_Reading", sequence: int) -> tuple[StagedWrite, ...]:
        """Return the write of the settlement, and of the undo record."""
        staged = Staged.begin(reading.attempt(sequence), [ExpenseOverlay])
        asked = Source(
            line_message_id=event.webhook_event_id, timestamp_ms=event.timestamp_ms, by=mark_id(event.user_id)
        )
        day = dt.datetime.fromtimestamp(reading.now_ms / 1_000, self.time_zone).date().isoformat()
        staged.of(ExpenseOverlay).close(reading.expenses, day=day, provenance=Provenance.of_sources([asked]))
        return staged.changes()


@frozen
class _Reading:
    """What is open in the press's currency while the turn is held."""

    conversation: Conversation
    press: SettlePress
    amendments: Amendments
    now_ms: int
    overlay: ExpenseOverlay
    expenses: tuple[Expense, ...]

    @classmethod
    def of(cls, conversation: Conversation, press: SettlePress) -> "_Reading":
        """Read the chat's expenses, in three round trips."""
        amendments, now_ms = conversation.amendments.look(), conversation.turn.clock.now_ms()
        overlay = ExpenseOverlay(Attempt.at(conversation, sequence=0, now_ms=now_ms, amendments=amendments))
        return cls(
            conversation=conversation,
            press=press,
            amendments=amendments,
            now_ms=now_ms,
            overlay=overlay,
            expenses=overlay.open_in(press.only),
        )

    def attempt(self, sequence: int) -> Attempt:
        """Return an attempt at the commit of this number."""
        return Attempt.at(self.conversation, sequence=sequence, now_ms=self.now_ms, amendments=self.amendments)

    @property
    def mark(self) -> str:
        """The mark of what is open."""
        return self.overlay.open_mark(self.press.only)

    @property
    def is_as_shown(self) -> bool:
        """Whether exactly what the press's card shows is open."""
        return self.mark == self.press.mark

    @property
    def would_settle(self) -> bool:
        """Whether anything is open, exactly as the press's card shows."""
        return bool(self.expenses) and self.is_as_shown

    @property
    def circle(self) -> Circle:
        """The people of the open expenses."""
        return circle_of({}, self.overlay.names(), asker="", people=self.overlay.people())

    def receipt(self, locale: str) -> str:
        """Return the receipt of the settlement of everything that is open."""
        names = tuple(expense.what for expense in self.expenses)
        return receipt([Deed(kind=DeedKind.EXPENSES_SETTLED, closes=names)], locale=locale)

    def settlement(self, locale: str) -> Card | None:
        """Return the transfers; None where nobody owes anything."""
        owed = self.overlay.transfers(self.press.only)
        return settlement_card(owed, self.circle, Rates(), locale=locale) if any(owed.values()) else None

    def balance(self, locale: str) -> Card:
        """Return the card of what is open, with its own button."""
        return balance_card(
            self.overlay.balances(self.press.only),
            settlement_card(self.overlay.transfers(self.press.only), self.circle, Rates(), locale=locale),
            self.circle,
            locale=locale,
            settle=replace(self.press, mark=self.mark),
        )
