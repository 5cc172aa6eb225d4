"""Take words back: the amendment first, then every place that can hold them, always, and once more one lease later.

The second pass is for writers that died between their write and their look: one lease later there are none left.
Source: LINE, "Processing on receipt of unsend event": respect the user's intent, so that the message can't be seen or used in the future.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Protocol, TypeVar

from shared.clock import Clock
from shared.conversation.amendments import AmendmentLog, Amendments
from shared.conversation.journal import Journal
from shared.conversation.records import Amendment, MessageRecord, OutcomeRecord
from shared.conversation.snapshot import Snapshots, cleaned
from shared.conversation.turn import Turns
from shared.errors import StorageUnavailableError
from shared.storage.compare_and_swap import SWAP_ATTEMPTS
from shared.storage.object_cache import readable
from shared.storage.object_names import OUTCOME_SUFFIX, journal_prefix, message_name, outcome_name

_SECOND_PASS: Final = 30 / 25  # of a lease: clocks differ by 5 s
_Record = TypeVar("_Record", MessageRecord, OutcomeRecord)


class Copies(Protocol):
    """A place outside of the journal that keeps what was made of messages: entries, media, calls."""

    def take_out(self, conversation_id: str, amendments: Amendments) -> None:
        """Nothing in it comes from what was taken back, or says what an edit has replaced.

        Repeated: does nothing. Raises: StorageUnavailableError.

        Filed entries, which people may want to keep when they reset a conversation, go by `erased_entries_ms`; all else by `erased_ms`.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Withdrawal:
    """Takes back messages, replaces their words, erases chats.  Every method may be repeated, and raises StorageUnavailableError."""

    journal: Journal
    amendments: AmendmentLog
    snapshots: Snapshots
    turns: Turns
    clock: Clock = field(repr=False)
    copies: Sequence[Copies] = ()

    def withdraw(self, conversation_id: str, line_message_id: str, *, timestamp_ms: int) -> bool:
        """No object holds the message's words, and whoever writes them later finds that they were taken back.

        Returns whether the message was known; for one that is not (yet), the amendment waits.
        """
        gone = Amendment(line_message_id=line_message_id, timestamp_ms=timestamp_ms)
        self.amendments.amend(conversation_id, gone)
        is_known = self._sweep(conversation_id, line_message_id)
        self.clock.sleep(self.turns.lease_s * _SECOND_PASS)
        return self._sweep(conversation_id, line_message_id) or is_known

    def edit(self, conversation_id: str, line_message_id: str, *, text: str, timestamp_ms: int) -> bool:
        """Readers see the newest words, and no prompt that starts later holds older ones.  Answers that were given keep theirs.

        What was filed from older words is filed no more; the newer ones are filed when somebody asks for it. A turn that files older words
        at the same time looks after its writes, so there is no second pass.
        Returns whether the edit counts; one from before an erasure does not.
        """
        edit = Amendment(line_message_id=line_message_id, timestamp_ms=timestamp_ms, text=text)
        self.amendments.amend(conversation_id, edit)
        if self.amendments.drop_erased_edit(conversation_id, line_message_id):
            return False
        self.journal.bring_up_to_date(conversation_id, line_message_id)
        self.turns.change(conversation_id, lambda turn: turn.cancelling(line_message_id))
        self._rewrite_snapshot(conversation_id, line_message_id)
        amendments = self.amendments.look(conversation_id)
        for place in self.copies:
            place.take_out(conversation_id, amendments)
        return True

    def erase(self, conversation_id: str, *, until_ms: int, spares_entries: bool = False) -> None:
        """Nothing up to this timestamp of LINE's is in any object, but for what was filed if that is spared; what came later stays."""
        self.begin_erasure(conversation_id, until_ms=until_ms, spares_entries=spares_entries)
        self.end_erasure(conversation_id, until_ms=until_ms)

    def begin_erasure(self, conversation_id: str, *, until_ms: int, spares_entries: bool = False) -> None:
        """Nothing up to this timestamp of LINE's is shown any more, nor in any object but those that are just being written."""
        self.amendments.erase(conversation_id, until_ms, spares_entries=spares_entries)
        self._sweep(conversation_id)

    def end_erasure(self, conversation_id: str, *, until_ms: int) -> None:
        """What was begun with the same timestamp is complete.  Takes a little longer than a lease."""
        self.clock.sleep(self.turns.lease_s * _SECOND_PASS)
        self._sweep(conversation_id)
        for one in self._journalled(conversation_id, OutcomeRecord):
            if one.until_ms <= until_ms and not one.holds_words:
                self.journal.bodies.store.delete(outcome_name(conversation_id, one.webhook_event_id))

    def _sweep(self, conversation_id: str, line_message_id: str | None = None) -> bool:
        """What was taken back by now is in no object; return whether the message was known.  None: every message is looked at."""
        amendments = self.amendments.look(conversation_id)
        is_known = False
        if line_message_id is None:
            for message in self._journalled(conversation_id, MessageRecord):
                if amendments.take_back(message):
                    self.journal.drop(conversation_id, message.line_message_id)
        else:  # among the newest amendments or not
            amendments = replace(amendments, withdrawn=amendments.withdrawn | {line_message_id})
            is_known = self.journal.bodies.store.read(message_name(conversation_id, line_message_id)) is not None
            self.journal.drop(conversation_id, line_message_id)
        said_ms = self.snapshots.read(conversation_id).record.timeline.get(line_message_id or "")

        def touched(outcome: OutcomeRecord) -> bool:
            return amendments.touch(outcome) or (said_ms is not None and outcome.reaches(said_ms))

        self.turns.change(conversation_id, lambda turn: turn.without(amendments, line_message_id, touched))
        is_known |= self._rewrite_snapshot(conversation_id, line_message_id)
        for outcome in self._journalled(conversation_id, OutcomeRecord):
            if outcome.holds_words and touched(outcome):
                self.journal.take_words_out(outcome_name(conversation_id, outcome.webhook_event_id))
        for place in self.copies:
            place.take_out(conversation_id, amendments)
        return is_known

    def _rewrite_snapshot(self, conversation_id: str, line_message_id: str | None) -> bool:
        """The snapshot is as the amendments want it; return whether it knew the message.

        It is rewritten in any case, so that a compaction under way loses its swap.
        """
        for _ in range(SWAP_ATTEMPTS):
            seen = self.snapshots.read(conversation_id)
            amendments = self.amendments.look(conversation_id)
            if self.snapshots.swap(conversation_id, seen, cleaned(seen.record, amendments)) is not None:
                return line_message_id in seen.record.timeline
        raise StorageUnavailableError("others kept changing the snapshot")

    def _journalled(self, conversation_id: str, kind: type[_Record]) -> list[_Record]:
        listed = self.journal.bodies.store.list(journal_prefix(conversation_id))
        wants_outcomes = kind is OutcomeRecord
        return readable(
            self.journal.bodies.read_all(one for one in listed if one.name.endswith(OUTCOME_SUFFIX) is wants_outcomes),
            kind,
        )
