"""`/calendar`: the private address of the chat's calendar, another address, or none any more; and another one when a member leaves.

    /calendar       the address, which is made if there is none
    /calendar new   another address; the old one shows nothing from now on
    /calendar off   no address

The address is not among the outcome's words, which the model reads; the outbox sends it in a bubble of its own (`FeedAddress`).
"""

from collections.abc import Callable, Sequence
from dataclasses import field, replace
from typing import Final

from shared import logs
from shared.bus.result import EventResult
from shared.calendars.feed import FEED_SUFFIX, Calendar, token_of
from shared.calendars.new_address import notice_id_of
from shared.calendars.store import CalendarStore
from shared.conversation.records import Offer, OutcomeRecord
from shared.conversation.store import Conversation, Conversations
from shared.conversation.undo import stage_beyond_undo
from shared.frozen import frozen
from shared.line.cards.card import Card, CardButton, CardRow, card_text
from shared.line.cards.copied import copy_button
from shared.line.events import LineEvent
from shared.line.messaging import OutgoingMessage
from shared.line.phrases import Phrase, Phrases
from shared.line.postback_data import CalendarChoice, CalendarPress
from shared.line.webhook_check import WebhookAddress
from shared.turns.announcement import Announcement, Announcer, Stage, in_chats_language, postponed_once, stage_nothing

FEEDS_PATH: Final = "/feeds"
GOOGLE_PAGE: Final = "https://calendar.google.com/calendar/u/0/r/settings/addbyurl"
"""Google Calendar's page for a calendar of another address.  Source: support.google.com/calendar/answer/37100, "Use a link"."""
_OPENS_OUTSIDE: Final = "?openExternalBrowser=1"
_NEW: Final = "new"
_OFF: Final = "off"


@frozen
class FeedAddress:
    """The address below the text of an outcome that shows it; an Attachments."""

    def of(self, outcome: OutcomeRecord) -> Sequence[OutgoingMessage]:
        """Return the address in a bubble of its own, so that a phone copies nothing else."""
        address = outcome.offer.feed_url
        return (OutgoingMessage(text=address),) if address else ()


