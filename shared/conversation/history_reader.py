"""What a turn reads of a chat: journal overlaid on snapshot, amendments overlaid on both, in two round trips.

The listing comes first; the snapshot is read after it, in parallel with the bodies, so holds every message moved meanwhile by a compaction.
If a listed object is deleted before the read, a compaction passed; the reader begins again.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Final, Protocol

from shared.conversation.amendment_views import AmendedListing
from shared.conversation.amendments import Amendments
from shared.conversation.history import History, IndexView
from shared.conversation.records import MessageRecord, OutcomeRecord, by_time, waiting_texts
from shared.conversation.snapshot import cleaned
from shared.conversation.snapshot_records import Segment, SnapshotRecord
from shared.conversation.store import Conversation
from shared.errors import StorageUnavailableError
from shared.frozen import frozen
from shared.storage.codec import decode_readable
from shared.storage.compare_and_swap import SWAP_ATTEMPTS
from shared.storage.object_cache import ObjectCache
from shared.storage.object_names import ObjectNames
from shared.storage.object_store import ListedObject

MESSAGES_READ: Final = 100
OUTCOMES_READ: Final = 100
OUTCOMES_READ_AT_MOST: Final = 1_000
"""One may be behind the button of a press, or a postponed text, and another show that the press was answered, or the text told."""
_ASKED: Final = 10
THINGS_READ: Final = 100
"""Of each block, those written last; a chat has no more open reminders."""
MESSAGES_SHOWN: Final = 80  # 50 verbatim, those journalled since the last compaction, and those without a recap yet


class ReadIndex(Protocol):
    """The index of a chat's entries, as read."""

    def view(
        self, amendments: Amendments, refused: AbstractSet[str] = frozenset(), asked: Sequence[str] = ()
    ) -> IndexView:
        """Return the part shown in a prompt, without withdrawn words, and without rows with refused marks.

        `asked`: the messages that wait for an answer; entries that they may mean come first.
        """
        ...


class EntryIndex(Protocol):
    """Reads the index of a chat's entries."""

    def read(self, conversation: Conversation) -> ReadIndex:
        """Return the index, in one read.  Raises: StorageUnavailableError."""
        ...


class ThingBlock(Protocol):
    """What a feature shows of a chat's things in prompts, each by a handle: what comes next, and what the messages may mean."""

    def list_objects(self, conversation: Conversation) -> Sequence[ListedObject]:
        """Return the objects of the things, in one round trip.  Raises: StorageUnavailableError."""
        ...

    def view(
        self,
        bodies: Sequence[bytes | None],
        amendments: Amendments,
        refused: AbstractSet[str] = frozenset(),
        asked: Sequence[str] = (),
        *,
        is_whole: bool = True,
    ) -> IndexView:
        """Return the block, without withdrawn words, rows with refused marks, and rows with words from outside.

        A body is None where the object was deleted. `is_whole`: the bodies are those of all objects. `asked`: the messages that wait for an
        answer; things that they may mean come first.
        """
        ...


@frozen
class Listing:
    """The objects of a chat: names and generations of one moment, in the order of writing.

    The outcomes of `required_ids` are read however old. `things` are the objects of each block; None: not listed. `begun_s` is when the
    listing began, by the monotonic clock.
    """

    messages: tuple[ListedObject, ...]
    outcomes: tuple[ListedObject, ...]
    amended: AmendedListing
    required_ids: frozenset[str]
    things: tuple[Sequence[ListedObject], ...] | None = None
    begun_s: float = -math.inf


def _deadly(outcomes: Iterable[OutcomeRecord]) -> tuple[frozenset[str], int]:
    """Return the messages left out of prompts because workers died over them: their ids, and a timestamp up to which all are left out.

    For example, after an isolated prompt the bot apologised for message 450: 450 is left out, because workers died over the question. If
    the isolated prompt was answered, everything before it is left out.
    """
    isolating = [one for one in outcomes if one.audit.isolates]
    apologised = [one for one in isolating if one.audit.model_name is None]
    ids = frozenset(answered for one in apologised for answered in one.answered_ids)
    answered_since_ms = (_asked_since_ms(one) for one in isolating if one.audit.model_name is not None)
    return ids, max((since_ms - 1 for since_ms in answered_since_ms), default=-1)


