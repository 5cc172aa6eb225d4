"""Compaction keeps a chat small: answered, unaddressed and old records are folded into the snapshot, older messages are summed up.

    1. read the snapshot, the names of the journal and the amendments, in parallel; then the journal
    2. write full segments of the archive, then swap the snapshot
    3. remove words withdrawn meanwhile from both; in parallel, delete the folded messages
    4. delete the folded outcomes and the needless segments; in parallel, write recaps, with a swap for each

A reader that finds a listed object deleted begins again.
"""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import field, replace
from typing import Final

from shared import logs
from shared.clock import SKEW_MS, Clock, Deadline
from shared.conversation.amendments import Amendments
from shared.conversation.journal import JournalListing
from shared.conversation.lifetime import Cut, bounded
from shared.conversation.recap import RecapWriter
from shared.conversation.records import ANSWERABLE_MS, MessageRecord, OutcomeKind, OutcomeRecord, by_time
from shared.conversation.redaction.sweep import Sweep
from shared.conversation.snapshot import MemoryLimits, cleaned
from shared.conversation.snapshot_records import SnapshotRecord
from shared.conversation.store import Conversation
from shared.frozen import frozen
from shared.storage.codec import decode_readable
from shared.storage.object_store import ListedObject

_FOLDED_AT_ONCE: Final = 500
_ONE_IN: Final = 16
FOLD_S: Final = 10.0
"""A fold is begun only if this much time is left."""


@frozen
class Compaction:
    """Folds journals into snapshots.  Every method raises StorageUnavailableError when the bucket does not answer in time."""

    recaps: RecapWriter
    limits: MemoryLimits
    clock: Clock = field(repr=False)

    def is_due(self, *, journalled: int, shown: int = 0) -> bool:
        """Whether the journal is long enough, or prompts show too many folded messages without a recap.

        For example, with the default limits 21 journalled messages are enough.
        """
        return journalled > self.limits.journalled or shown - journalled >= self.limits.verbatim + self.limits.summed_up

    def is_triggered_by(self, line_message_id: str) -> bool:
        """Whether this unaddressed message triggers a compaction check (1 in 16, by hash)."""
        return hashlib.sha256(line_message_id.encode()).digest()[0] % _ONE_IN == 0

    def fold(self, conversation: Conversation, deadline: Deadline | None) -> SnapshotRecord | None:
        """The journal is shorter, and readers see the same; return the snapshot afterwards, None if nothing was folded.

        Messages that left the verbatim part of prompts are summed up if the `deadline` leaves the model enough time; None: not now.
        Repeated: finds less to do.
        """
        reads, began_s = conversation.objects.reads, self.clock.monotonic_s()
        reading, end_look = reads.submit(conversation.snapshot.read), conversation.amendments.begin_look()
        listing = conversation.journal.list_objects()
        snapshot = reading.result()
        # The look may have missed an amendment whose second pass is over.
        if not conversation.amendments.is_valid(began_s):
            logs.info("compaction_late")
            return None
        messages, outcomes = _read(conversation, listing)
        amendments = conversation.amendments.with_words_of(end_look(), (*messages, *snapshot.record.messages))
        writes_recaps = self.recaps.is_due(snapshot.record, deadline)
        if not self.is_due(journalled=len(messages)) and not writes_recaps:
            return None
        old_ms = self.clock.now_ms() - ANSWERABLE_MS - SKEW_MS
        folding = _Folding.of(messages, outcomes, snapshot.record, amendments, old_ms=old_ms)
        clean = cleaned(folding.record, amendments)
        record = bounded(clean, self.limits, now_ms=self.clock.now_ms(), required_ids=folding.required_ids)
        cut = conversation.archive.cut(conversation.archive.with_waiting(clean, record))
        writes_recaps = self.recaps.is_due(cut.record, deadline)
        conversation.archive.write(cut.segments)
        folded = conversation.snapshot.swap(
            snapshot, self.recaps.with_attempt(cut.record) if writes_recaps else cut.record
        )
        if folded is None:
            logs.info("compaction_lost")
            _abandon(conversation, cut, amendments)
            return None
        folded_messages, folded_outcomes = _folded_objects(conversation, listing, folding)
        dropping = reads.map(conversation.journal.drop_listed, folded_messages)
        looked_s = self.clock.monotonic_s()
        settled = conversation.snapshot.settle(conversation.amendments, amendments)
        _settle_segments(conversation, cut, amendments, settled)
        list(dropping)
        dropping = reads.map(conversation.journal.drop_listed, folded_outcomes)
        logs.info("journal_folded", messages=len(folding.messages), outcomes=len(folding.outcomes))
        removing = reads.submit(conversation.archive.remove_needless) if cut.segments else None
        if deadline is not None and writes_recaps:
            snapshot = folded if settled == amendments else conversation.snapshot.read()
            self.recaps.write(conversation, snapshot, settled, deadline, looked_s=looked_s)
        list(dropping)
        if removing is not None:
            removing.result()
            logs.info("segments_written", segments=len(cut.segments))
        return folded.record


