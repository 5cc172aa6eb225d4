"""What a turn knows of a chat: journal overlaid on snapshot, amendments overlaid on both, read in two round trips.

The listing comes first; the snapshot is read after it, beside the bodies, so it holds every message that a compaction moves meanwhile. A
listed object that is gone when it is read means that a compaction passed; the reader begins again.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import or_
from typing import Final, Protocol

from shared.conversation.amendment_notes import AmendedObjects
from shared.conversation.amendments import Amendments
from shared.conversation.provenance import LATEST_MS, Provenance
from shared.conversation.quotes import Quotable
from shared.conversation.records import (
    ANSWERABLE_MS,
    MessageRecord,
    OutcomeKind,
    OutcomeRecord,
    Watermark,
    by_time,
    provenance_of,
)
from shared.conversation.snapshot import cleaned
from shared.conversation.snapshot_records import Recap, Segment, SnapshotRecord
from shared.conversation.store import Conversation
from shared.conversation.turn import TurnRecord
from shared.errors import StorageUnavailableError
from shared.storage.codec import decode_readable
from shared.storage.compare_and_swap import SWAP_ATTEMPTS
from shared.storage.object_names import ObjectNames
from shared.storage.object_store import ListedObject

MESSAGES_READ: Final = 100
OUTCOMES_READ: Final = 100
OUTCOMES_READ_FOR_PRESS: Final = 1_000
"""Of these, one may be behind the button of a press, and another one tell that it was answered."""
MESSAGES_SHOWN: Final = 80  # 50 verbatim, what is journalled since the last compaction, and what has no recap yet


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexView:
    """What a prompt shows of the filed entries, and the messages that they came from.  Nothing: `text` is empty."""

    text: str = field(default="", repr=False)
    source_ids: frozenset[str] = frozenset()


class ReadIndex(Protocol):
    """The index of what was filed in a chat, as it was read."""

    @property
    def source_ids(self) -> frozenset[str]:
        """The messages that its entries came from."""
        ...

    def view(self, amendments: Amendments) -> IndexView:
        """Return what a prompt shows of it, without what was withdrawn."""
        ...


class EntryIndex(Protocol):
    """Reads the index of what was filed in a chat."""

    def read(self, conversation: Conversation) -> ReadIndex:
        """Return the index, in one read.  Raises: StorageUnavailableError."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """The objects of a chat: names and generations of one moment, in the order in which they were written.

    Of the messages `besides` every amendment is read, however old, and so are the outcomes of these ids. `begun_s` is when the listing
    began, by the monotonic clock.
    """

    messages: tuple[ListedObject, ...]
    outcomes: tuple[ListedObject, ...]
    amended: AmendedObjects
    besides: frozenset[str]
    watermark: Watermark
    begun_s: float = -math.inf


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """The newest part of a chat, without what was withdrawn; everything by LINE's timestamp.

    `messages`: what a prompt shows. `older`: the sources of the recaps, which a prompt does not show. `unshown`: messages without a recap
    that are too many for a prompt. `quoted`: media that memory does not know, found because a message quotes them. `outcomes`: without
    words that repeat something withdrawn. `covered`: the messages that an outcome covers. `recorded`: the ids of all outcomes, read or
    not. `journalled`: how many messages a compaction could fold. `looked_s`: when the look at the amendments began, by the monotonic clock.
    `authors`: the marks of the people who sent messages that are named and kept nowhere, by the messages' ids.
    """

    messages: tuple[MessageRecord, ...] = ()
    older: tuple[MessageRecord, ...] = ()
    unshown: tuple[MessageRecord, ...] = ()
    quoted: tuple[MessageRecord, ...] = ()
    recaps: tuple[Recap, ...] = ()
    outcomes: tuple[OutcomeRecord, ...] = ()
    shown_since_ms: int = 0
    covered: frozenset[str] = frozenset()
    recorded: frozenset[str] = frozenset()
    amendments: Amendments = field(default_factory=Amendments)
    looked_s: float = -math.inf
    index: IndexView = field(default_factory=IndexView)
    journalled: int = 0
    authors: Mapping[str, str] = field(default_factory=dict)

    def pending(self, own: MessageRecord, *, now_ms: int) -> tuple[MessageRecord, ...]:
        """Return what the next turn has to answer, oldest first: addressed, not withdrawn, covered by no outcome, and young enough.

        `own` is the message of the delivery that asks; it counts even where a burst has pushed it out of the newest part.
        """
        known = {one.line_message_id: one for one in (*self.unshown, *self.messages)}
        mine = known.get(own.line_message_id, self.amendments.overlay(own))
        if own.received_ms > mine.received_ms:  # a redelivery refreshes the token
            mine = replace(mine, received_ms=own.received_ms)
        known[own.line_message_id] = mine
        waiting = (
            one
            for one in known.values()
            if one.addressed
            and one.reply_token is not None
            and one.line_message_id not in self.covered
            and not self.amendments.hides(one)
            and now_ms - one.timestamp_ms < ANSWERABLE_MS
        )
        return tuple(sorted(waiting, key=by_time))

    def beside(self, turn: TurnRecord) -> "History":
        """Return the history with what the turn, read before it, knows to be covered."""
        outcome = turn.outcome
        ended = outcome.covers if outcome is not None and outcome.webhook_event_id in self.recorded else ()
        covered = self.covered.union(turn.covered, ended)
        return replace(self, covered=covered) if covered != self.covered else self

    def isolated(self, asked: Sequence[MessageRecord]) -> "History":
        """Return the history of a prompt that shows nothing but what is asked, and what that quotes."""
        asked_ids = {one.line_message_id for one in asked}
        rest = (one for one in self.messages if one.line_message_id not in asked_ids)
        return replace(
            self,
            messages=tuple(asked),
            older=(*self.older, *rest),
            recaps=(),
            shown_since_ms=LATEST_MS,
            index=IndexView(),
        )

    def with_quoted(self, found: Sequence[MessageRecord]) -> "History":
        """Return the history with these media, which messages quote."""
        return replace(self, quoted=tuple(found))

    @property
    def is_isolated(self) -> bool:
        """Whether a prompt of it shows nothing but what is asked."""
        return self.shown_since_ms == LATEST_MS

    @property
    def answers(self) -> tuple[OutcomeRecord, ...]:
        """The outcomes whose words a prompt shows: not older than the messages, and not stored for a press of a button."""
        return tuple(
            one
            for one in self.outcomes
            if one.holds_words and one.kind is not OutcomeKind.STORED and one.timestamp_ms >= self.shown_since_ms
        )

    @property
    def addressed_ids(self) -> frozenset[str]:
        """The messages that are recorded as meant for the bot."""
        return frozenset(one.line_message_id for one in (*self.older, *self.unshown, *self.messages) if one.addressed)

    @property
    def quotable(self) -> Quotable:
        """Everything that a message may quote."""
        messages = (*self.quoted, *self.older, *self.unshown, *self.messages)
        return Quotable.of(messages, self.outcomes, self.amendments.withdrawn)

    @property
    def provenance(self) -> Provenance:
        """What a prompt made of this holds: messages, answers and recaps by their own ids, what is quoted, the sources of entries."""
        parts = (
            provenance_of(self.messages),
            Provenance(ids=self.index.source_ids),
            *(one.as_source for one in self.recaps),
            *(map(_named, self.answers)),
            self.provenance_of_quotes(self.messages),
        )
        return reduce(or_, parts).without(self.amendments.withdrawn)

    def provenance_of_quotes(self, messages: Sequence[MessageRecord]) -> Provenance:
        """What a prompt holds because these messages quote it."""
        return reduce(or_, map(_named, self._quoted(messages)), Provenance())

    def _quoted(self, messages: Sequence[MessageRecord]) -> tuple[MessageRecord | OutcomeRecord, ...]:
        quoting = [one for one in messages if one.quoted_message_id is not None]
        quotable = self.quotable if quoting else Quotable()
        found = (quotable.quoted_by(one) for one in quoting)
        return tuple(one for one in found if isinstance(one, MessageRecord | OutcomeRecord))


def _deadly(outcomes: Iterable[OutcomeRecord]) -> tuple[frozenset[str], int]:
    """Return the messages that prompts leave out because workers died over them: their ids, and a timestamp up to which all are left out.

    An isolating outcome tells which: if it apologises, they died over what was asked; if it answers, over what came before.
    """
    isolating = [one for one in outcomes if one.isolates]
    apologised = [one for one in isolating if one.model_name is None]
    ids = frozenset(covered for one in apologised for covered in one.covers)
    return ids, max((one.since_ms - 1 for one in isolating if one.model_name is not None), default=-1)


def _named(one: MessageRecord | OutcomeRecord) -> Provenance:
    own_id = one.line_message_id if isinstance(one, MessageRecord) else one.webhook_event_id
    return Provenance(ids=frozenset({own_id}), since_ms=one.timestamp_ms)


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryReader:
    """Reads chats.  Every method raises StorageUnavailableError when the bucket does not answer in time."""

    index: EntryIndex

    def list(self, conversation: Conversation, *, besides: AbstractSet[str] = frozenset()) -> Listing:
        """Return what there is, in one round trip; of the journalled messages and those `besides` every amendment is read.

        So are the outcomes `besides`, also where newer ones are too many to be read.
        """
        amendments, reads = conversation.amendments, conversation.objects.reads
        begun_s = amendments.clock.monotonic_s()
        amended = reads.submit(amendments.list_all)
        watermark = amendments.begin_watermark()
        journal = conversation.journal.list_objects()
        journalled = frozenset(conversation.names.message_id_in(one.name) for one in journal.messages)
        return Listing(
            messages=journal.messages,
            outcomes=journal.outcomes,
            amended=amended.result(),
            besides=journalled | besides,
            watermark=watermark(),
            begun_s=begun_s,
        )

    def read_newest(self, conversation: Conversation, *, besides: AbstractSet[str] = frozenset()) -> History:
        """Return the newest part of the chat as it is now.  Raises: StorageUnavailableError, also where compactions keep passing."""
        for _ in range(SWAP_ATTEMPTS):
            history = self.read(conversation, self.list(conversation, besides=besides))
            if history is not None:
                return history
        raise StorageUnavailableError("others kept folding the chat")

    def read(self, conversation: Conversation, listing: Listing) -> History | None:
        """Return the newest part of what is listed and of the snapshot; None: a compaction passed, begin again.

        That is one round trip. Another one follows if a press of a button waits in a chat of more outcomes than are read, and one more if
        much was amended: what is shown, and what that names, may have been amended long ago.
        """
        objects, names = conversation.objects, conversation.names
        snapshot = objects.reads.submit(conversation.snapshot.read)
        messages, outcomes = listing.messages[-MESSAGES_READ:], _outcomes_read(names, listing, OUTCOMES_READ)
        looking = _begin_look(conversation, listing, listing.besides)
        reading = objects.begin_reading([*messages, *outcomes])
        index = self.index.read(conversation)
        amendments, journalled, seen = looking(), reading(), snapshot.result()
        received = decode_readable(MessageRecord, journalled[: len(messages)])
        recorded = decode_readable(OutcomeRecord, journalled[len(messages) :])
        if len(outcomes) < len(listing.outcomes) and _has_open_press(received, recorded):
            journalled += (more := objects.read_all(_outcomes_read(names, listing, OUTCOMES_READ_FOR_PRESS)))
            recorded = decode_readable(OutcomeRecord, more)
        if None in journalled:
            return None
        if listing.amended.has_older:
            shown = listing.besides.union(index.source_ids, (one.line_message_id for one in seen.record.messages))
            named = seen.record.named.union(*(one.provenance.ids for one in recorded))
            amendments = _begin_look(conversation, listing, shown, named)()
        history = history_of(
            messages=received,
            outcomes=recorded,
            snapshot=seen.record,
            amendments=amendments,
            journalled=len(listing.messages),
        )
        return replace(
            history,
            recorded=history.recorded.union(names.outcome_id_in(one.name) for one in listing.outcomes),
            looked_s=listing.begun_s,
            index=index.view(amendments),
        )


def _outcomes_read(names: ObjectNames, listing: Listing, most: int) -> tuple[ListedObject, ...]:
    """Return the newest outcomes, those that are asked for, and the oldest: a compaction leaves one whose messages it has folded."""
    older, newest = listing.outcomes[:-most], listing.outcomes[-most:]
    return (*older[:1], *(one for one in older[1:] if names.outcome_id_in(one.name) in listing.besides), *newest)


def _has_open_press(messages: Iterable[MessageRecord], outcomes: Iterable[OutcomeRecord]) -> bool:
    covered = frozenset(covered for one in outcomes for covered in one.covers)
    return any(one.presses is not None and one.line_message_id not in covered for one in messages)


def _begin_look(
    conversation: Conversation, listing: Listing, besides: AbstractSet[str], named: AbstractSet[str] = frozenset()
) -> Callable[[], Amendments]:
    log = conversation.amendments
    return log.begin_reading(listing.amended, lambda: listing.watermark, besides=besides, named=named)


def history_of(
    *,
    messages: Iterable[MessageRecord],
    outcomes: Sequence[OutcomeRecord],
    snapshot: SnapshotRecord,
    amendments: Amendments,
    journalled: int,
) -> History:
    """Overlay the journal on the snapshot, and the amendments on both."""
    clean = cleaned(replace(snapshot, leaving=Segment(), segments=()), amendments)
    fresh = {one.line_message_id: amendments.overlay(one) for one in messages if not amendments.hides(one)}
    folded = (one for one in clean.messages if one.line_message_id not in fresh and not amendments.is_forgotten(one))
    kept = (*folded, *fresh.values())
    summed_up = frozenset(source for recap in clean.recaps for source in recap.covers)
    recorded = {one.webhook_event_id: one for one in clean.outcomes}
    recorded |= {one.webhook_event_id: amendments.without_lost(one) for one in outcomes}
    deadly_ids, deadly_until_ms = _deadly(recorded.values())
    shown = sorted((one for one in kept if one.line_message_id not in summed_up | deadly_ids), key=by_time)
    is_cut = len(shown) > MESSAGES_SHOWN or bool(summed_up) or deadly_until_ms >= 0
    shown = [one for one in shown if one.timestamp_ms > deadly_until_ms]
    unshown, shown = shown[:-MESSAGES_SHOWN], shown[-MESSAGES_SHOWN:]
    return History(
        messages=tuple(shown),
        older=tuple(sorted((one for one in kept if one.line_message_id in summed_up), key=by_time)),
        unshown=tuple(unshown),
        recaps=clean.recaps,
        outcomes=tuple(sorted(recorded.values(), key=by_time)),
        shown_since_ms=shown[0].timestamp_ms if is_cut and shown else 0,
        covered=frozenset().union(*(one.covers for one in recorded.values())),
        recorded=frozenset(recorded),
        amendments=amendments,
        journalled=journalled,
        authors={own_id: by for by, ids in clean.authors.items() for own_id in ids},
    )
