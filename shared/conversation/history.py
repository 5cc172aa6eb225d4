"""What a turn knows of a chat: journal overlaid on snapshot, amendments overlaid on both, read in two rounds.

The listing comes first and the snapshot after it, beside the bodies. A message that a compaction moves meanwhile is then seen in the
snapshot at the latest; a listed object that is gone when it is read means that one has passed, and the reader begins again.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from shared.conversation.amendments import AmendmentLog, Amendments, amendments_of
from shared.conversation.filed import Filed, FiledView
from shared.conversation.records import (
    MessageRecord,
    OutcomeKind,
    OutcomeRecord,
    Recap,
    SnapshotRecord,
    Watermark,
    by_time,
)
from shared.conversation.snapshot import Snapshots, between, cleaned
from shared.errors import StorageUnavailableError
from shared.storage.compare_and_swap import SWAP_ATTEMPTS
from shared.storage.object_cache import Bodies, readable
from shared.storage.object_names import OUTCOME_SUFFIX, journal_prefix
from shared.storage.object_store import ListedObject

MESSAGES_READ: Final = 100
OUTCOMES_READ: Final = 100
MESSAGES_SHOWN: Final = 80  # 50 verbatim, what is journalled since the last compaction, and what has no recap yet
SEEN_KEPT: Final = 200  # ids that an outcome names; how far its words reach back tells the rest
LATEST_MS: Final = 2**53
ANSWERABLE_MS: Final = 20 * 60_000  # Source: LINE, "Send reply message": no token works longer after its event


Unquotable = Literal["withdrawn", "unknown"]
"""Why there are no words: they were taken back, or nothing is kept (any more) under that id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quotable:
    """Everything in a chat that can be quoted: messages by their ids, what the bot said by the ids of its bubbles."""

    messages: Mapping[str, MessageRecord] = field(default_factory=dict)
    answers: Mapping[str, OutcomeRecord] = field(default_factory=dict)
    withdrawn: frozenset[str] = frozenset()

    @classmethod
    def of(
        cls, messages: Iterable[MessageRecord], outcomes: Sequence[OutcomeRecord], withdrawn: frozenset[str]
    ) -> "Quotable":
        """Return what can be quoted; what was taken back is in neither of the two, or has lost its words."""
        return cls(
            messages={one.line_message_id: one for one in messages},
            answers={bubble: one for one in outcomes for bubble in one.sent_message_ids},
            withdrawn=withdrawn,
        )

    def quoted_by(self, message: MessageRecord) -> MessageRecord | OutcomeRecord | Unquotable | None:
        """Return whose words the message quotes, or why they cannot be shown; None: it quotes nothing."""
        quoted_id = message.quoted_message_id
        if quoted_id is None:
            return None
        if quoted_id in self.messages:
            return self.messages[quoted_id]
        answer = self.answers.get(quoted_id)
        if answer is not None and answer.text is not None:
            return answer
        return "withdrawn" if quoted_id in self.withdrawn or answer is not None else "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """What there is of a chat: the names and generations of one moment."""

    messages: tuple[ListedObject, ...]
    outcomes: tuple[ListedObject, ...]
    amended: tuple[ListedObject, ...]
    watermark: Watermark


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """The newest part of a chat, without what was taken back; everything by LINE's timestamp.

    `messages` are what a prompt shows, `older` are the sources of the recaps, which it does not. `outcomes` have lost the words that
    repeat something taken back. `covered` are the messages that came to their end, `recorded` the ids of the outcomes. `journalled` tells
    how many messages a compaction could fold.
    """

    messages: tuple[MessageRecord, ...] = ()
    older: tuple[MessageRecord, ...] = ()
    recaps: tuple[Recap, ...] = ()
    outcomes: tuple[OutcomeRecord, ...] = ()
    shown_since_ms: int = 0
    covered: frozenset[str] = frozenset()
    recorded: frozenset[str] = frozenset()
    amendments: Amendments = field(default_factory=Amendments)
    timeline: Mapping[str, int] = field(default_factory=dict)
    filed: FiledView = field(default_factory=FiledView)
    journalled: int = 0

    def pending(self, own: MessageRecord, *, now_ms: int) -> tuple[MessageRecord, ...]:
        """Return what the next turn has to answer, oldest first: addressed, not taken back, covered by no outcome, and young enough.

        `own` is the message of the delivery that asks; it counts even where a burst has pushed it out of the newest part.
        """
        known = {one.line_message_id: one for one in self.messages}
        mine = known.get(own.line_message_id, self.amendments.overlaid(own))
        newest_ms = max(own.received_ms, mine.received_ms)  # a redelivery refreshes the token
        known[own.line_message_id] = replace(mine, received_ms=newest_ms)
        waiting = (
            one
            for one in known.values()
            if one.addressed
            and one.reply_token is not None
            and one.line_message_id not in self.covered
            and not self.amendments.take_back(one)
            and now_ms - one.timestamp_ms < ANSWERABLE_MS
        )
        return tuple(sorted(waiting, key=by_time))

    @property
    def said(self) -> tuple[OutcomeRecord, ...]:
        """The outcomes whose words a prompt shows: not older than the messages, and a stored answer is nobody's yet."""
        return tuple(
            one
            for one in self.outcomes
            if one.holds_words and one.kind is not OutcomeKind.STORED and one.timestamp_ms >= self.shown_since_ms
        )

    @property
    def seen_ids(self) -> frozenset[str]:
        """Every message whose words a prompt made of this can hold, also inside answers and recaps that repeat them."""
        ids = {*self.filed.source_ids, *(one.line_message_id for one in self.messages)}
        for recap in self.recaps:
            ids.update(recap.covers, between(self.timeline, recap.since_ms, recap.until_ms))
        for one in self.said:
            ids |= self.ids_in(one)
        ids |= self.quoted_ids(self.messages)
        return frozenset(ids - self.amendments.withdrawn)

    def newest_seen(self, line_message_ids: Iterable[str]) -> frozenset[str]:
        """Return the newest SEEN_KEPT of these messages, and all those that are quoted, or that entries came from, which may be older."""
        stamps = {**self.timeline, **{one.line_message_id: one.timestamp_ms for one in self.messages}}
        newest = sorted(line_message_ids, key=lambda one: stamps.get(one, LATEST_MS))[-SEEN_KEPT:]
        quoted = (one.line_message_id for one in self._quoted(self.messages) if isinstance(one, MessageRecord))
        return frozenset((*newest, *quoted, *self.filed.source_ids))

    @property
    def quotable(self) -> Quotable:
        """Everything that a message may quote."""
        return Quotable.of((*self.older, *self.messages), self.outcomes, self.amendments.withdrawn)

    def quoted_ids(self, messages: Sequence[MessageRecord]) -> frozenset[str]:
        """Every message whose words a prompt can hold because these messages quote something."""
        ids: set[str] = set()
        for one in self._quoted(messages):
            ids |= {one.line_message_id} if isinstance(one, MessageRecord) else self.ids_in(one)
        return frozenset(ids)

    def quoted_since_ms(self, messages: Sequence[MessageRecord]) -> int:
        """The oldest timestamp of anything whose words these messages quote; LATEST_MS where they quote nothing."""
        quoted = self._quoted(messages)
        stamps = (one.timestamp_ms if isinstance(one, MessageRecord) else one.since_ms for one in quoted)
        return min(stamps, default=LATEST_MS)

    def _quoted(self, messages: Sequence[MessageRecord]) -> tuple[MessageRecord | OutcomeRecord, ...]:
        quoting = [one for one in messages if one.quoted_message_id is not None]
        quotable = self.quotable if quoting else Quotable()
        found = (quotable.quoted_by(one) for one in quoting)
        return tuple(one for one in found if isinstance(one, MessageRecord | OutcomeRecord))

    def ids_in(self, outcome: OutcomeRecord) -> frozenset[str]:
        """Every message whose words the outcome can hold."""
        return frozenset((*outcome.covers, *outcome.saw, *between(self.timeline, outcome.since_ms, outcome.until_ms)))

    @property
    def since_ms(self) -> int:
        """The oldest timestamp of anything whose words a prompt made of this can hold; LATEST_MS where there is nothing."""
        stamps = [one.timestamp_ms for one in self.messages]
        stamps += [one.since_ms for one in self.said]
        stamps += [one.since_ms for one in self.recaps]
        stamps.append(self.quoted_since_ms(self.messages))
        return min(stamps, default=LATEST_MS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """Reads chats.  Every method raises StorageUnavailableError when the bucket does not answer in time."""

    bodies: Bodies
    amendments: AmendmentLog
    snapshots: Snapshots
    filed: Filed

    def list(self, conversation_id: str) -> Listing:
        """Return what there is, in one round."""
        reads = self.bodies.reads
        amended = reads.submit(self.amendments.listed, conversation_id)
        watermark = reads.submit(self.amendments.watermark, conversation_id)
        journal = sorted(self.bodies.store.list(journal_prefix(conversation_id)), key=lambda listed: listed.generation)
        return Listing(
            messages=tuple(one for one in journal if not one.name.endswith(OUTCOME_SUFFIX)),
            outcomes=tuple(one for one in journal if one.name.endswith(OUTCOME_SUFFIX)),
            amended=amended.result(),
            watermark=watermark.result(),
        )

    def now(self, conversation_id: str) -> History:
        """Return the newest part of the chat, for whoever is in no hurry.  Raises: StorageUnavailableError, also where it keeps moving."""
        for _ in range(SWAP_ATTEMPTS):
            history = self.read(conversation_id, self.list(conversation_id))
            if history is not None:
                return history
        raise StorageUnavailableError("others kept folding the chat")

    def read(self, conversation_id: str, listing: Listing) -> History | None:
        """Return the newest part of what is listed and of the snapshot, in one round; None: a compaction passed, begin again."""
        snapshot = self.bodies.reads.submit(self.snapshots.read, conversation_id)
        messages, outcomes = listing.messages[-MESSAGES_READ:], listing.outcomes[-OUTCOMES_READ:]
        reading = self.bodies.reads.map(self.bodies.read, [*listing.amended, *messages, *outcomes])
        shown = self.filed.shown(conversation_id)
        bodies, seen = list(reading), snapshot.result()
        amendments = amendments_of(bodies[: len(listing.amended)], listing.watermark)
        journalled = bodies[len(listing.amended) :]
        if None in journalled:
            return None
        history = history_of(
            messages=readable(journalled[: len(messages)], MessageRecord),
            outcomes=readable(journalled[len(messages) :], OutcomeRecord),
            snapshot=seen.record,
            amendments=amendments,
            journalled=len(listing.messages),
        )
        return replace(history, filed=shown(amendments))


def history_of(
    *,
    messages: Iterable[MessageRecord],
    outcomes: Sequence[OutcomeRecord],
    snapshot: SnapshotRecord,
    amendments: Amendments,
    journalled: int,
) -> History:
    """Overlay the journal on the snapshot, and the amendments on both."""
    clean = cleaned(snapshot, amendments)
    fresh = {one.line_message_id: amendments.overlaid(one) for one in messages if not amendments.take_back(one)}
    kept = (*(one for one in clean.messages if one.line_message_id not in fresh), *fresh.values())
    summed_up = frozenset(source for recap in clean.recaps for source in recap.covers)
    shown = sorted((one for one in kept if one.line_message_id not in summed_up), key=by_time)
    is_cut = len(shown) > MESSAGES_SHOWN or bool(summed_up)
    shown = shown[-MESSAGES_SHOWN:]
    recorded = {one.webhook_event_id: one for one in clean.outcomes}
    recorded |= {one.webhook_event_id: one.without_words() if amendments.touch(one) else one for one in outcomes}
    return History(
        messages=tuple(shown),
        older=tuple(sorted((one for one in kept if one.line_message_id in summed_up), key=by_time)),
        recaps=clean.recaps,
        outcomes=tuple(sorted(recorded.values(), key=by_time)),
        shown_since_ms=shown[0].timestamp_ms if is_cut and shown else 0,
        covered=frozenset(snapshot.covered).union(*(one.covers for one in recorded.values())),
        recorded=frozenset(recorded),
        amendments=amendments,
        timeline=clean.timeline,
        journalled=journalled,
    )
