"""What a reminder says when it is due: its text, and where it comes late or with an answer, the time for which it was meant."""

import datetime as dt
import re
import zoneinfo
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Final, Protocol

from shared.conversation.store import Conversation
from shared.line.bubbles import fixed_messages
from shared.line.messaging import OutgoingMessage
from shared.locales.language_file import language_file
from shared.locales.local_times import shown_moment
from shared.reminders.reminder import Reminder

LATE_MS: Final = 2 * 60_000
"""An occurrence that is said later than this tells the time for which it was meant."""
_PLACE: Final = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Occurrence:
    """One time at which a reminder is said; `said_ms` is when that begins.  `is_kept`: it could not be pushed, and comes with an answer."""

    reminder: Reminder
    due_ms: int
    said_ms: int
    is_kept: bool = False

    @property
    def tells_time(self) -> bool:
        """Whether the time for which it was meant is told with it."""
        return self.is_kept or self.said_ms - self.due_ms > LATE_MS

    @property
    def id(self) -> str:
        """What names it in its chat: the reminder's id and the minute."""
        return f"{self.reminder.id}-{self.due_ms // 60_000}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """The words of an occurrence, and the messages behind them beside those behind the reminder."""

    text: str = field(repr=False)
    source_ids: frozenset[str] = frozenset()


class Wording(Protocol):
    """What occurrences say."""

    def said(self, conversation: Conversation, occurrence: Occurrence) -> Said | None:
        """Return the words of the occurrence; None: there is nothing to say, so it passes in silence.

        Repeated: the same words, as far as nothing else has changed. Raises: StorageUnavailableError.
        """
        ...

    def messages(self, occurrence: Occurrence, text: str) -> Sequence[OutgoingMessage]:
        """Return the words as the messages of a push."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ReminderTexts:
    """How one language says reminders.  {text} is the reminder's, {when} the time for which it was meant."""

    said: str
    late: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TextWording:
    """Says a reminder's own text in one of LOCALES."""

    locale: str

    def said(self, conversation: Conversation, occurrence: Occurrence) -> Said | None:  # noqa: ARG002 - the port's signature
        return Said(text=self.text(occurrence))

    def messages(self, occurrence: Occurrence, text: str) -> Sequence[OutgoingMessage]:  # noqa: ARG002 - likewise
        return fixed_messages(text)

    def text(self, occurrence: Occurrence) -> str:
        """Return the reminder's text, with the time for which it was meant where it comes late."""
        texts, reminder = _texts(self.locale), occurrence.reminder
        if not occurrence.tells_time:
            return _filled(texts.said, text=reminder.text)
        zone = zoneinfo.ZoneInfo(reminder.zone)
        meant, said = (dt.datetime.fromtimestamp(one / 1_000, zone) for one in (occurrence.due_ms, occurrence.said_ms))
        when = shown_moment(meant, locale=self.locale, this_year=said.year)
        return _filled(texts.late, text=reminder.text, when=when)


def _filled(pattern: str, **facts: str) -> str:
    return _PLACE.sub(lambda place: facts[place[1]], pattern)


@cache
def _texts(locale: str) -> ReminderTexts:
    return language_file(locale).table("reminder", ReminderTexts)
