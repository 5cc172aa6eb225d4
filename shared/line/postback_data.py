"""What the bot's own buttons carry: which question or deferral a press belongs to.

A button names an event of its own chat; the handler looks it up there, so a press from another chat finds nothing.
"""

import re
from typing import Final

DATA_LIMIT: Final = 300  # Source: LINE, "Postback action"
_SHOW_ANSWER: Final = re.compile(r"late:([0-9A-Za-z_-]{1,64})")
_CONFIRM_FORGET: Final = re.compile(r"forget:([0-9A-Za-z_-]{1,64})")


def show_answer_data(deferral_id: str) -> str:
    """Return the data of the button under "still thinking"."""
    return f"late:{deferral_id}"


def deferral_id_in(data: str | None) -> str | None:
    """Return the deferral whose button was pressed, or None for any other data."""
    found = _SHOW_ANSWER.fullmatch(data or "")
    return found[1] if found else None


def confirm_forget_data(question_id: str) -> str:
    """Return the data of the button that confirms `/forget`."""
    return f"forget:{question_id}"


def question_id_in(data: str | None) -> str | None:
    """Return the question whose button was pressed, or None for any other data."""
    found = _CONFIRM_FORGET.fullmatch(data or "")
    return found[1] if found else None