def _asked_since_ms(outcome: OutcomeRecord) -> int:
    """Return since when an isolated prompt held messages, without what its question quotes, which may be far older.

    The question behind a press is older than the press, so there the quotes count, too.
    """
    read, answered_ids = outcome.provenance, frozenset(outcome.answered_ids)
    answered_ms = [one.timestamp_ms for one in read.only_messages(answered_ids).sources] if not outcome.answers else []
    return max(read.since_ms, min((*answered_ms, outcome.timestamp_ms))) if answered_ms else read.since_ms


@frozen
class HistoryReader:
    """Reads chats.  Every method raises StorageUnavailableError when the bucket does not answer in time."""

    index: EntryIndex
    blocks: Sequence[ThingBlock] = ()

    def list(
        self,
        conversation: Conversation,
        *,
        required_ids: AbstractSet[str] = frozenset(),
        with_blocks: bool = False,
    ) -> Listing:
        """Return the chat's objects, in one round trip; the outcomes `required_ids` will be read even where newer outcomes are too many.

        `with_blocks`: for a prompt with the blocks, whose objects are listed beside the journal.
        """
        amendments, reads = conversation.amendments, conversation.objects.reads
        begun_s = amendments.clock.monotonic_s()
        amended = reads.submit(amendments.list_events)
        things = [reads.submit(block.list_objects, conversation) for block in self.blocks] if with_blocks else []
        journal = conversation.journal.list_objects()
        return Listing(
            messages=journal.messages,
            outcomes=journal.outcomes,
            amended=amended.result(),
            required_ids=frozenset(required_ids),
            things=tuple(listing.result() for listing in things) if with_blocks else None,
            begun_s=begun_s,
        )

    def read_newest(
        self,
        conversation: Conversation,
        *,
        required_ids: AbstractSet[str] = frozenset(),
        with_blocks: bool = False,
    ) -> History:
        """Return the newest part of the chat now.  Raises: StorageUnavailableError, also where compactions keep passing."""
        for _ in range(SWAP_ATTEMPTS):
            listing = self.list(conversation, required_ids=required_ids, with_blocks=with_blocks)
            history = self.read(conversation, listing)
            if history is not None:
                return history
        raise StorageUnavailableError("others kept folding the chat")

    def read(self, conversation: Conversation, listing: Listing) -> History | None:
        """Return the newest part of the listing and of the snapshot; None: a compaction passed, begin again.

        This takes one round trip. Another follows in a chat with more than OUTCOMES_READ outcomes, if a press of a button or a postponed
        text waits, and one more if a message came later than an old edit of its text.
        """
        objects, names = conversation.objects, conversation.names
        snapshot = objects.reads.submit(conversation.snapshot.read)
        messages, outcomes = listing.messages[-MESSAGES_READ:], _outcomes_read(names, listing, OUTCOMES_READ)
        looking = conversation.amendments.begin_reading(listing.amended)
        reading = objects.begin_reading([*messages, *outcomes])
        reading_blocks = _begin_reading_blocks(self.blocks, objects, listing.things or ())
        index = self.index.read(conversation)
        amendments, journalled, stored_snapshot = looking(), reading(), snapshot.result()
        received = decode_readable(MessageRecord, journalled[: len(messages)])
        recorded = decode_readable(OutcomeRecord, journalled[len(messages) :])
        folded = stored_snapshot.record.outcomes
        if len(outcomes) < len(listing.outcomes) and _may_lack_an_answer(received, (*folded, *recorded)):
            journalled += (more := objects.read_all(_outcomes_read(names, listing, OUTCOMES_READ_AT_MOST)))
            recorded = decode_readable(OutcomeRecord, more)
        if None in journalled:
            return None
        amendments = conversation.amendments.with_words_of(amendments, (*received, *stored_snapshot.record.messages))
        history = history_of(
            messages=received,
            outcomes=recorded,
            snapshot=stored_snapshot.record,
            amendments=amendments,
            journalled=len(listing.messages),
        )
        asked = _asked_words(history)
        return replace(
            history,
            recorded=history.recorded.union(names.outcome_id_in(one.name) for one in listing.outcomes),
            looked_s=listing.begun_s,
            index=index.view(amendments, history.refused, asked),
            blocks=tuple(block for block in reading_blocks(amendments, history.refused, asked) if block.text),
            has_no_things=bool(listing.things) and not any(listing.things or ()),
        )


