"""The data of the bot's buttons: the question or deferral that a press belongs to.

The data names an event; the handler looks it up in the chat of the press, so a press in another chat finds nothing.
"""

import re
from typing import Final

DATA_LIMIT: Final = 300  # Source: LINE, "Postback action"
_SHOW_ANSWER: Final = re.compile(r"late:([0-9A-Za-z_-]{1,64})")
_CONFIRM: Final = re.compile(r"confirm:([0-9A-Za-z_-]{1,64})")


def show_answer_data(deferral_id: str) -> str:
    """Return the data of the "still thinking" button."""
    return f"late:{deferral_id}"


def deferral_id_in(data: str | None) -> str | None:
    """Return the id of the deferral whose button was pressed; None for any other data."""
    found = _SHOW_ANSWER.fullmatch(data or "")
    return found[1] if found else None


def confirm_data(question_id: str) -> str:
    """Return the data of the button that confirms an erasure."""
    return f"confirm:{question_id}"


def question_id_in(data: str | None) -> str | None:
    """Return the id of the question whose button was pressed; None for any other data."""
    found = _CONFIRM.fullmatch(data or "")
    return found[1] if found else None
