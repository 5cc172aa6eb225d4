"""The data of the bot's buttons, such as `tick:0123456789abcdef:1795305600000`: written and read by the class of the press.

The data names an event or a thing. The handler looks only in the chat of the press, so a press in another chat finds nothing.
"""

import re
from collections.abc import Callable
from dataclasses import fields
from enum import StrEnum
from functools import cache
from typing import Annotated, Any, ClassVar, Final, Self, TypeAlias, get_args, get_type_hints

from shared.frozen import frozen
from shared.locales import LOCALES

DATA_LIMIT: Final = 300  # Source: LINE, "Postback action"

Id: TypeAlias = Annotated[str, r"[0-9A-Za-z_-]{1,64}"]
"""The id of an event, a message or a reminder."""
ALL_CURRENCIES: Final = "all"
TimeMs: TypeAlias = Annotated[int, r"[0-9]{1,15}"]


@frozen
class Press:
    """A press of a button.  Its data is the `word` of the class, if the class has one, and the fields in their order.

    A field is a StrEnum, or annotated with the pattern of its text. For example, `TickPress(handle="0123456789abcdef", listed_ms=1)` has
    the data `tick:0123456789abcdef:1`.
    """

    word: ClassVar[str] = ""

    @property
    def data(self) -> str:
        """The data of the button."""
        return ":".join((*filter(None, (self.word,)), *(str(getattr(self, each.name)) for each in fields(self))))

    @classmethod
    def read(cls, data: str | None) -> Self | None:
        """Return the press that the data tells; None for the data of another class, or of no button of the bot."""
        kind: Any = cls  # else mypy takes the __hash__ of the instances for that of the class
        pattern, converted = _form_of(kind)
        match = pattern.fullmatch(data or "")
        return None if match is None else cls(**{name: convert(match[name]) for name, convert in converted.items()})


@cache
def _form_of(kind: type[Press]) -> tuple[re.Pattern[str], dict[str, Callable[[str], Any]]]:
    """Return the pattern of a class's data, and how the text of each field becomes its value."""
    hints, converted, parts = get_type_hints(kind, include_extras=True), {}, [re.escape(kind.word)] if kind.word else []
    for each in fields(kind):
        hint = hints[each.name]
        type_, pattern = get_args(hint) or (hint, "|".join(map(re.escape, hint)))
        converted[each.name] = type_
        parts.append(f"(?P<{each.name}>{pattern})")
    return re.compile(":".join(parts)), converted


class AnswerButton(StrEnum):
    """The buttons below an answer: show what was deferred, carry out what is proposed, or decline it."""

    SHOW = "late"
    CARRY_OUT = "do"
    DECLINE = "no"


@frozen
class AnswerPress(Press):
    """A press of a button below the answer of this id, for example `late:01J`."""

    button: AnswerButton
    answer_id: Id


@frozen
class ConfirmPress(Press):
    """A press of the button below a question that confirms what the question is about, such as an erasure."""

    word = "confirm"
    question_id: Id


@frozen
class SparePress(Press):
    """A press of the button below a question that declines it."""

    word = "spare"
    question_id: Id


@frozen
class SuggestionPress(Press):
    """A press of an answer's suggestion; the first has the number 0."""

    word = "say"
    answer_id: Id
    number: Annotated[int, "[0-9]"]


class ReminderChoice(StrEnum):
    """The choices below a reminder: done, or once more in 10 minutes, in an hour, or tomorrow at 9."""

    DONE = "done"
    LATER = "later"
    HOUR = "hour"
    TOMORROW = "tomorrow"


@frozen
class ReminderPress(Press):
    """A press of a reminder's button, for the occurrence due at `occurrence_ms`."""

    word = "remind"
    choice: ReminderChoice
    reminder_id: Id
    occurrence_ms: TimeMs


class ListedChoice(StrEnum):
    """The choices beside a reminder of a list: cancel it, or have it said an hour later."""

    CANCEL = "cancel"
    HOUR_LATER = "hour"


@frozen
class ListedReminderPress(Press):
    """A press beside a listed reminder; the list said that it is due next at `next_ms`."""

    word = "listed"
    choice: ListedChoice
    reminder_id: Id
    next_ms: TimeMs


@frozen
class TickPress(Press):
    """A press of "Done" beside the entry of this handle, on a list that was sent at `listed_ms`."""

    word = "tick"
    handle: Annotated[str, "[0-9a-f]{16}"]
    listed_ms: TimeMs


class ListChoice(StrEnum):
    """The choices on the card of a shared list: show a page of the list, or clear what was ticked when the card was sent."""

    SHOW = "show"
    CLEAR = "clear"


@frozen
class ListPress(Press):
    """A press on the card of the shared list with this handle; `number` is the page to show, or the time of the card to clear, in ms."""

    word = "list"
    choice: ListChoice
    handle: Annotated[str, "[0-9a-f]{16}"]
    number: TimeMs


@frozen
class SettlePress(Press):
    """A press of "Settle up" on the card of a chat's balances, in the `currency`, such as JPY, or in every one: `all`.

    `mark` is that of the expenses that the card shows: after any change of what is open there is another one.
    """

    word = "settle"
    currency: Annotated[str, "[A-Z]{3}|all"]
    mark: Annotated[str, "[0-9a-f]{16}"]

    @property
    def only(self) -> str | None:
        """The only currency that is settled; None: every one."""
        return None if self.currency == ALL_CURRENCIES else self.currency


@frozen
class PagePress(Press):
    """A press for a further page of a list; the first has the number 0."""

    word = "page"
    command: Annotated[str, "notes|reminders"]
    page: Annotated[int, "[0-9]{1,3}"]


@frozen
class VotePress(Press):
    """A press of the button for an option of a poll, by the option's number from 0."""

    word = "vote"
    poll_id: Annotated[str, "p[0-9a-f]{10}"]
    choice: Annotated[int, "[0-9]"]


class HookChoice(StrEnum):
    """The choices beside a hook of a list: end its token, or replace it."""

    REVOKE = "revoke"
    ROTATE = "rotate"


@frozen
class HookPress(Press):
    """A press beside a listed hook, whose token had the `mark` when it was listed."""

    word = "hook"
    choice: HookChoice
    hook_id: Annotated[str, "h[0-9a-v]{16}"]
    mark: Annotated[str, "[0-9a-f]{24}"]


class TranslationChoice(StrEnum):
    """The choices beside translation: end it, or, as another member, have everybody's messages translated."""

    END = "end"
    JOIN = "join"


@frozen
class TranslationPress(Press):
    """A press beside translation, whose setting was last changed at `changed_ms` when it was shown."""

    word = "translation"
    choice: TranslationChoice
    changed_ms: TimeMs


class CalendarChoice(StrEnum):
    """The choices beside the calendar: an address, or none."""

    ON = "on"
    OFF = "off"


@frozen
class CalendarPress(Press):
    """A press beside the calendar."""

    word = "calendar"
    choice: CalendarChoice


@frozen
class LanguagePress(Press):
    """A press of the button that chooses the chat's language, for example `language:th`."""

    word = "language"
    locale: Annotated[str, "|".join(map(re.escape, LOCALES))]
