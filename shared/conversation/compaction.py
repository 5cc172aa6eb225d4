"""Keep a chat small: fold what is answered, mere context or too old into the snapshot, and sum up what falls out of sight.

Snapshot, then amendments, then the journal are read; the snapshot is swapped; then messages are deleted, then outcomes; then the model is
asked for recaps, and the snapshot is swapped once more for each. A reader that
listed an object before it was deleted finds it gone and begins again. Whoever takes words away rewrites the snapshot, so the swap of a
compaction that has read them before is lost.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Protocol

from shared import logs
from shared.clock import SKEW_MS, Clock
from shared.conversation.amendments import AmendmentLog, Amendments
from shared.conversation.history import ANSWERABLE_MS
from shared.conversation.records import MessageRecord, OutcomeKind, OutcomeRecord, Recap, SnapshotRecord, by_time
from shared.conversation.snapshot import SeenSnapshot, Snapshots, cleaned, newest
from shared.conversation.store import Memory
from shared.errors import AizuchiError
from shared.storage.object_cache import Bodies, readable
from shared.storage.object_names import OUTCOME_SUFFIX, journal_prefix, message_name, outcome_name

_FOLDED_AT_ONCE: Final = 500
_OUTCOMES_KEPT: Final = 100
_NEWEST_KEPT: Final = 20  # the turn names the last one: it must be known as recorded
_LATE_KEPT: Final = 10
_ONE_IN: Final = 16
_TRIES: Final = 2
_AT_IT_MS: Final = 30_000  # a recap takes 15 s at most


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryLimits:
    """How much of a chat is kept, in messages and recaps.

    More than `journalled` messages in the journal are folded. `verbatim` are shown in prompts as they are; of what is older, `summed_up`
    at a time become a recap, `recaps_at_once` recaps in one compaction; `recaps` are kept, and at most `sources` messages of theirs.
    """

    journalled: int = 20
    verbatim: int = 50
    summed_up: int = 10
    recaps_at_once: int = 2
    recaps: int = 10
    sources: int = 100


class Summariser(Protocol):
    """Sums up."""

    def __call__(
        self, conversation_id: str, messages: Sequence[MessageRecord], answers: Sequence[OutcomeRecord]
    ) -> str:
        """Return a recap of what was said.  Raises: AizuchiError, where there is none this time."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Compaction:
    """Folds journals into snapshots.  Every method raises StorageUnavailableError when the bucket does not answer in time."""

    bodies: Bodies
    amendments: AmendmentLog
    snapshots: Snapshots
    clock: Clock = field(repr=False)
    summarise: Summariser = field(repr=False)
    limits: MemoryLimits = field(default_factory=MemoryLimits)

    @classmethod
    def on(
        cls, memory: Memory, *, clock: Clock, summarise: Summariser, limits: MemoryLimits | None = None
    ) -> "Compaction":
        """Return the compaction of a memory."""
        return cls(
            bodies=memory.bodies,
            amendments=memory.amendments,
            snapshots=memory.snapshots,
            clock=clock,
            summarise=summarise,
            limits=limits or MemoryLimits(),
        )

    def is_due(self, *, journalled: int, shown: int = 0) -> bool:
        """Whether the journal has grown long enough, or what a prompt shows has, because chatter was folded without the model."""
        return journalled > self.limits.journalled or shown >= self.limits.verbatim + self.limits.summed_up

    def is_drawn(self, line_message_id: str) -> bool:
        """Whether this message, which nobody answers, is one of those after which a look at the journal is taken; no counter is kept."""
        return hashlib.sha256(line_message_id.encode()).digest()[0] % _ONE_IN == 0

    def fold(self, conversation_id: str, *, may_ask_model: bool) -> bool:
        """The journal is shorter, and readers see the same; return whether something was folded.  Repeated: finds less to do."""
        seen = self.snapshots.read(conversation_id)
        amendments = self.amendments.look(conversation_id)
        messages, outcomes = self._journalled(conversation_id)
        asks = may_ask_model and self._may_sum_up(seen.record)
        if not self.is_due(journalled=len(messages)) and not asks:
            return False
        old_ms = self.clock.now_ms() - ANSWERABLE_MS - SKEW_MS
        folding = Folding.of(messages, outcomes, seen.record, amendments, old_ms=old_ms)
        record = _bounded(cleaned(folding.record, amendments), self.limits)
        asks = may_ask_model and self._may_sum_up(record)
        folded = self.snapshots.swap(conversation_id, seen, self._trying(record) if asks else record)
        if folded is None:
            logs.info("compaction_lost")
            return False
        for message in folding.messages:
            self.bodies.store.delete(message_name(conversation_id, message.line_message_id))
        for outcome in folding.outcomes:
            self.bodies.store.delete(outcome_name(conversation_id, outcome.webhook_event_id))
        logs.info("journal_folded", messages=len(folding.messages), outcomes=len(folding.outcomes))
        if asks:
            self._sum_up(conversation_id, folded, amendments)
        return True

    def _journalled(self, conversation_id: str) -> tuple[list[MessageRecord], list[OutcomeRecord]]:
        """Return the oldest part of the journal.  One listing serves both: an outcome that is not in it leaves its messages unfolded."""
        listed = sorted(self.bodies.store.list(journal_prefix(conversation_id)), key=lambda one: one.generation)
        messages = [one for one in listed if not one.name.endswith(OUTCOME_SUFFIX)][:_FOLDED_AT_ONCE]
        outcomes = [one for one in listed if one.name.endswith(OUTCOME_SUFFIX)][:_FOLDED_AT_ONCE]
        bodies = self.bodies.read_all([*messages, *outcomes])
        return readable(bodies[: len(messages)], MessageRecord), readable(bodies[len(messages) :], OutcomeRecord)

    def _may_sum_up(self, record: SnapshotRecord) -> bool:
        """Whether something fell out of sight, and nobody is summing it up."""
        return bool(_next_batch(record, self.limits)) and self.clock.now_ms() >= record.recap_until_ms

    def _trying(self, record: SnapshotRecord) -> SnapshotRecord:
        """Return the record as it has to be before the model is asked: if that ends the worker, somebody knows."""
        return replace(record, recap_tries=record.recap_tries + 1, recap_until_ms=self.clock.now_ms() + _AT_IT_MS)

    def _sum_up(self, conversation_id: str, seen: SeenSnapshot, amendments: Amendments) -> None:
        """What fell out of sight is summed up, a swap for each recap; where that fails the messages stay as they are.

        What has ended its worker too often gets no words, so that it does not end all that follow.
        """
        for left in reversed(range(self.limits.recaps_at_once)):
            text = self._summed_up(conversation_id, seen.record, amendments)
            record = replace(seen.record, recap_tries=0, recap_until_ms=0)
            if text is not None:
                record = _bounded(_with_recap(record, text, self.limits), self.limits)
            goes_on = text is not None and left > 0 and bool(_next_batch(record, self.limits))
            written = self.snapshots.swap(conversation_id, seen, self._trying(record) if goes_on else record)
            if written is None:
                logs.info("recap_lost")
                return
            if not goes_on:
                return
            seen = written

    def _summed_up(self, conversation_id: str, record: SnapshotRecord, amendments: Amendments) -> str | None:
        """Return the next recap, None where there is none this time."""
        if record.recap_tries > _TRIES:
            logs.error("recap_given_up")
            return ""
        batch = _next_batch(record, self.limits)
        if self.amendments.fresh_look(conversation_id) != amendments:  # words that are taken back go into no prompt
            return None
        try:
            return self.summarise(conversation_id, batch, _answers_in(record, batch))
        except AizuchiError as cause:
            logs.warning("recap_failed", error_type=type(cause).__name__)
            return None


