"""Withdraw messages, replace their words, erase chats: the amendment first, then every object that can hold the words.

One lease later a second pass follows, for writers that died between their write and their look: one lease later there are none left.
Source: LINE, "Processing on receipt of unsend event": respect the user's intent, so that the message can't be seen or used in the future.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Protocol

from shared.clock import Clock
from shared.conversation.amendments import Amendments
from shared.conversation.records import Amendment, OutcomeRecord
from shared.conversation.snapshot import cleaned
from shared.conversation.store import Conversation
from shared.errors import StorageUnavailableError
from shared.storage.compare_and_swap import SWAP_ATTEMPTS

_SECOND_PASS: Final = 30 / 25  # of a lease: clocks differ by 5 s


class WordHolder(Protocol):
    """A place outside of journal, turn and snapshot that holds what was made of messages: entries, media, external calls."""

    def remove_withdrawn(self, conversation: Conversation, amendments: Amendments) -> None:
        """Nothing in it comes from what was withdrawn, or says what an edit has replaced.

        Filed entries, which people may want to keep when they reset a conversation, go by `erased_entries_ms`; all else by `erased_ms`.
        Repeated: does nothing. Raises: StorageUnavailableError.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Withdrawal:
    """Withdraws, edits and erases.  Every method may be repeated, and raises StorageUnavailableError."""

    holders: Sequence[WordHolder]
    clock: Clock = field(repr=False)

    def withdraw(self, conversation: Conversation, line_message_id: str, *, timestamp_ms: int) -> bool:
        """No object holds the message's words, and a writer of them finds later that they were withdrawn.

        Returns whether the message was known; for one that is not (yet), the amendment waits.
        """
        conversation.amendments.amend(Amendment(line_message_id=line_message_id, timestamp_ms=timestamp_ms))
        is_known = self._sweep(conversation, line_message_id)
        self._wait_for_writers(conversation)
        return self._sweep(conversation, line_message_id) or is_known

    def edit(self, conversation: Conversation, line_message_id: str, *, text: str, timestamp_ms: int) -> bool:
        """Readers see the newest words, and no prompt that starts later holds older ones.  Answers that were given keep theirs.

        What was filed from older words is removed; the newer ones are filed when a person asks for it. A turn that files older words at
        the same time looks after its writes, so there is no second pass.
        Returns whether the edit counts; one from before an erasure does not.
        """
        conversation.amendments.amend(Amendment(line_message_id=line_message_id, timestamp_ms=timestamp_ms, text=text))
        if conversation.amendments.drop_erased_edit(line_message_id):
            return False
        conversation.journal.apply_edit(line_message_id)
        conversation.turn.update(lambda turn: turn.with_cancellation(line_message_id))
        self._rewrite_snapshot(conversation, line_message_id)
        self._clear_holders(conversation, conversation.amendments.look())
        return True

    def erase(self, conversation: Conversation, *, until_ms: int, spares_entries: bool = False) -> None:
        """Nothing up to this timestamp of LINE's is in any object, but for entries if those are spared; what came later stays."""
        self.begin_erasure(conversation, until_ms=until_ms, spares_entries=spares_entries)
        self.end_erasure(conversation, until_ms=until_ms)

    def begin_erasure(self, conversation: Conversation, *, until_ms: int, spares_entries: bool = False) -> None:
        """Nothing up to this timestamp is shown any more, nor in any object but those that are being written at this moment."""
        conversation.amendments.erase(until_ms, spares_entries=spares_entries)
        self._sweep(conversation)

    def end_erasure(self, conversation: Conversation, *, until_ms: int) -> None:
        """Complete the erasure that was begun with the same timestamp.  Takes a little longer than a lease."""
        self._wait_for_writers(conversation)
        self._sweep(conversation)
        for one in conversation.journal.read_outcomes():
            if one.until_ms <= until_ms and not one.holds_words:
                conversation.journal.drop_outcome(one.webhook_event_id)

    def _wait_for_writers(self, conversation: Conversation) -> None:
        self.clock.sleep(conversation.turn.lease_s * _SECOND_PASS)

    def _sweep(self, conversation: Conversation, line_message_id: str | None = None) -> bool:
        """No object holds what was withdrawn by now; return whether the message was known.  None: every message is looked at."""
        journal, amendments = conversation.journal, conversation.amendments.look()
        is_known = False
        if line_message_id is None:
            for message in journal.read_messages():
                if amendments.is_withdrawn(message):
                    journal.drop(message.line_message_id)
        else:  # among the newest amendments or not
            amendments = replace(amendments, withdrawn=amendments.withdrawn | {line_message_id})
            is_known = journal.holds(line_message_id)
            journal.drop(line_message_id)
        written_ms = conversation.snapshot.read().record.timeline.get(line_message_id or "")

        def is_affected(outcome: OutcomeRecord) -> bool:
            provenance = outcome.provenance
            return provenance.is_affected_by(amendments) or (written_ms is not None and provenance.spans(written_ms))

        conversation.turn.update(lambda turn: turn.without_withdrawn(amendments, line_message_id, is_affected))
        is_known |= self._rewrite_snapshot(conversation, line_message_id)
        for outcome in journal.read_outcomes():
            if outcome.holds_words and is_affected(outcome):
                journal.remove_words(outcome.webhook_event_id)
        self._clear_holders(conversation, amendments)
        return is_known

    def _clear_holders(self, conversation: Conversation, amendments: Amendments) -> None:
        for holder in self.holders:
            holder.remove_withdrawn(conversation, amendments)

    def _rewrite_snapshot(self, conversation: Conversation, line_message_id: str | None) -> bool:
        """The snapshot is as the amendments want it; return whether it knew the message.

        It is rewritten in any case, so that a compaction in flight loses its swap.
        """
        for _ in range(SWAP_ATTEMPTS):
            seen = conversation.snapshot.read()
            amendments = conversation.amendments.look()
            if conversation.snapshot.swap(seen, cleaned(seen.record, amendments)) is not None:
                return line_message_id in seen.record.timeline
        raise StorageUnavailableError("others kept changing the snapshot")
