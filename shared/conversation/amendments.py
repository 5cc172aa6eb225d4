"""Amendments: what became of messages after they were sent, as of one look."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from shared.conversation.amendment_notes import AmendedObjects
from shared.conversation.member_mark import mark_id
from shared.conversation.records import MessageRecord, OutcomeRecord, Watermark


@dataclass(frozen=True, slots=True, kw_only=True)
class Amendments:
    """What is withdrawn, edited and erased, as of one look.

    `taken`: the answers and recaps that lost their words with withdrawn messages, each with those that were found to repeat nothing of it.
    `edited_ms`: LINE's timestamp of each edit. `members`: up to when each member took back everything, by the ids of their marks. Filed
    entries are erased up to `erased_entries_ms` only. `listed`: all amendments of the listing, most of which are not read in a long chat.
    """

    withdrawn: frozenset[str] = frozenset()
    taken: Mapping[str, frozenset[str]] = field(default_factory=dict)
    edits: Mapping[str, str] = field(default_factory=dict, repr=False)
    edited_ms: Mapping[str, int] = field(default_factory=dict)
    members: Mapping[str, int] = field(default_factory=dict)
    erased_ms: int = -1
    erased_entries_ms: int = -1
    listed: AmendedObjects = field(default_factory=AmendedObjects, repr=False, compare=False)

    def generation_of(self, line_message_id: str) -> int:
        """Return the generation of a message's amendment, also of one that was listed and too old to be read; 0 where there is none."""
        return self.listed.generation_of(line_message_id)

    def adds_to(self, before: "Amendments") -> bool:
        """Whether this look found anything that the look `before` did not, which may have read more of the older amendments."""
        return not (
            self.withdrawn <= before.withdrawn
            and self.taken.items() <= before.taken.items()
            and self.edits.items() <= before.edits.items()
            and self.edited_ms.items() <= before.edited_ms.items()
            and self.members.items() <= before.members.items()
            and self.erased_ms <= before.erased_ms
            and self.erased_entries_ms <= before.erased_entries_ms
        )

    def is_withdrawn(self, message: MessageRecord) -> bool:
        """Whether the message was withdrawn or erased."""
        return message.line_message_id in self.withdrawn or message.timestamp_ms <= self.erased_ms

    def is_forgotten(self, message: MessageRecord) -> bool:
        """Whether its author took back everything up to it.  If the message was not known then, its own delivery withdraws it."""
        return message.timestamp_ms <= self.members.get(mark_id(message.user_id), -1)

    def hides(self, message: MessageRecord) -> bool:
        """Whether no reader may be shown the message."""
        return self.is_withdrawn(message) or self.is_forgotten(message)

    def is_withdrawn_from_entries(self, line_message_id: str, words_ms: int) -> bool:
        """Whether no entry may hold what the message said at this moment: it was withdrawn, erased, or replaced by an edit."""
        is_replaced = words_ms < self.edited_ms.get(line_message_id, words_ms)
        return is_replaced or line_message_id in self.withdrawn or words_ms <= self.erased_entries_ms

    def without_lost(self, outcome: OutcomeRecord) -> OutcomeRecord:
        """Return the outcome, without its words where they have to go."""
        is_lost = outcome.holds_words and outcome.provenance.is_lost_with(self, outcome.webhook_event_id)
        return outcome.without_words() if is_lost else outcome

    def replaced_in(self, messages: Iterable[MessageRecord]) -> frozenset[str]:
        """Return the ids of those messages whose words are older than their edits, and differ from them."""
        return frozenset(
            one.line_message_id
            for one in messages
            if self.edited_ms.get(one.line_message_id, 0) > one.edited_ms
            and self.edits[one.line_message_id] != one.text
        )

    def beside(self, listed: AmendedObjects, watermark: Watermark) -> "Amendments":
        """Return them beside all that was listed, and a watermark, which may be higher than the marks of erasures that were read."""
        return replace(
            self,
            erased_ms=max(self.erased_ms, watermark.timestamp_ms),
            erased_entries_ms=max(self.erased_entries_ms, watermark.entries_ms),
            listed=listed,
        )

    def overlay(self, message: MessageRecord) -> MessageRecord:
        """Return the message with its newest text, which may be its own: another worker may have found a newer edit than this look."""
        edited = self.edits.get(message.line_message_id)
        edited_ms = self.edited_ms.get(message.line_message_id, 0)
        if edited is None or edited_ms < message.edited_ms:
            return message
        return message.redacted(text=edited, edited_ms=edited_ms)