def _abandon(conversation: Conversation, cut: Cut, amendments: Amendments) -> None:
    """Clean the segments of a lost swap, and delete the segments that no snapshot can ever name.

    The snapshot may name the others, if the swap won and the response was lost. If not, they are deleted after the next segment is written.
    """
    if not cut.segments:
        return
    _settle_segments(conversation, cut, amendments, conversation.amendments.look())
    conversation.archive.remove_needless()


def _settle_segments(conversation: Conversation, cut: Cut, looked: Amendments, settled: Amendments) -> None:
    """Clean the segments of words amended between the looks `looked` and `settled`."""
    if settled.adds_to(looked):
        Sweep(archive=conversation.archive).clean_segments(cut.segments, settled)


def _read(conversation: Conversation, listing: JournalListing) -> tuple[list[MessageRecord], list[OutcomeRecord]]:
    """Return the oldest part of the journal.  One listing serves both: messages of an unlisted outcome stay unfolded."""
    messages, outcomes = listing.messages[:_FOLDED_AT_ONCE], listing.outcomes[:_FOLDED_AT_ONCE]
    bodies = conversation.objects.read_all([*messages, *outcomes])
    return (
        decode_readable(MessageRecord, bodies[: len(messages)]),
        decode_readable(OutcomeRecord, bodies[len(messages) :]),
    )


@frozen
class _Folding:
    """The records to leave the journal, and the snapshot with them, before it is cleaned or cut.

    `required_ids`: the answers and recaps named by the outcomes that stay in the journal.
    """

    messages: tuple[MessageRecord, ...]
    outcomes: tuple[OutcomeRecord, ...]
    record: SnapshotRecord
    required_ids: frozenset[str]

    @classmethod
    def of(
        cls,
        messages: Sequence[MessageRecord],
        outcomes: Sequence[OutcomeRecord],
        snapshot: SnapshotRecord,
        amendments: Amendments,
        *,
        old_ms: int,
    ) -> "_Folding":
        """Fold messages without need of an answer, and outcomes without a message left in the journal.

        A medium redelivered after the fold keeps its caption, or the mark that a worker died over the medium. A message hidden because the
        author took back everything waits for the message's own delivery, and is withdrawn there. The newest outcome stays: while listed,
        its name alone shows the next reader that the turn is free.
        """
        covered = frozenset().union(*(one.answered_ids for one in (*snapshot.outcomes, *outcomes)))
        described = {one.line_message_id: one for one in snapshot.messages if one.is_described}
        folded = {
            message.line_message_id: described.get(message.line_message_id, message)
            for message in messages
            if amendments.is_withdrawn(message)
            or (
                not amendments.is_forgotten(message)
                and (
                    message.line_message_id in covered
                    or not message.addressed
                    or message.reply_token is None
                    or message.timestamp_ms < old_ms
                )
            )
        }
        waiting = {one.line_message_id for one in messages} - folded.keys()
        done = tuple(one for one in outcomes[:-1] if waiting.isdisjoint(one.answered_ids))
        unchanged = (one for one in snapshot.messages if one.line_message_id not in folded)
        return cls(
            messages=tuple(folded.values()),
            outcomes=done,
            required_ids=frozenset().union(*(one.provenance.derived_ids for one in outcomes if one not in done)),
            record=replace(
                snapshot,
                messages=tuple(sorted((*unchanged, *folded.values()), key=by_time)),
                outcomes=_merged(
                    snapshot.outcomes, (replace(one, audit=replace(one.audit, usage=())) for one in done), old_ms=old_ms
                ),
            ),
        )


def _folded_objects(
    conversation: Conversation, listing: JournalListing, folding: _Folding
) -> tuple[list[ListedObject], list[ListedObject]]:
    """Return the objects of the folded messages and of the folded outcomes, as listed."""
    names = conversation.names
    messages = {names.message(one.line_message_id) for one in folding.messages}
    outcomes = {names.outcome(one.webhook_event_id) for one in folding.outcomes}
    return (
        [one for one in listing.messages if one.name in messages],
        [one for one in listing.outcomes if one.name in outcomes],
    )


def _was_given_up(outcome: OutcomeRecord) -> bool:
    return outcome.kind is OutcomeKind.UNDELIVERED and not outcome.answered_ids


def _merged(
    folded: Iterable[OutcomeRecord], done: Iterable[OutcomeRecord], *, old_ms: int
) -> tuple[OutcomeRecord, ...]:
    """Return the outcomes by time.  Old proposals are closed, so only the names of their tools stay.

    If a fixed text was folded as given up, and another delivery sent the text later, the outcome in the journal counts.
    """
    outcomes = {one.webhook_event_id: one for one in done}
    outcomes |= {
        outcome.webhook_event_id: outcome
        for outcome in folded
        if outcome.webhook_event_id not in outcomes or not _was_given_up(outcome)
    }
    shortened = (
        replace(outcome, offer=outcome.offer.without_proposals())
        if outcome.timestamp_ms < old_ms and outcome.offer.proposes
        else outcome
        for outcome in outcomes.values()
    )
    return tuple(sorted(shortened, key=by_time))
