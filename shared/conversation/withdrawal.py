"""Withdraw messages, replace their words, erase chats: the amendment first, then every object that can hold the words.

A second pass follows one lease later, for words of writers that died between write and look; no such writer is left by then. A tick carries
out the second pass by a marker; the withdrawal is complete when the marker is deleted. An object is written only if something is to be
removed, so withdrawals close together cost few writes. Source: LINE, "Processing on receipt of unsend event": respect the user's intent, so
that the message can't be seen or used in the future.
"""

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import field, replace
from typing import Final

from shared import logs
from shared.clock import Clock
from shared.conversation.amendment_records import Amendment, MadeOfMessage
from shared.conversation.amendments import Amendments
from shared.conversation.due import DueMarkers
from shared.conversation.member_mark import mark_id
from shared.conversation.records import MessageRecord
from shared.conversation.redaction.plan import RedactionPlan
from shared.conversation.redaction.sweep import Sweep
from shared.conversation.snapshot_records import SnapshotRecord
from shared.conversation.store import Conversation
from shared.conversation.turn import TurnRecord
from shared.conversation.word_holder import WordHolder, begin_removals
from shared.errors import CorruptRecordError
from shared.frozen import frozen
from shared.storage.codec import is_corrupt

_SECOND_PASS: Final = 30 / 25  # of a lease: clocks differ by 5 s
_FEW: Final = 10
_WITHDRAWAL: Final = "withdrawal"
_EDIT: Final = "edit"
_ERASURE: Final = "erasure"


