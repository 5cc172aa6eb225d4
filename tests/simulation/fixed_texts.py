"""The fixed texts of the bot as a chat may be told them: in the language of whoever is answered."""

import datetime as dt
from collections.abc import Collection
from typing import Final

from shared.line.phrases import Phrase, phrase
from shared.locales import LOCALES
from shared.locales.local_times import shown_day_begin

_GAP: Final = "\n\n"


def in_every_language(which: Phrase, **facts: str) -> frozenset[str]:
    """Return the text of a phrase in each language that the bot speaks."""
    return frozenset(phrase(which, locale=locale, bot_name="", **facts) for locale in LOCALES)


def of_a_spent_day(which: Phrase) -> frozenset[str]:
    """Return the text of a phrase that says when the next day begins, in each language."""
    midnight = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
    return frozenset(
        phrase(which, locale=locale, bot_name="", hour=shown_day_begin(midnight, locale=locale)) for locale in LOCALES
    )


def begins_with_one(text: str | None, fixed_texts: Collection[str]) -> bool:
    """Whether the text is one of the fixed texts, alone or with what waited for the chat's next answer below it.

    Example: a press is told "There is nothing more to show.", and below it that the calendar has another address.
    """
    return text is not None and any(text == fixed or text.startswith(fixed + _GAP) for fixed in fixed_texts)