def _next_batch(record: SnapshotRecord, limits: MemoryLimits) -> tuple[MessageRecord, ...]:
    """Return the oldest messages that are out of sight and in no recap: as many as make a recap, or fewer where one follows them."""
    unsummed = _unsummed(record)
    out_of_sight = unsummed[: max(len(unsummed) - limits.verbatim, 0)]
    waiting = [one for one in out_of_sight if one.line_message_id]  # a recap must be able to name its sources
    if not waiting:
        return ()
    following = (recap.timestamp_ms for recap in record.recaps if recap.timestamp_ms >= waiting[0].timestamp_ms)
    end_ms = min(following, default=None)
    batch = [one for one in waiting if end_ms is None or one.timestamp_ms <= end_ms][: limits.summed_up]
    return tuple(batch) if len(batch) == limits.summed_up or end_ms is not None else ()


def _unsummed(record: SnapshotRecord) -> tuple[MessageRecord, ...]:
    summed_up = frozenset(one for recap in record.recaps for one in recap.covers)
    return tuple(one for one in record.messages if one.line_message_id not in summed_up)


def _with_recap(record: SnapshotRecord, text: str, limits: MemoryLimits) -> SnapshotRecord:
    """Return the record with its next batch summed up in these words."""
    batch = _next_batch(record, limits)
    answers = _answers_in(record, batch)
    recap = Recap(
        text=text,
        covers=tuple(one.line_message_id for one in batch),
        timestamp_ms=batch[-1].timestamp_ms,
        since_ms=min((batch[0].timestamp_ms, *(one.since_ms for one in answers))),
        until_ms=max((batch[-1].timestamp_ms, *(one.until_ms for one in answers))),
    )
    return replace(record, recaps=tuple(sorted((*record.recaps, recap), key=lambda one: one.timestamp_ms)))


