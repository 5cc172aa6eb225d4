"""The words of a due reminder: a text or a digest, with the intended time where the reminder comes late or with an answer."""

import datetime as dt
import zoneinfo
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from functools import cache
from typing import Final, Literal, Protocol

from shared.agent.receipts import without_receipt_symbols
from shared.conversation.provenance import Provenance
from shared.conversation.store import Conversation
from shared.frozen import frozen
from shared.knowledge.digest import Digest, digest
from shared.knowledge.entry_store import EntryStore
from shared.line.bubbles import card_messages, fixed_messages
from shared.line.cards.written import digest_card
from shared.line.ids import mask_ids
from shared.line.language import language_of
from shared.line.messaging import OutgoingMessage
from shared.line.phrases import Phrases
from shared.locales.language_file import language_file
from shared.locales.local_times import shown_moment
from shared.locales.placeholders import filled
from shared.polls.store import PollStore
from shared.polls.wording import Group, standing_of, standing_text
from shared.reminders.buttons import reminder_buttons
from shared.reminders.reminder import Reminder, ReminderKind

LATE_MS: Final = 2 * 60_000
"""An occurrence that is said later than this shows the time for which it was meant."""
_DIGESTS: Final[Mapping[ReminderKind, Literal["daily", "weekly"]]] = {
    ReminderKind.DAILY_DIGEST: "daily",
    ReminderKind.WEEKLY_DIGEST: "weekly",
}


@frozen
class Occurrence:
    """The time of saying a reminder, from `said_ms`.  `is_postponed`: the occurrence was not pushed, and comes with an answer."""

    reminder: Reminder
    due_ms: int
    said_ms: int
    is_postponed: bool = False

    @property
    def shows_time(self) -> bool:
        """Whether the occurrence shows the intended time: postponed, or more than two minutes late."""
        return self.is_postponed or self.said_ms - self.due_ms > LATE_MS

    @property
    def id(self) -> str:
        """The occurrence's name in the chat: the reminder's id and the minute, for example `r0123456789-29923200`."""
        return f"{self.reminder.id}-{self.due_ms // 60_000}"


@frozen
class OccurrenceWords:
    """The words of an occurrence, and their provenance in addition to the reminder's."""

    text: str = field(repr=False)
    provenance: Provenance = field(default_factory=Provenance)


class Wording(Protocol):
    """The words of occurrences."""

    def words(self, conversation: Conversation, occurrence: Occurrence) -> OccurrenceWords | None:
        """Return the words of the occurrence; None: there is nothing to say, so the occurrence passes in silence.

        Repeated: the same words, unless entries have changed. Raises: StorageUnavailableError.
        """
        ...

    def nothing_said(self, occurrence: Occurrence) -> OccurrenceWords:
        """Return what the person is told who asked for a summary once, where nothing was said."""
        ...

    def from_group(self, occurrence: Occurrence, words: OccurrenceWords, name: str | None) -> OccurrenceWords:
        """Return the words for a member's 1:1 chat, below the name of the group; None: the group has no name."""
        ...

    def messages(self, occurrence: Occurrence, text: str) -> Sequence[OutgoingMessage]:
        """Return the words as the messages of a push."""
        ...


@frozen
class ReminderTexts:
    """A language's phrases for reminders.  {text} is the reminder's text, {when} the intended time, {name} a group's name."""

    said: str
    late: str
    nothing_said: str
    from_group: str
    private_unsent: str


