"""Folds journals into pages: what is answered, mere context or too old goes to the newest page, and older messages are summed up.

    1. list the journal and the pages, and look at the amendments, side by side; then read the pages, and the journal
    2. swap the newest page with as much as fits; where more is left, the same swap closes it
    3. clean it of what was withdrawn meanwhile; beside that, delete the folded messages, then the outcomes
    4. where the page was closed, create the next one, and go back to 1; else write recaps, with a swap for each

A reader that listed an object before it was deleted finds it gone and begins again.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from shared import logs
from shared.clock import SKEW_MS, Clock, Deadline
from shared.conversation.amendments import Amendments
from shared.conversation.journal import JournalListing
from shared.conversation.page_recaps import PageRecapWriter
from shared.conversation.page_records import PageRecord, may_be_folded
from shared.conversation.page_retention import without_words_of_passed_page
from shared.conversation.pages import Memory, Pages
from shared.conversation.records import ANSWERABLE_MS, MessageRecord, OutcomeKind, OutcomeRecord, by_time
from shared.conversation.store import Conversation
from shared.storage.codec import decode_readable
from shared.storage.object_store import ListedObject
from shared.storage.page_name import PageName

_FOLDED_AT_ONCE: Final = 500
_PAGES_AT_ONCE: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFold:
    """Folds journals into pages.  Every method raises StorageUnavailableError when the bucket does not answer in time."""

    recaps: PageRecapWriter
    journalled: int
    clock: Clock = field(repr=False)

    def fold(self, conversation: Conversation, pages: Pages, deadline: Deadline | None) -> Memory | None:
        """The journal is shorter, and readers see the same; return the memory as it then is, None if nothing was folded.

        Messages that left the verbatim part of prompts are summed up if the `deadline` leaves the model time for it; None: not now.
        Repeated: finds less to do.
        """
        folded: Memory | None = None
        for _ in range(_PAGES_AT_ONCE):
            memory = self._fold_into_newest(conversation, pages, deadline, is_due=folded is not None)
            if memory is None:
                return folded
            folded = memory
            if not memory.newest.record.next_file:
                return folded
        return folded

    def _fold_into_newest(
        self, conversation: Conversation, pages: Pages, deadline: Deadline | None, *, is_due: bool
    ) -> Memory | None:
        """Fold what fits on the newest page; return the memory as it then is, None if nothing was folded or the swap was lost."""
        reads, began_s = conversation.objects.reads, self.clock.monotonic_s()
        naming, end_look = reads.submit(pages.list_newest), conversation.amendments.begin_look()
        listing = conversation.journal.list_objects()
        memory = pages.read_newest(naming.result())
        if not conversation.amendments.is_valid(began_s):  # a second pass may be over whose amendment the look missed
            logs.info("compaction_late")
            return None
        messages, outcomes = _read(conversation, listing)
        amendments = conversation.amendments.with_words_of(end_look(), (*messages, *memory.messages))
        memory = memory.cleaned(amendments)
        writes_recaps = self.recaps.is_due(memory, deadline)
        if not is_due and len(messages) <= self.journalled and not writes_recaps:
            return None
        folding = _Folding.of(messages, outcomes, memory, amendments, now_ms=self.clock.now_ms())
        record = (
            self.recaps.with_attempt(folding.page) if writes_recaps and not folding.page.next_file else folding.page
        )
        swapped = pages.swap(memory.newest, record)
        if swapped is None:
            logs.info("compaction_lost")
            return None
        dropping = reads.map(conversation.journal.drop_listed, folding.objects_of(conversation, listing.messages))
        settled = pages.settle([swapped.name], amendments)
        list(dropping)
        dropping = reads.map(conversation.journal.drop_listed, folding.objects_of(conversation, listing.outcomes))
        logs.info("journal_folded", messages=len(folding.messages), outcomes=len(folding.outcomes))
        memory = replace(memory, newest=swapped)
        if record.next_file:
            pages.settle([pages.begin(record).name], amendments)  # its head was copied from what that look had cleaned
            without_words_of_passed_page(pages, memory)
        if deadline is not None and writes_recaps and not record.next_file and settled == amendments:
            self.recaps.write(conversation, pages, memory, settled, deadline)
        list(dropping)
        return memory


def _read(conversation: Conversation, listing: JournalListing) -> tuple[list[MessageRecord], list[OutcomeRecord]]:
    """Return the oldest part of the journal.  One listing serves both: an outcome that is not in it leaves its messages unfolded."""
    messages, outcomes = listing.messages[:_FOLDED_AT_ONCE], listing.outcomes[:_FOLDED_AT_ONCE]
    bodies = conversation.objects.read_all([*messages, *outcomes])
    return (
        decode_readable(MessageRecord, bodies[: len(messages)]),
        decode_readable(OutcomeRecord, bodies[len(messages) :]),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Folding:
    """What leaves the journal, and the page that then holds it."""

    messages: tuple[MessageRecord, ...]
    outcomes: tuple[OutcomeRecord, ...]
    page: PageRecord

    @classmethod
    def of(
        cls,
        messages: Sequence[MessageRecord],
        outcomes: Sequence[OutcomeRecord],
        memory: Memory,
        amendments: Amendments,
        *,
        now_ms: int,
    ) -> "_Folding":
        """Fold messages that no turn has to answer any more, and outcomes all of whose messages are folded or gone, as far as they fit.

        A medium that was redelivered after it was folded keeps its caption, or the mark that its worker died over it; it stays where it is.
        A message that is hidden because its author took back everything waits for its own delivery, which withdraws it.
        The newest outcome stays: while it is listed, its name alone tells the next reader that the turn is free. So does one with a
        question or a proposal that may still be confirmed.
        """
        covered = frozenset().union(*(one.answered_ids for one in (*memory.outcomes, *outcomes)))
        ready = [
            one
            for one in messages
            if amendments.is_withdrawn(one)
            or (
                not amendments.is_forgotten(one)
                and (
                    one.line_message_id in covered
                    or not one.addressed
                    or one.reply_token is None
                    or one.timestamp_ms < now_ms - ANSWERABLE_MS - SKEW_MS
                )
            )
        ]
        waiting = {one.line_message_id for one in messages} - {one.line_message_id for one in ready}
        done = [
            one
            for one in outcomes[:-1]
            if waiting.isdisjoint(one.answered_ids) and may_be_folded(one, now_ms=now_ms - SKEW_MS)
        ]
        paged = {one.line_message_id for one in memory.messages}
        stored = [_as_stored(amendments.overlay(one)) for one in ready if not amendments.is_withdrawn(one)]
        new: list[MessageRecord | OutcomeRecord] = [one for one in stored if one.line_message_id not in paged]
        new += [_without_transients(amendments.without_lost(one)) for one in done]
        page = memory.newest.record
        fitting = page.part_that_fits(new)
        left = _ids_of(new) - _ids_of(fitting)
        page = _with(page, fitting)
        if left:
            first_ms = min(one.timestamp_ms for one in new if _ids_of([one]) <= left)
            following = PageName(number=memory.newest.name.number + 1, first_ms=max(first_ms, 0))
            page = replace(page, next_file=following.file)
        return cls(
            messages=tuple(one for one in ready if one.line_message_id not in left),
            outcomes=tuple(one for one in done if one.webhook_event_id not in left),
            page=page,
        )

    def objects_of(self, conversation: Conversation, listed: Sequence[ListedObject]) -> list[ListedObject]:
        """Return those of the listed objects that were folded."""
        names = conversation.names
        folded = {names.message(one.line_message_id) for one in self.messages}
        folded |= {names.outcome(one.webhook_event_id) for one in self.outcomes}
        return [one for one in listed if one.name in folded]


def _ids_of(records: Sequence[MessageRecord | OutcomeRecord]) -> frozenset[str]:
    """Return the ids under which the journal holds these."""
    return frozenset(one.line_message_id if isinstance(one, MessageRecord) else one.webhook_event_id for one in records)


def _with(page: PageRecord, records: Sequence[MessageRecord | OutcomeRecord]) -> PageRecord:
    """Return the page with these records.  If a fixed text was folded as given up, and another delivery sent it later, that counts."""
    messages = [one for one in records if isinstance(one, MessageRecord)]
    outcomes = {one.webhook_event_id: one for one in records if isinstance(one, OutcomeRecord)}
    before = {one.webhook_event_id: one for one in page.outcomes}
    given_up = {own_id for own_id, one in before.items() if own_id in outcomes and not _was_given_up(one)}
    outcomes = before | {own_id: one for own_id, one in outcomes.items() if own_id not in given_up}
    return replace(
        page,
        messages=tuple(sorted((*page.messages, *messages), key=by_time)),
        outcomes=tuple(sorted(outcomes.values(), key=by_time)),
    )


def _was_given_up(outcome: OutcomeRecord) -> bool:
    return outcome.kind is OutcomeKind.UNDELIVERED and not outcome.answered_ids


def _as_stored(message: MessageRecord) -> MessageRecord:
    """Return the message without what only an answer needs; one that came late may still be captioned."""
    return replace(message, reply_token=None, quote_token=None, received_ms=0)


def _without_transients(outcome: OutcomeRecord) -> OutcomeRecord:
    """Return the outcome without usage, and without the arguments of proposals, which no press can confirm any more."""
    return replace(outcome, offer=outcome.offer.without_proposals(), audit=replace(outcome.audit, usage=()))
