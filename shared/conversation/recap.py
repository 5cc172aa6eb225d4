"""Recaps: after the answer, the model sums up messages beyond the verbatim part of prompts, a few at a time.

Each attempt is recorded in the snapshot before the model is asked, so a recap that crashes its worker counts as a try.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import field, replace
from typing import Final, Protocol

from shared import logs
from shared.clock import Clock, Deadline
from shared.conversation.amendments import Amendments
from shared.conversation.lifetime import bounded, without_recap
from shared.conversation.records import MessageRecord, OutcomeKind, OutcomeRecord, provenance_of
from shared.conversation.snapshot import MemoryLimits, StoredSnapshot
from shared.conversation.snapshot_records import Recap, SnapshotRecord
from shared.conversation.store import Conversation
from shared.errors import AizuchiError
from shared.frozen import frozen

_TRIES: Final = 2
_ATTEMPT_MS: Final = 30_000  # a recap takes 15 s at most
_RECAP_S: Final = 20.0


class Summariser(Protocol):
    """Sums up."""

    def sum_up(
        self,
        conversation: Conversation,
        messages: Sequence[MessageRecord],
        answers: Sequence[OutcomeRecord],
        amendments: Amendments,
    ) -> str:
        """Return a recap of the records, read with these amendments.  Raises: AizuchiError, if this attempt failed."""
        ...


@frozen
class RecapWriter:
    """Writes recaps into snapshots.  Raises StorageUnavailableError when the bucket does not answer in time."""

    summariser: Summariser = field(repr=False)
    limits: MemoryLimits
    clock: Clock = field(repr=False)

    def is_due(self, record: SnapshotRecord, deadline: Deadline | None) -> bool:
        """Whether messages fell out of the verbatim part, no other worker is summing them up, and the model has enough time."""
        has_time = deadline is not None and deadline.left_s >= _RECAP_S
        return has_time and bool(_next_batch(record, self.limits)) and self.clock.now_ms() >= record.recap_until_ms

    def with_attempt(self, record: SnapshotRecord) -> SnapshotRecord:
        """Return the record with another attempt, to be stored before the model is asked."""
        return replace(record, recap_tries=record.recap_tries + 1, recap_until_ms=self.clock.now_ms() + _ATTEMPT_MS)

    def write(
        self,
        conversation: Conversation,
        snapshot: StoredSnapshot,
        amendments: Amendments,
        deadline: Deadline,
        *,
        looked_s: float = -math.inf,
    ) -> None:
        """The messages beyond the verbatim part are summed up, with a swap for each recap; if a recap fails, its messages stay unchanged.

        `snapshot` holds the attempt, and was cleaned by `amendments`. A batch that crashed its worker too often gets a recap without words,
        to prevent crashes of later workers. The look after a swap serves as the look before the next recap; `looked_s` is when the
        last look before the first recap began, by the monotonic clock.
        """
        for recaps_left in reversed(range(self.limits.recaps_at_once)):
            text = self._recap_text(conversation, snapshot.record, amendments, looked_s=looked_s)
            record = replace(snapshot.record, recap_tries=0, recap_until_ms=0)
            if text is not None:
                summed_up = _with_recap(record, text, self.limits)
                groups = (summed_up.outcomes, summed_up.recaps, summed_up.passed_recaps)
                # Journalled answers may name any of the records.
                required_ids = frozenset(one.id for group in groups for one in group)
                within = bounded(summed_up, self.limits, now_ms=self.clock.now_ms(), required_ids=required_ids)
                record = conversation.archive.with_waiting(summed_up, within)
            goes_on = text is not None and recaps_left > 0 and self.is_due(record, deadline)
            written = conversation.snapshot.swap(snapshot, self.with_attempt(record) if goes_on else record)
            if written is None:
                logs.info("recap_lost")
                return
            looked_s = self.clock.monotonic_s()
            if conversation.snapshot.settle(conversation.amendments, amendments) != amendments or not goes_on:
                return
            snapshot = written

    def _recap_text(
        self, conversation: Conversation, record: SnapshotRecord, amendments: Amendments, *, looked_s: float
    ) -> str | None:
        """Return the text of the next recap; None if this attempt yields none."""
        batch = _next_batch(record, self.limits)
        if not batch:  # withdrawn since the attempt was recorded
            return None
        if record.recap_tries > _TRIES:
            logs.error("recap_given_up")
            return ""
        log = conversation.amendments
        if not log.is_valid(looked_s) and log.fresh_look().adds_to(amendments):  # no prompt may hold withdrawn words
            return None
        refused = {one.id for one in record.refused}
        messages = [one for one in batch if one.line_message_id not in refused]
        answers = [one for one in _answers_in(record, batch) if one.webhook_event_id not in refused]
        if not messages and not answers:
            return ""
        try:
            return self.summariser.sum_up(conversation, messages, answers, amendments)
        except AizuchiError as cause:
            logs.warning("recap_failed", error_type=type(cause).__name__)
            return None


def _next_batch(record: SnapshotRecord, limits: MemoryLimits) -> tuple[MessageRecord, ...]:
    """Return the oldest messages without a prompt or a recap: enough for a recap, or fewer where a recap follows.

    For example, with 50 verbatim and 10 to a recap, 59 messages give no batch, and 60 give the oldest ten.
    """
    verbatim = without_recap(record)
    out_of_sight = verbatim[: max(len(verbatim) - limits.verbatim, 0)]
    waiting = [one for one in out_of_sight if one.line_message_id]  # a recap must be able to name its sources
    if not waiting:
        return ()
    following = (recap.timestamp_ms for recap in record.recaps if recap.timestamp_ms >= waiting[0].timestamp_ms)
    end_ms = min(following, default=None)
    batch = [one for one in waiting if end_ms is None or one.timestamp_ms <= end_ms][: limits.summed_up]
    return tuple(batch) if len(batch) == limits.summed_up or end_ms is not None else ()


def _with_recap(record: SnapshotRecord, text: str, limits: MemoryLimits) -> SnapshotRecord:
    """Return the record with the next batch summed up in the given words."""
    batch = _next_batch(record, limits)
    answers = _answers_in(record, batch)
    recap = Recap(
        id=f"recap-{record.recaps_written + 1}",
        text=text,
        summed_up_ids=tuple(one.line_message_id for one in batch),
        provenance=replace(
            provenance_of(batch),
            derived_ids=frozenset(one.webhook_event_id for one in answers),
            outside=_outside_of((*batch, *answers)),
        ),
        timestamp_ms=batch[-1].timestamp_ms,
    )
    record = replace(record, recaps_written=record.recaps_written + 1)
    return replace(record, recaps=tuple(sorted((*record.recaps, recap), key=lambda recap: recap.timestamp_ms)))


def _outside_of(records: Iterable[MessageRecord | OutcomeRecord]) -> frozenset[str]:
    """Return the sources outside the chat whose words a recap of the records may hold: captions and answers carry them."""
    return frozenset().union(*(one.provenance.outside for one in records if one.provenance is not None))


def _answers_in(record: SnapshotRecord, batch: Sequence[MessageRecord]) -> tuple[OutcomeRecord, ...]:
    return tuple(one for one in record.outcomes if _belongs_to(batch, one))


def _belongs_to(batch: Sequence[MessageRecord], outcome: OutcomeRecord) -> bool:
    is_answer = outcome.text is not None and outcome.kind is not OutcomeKind.STORED
    return is_answer and batch[0].timestamp_ms <= outcome.timestamp_ms <= batch[-1].timestamp_ms
