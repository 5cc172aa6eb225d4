"""What a person may want to copy off a card: the code or the address of a text."""

from typing import Final

import regex

from shared.late_patterns import late
from shared.line.cards.card import CardButton
from shared.line.phrases import Phrase, phrase

# No pattern tries a run twice: each run is possessive, and ends where another character begins
_ADDRESS: Final = r"https://[!-~]++|[A-Za-z0-9_.+-]++@[A-Za-z0-9-]++(?:\.[A-Za-z0-9-]++)++"
_PHONE: Final = r"\+?+[0-9][0-9-]{8,18}+"
_CODE: Final = r"[A-Za-z0-9][A-Za-z0-9_-]{5,63}+"
_COPYABLE: Final = late(regex.compile, rf"(?<![A-Za-z0-9_.@/+-])(?:{_ADDRESS}|{_PHONE}|{_CODE})(?![A-Za-z0-9_@/…])")
_DATE: Final = late(regex.compile, r"[0-9]{4}-[0-9]{2}(?![0-9])")
_CLOSING: Final = ".,;:!?)]}>'\""


def code_or_address(text: str) -> str:
    """Return the only address, telephone number or code of a text; "" where it has none or several.

    A code has at least six letters of ASCII and digits, and at least three digits: "hotel: booking AX-48213" -> "AX-48213". "2026-11-27"
    is a date, and a code that is cut ("AX-48…") is none.
    """
    copyable = {match[0].rstrip(_CLOSING) for match in _COPYABLE.finditer(text)}
    values = [value for value in copyable if _is_value(value)]
    return values[0] if len(values) == 1 else ""


def copy_button(value: str, locale: str) -> CardButton:
    """Return the button that copies the value, in the language."""
    return CardButton(label=phrase(Phrase.COPY_BUTTON, locale=locale, bot_name=""), value=value, action="copy")


def _is_value(value: str) -> bool:
    """Whether it is an address, or has digits as a code has; no date, and no word with a single digit, such as "windows11"."""
    if "@" in value or value.startswith("https://"):
        return True
    digits = sum(character.isdigit() for character in value)
    return digits >= 3 and _DATE.match(value) is None  # noqa: PLR2004 - as of AX-482
