"""The data of the bot's buttons: the question, deferral, proposal or reminder of a press.

The data names an event or a reminder. The handler looks only in the chat of the press, so a press in another chat finds nothing.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from shared.locales import LOCALES

DATA_LIMIT: Final = 300  # Source: LINE, "Postback action"
_CONFIRM: Final = re.compile(r"confirm:([0-9A-Za-z_-]{1,64})")
_SPARE: Final = re.compile(r"spare:([0-9A-Za-z_-]{1,64})")
_OF_ANSWER: Final = re.compile(r"(late|do|no):([0-9A-Za-z_-]{1,64})")
_SUGGESTED: Final = re.compile(r"say:([0-9A-Za-z_-]{1,64}):([0-9])")
_LISTED: Final = re.compile(r"listed:(cancel|hour):([0-9A-Za-z_-]{1,64}):([0-9]{1,15})")
_TICK: Final = re.compile(r"tick:([0-9a-f]{16}):([0-9]{1,15})")
_PAGE: Final = re.compile(r"page:(notes|reminders):([0-9]{1,3})")
_HOOK: Final = re.compile(r"hook:(revoke|rotate):(h[0-9a-v]{16}):([0-9a-f]{24})")
_LANGUAGE: Final = re.compile(rf"language:({'|'.join(map(re.escape, LOCALES))})")
_REMIND: Final = re.compile(r"remind:(done|later|hour|tomorrow):([0-9A-Za-z_-]{1,64}):([0-9]{1,15})")


class AnswerButton(StrEnum):
    """The buttons below an answer: show what was deferred, carry out what is proposed, or decline it."""

    SHOW = "late"
    CARRY_OUT = "do"
    DECLINE = "no"


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerPress:
    """A press of a button below the answer of this id."""

    button: AnswerButton
    answer_id: str


class ReminderChoice(StrEnum):
    """The choices below a reminder: done, or once more in 10 minutes, in an hour, or tomorrow at 9."""

    DONE = "done"
    LATER = "later"
    HOUR = "hour"
    TOMORROW = "tomorrow"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReminderPress:
    """A press of a reminder's button, for the occurrence due at `occurrence_ms`."""

    choice: ReminderChoice
    reminder_id: str
    occurrence_ms: int


def show_answer_data(deferral_id: str) -> str:
    """Return the data of the "still thinking" button: `show_answer_data("01J")` -> `late:01J`."""
    return f"{AnswerButton.SHOW}:{deferral_id}"


def carry_out_data(proposal_id: str) -> str:
    """Return the data of the button that carries out the proposal of an answer: `carry_out_data("01J")` -> `do:01J`."""
    return f"{AnswerButton.CARRY_OUT}:{proposal_id}"


def decline_data(proposal_id: str) -> str:
    """Return the data of the button that declines the proposal of an answer: `decline_data("01J")` -> `no:01J`."""
    return f"{AnswerButton.DECLINE}:{proposal_id}"


def answer_press_in(data: str | None) -> AnswerPress | None:
    """Return the press of a button below an answer; None for any other data."""
    match = _OF_ANSWER.fullmatch(data or "")
    return AnswerPress(button=AnswerButton(match[1]), answer_id=match[2]) if match else None


def confirm_data(question_id: str) -> str:
    """Return the data of the button for confirming an erasure."""
    return f"confirm:{question_id}"


def question_id_in(data: str | None) -> str | None:
    """Return the question's id in the data of a press; None for any other data."""
    match = _CONFIRM.fullmatch(data or "")
    return match[1] if match else None


def spare_data(question_id: str) -> str:
    """Return the data of the button that declines an erasure: `spare_data("01J")` -> `spare:01J`."""
    return f"spare:{question_id}"


def spared_question_id_in(data: str | None) -> str | None:
    """Return the id of the declined question in the data of a press; None for any other data."""
    match = _SPARE.fullmatch(data or "")
    return match[1] if match else None


def suggestion_data(answer_id: str, number: int) -> str:
    """Return the data of the button for an answer's suggestion: `suggestion_data("01J", 0)` -> `say:01J:0`."""
    return f"say:{answer_id}:{number}"


