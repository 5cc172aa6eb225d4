"""The notice of an edit that removed something: what was made from the older words, and a button that files the new words.

An edit removes the notes and reminders made from the older words. With a reply token the group is told at once; LINE documents the token of
a messageEdited event as optional.
"""

import json
from collections import Counter
from dataclasses import dataclass
from typing import Final

from shared import logs
from shared.agent.proposals import described
from shared.conversation.member_mark import mark_id
from shared.conversation.provenance import Provenance, Source
from shared.conversation.records import Offer, ProposedCall
from shared.conversation.store import Conversation
from shared.knowledge.entry_store import EntryStore
from shared.line.events import LineEvent
from shared.line.language import language_of
from shared.line.phrases import Phrase, Phrases
from shared.reminders.store import ReminderStore
from shared.turns.announcement import Announcement, Announcer

_CAPTURE: Final = "classify_and_capture"


@dataclass(frozen=True, slots=True)
class MadeOfMessage:
    """What was made from a message: its notes by the time of their filing, which a note keeps when its path changes, and its reminders."""

    notes: Counter[str]
    reminders: frozenset[str]

    @classmethod
    def of(cls, conversation: Conversation, line_message_id: str) -> "MadeOfMessage":
        """Return the notes and reminders that name the message as a source."""
        rows = EntryStore(conversation).catalog().rows
        reminders = ReminderStore(conversation).read_all()
        return cls(
            notes=Counter(row.created_at for row in rows if line_message_id in row.provenance.message_ids),
            reminders=frozenset(one.id for one in reminders if line_message_id in one.provenance.message_ids),
        )

    def removed_since(self, conversation: Conversation) -> tuple[int, int]:
        """Return how many of the notes and of the reminders are gone; a note that keeps the words of other messages is not."""
        if not self.notes and not self.reminders:
            return 0, 0
        remaining = Counter(row.created_at for row in EntryStore(conversation).catalog().rows)
        reminders = {one.id for one in ReminderStore(conversation).read_all()}
        return (self.notes - remaining).total(), len(self.reminders - reminders)


@dataclass(frozen=True, slots=True, kw_only=True)
class EditNotice:
    """Tells a group what an edit removed."""

    announcer: Announcer
    phrases: Phrases

    def __call__(
        self, conversation: Conversation, event: LineEvent, line_message_id: str, text: str, made: MadeOfMessage
    ) -> None:
        """The group was told on the token of the edit, if anything that was `made` of the message is gone.

        The notice names the new words only. Repeated: told once; a worker that dies after the edit tells nothing.
        Example: the edit of "rice, 10 kg" to "rice, 5 kg" is followed by "☐ File: “rice, 5 kg”", with a button that files it.
        """
        notes, reminders = made.removed_since(conversation)
        if event.reply_token is None or not (notes or reminders):
            return
        logs.info("edit_removed_entries", notes=notes, reminders=reminders)
        locale = language_of((text,), default=self.phrases.locale, chosen=conversation.turn.chosen_locale())
        words = self.phrases.text(Phrase.EDIT_REMOVED, locale=locale, entries=str(notes), reminders=str(reminders))
        offer, source = (
            Offer(),
            Source(line_message_id=line_message_id, timestamp_ms=event.timestamp_ms, by=mark_id(event.user_id)),
        )
        if notes:
            arguments = json.dumps({"text": text}, ensure_ascii=False)
            proposed = (ProposedCall(tool=_CAPTURE, arguments=arguments, name=text),)
            words = f"{words}\n\n{described(proposed, locale=locale)}"
            offer = Offer(proposes=proposed, refiles=line_message_id)
        notice = Announcement(
            webhook_event_id=event.webhook_event_id,
            timestamp_ms=event.timestamp_ms,
            text=words,
            offer=offer,
            provenance=Provenance.of_sources([source]),
        )
        self.announcer.announce(conversation, notice, event.reply_token, event.deadline)