def _answers_in(record: SnapshotRecord, batch: Sequence[MessageRecord]) -> tuple[OutcomeRecord, ...]:
    return tuple(one for one in record.outcomes if _belongs(one, batch))


def _belongs(outcome: OutcomeRecord, batch: Sequence[MessageRecord]) -> bool:
    is_said = outcome.text is not None and outcome.kind is not OutcomeKind.STORED
    return is_said and batch[0].timestamp_ms <= outcome.timestamp_ms <= batch[-1].timestamp_ms


def _bounded(record: SnapshotRecord, limits: MemoryLimits) -> SnapshotRecord:
    """Return the record within its limits; the oldest goes first, a recap with its sources."""
    forgotten = frozenset(one for recap in record.recaps[: -limits.recaps] for one in recap.covers)
    messages = tuple(one for one in record.messages if one.line_message_id not in forgotten)
    record = replace(record, recaps=record.recaps[-limits.recaps :], messages=messages)
    unsummed = _unsummed(record)[-(2 * limits.verbatim + limits.recaps_at_once * limits.summed_up) :]
    summed_up = frozenset(one for recap in record.recaps for one in recap.covers)
    sources = [one for one in record.messages if one.line_message_id in summed_up]
    kept = (*sources[-limits.sources :], *unsummed)
    oldest_ms = min((one.timestamp_ms for one in unsummed), default=0)
    shown = {one.webhook_event_id for one in record.outcomes[-_OUTCOMES_KEPT:] if one.timestamp_ms >= oldest_ms}
    newest_ones = {one.webhook_event_id for one in record.outcomes[-_NEWEST_KEPT:]}
    late = {one.webhook_event_id for one in [one for one in record.outcomes if _is_late(one)][-_LATE_KEPT:]}
    return replace(
        record,
        messages=tuple(sorted(kept, key=by_time)),
        outcomes=tuple(one for one in record.outcomes if one.webhook_event_id in shown | newest_ones | late),
    )


def _is_late(outcome: OutcomeRecord) -> bool:
    return outcome.has_button or outcome.kind is OutcomeKind.STORED


@dataclass(frozen=True, slots=True, kw_only=True)
class Folding:
    """What leaves the journal, and the snapshot that then holds it, before anything is taken out or cut."""

    messages: tuple[MessageRecord, ...]
    outcomes: tuple[OutcomeRecord, ...]
    record: SnapshotRecord

    @classmethod
    def of(
        cls,
        messages: Sequence[MessageRecord],
        outcomes: Sequence[OutcomeRecord],
        snapshot: SnapshotRecord,
        amendments: Amendments,
        *,
        old_ms: int,
    ) -> "Folding":
        """Fold messages that nobody has to answer any more, and outcomes all of whose messages are folded or gone.

        The newest outcome stays: while it is listed, its name alone tells the next reader that the turn is free.
        """
        covered = frozenset(snapshot.covered).union(*(one.covers for one in outcomes))
        folded = {
            one.line_message_id: one
            for one in messages
            if one.line_message_id in covered
            or not one.addressed
            or one.reply_token is None
            or one.timestamp_ms < old_ms
            or amendments.take_back(one)
        }
        waiting = {one.line_message_id for one in messages} - folded.keys()
        done = tuple(one for one in outcomes[:-1] if waiting.isdisjoint(one.covers))
        ends = {covered_id: one.timestamp_ms for one in done for covered_id in one.covers}
        kept = (one for one in snapshot.messages if one.line_message_id not in folded)
        stamps = {one: message.timestamp_ms for one, message in folded.items()}
        timeline = newest({**snapshot.timeline, **stamps})
        return cls(
            messages=tuple(folded.values()),
            outcomes=done,
            record=replace(
                snapshot,
                messages=tuple(sorted((*kept, *folded.values()), key=by_time)),
                outcomes=_joined(snapshot.outcomes, done, amendments, timeline),
                timeline=timeline,
                covered={one: at for one, at in {**snapshot.covered, **ends}.items() if at >= old_ms},
            ),
        )


def _joined(
    folded: Iterable[OutcomeRecord],
    done: Iterable[OutcomeRecord],
    amendments: Amendments,
    timeline: Mapping[str, int],
) -> tuple[OutcomeRecord, ...]:
    """Return all outcomes; what they saw is told by the timeline, but for messages that it does not have, behind filed entries."""
    known = {one.webhook_event_id: one for one in folded}
    for one in done:
        kept = one.without_words() if amendments.touch(one) else one
        known.setdefault(
            one.webhook_event_id, replace(kept, saw=tuple(seen for seen in kept.saw if seen not in timeline))
        )
    return tuple(sorted(known.values(), key=by_time))
