"""The data of the bot's buttons: the question, deferral, proposal or reminder that a press belongs to.

The data names an event or a reminder; the handler looks it up in the chat of the press, so a press in another chat finds nothing.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

DATA_LIMIT: Final = 300  # Source: LINE, "Postback action"
_SHOW_ANSWER: Final = re.compile(r"late:([0-9A-Za-z_-]{1,64})")
_CONFIRM: Final = re.compile(r"confirm:([0-9A-Za-z_-]{1,64})")
_CARRY_OUT: Final = re.compile(r"do:([0-9A-Za-z_-]{1,64})")
_REMIND: Final = re.compile(r"remind:(done|later|hour|tomorrow):([0-9A-Za-z_-]{1,64}):([0-9]{1,15})")


class ReminderChoice(StrEnum):
    """What the buttons of a reminder offer: it is done, or it is to be said again in 10 minutes, in an hour, or tomorrow at 9."""

    DONE = "done"
    LATER = "later"
    HOUR = "hour"
    TOMORROW = "tomorrow"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReminderPress:
    """A press of a button of a reminder: of the occurrence that was due at `occurrence_ms`."""

    choice: ReminderChoice
    reminder_id: str
    occurrence_ms: int


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


def carry_out_data(proposal_id: str) -> str:
    """Return the data of the button that carries out what an answer proposes."""
    return f"do:{proposal_id}"


def proposal_id_in(data: str | None) -> str | None:
    """Return the id of the answer whose proposal was pressed; None for any other data."""
    found = _CARRY_OUT.fullmatch(data or "")
    return found[1] if found else None


def remind_data(press: ReminderPress) -> str:
    """Return the data of a button of a reminder."""
    return f"remind:{press.choice.value}:{press.reminder_id}:{press.occurrence_ms}"


def reminder_press_in(data: str | None) -> ReminderPress | None:
    """Return the press of a reminder's button; None for any other data."""
    found = _REMIND.fullmatch(data or "")
    if found is None:
        return None
    return ReminderPress(choice=ReminderChoice(found[1]), reminder_id=found[2], occurrence_ms=int(found[3]))
