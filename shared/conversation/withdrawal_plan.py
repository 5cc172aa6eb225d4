"""The plan of a withdrawal or an erasure: which answers and recaps lose their words with it, stored before any words go.

`Descent` decides about them; here is where they are found: in journal, snapshot and archive, read until nothing new is found.
"""

from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from functools import partial

from shared.conversation.amendments import Amendments, Plan
from shared.conversation.descent import Descent, Repeatable, repeatable
from shared.conversation.records import OutcomeRecord
from shared.conversation.snapshot_records import Segment, SnapshotRecord
from shared.conversation.store import Conversation
from shared.conversation.sweep import Sweep
from shared.errors import StorageUnavailableError
from shared.storage.compare_and_swap import SWAP_ATTEMPTS


def plan_withdrawal(
    conversation: Conversation,
    line_message_ids: AbstractSet[str],
    descent: Descent,
    sweep: Sweep,
    *,
    round_id: str,
) -> bool:
    """Find what loses its words with the messages, and store that plan before any words go; return whether an object knew the messages.

    The plan is an amendment event of the round; readers take the plans of all rounds together. The journal is listed again
    after each find, because an answer that was recorded meanwhile may not know of the find. An answer that was compared and keeps its
    words is a find, too: unless the plan names it, other withdrawals take its words. What another delivery or withdrawal has compared
    and taken since the look is read from its plan. What else is withdrawn is compared here, too: the plan decides on what was made of
    it, and its own withdrawal may have stalled.
    """
    compared: frozenset[str] = frozenset()
    segments: list[Segment] = []
    withdrawn = descent.amendments.withdrawn
    for _ in range(SWAP_ATTEMPTS):
        listing = conversation.journal.list_objects()
        outcomes = conversation.journal.read_outcomes(listing)
        others = conversation.journal.read_listed(listing, withdrawn - line_message_ids)
        snapshot = conversation.snapshot.read().record
        sweep.know((*snapshot.messages, *snapshot.leaving.messages))
        sweep.begin_with(line_message_ids)
        segments += sweep.naming_more(line_message_ids | descent.taken)
        stored = (
            *snapshot.messages,
            *(one for segment in (snapshot.leaving, *segments) for one in segment.messages),
        )
        known = {one.line_message_id: one for one in (*others, *stored) if one.line_message_id in withdrawn}
        descent.add_words(text for one in sorted(known) for text in known[one].words)
        found = _repeatable(outcomes, snapshot, (snapshot.leaving, *segments))
        goes = _look_through(descent, sweep, found, segments, look=conversation.amendments.look)
        taken, kept = frozenset(descent.taken), frozenset(descent.kept)
        if not goes and kept <= compared:
            named = frozenset().union(*(one.provenance.ids for one in found))
            return not line_message_ids.isdisjoint(named | known.keys())
        conversation.amendments.add_plan(round_id, Plan(redacted_ids=taken, cleared_ids=kept - taken))
        compared = kept
    raise StorageUnavailableError("answers kept coming")


def plan_erasure(conversation: Conversation, descent: Descent, sweep: Sweep) -> None:
    """Find what loses its words with the erasure; store what of it is newer than the watermark, as a plan, before any words go.

    The watermark does not tell of that newer part: an answer that was given after it may stand in a prompt that holds nothing older,
    and the turn with that prompt has to be thought again. The journal is listed again after each find, as in `plan_withdrawal`.
    """
    erased_ms = descent.amendments.erased_ms
    segments = [*map(partial(_with_erased, descent.amendments), sweep.segments_after(erased_ms))]
    compared: frozenset[str] = frozenset()
    for _ in range(SWAP_ATTEMPTS):
        outcomes = conversation.journal.read_outcomes(drops_unreadable=True)
        snapshot = conversation.snapshot.read().record
        found = _repeatable(outcomes, snapshot, (snapshot.leaving, *segments))
        goes = _look_through(descent, sweep, found, segments, look=conversation.amendments.look)
        newer = {one.id for one in found if one.id in descent.taken and one.provenance.until_ms > erased_ms}
        if not goes and (not newer or descent.kept <= compared):
            return
        if newer:
            compared = frozenset(descent.kept)
            plan = Plan(redacted_ids=frozenset(newer), cleared_ids=compared - newer)
            conversation.amendments.add_plan(f"erasure-{erased_ms}", plan)
    raise StorageUnavailableError("answers kept coming")


def _repeatable(
    outcomes: Iterable[OutcomeRecord], snapshot: SnapshotRecord, segments: Sequence[Segment]
) -> list[Repeatable]:
    answers = (one for segment in segments for one in segment.answers)
    recaps = (one for segment in segments for one in segment.recaps)
    return repeatable((*answers, *outcomes, *snapshot.outcomes), (*recaps, *snapshot.all_recaps))


def _look_through(
    descent: Descent,
    sweep: Sweep,
    found: list[Repeatable],
    segments: list[Segment],
    *,
    look: Callable[[], Amendments],
) -> bool:
    """Return whether any of these goes; what the archive hands on of it, from segment to segment, is found, too, and added to both.

    Another withdrawal may have stored its plan meanwhile, before it took words: then a look tells what it has found out.
    """
    goes = False
    while True:
        if descent.has_gaps(found):
            descent.learn(look())
        is_further = descent.follow(found) if goes else descent.look_at(found)
        goes = goes or is_further
        more = [*sweep.naming_more(descent.taken)] if is_further else []
        if not more:
            return goes
        segments += more
        found += _repeatable((), SnapshotRecord(), more)


def _with_erased(amendments: Amendments, segment: Segment) -> Segment:
    """Return the answers and recaps of the segment that an erasure takes the words of."""
    return Segment(
        answers=tuple(one for one in segment.answers if one.provenance.is_erased_by(amendments)),
        recaps=tuple(one for one in segment.recaps if one.provenance.is_erased_by(amendments)),
    )