@frozen
class ReminderWording:
    """Says reminders in the language of their own words, else in `locale`.  `is_rich`: digests are cards."""

    locale: str
    phrases: Phrases
    is_rich: bool = True

    def words(self, conversation: Conversation, occurrence: Occurrence) -> OccurrenceWords | None:
        kind = _DIGESTS.get(occurrence.reminder.kind)
        if occurrence.reminder.kind is ReminderKind.POLL:
            return self._poll(conversation, occurrence)
        if occurrence.reminder.is_private:
            return OccurrenceWords(text=self._unsent(occurrence))
        if kind is None:
            return OccurrenceWords(
                text=without_receipt_symbols(mask_ids(self._text(occurrence, occurrence.reminder.text)))
            )
        summary = self._digest(conversation, occurrence, kind)
        return (
            None
            if summary.is_empty
            else OccurrenceWords(
                text=without_receipt_symbols(mask_ids(self._text(occurrence, summary.text))),
                provenance=summary.provenance,
            )
        )

    def messages(self, occurrence: Occurrence, text: str) -> Sequence[OutgoingMessage]:
        if occurrence.reminder.kind is ReminderKind.POLL:
            return fixed_messages(text)
        if occurrence.reminder.kind is ReminderKind.CHAT_SUMMARY:
            return fixed_messages(text)
        if occurrence.reminder.kind is not ReminderKind.TEXT:
            return card_messages(text, digest_card(text) if self.is_rich else None)
        messages = fixed_messages(text)
        locale = self._locale_of(occurrence)
        buttons = reminder_buttons(occurrence.reminder.id, occurrence.due_ms, self.phrases, locale=locale)
        return (*messages[:-1], replace(messages[-1], quick_replies=buttons))

    def nothing_said(self, occurrence: Occurrence) -> OccurrenceWords:
        reminder = occurrence.reminder
        return OccurrenceWords(text=filled(_texts(self._locale_of(occurrence)).nothing_said, text=_name_of(reminder)))

    def from_group(self, occurrence: Occurrence, words: OccurrenceWords, name: str | None) -> OccurrenceWords:
        if name is None:
            return words
        heading = filled(_texts(self._locale_of(occurrence)).from_group, name=name)
        return replace(words, text=f"{heading}\n{words.text}")

    def _unsent(self, occurrence: Occurrence) -> str:
        """Return what the group is told of a private summary that could not be sent."""
        return filled(_texts(self._locale_of(occurrence)).private_unsent, text=_name_of(occurrence.reminder))

    def _poll(self, conversation: Conversation, occurrence: Occurrence) -> OccurrenceWords | None:
        """Return the result of a poll; None where the poll is gone."""
        reminder, amendments = occurrence.reminder, conversation.amendments.look()
        poll = PollStore(conversation).poll(reminder.about)
        if poll is None or poll.provenance.has_withdrawn(amendments.is_withdrawn_from_entries):
            return None
        standing = standing_of(
            conversation, poll, amendments, group=Group(), now_ms=max(occurrence.said_ms, occurrence.due_ms)
        )
        text = standing_text(standing, locale=self._locale_of(occurrence))
        return OccurrenceWords(text=text, provenance=standing.provenance)

    def _digest(self, conversation: Conversation, occurrence: Occurrence, kind: Literal["daily", "weekly"]) -> Digest:
        """Return the digest of the entries at the time of the occurrence, without words from withdrawn messages."""
        amendments = conversation.amendments.look()
        catalog = EntryStore(conversation).catalog().without(amendments.is_withdrawn_from_entries)
        now = dt.datetime.fromtimestamp(occurrence.said_ms / 1_000, zoneinfo.ZoneInfo(occurrence.reminder.zone))
        return digest(catalog.rows, kind=kind, locale=self._locale_of(occurrence), now=now)

    def _text(self, occurrence: Occurrence, words: str) -> str:
        """Return the words; where they come late, with the intended time."""
        locale, reminder = self._locale_of(occurrence), occurrence.reminder
        texts, is_digest = _texts(locale), reminder.kind is not ReminderKind.TEXT
        if not occurrence.shows_time:
            return words if is_digest else filled(texts.said, text=words)
        zone = zoneinfo.ZoneInfo(reminder.zone)
        meant, local_now = (
            dt.datetime.fromtimestamp(at_ms / 1_000, zone) for at_ms in (occurrence.due_ms, occurrence.said_ms)
        )
        when = shown_moment(meant, locale=locale, this_year=local_now.year, place=reminder.place)
        late = filled(texts.late, text=reminder.text, when=when)
        return f"{late}\n\n{words}" if is_digest else late

    def _locale_of(self, occurrence: Occurrence) -> str:
        reminder = occurrence.reminder
        return language_of((reminder.text,), default=self.locale, chosen=reminder.locale or None)


def _name_of(reminder: Reminder) -> str:
    return without_receipt_symbols(mask_ids(reminder.text))


@cache
def _texts(locale: str) -> ReminderTexts:
    return language_file(locale).table("reminder", ReminderTexts)