def suggestion_in(data: str | None) -> tuple[str, int] | None:
    """Return the answer's id and the suggestion's number in the data of a press; None for any other data."""
    match = _SUGGESTED.fullmatch(data or "")
    return (match[1], int(match[2])) if match else None


class ListedChoice(StrEnum):
    """The choices beside a reminder of a list: cancel it, or have it said an hour later."""

    CANCEL = "cancel"
    HOUR_LATER = "hour"


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedReminderPress:
    """A press beside a listed reminder; the list said that it is due next at `next_ms`."""

    choice: ListedChoice
    reminder_id: str
    next_ms: int


def listed_reminder_data(press: ListedReminderPress) -> str:
    """Return the data of a button beside a listed reminder, for example `listed:cancel:r1:1795305600000`."""
    return f"listed:{press.choice.value}:{press.reminder_id}:{press.next_ms}"


def listed_reminder_press_in(data: str | None) -> ListedReminderPress | None:
    """Return the press of a button beside a listed reminder; None for any other data."""
    match = _LISTED.fullmatch(data or "")
    if match is None:
        return None
    return ListedReminderPress(choice=ListedChoice(match[1]), reminder_id=match[2], next_ms=int(match[3]))


@dataclass(frozen=True, slots=True, kw_only=True)
class TickPress:
    """A press of "Done" beside the entry of this handle, on a list that was sent at `listed_ms`."""

    handle: str
    listed_ms: int


def tick_data(press: TickPress) -> str:
    """Return the data of the button that marks a listed entry as done, for example `tick:0123456789abcdef:1795305600000`."""
    return f"tick:{press.handle}:{press.listed_ms}"


def tick_press_in(data: str | None) -> TickPress | None:
    """Return the press of the button that marks a listed entry as done; None for any other data."""
    match = _TICK.fullmatch(data or "")
    return TickPress(handle=match[1], listed_ms=int(match[2])) if match else None


def page_data(command: str, page: int) -> str:
    """Return the data of the button for a further page of a list: `page_data("notes", 1)` -> `page:notes:1`."""
    return f"page:{command}:{page}"


def page_in(data: str | None) -> tuple[str, int] | None:
    """Return the command and the page in the data of a press; None for any other data."""
    match = _PAGE.fullmatch(data or "")
    return (match[1], int(match[2])) if match else None


class HookChoice(StrEnum):
    """The choices beside a hook of a list: end its token, or replace it."""

    REVOKE = "revoke"
    ROTATE = "rotate"


@dataclass(frozen=True, slots=True, kw_only=True)
class HookPress:
    """A press beside a listed hook, whose token had the `mark` when it was listed."""

    choice: HookChoice
    hook_id: str
    mark: str


def hook_data(press: HookPress) -> str:
    """Return the data of a button beside a hook, for example `hook:revoke:h7k2m4q9v3b5n8a6o:9f3a…`."""
    return f"hook:{press.choice.value}:{press.hook_id}:{press.mark}"


def hook_press_in(data: str | None) -> HookPress | None:
    """Return the press of a button beside a hook; None for any other data."""
    match = _HOOK.fullmatch(data or "")
    return HookPress(choice=HookChoice(match[1]), hook_id=match[2], mark=match[3]) if match else None


def language_data(locale: str) -> str:
    """Return the data of the button that chooses the chat's language: `language_data("th")` -> `language:th`."""
    return f"language:{locale}"


def language_in(data: str | None) -> str | None:
    """Return the locale in the data of a press; None for any other data."""
    match = _LANGUAGE.fullmatch(data or "")
    return match[1] if match else None


def remind_data(press: ReminderPress) -> str:
    """Return the data of a reminder's button, for example `remind:done:r1:1795305600000`."""
    return f"remind:{press.choice.value}:{press.reminder_id}:{press.occurrence_ms}"


def reminder_press_in(data: str | None) -> ReminderPress | None:
    """Return the press of a reminder's button; None for any other data."""
    match = _REMIND.fullmatch(data or "")
    if match is None:
        return None
    return ReminderPress(choice=ReminderChoice(match[1]), reminder_id=match[2], occurrence_ms=int(match[3]))
