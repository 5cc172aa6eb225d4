"""The fixed texts of the bot as a chat may be told them: in the language of whoever is answered."""

from shared.line.phrases import Phrase, phrase
from shared.locales import LOCALES


def in_every_language(which: Phrase, **facts: str) -> frozenset[str]:
    """Return the text of a phrase in each language that the bot speaks."""
    return frozenset(phrase(which, locale=locale, bot_name="", **facts) for locale in LOCALES)