def _begin_reading_blocks(
    blocks: Sequence[ThingBlock], objects: ObjectCache, listed_things: Sequence[Sequence[ListedObject]]
) -> Callable[[Amendments, AbstractSet[str], Sequence[str]], Iterator[IndexView]]:
    """Begin to read the listed objects of the blocks; the returned function waits for the bytes and yields the blocks."""
    in_order = [sorted(things, key=lambda thing: thing.generation) for things in listed_things]
    reading = [objects.begin_reading(things[-THINGS_READ:]) for things in in_order]

    def views(amendments: Amendments, refused: AbstractSet[str], asked: Sequence[str]) -> Iterator[IndexView]:
        for block, things, bodies in zip(blocks, in_order, reading, strict=False):
            yield block.view(bodies(), amendments, refused, asked, is_whole=len(things) <= THINGS_READ)

    return views


def newest_words_of(message: MessageRecord, conversation: Conversation, history: History) -> MessageRecord:
    """Return the message of a delivery with its newest words, also where the history leaves the message out, such as a cut-off one.

    One round trip, if the message came later than an edit of its text that was folded since. Raises: StorageUnavailableError.
    """
    return conversation.amendments.with_words_of(history.amendments, (message,)).overlay(message)


def _asked_words(history: History) -> tuple[str, ...]:
    """Return the newest messages without an answer: what a prompt shows of stored things is chosen by their words."""
    newest = (*history.unshown, *history.messages)[-_ASKED:]
    return tuple(one.text for one in newest if one.line_message_id not in history.covered)


def _outcomes_read(names: ObjectNames, listing: Listing, most: int) -> tuple[ListedObject, ...]:
    """Return the newest outcomes, the required outcomes, and the oldest: a compaction leaves an outcome whose messages are folded.

    For example, of 150 outcomes with `most` 100: the first, any required ones among the next 49, and the last 100.
    """
    older, newest = listing.outcomes[:-most], listing.outcomes[-most:]
    return (*older[:1], *(one for one in older[1:] if names.outcome_id_in(one.name) in listing.required_ids), *newest)


def _may_lack_an_answer(messages: Iterable[MessageRecord], outcomes: Sequence[OutcomeRecord]) -> bool:
    """Whether a press is open or a postponed text waits: an answer that was left out may have answered the one or said the other."""
    covered = frozenset(answered for one in outcomes for answered in one.answered_ids)
    has_open_press = any(one.presses is not None and one.line_message_id not in covered for one in messages)
    return has_open_press or bool(waiting_texts(outcomes))


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
    visible = (*folded, *fresh.values())
    summed_up = frozenset(source for recap in clean.recaps for source in recap.summed_up_ids)
    recorded = {one.webhook_event_id: one for one in clean.outcomes}
    recorded |= {one.webhook_event_id: amendments.redact(one) for one in outcomes}
    deadly_ids, deadly_until_ms = _deadly(recorded.values())
    shown = sorted((one for one in visible if one.line_message_id not in summed_up | deadly_ids), key=by_time)
    is_cut = len(shown) > MESSAGES_SHOWN or bool(summed_up) or deadly_until_ms >= 0
    shown = [one for one in shown if one.timestamp_ms > deadly_until_ms]
    unshown, shown = shown[:-MESSAGES_SHOWN], shown[-MESSAGES_SHOWN:]
    history = History(
        messages=tuple(shown),
        older=tuple(sorted((one for one in visible if one.line_message_id in summed_up), key=by_time)),
        unshown=tuple(unshown),
        hidden=tuple(
            message
            for message in visible
            if message.line_message_id not in summed_up
            and (message.line_message_id in deadly_ids or message.timestamp_ms <= deadly_until_ms)
        ),
        recaps=clean.recaps,
        unshown_recaps=clean.passed_recaps,
        outcomes=tuple(sorted(recorded.values(), key=by_time)),
        shown_since_ms=shown[0].timestamp_ms if is_cut and shown else 0,
        covered=frozenset().union(*(one.covered_ids for one in recorded.values())),
        recorded=frozenset(recorded),
        amendments=amendments,
        journalled=journalled,
    )
    return history.without_refused(frozenset(one.id for one in clean.refused))