@frozen
class Withdrawal:
    """Withdraws, edits and erases.  Every method may be repeated, and raises StorageUnavailableError."""

    holders: Sequence[WordHolder]
    clock: Clock = field(repr=False)

    @property
    def tasks(self) -> Mapping[str, Callable[[Conversation, str], None]]:
        """The second passes, by the kind of their marker."""
        return {
            _WITHDRAWAL: self.finish_withdrawal,
            _EDIT: self.finish_edit,
            _ERASURE: self.finish_erasure,
        }

    def second_pass_s(self, conversation: Conversation) -> float:
        """Return the seconds from amendment to second pass: by then every writer without knowledge of the amendment has ended.

        For example, a lease of 25 s gives 30 s.
        """
        return conversation.turn.lease_s * _SECOND_PASS

    def withdraw(self, conversation: Conversation, line_message_id: str, *, timestamp_ms: int) -> bool:
        """No object holds the message's words, and a later writer of the words finds the withdrawal.

        Returns whether the message was known; for an unknown message the amendment waits.
        """
        return self.withdraw_all(conversation, frozenset({line_message_id}), timestamp_ms=timestamp_ms)

    def withdraw_all(
        self,
        conversation: Conversation,
        line_message_ids: AbstractSet[str],
        *,
        timestamp_ms: int,
        delivered: Sequence[MessageRecord] = (),
    ) -> bool:
        """Do the same as `withdraw` for several messages, at little more than the cost of one.  Returns whether any message was known.

        A single event names all messages, so they count as withdrawn at once; the marker of the second pass names the event. `delivered`:
        messages in the hands of the caller, stored or not.
        """
        if not line_message_ids:
            return False
        conversation.amendments.withdraw(line_message_ids, timestamp_ms=timestamp_ms)
        round_id = max(line_message_ids)
        self._schedule_second_pass(conversation, _WITHDRAWAL, round_id)
        return self._withdraw_now(conversation, line_message_ids, round_id=round_id, delivered=delivered)

    def clear_holders(self, conversation: Conversation) -> None:
        """No record of a feature holds what the amendments remove.  Repeated: does nothing.  Raises: StorageUnavailableError."""
        begin_removals(self.holders, conversation)(conversation.amendments.look())

    def take_back_late(self, conversation: Conversation, message: MessageRecord) -> None:
        """Withdraw the message if the author took back everything before the delivery; otherwise change nothing.

        The journal may no longer hold the message, so answers are compared with the words of the delivery.
        """
        if conversation.amendments.has_forgotten(message.user_id, timestamp_ms=message.timestamp_ms):
            self.withdraw_all(
                conversation,
                frozenset({message.line_message_id}),
                timestamp_ms=message.timestamp_ms,
                delivered=[message],
            )

    def finish_withdrawal(self, conversation: Conversation, line_message_id: str) -> None:
        """The second pass of a withdrawal, and of all messages withdrawn together."""
        self._overtake_folds(conversation)
        together = conversation.amendments.look().together.get(line_message_id, frozenset({line_message_id}))
        conversation.amendments.edits.drop(together)
        self._withdraw_now(conversation, together, round_id=line_message_id)
        conversation.amendments.fold()

    def edit(  # noqa: PLR0913 - the edit, and what it removes
        self,
        conversation: Conversation,
        line_message_id: str,
        *,
        text: str,
        timestamp_ms: int,
        user_id: str | None = None,
        made: MadeOfMessage | None = None,
    ) -> bool:
        """Readers see the newest words, and no prompt that starts later holds older words.  Sent answers are unchanged.

        Entries and recaps of older words are removed; the newer words are filed when a person asks for it. What was `made` from the older
        words is stored until `mark_told`. Returns whether the edit counts; an edit from before an erasure, or before its author took back
        everything, does not: no new words are stored, and entries of older words, spared by a reset, go.
        """
        by = mark_id(user_id) or None
        edited = Amendment(
            line_message_id=line_message_id, timestamp_ms=timestamp_ms, text=text, by=by, made=made or MadeOfMessage()
        )
        conversation.amendments.amend(edited)
        if conversation.amendments.edits.drop_erased(line_message_id):
            self.clear_holders(conversation)
            return False
        if conversation.amendments.has_forgotten(user_id, timestamp_ms=timestamp_ms):
            self.withdraw(conversation, line_message_id, timestamp_ms=timestamp_ms)
            return False
        self._schedule_second_pass(conversation, _EDIT, line_message_id)
        self._edit_now(conversation, line_message_id)
        return True

    def finish_edit(self, conversation: Conversation, line_message_id: str) -> None:
        """The second pass of an edit."""
        self._overtake_folds(conversation)
        self._edit_now(conversation, line_message_id)
        conversation.amendments.fold()

    def _edit_now(self, conversation: Conversation, line_message_id: str) -> None:
        conversation.journal.apply_edit(line_message_id)
        conversation.turn.amend(is_affected=lambda _: False)
        clear_holders = begin_removals(self.holders, conversation)
        amendments = conversation.amendments.look()
        sweep = Sweep(archive=conversation.archive)
        journalled, snapshot = conversation.journal.message_of(line_message_id), conversation.snapshot.read().record
        sweep.add_sent_times((*([journalled] if journalled else ()), *snapshot.all_messages))
        sweep.skip_segments_before({line_message_id})
        archived = [one for segment in sweep.find({line_message_id}) for one in segment.messages]
        amendments = conversation.amendments.with_words_of(amendments, (*archived, *snapshot.all_messages))
        conversation.snapshot.clean(amendments)
        sweep.clean(amendments, {line_message_id})
        clear_holders(amendments)

    def erase(self, conversation: Conversation, *, until_ms: int, spares_entries: bool = False) -> None:
        """No object holds anything up to LINE's timestamp `until_ms`, except spared entries; later messages stay."""
        conversation.amendments.erase(until_ms, spares_entries=spares_entries)
        self._schedule_second_pass(conversation, _ERASURE, str(until_ms))
        self._erase_now(conversation)

    def finish_erasure(self, conversation: Conversation, until: str) -> None:
        """The second pass of the erasure up to the timestamp; outcomes without words are deleted, too."""
        self._overtake_folds(conversation)
        self._erase_now(conversation)
        listing = conversation.journal.list_objects()
        ended = {
            conversation.names.outcome(outcome.webhook_event_id)
            for outcome in conversation.journal.read_outcomes(listing)
            if outcome.provenance.until_ms <= int(until) and not outcome.holds_words
        }
        for outcome_object in listing.outcomes:
            if outcome_object.name in ended:
                conversation.journal.drop_listed(outcome_object)
        conversation.amendments.fold()

    def _overtake_folds(self, conversation: Conversation) -> None:
        """Every compaction without knowledge of the amendment loses its swap, even if it slept right before the swap."""
        conversation.snapshot.overtake(now_ms=self.clock.now_ms())

    def _schedule_second_pass(self, conversation: Conversation, kind: str, marker_id: str) -> None:
        at_ms = self.clock.now_ms() + round(self.second_pass_s(conversation) * 1_000)
        DueMarkers(store=conversation.objects.store).mark(kind, conversation, marker_id, at_ms=at_ms)

    def _withdraw_now(
        self,
        conversation: Conversation,
        line_message_ids: AbstractSet[str],
        *,
        round_id: str,
        delivered: Sequence[MessageRecord] = (),
    ) -> bool:
        """No object holds the messages' words; return whether any message was known.  Erasures have passes of their own.

        `delivered`: messages in the hands of the caller, stored or not.
        """
        journal, end_look = conversation.journal, conversation.amendments.begin_look()
        journalled = sorted(_journalled(conversation, line_message_ids))
        messages = [journal.message_of(one) for one in journalled]
        stored_messages = [one for one in messages if one is not None]
        amendments = end_look()
        amendments = replace(
            amendments,
            withdrawn=amendments.withdrawn | line_message_ids,
            erased_ms=-1,
            erased_entries_ms=-1,
        )
        plan = RedactionPlan(amendments=amendments)
        plan.add_words(text for one in (*stored_messages, *delivered) for text in one.words)
        sweep = Sweep(archive=conversation.archive)
        sweep.add_sent_times(stored_messages)
        read_ids = {one.line_message_id for one in (*stored_messages, *delivered)}
        is_known = plan.store_for_withdrawal(
            conversation, line_message_ids, sweep, round_id=round_id, read_ids=read_ids
        )
        for line_message_id in journalled:
            journal.drop(line_message_id)
        self._remove_words(
            conversation, plan, lambda amendments: sweep.clean(amendments, line_message_ids | plan.redacted_ids)
        )
        return is_known or bool(stored_messages)

    def _erase_now(self, conversation: Conversation) -> None:
        """No object holds anything erased by now.  Journal, snapshot and turn are deleted where they cannot be read."""
        try:
            self._erase_readable(conversation)
        except CorruptRecordError as cause:
            logs.error("record_unreadable", cause=cause)
            _drop_unreadable(conversation)
            self._erase_readable(conversation)

    def _erase_readable(self, conversation: Conversation) -> None:
        journal, amendments = conversation.journal, conversation.amendments.look()
        conversation.members.erase(until_ms=amendments.erased_ms)
        for message in journal.read_messages(drops_unreadable=True):
            if amendments.is_withdrawn(message):
                journal.drop(message.line_message_id)
        plan, sweep = RedactionPlan(amendments=amendments), Sweep(archive=conversation.archive)
        plan.store_for_erasure(conversation, sweep)
        self._remove_words(conversation, plan, sweep.clean_all)

    def _remove_words(
        self, conversation: Conversation, plan: RedactionPlan, clean_archive: Callable[[Amendments], None]
    ) -> None:
        """No object holds the words to be removed: turn, journal, snapshot, archive and holders, in this order.

        What the holders have is read meanwhile.
        """
        amendments = plan.applied
        conversation.turn.amend(is_affected=plan.redacts)
        clear_holders = begin_removals(self.holders, conversation)
        for outcome in conversation.journal.read_outcomes():
            if amendments.redact(outcome) is not outcome:
                conversation.journal.remove_words(outcome.webhook_event_id)
        conversation.snapshot.clean(amendments)
        clean_archive(amendments)
        clear_holders(amendments)


def _journalled(conversation: Conversation, line_message_ids: AbstractSet[str]) -> AbstractSet[str]:
    """Return the messages that the journal may hold; for more than 10 messages the journal is listed first."""
    if len(line_message_ids) <= _FEW:
        return line_message_ids
    names = (one.name for one in conversation.journal.list_objects().messages)
    return line_message_ids & {conversation.names.message_id_in(name) for name in names}


def _drop_unreadable(conversation: Conversation) -> None:
    """Delete an unreadable snapshot, and an unreadable turn unless entries were spared, because the turn numbers their writes."""
    watermark, store = conversation.amendments.watermark(), conversation.objects.store
    kinds: dict[str, type[object]] = {conversation.names.snapshot: SnapshotRecord}
    if watermark.entries_ms >= watermark.timestamp_ms:
        kinds[conversation.names.turn] = TurnRecord
    for name, kind in kinds.items():
        stored = store.read(name)
        if stored is not None and is_corrupt(kind, stored.data):
            store.delete(name, generation=stored.generation)
