"""What a compaction moves from the journal into the snapshot."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from shared.conversation.amendments import Amendments
from shared.conversation.records import MessageRecord, OutcomeRecord, SnapshotRecord, by_time
from shared.conversation.snapshot import newest


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
