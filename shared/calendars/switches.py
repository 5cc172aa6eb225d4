"""The chat's calendar as a row of what is on."""

from collections.abc import Sequence

from shared.calendars.store import CalendarStore
from shared.conversation.store import Conversation
from shared.conversation.switch import Switch, switch_button
from shared.line.cards.card import CardRow
from shared.line.phrases import Phrase, Phrases
from shared.line.postback_data import CalendarChoice, CalendarPress


def calendar_switches(conversation: Conversation) -> Sequence[Switch]:
    """Return whether the chat has an address for calendars, with the button that sets the other state."""
    is_on = CalendarStore(conversation).read() is not None
    return (Switch(row=lambda phrases, locale: _row(phrases, locale, is_on=is_on), is_on=is_on),)


def _row(phrases: Phrases, locale: str, *, is_on: bool) -> CardRow:
    name = phrases.text(Phrase.SWITCH_CALENDAR, locale=locale)
    choice = CalendarChoice.OFF if is_on else CalendarChoice.ON
    label = Phrase.SWITCH_OFF_BUTTON if is_on else Phrase.SWITCH_ON_BUTTON
    button = switch_button(label, CalendarPress(choice=choice), name=name, phrases=phrases, locale=locale)
    state = phrases.text(Phrase.SWITCH_ON if is_on else Phrase.SWITCH_OFF, locale=locale)
    return CardRow(text=name, detail=state, buttons=(button,))