@frozen
class CalendarHandler:
    """Carries out `/calendar`.

    `is_admitted`: a chat that is not admitted is told nothing.
    `feeds_url`: where functions/feeds is reached. None: below the webhook's address, as `make serve` serves it.
    """

    conversations: Conversations
    announcer: Announcer
    address: WebhookAddress
    phrases: Phrases
    is_admitted: Callable[[Conversation], bool] = field(repr=False)
    feeds_url: str | None = field(default=None, repr=False)

    def command(self, event: LineEvent, words: str) -> EventResult:
        """The chat's address is shown, replaced or ended.

        Repeated: done once, answered once. Raises: StorageUnavailableError, TurnBusyError; safe to deliver again.
        """
        conversation = self.conversations.of(event.conversation_id)
        store = CalendarStore(conversation)
        if words == _OFF:
            was_on = store.remove(lambda calendar: calendar.made_ms <= event.timestamp_ms)
            logs.info("calendar_removed", was_on=was_on)
            return self._say(event, Phrase.CALENDAR_OFF, stage_beyond_undo)
        if words not in {"", _NEW}:
            return self._say(event, Phrase.CALENDAR_USAGE)
        url = self._url()
        if url is None:
            return self._say(event, Phrase.CALENDAR_NO_ADDRESS)
        calendar = self._calendar(store, event, is_new=words == _NEW)
        amendments = conversation.amendments.look()
        if calendar is None or calendar.made_ms <= amendments.erased_entries_ms:  # removed or erased meanwhile
            store.remove(lambda one: one.made_ms <= amendments.erased_entries_ms)
            return self._say(event, Phrase.PRESS_VOID)
        store.mark()
        logs.info("calendar_shown")
        is_changed = calendar.event_id == event.webhook_event_id
        stage = stage_beyond_undo if is_changed else stage_nothing
        return self._show(event, f"{url}/{calendar.token}{FEED_SUFFIX}", stage)

    def press(self, event: LineEvent, press: CalendarPress) -> EventResult:
        """The chat's address is shown, made if there is none, or ended; as `command` does."""
        return self.command(event, _OFF if press.choice is CalendarChoice.OFF else "")

    def renew_after(self, event: LineEvent) -> None:
        """Members left, so the chat's calendar has another address, which they do not know; the chat is told what to do, once.

        The text goes with the chat's next answer, or on the reply token of the next message that gets none (`new_address.py`).
        Repeated: no further effect. Raises: StorageUnavailableError, TurnBusyError.
        """
        store = CalendarStore(self.conversations.of(event.conversation_id))
        calendar = store.read()
        if calendar is None:
            return
        renewed = self._renewed(store, calendar, event)
        logs.info("calendar_renewed")
        if renewed is not None and renewed.event_id == event.webhook_event_id and self.is_admitted(store.conversation):
            self.announcer.announce(store.conversation, self._new_address(event))
            store.mark_as_untold(event.webhook_event_id)

    def _new_address(self, event: LineEvent) -> Announcement:
        """Return the text that waits: an event of a leaving has no reply token.  Source: LINE, "Member left event"."""
        own = replace(event, webhook_event_id=notice_id_of(event.webhook_event_id))
        return postponed_once(own, self.phrases, Phrase.CALENDAR_RENEWED)

    def _calendar(self, store: CalendarStore, event: LineEvent, *, is_new: bool) -> Calendar | None:
        """Return the chat's calendar, made if there is none, and with another token if `is_new`.

        None: an earlier delivery of the event made a calendar, and somebody has switched the calendar off since.
        """
        calendar = store.read()
        if calendar is None:
            if self.announcer.has_answered(store.conversation, event):
                return None
            return store.create(
                Calendar(
                    token=self._token(),
                    made_ms=event.timestamp_ms,
                    event_id=event.webhook_event_id,
                    token_ms=event.timestamp_ms,
                    locale=store.conversation.turn.chosen_locale() or "",
                )
            )
        return self._renewed(store, calendar, event) if is_new else calendar

    def _renewed(self, store: CalendarStore, calendar: Calendar, event: LineEvent) -> Calendar | None:
        return store.renew(calendar, token=self._token(), event_id=event.webhook_event_id, at_ms=event.timestamp_ms)

    def _token(self) -> str:
        return token_of(self.conversations.new_id(), self.conversations.new_id())

    def _url(self) -> str | None:
        """Return the address of the feeds; None: LINE does not say where the webhook is."""
        if self.feeds_url is not None:
            return self.feeds_url
        registered = self.address.webhook_address()
        return None if registered is None else f"{registered.partition('?')[0].rstrip('/')}{FEEDS_PATH}"

    def _show(self, event: LineEvent, url: str, stage: Stage) -> EventResult:
        def worded(locale: str | None) -> Announcement:
            text = self.phrases.text(Phrase.CALENDAR_SHOWN, locale=locale, page=GOOGLE_PAGE)
            buttons = (
                copy_button(url, locale or self.phrases.locale),
                CardButton(
                    label=self.phrases.text(Phrase.CALENDAR_PAGE_BUTTON, locale=locale),
                    value=f"{GOOGLE_PAGE}{_OPENS_OUTSIDE}",
                    action="open",
                ),
            )
            card = Card(rows=(CardRow(text=text),), buttons=buttons)
            return _said(event, text, offer=Offer(card=card_text(card), feed_url=url), stage=stage)

        return self._announce(event, worded)

    def _say(self, event: LineEvent, which: Phrase, stage: Stage = stage_nothing) -> EventResult:
        return self._announce(event, lambda locale: _said(event, self.phrases.text(which, locale=locale), stage=stage))

    def _announce(self, event: LineEvent, worded: Callable[[str | None], Announcement]) -> EventResult:
        conversation = self.conversations.of(event.conversation_id)
        announcement = in_chats_language(worded)
        return self.announcer.announce(conversation, announcement)


def _said(event: LineEvent, text: str, *, offer: Offer | None = None, stage: Stage = stage_nothing) -> Announcement:
    return Announcement(
        event=event,
        text=text,
        offer=offer or Offer(),
        stage=stage,
    )
