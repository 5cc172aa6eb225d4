"""The pages of a chat: its past as it was folded out of the journal.  The newest page is the memory, the others are the archive.

    pages/{conversation_id}/{999999999 - number}-{first_ms}.json

A page is created empty, with its head, and gets words by swap only, so that a writer that has slept loses. It is closed by the swap that
names the next page, before that is created: two workers that turn the page create the same object. A writer of people's words looks at the
amendments after the swap, because a withdrawal may have passed just before it.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import islice
from typing import Final, TypeAlias

from shared import logs
from shared.clock import MINUTE_MS, Clock
from shared.conversation.amendment_log import AmendmentLog
from shared.conversation.amendments import Amendments
from shared.conversation.page_records import PageRecord, cleaned_page, decode_page, encode_page, page_after, reaches
from shared.conversation.records import MessageRecord, OutcomeRecord, by_time
from shared.conversation.refusals import Refusal, standing
from shared.conversation.snapshot_records import Recap
from shared.errors import CorruptRecordError, StorageUnavailableError, UnknownRecordVersionError, UnusableIdError
from shared.storage.compare_and_swap import SWAP_ATTEMPTS, update_by_swap
from shared.storage.object_cache import ObjectCache
from shared.storage.object_names import ObjectNames
from shared.storage.object_store import ListedObject, StoredObject
from shared.storage.page_name import FIRST_PAGE, PageName

PAGES_READ: Final = 100
_READ_BEFORE: Final = 100  # messages: a newest page that holds fewer is read with the one before
_RECAPS_SHOWN: Final = 10
_DAY_MS: Final = 24 * 60 * MINUTE_MS
_DECODED: Final = 32  # of about 100 kB, with as much again for the bytes that they are found by
_Change: TypeAlias = Callable[[PageRecord], PageRecord]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenPage:
    """A page as it was at `generation`; 0 where there was none yet."""

    name: PageName
    record: PageRecord
    generation: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """The newest page and, while that holds few messages, the one before."""

    newest: SeenPage
    before: PageRecord = field(default_factory=PageRecord)

    @property
    def messages(self) -> tuple[MessageRecord, ...]:
        """The messages of both, oldest first, each once."""
        messages = (*self.before.messages, *self.newest.record.messages)
        return tuple(sorted({one.line_message_id: one for one in messages}.values(), key=by_time))

    @property
    def outcomes(self) -> tuple[OutcomeRecord, ...]:
        """The outcomes of both, oldest first, each once; a copy in a head stands back."""
        outcomes = (*self.newest.record.head.outcomes, *self.before.all_outcomes, *self.newest.record.outcomes)
        return tuple(sorted({one.webhook_event_id: one for one in outcomes}.values(), key=by_time))

    @property
    def recaps(self) -> tuple[Recap, ...]:
        """The newest recaps, oldest first."""
        recaps = {one.id: one for one in (*self.newest.record.head.recaps, *self.newest.record.recaps)}
        return tuple(sorted(recaps.values(), key=lambda one: one.timestamp_ms)[-_RECAPS_SHOWN:])

    def cleaned(self, amendments: Amendments) -> "Memory":
        """Return it without what was withdrawn, and with the newest words."""
        newest = replace(self.newest, record=cleaned_page(self.newest.record, amendments))
        return replace(self, newest=newest, before=cleaned_page(self.before, amendments))


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedPage:
    """A listed page, with its name parsed; `next_ms` is the time in the name of the page after it, None where there is none."""

    listed: ListedObject
    name: PageName
    next_ms: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PageSpan:
    """What pages hold of a span, each record once.  `left_out`: some pages were not read, because there are too many, or unreadable."""

    messages: tuple[MessageRecord, ...] = ()
    outcomes: tuple[OutcomeRecord, ...] = ()
    left_out: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Pages:
    """One chat's pages.  Every method raises StorageUnavailableError when the bucket does not answer in time."""

    names: ObjectNames
    objects: ObjectCache = field(repr=False)
    amendments: AmendmentLog = field(repr=False)
    clock: Clock = field(repr=False)
    days: int

    def list_newest(self) -> tuple[PageName, ...]:
        """Return the names of the two newest pages, newest first."""
        return tuple(one.name for one in self._parsed(islice(self.objects.store.list(self.names.pages_prefix), 2)))

    def read_newest(self, listed: Sequence[PageName]) -> Memory:
        """Return the memory: both pages in one round trip, and another one for each page that was closed since they were listed.

        The names are listed beside the journal, and the pages are read after it, so they hold all that a fold moves meanwhile.
        """
        names = tuple(listed) or (FIRST_PAGE,)
        pages = list(self.objects.reads.map(self.read_page, names))
        newest, before = pages[0], pages[1].record if len(pages) > 1 else PageRecord()
        while newest.record.next_file:
            following = self.read_page(PageName.parse(newest.record.next_file))
            newest, before = following, newest.record
            if not following.generation:  # its writer has closed the page before, and has not created this one
                newest = replace(following, record=page_after(before))
        return Memory(newest=newest, before=before if len(newest.record.messages) < _READ_BEFORE else PageRecord())

    def read_page(self, name: PageName) -> SeenPage:
        """Return a page, from the cache while it has the generation that was read last; an empty one where there is none."""
        stored = self.objects.read_newest(self.names.page(name))
        if stored is None:
            return SeenPage(name=name, record=PageRecord(), generation=0)
        return SeenPage(name=name, record=_decoded(stored.data), generation=stored.generation)

    def swap(self, seen: SeenPage, record: PageRecord) -> SeenPage | None:
        """Return the page as written over `seen`, or None where another worker wrote first."""
        name, data = self.names.page(seen.name), encode_page(record)
        generation = self.objects.store.replace(name, data, generation=seen.generation)
        if generation is None:
            return None
        self.objects.keep_newest(name, StoredObject(data=data, generation=generation))
        return SeenPage(name=seen.name, record=record, generation=generation)

    def begin(self, closed: PageRecord) -> SeenPage:
        """Create the page that the closed one names, if no worker has; return it as it is.  It holds no words but those of its head.

        A withdrawal that passed between the closing and the creation is found by a look; the caller settles the page.
        """
        name, record = PageName.parse(closed.next_file), page_after(closed)
        generation = self.objects.store.create(self.names.page(name), encode_page(record))
        return self.read_page(name) if generation is None else SeenPage(name=name, record=record, generation=generation)

    def clean(self, name: PageName, amendments: Amendments) -> None:
        """Apply the amendments to a page.  Nothing is written if nothing changes, so many withdrawals cost few writes."""

        def cleaned(data: bytes | None) -> bytes | None:
            if data is None:
                return None
            record = decode_page(data)
            wanted = cleaned_page(record, amendments)
            return encode_page(wanted) if wanted != record else None

        update_by_swap(self.objects.store, self.names.page(name), cleaned, what="a page")

    def settle(self, names: Sequence[PageName], looked: Amendments) -> Amendments:
        """Clean these pages of what was amended since the look `looked`, until a look finds nothing new; return the last that did."""
        while (now := self.amendments.look()).adds_to(looked):
            for name in names:
                self.clean(name, now)
            looked = now
        return looked

    def refuse(self, refusals: Iterable[Refusal]) -> None:
        """What these marks are about is left out of prompts, unless it was amended since.  Repeated: changes nothing."""
        new, looked = tuple(refusals), self.amendments.look()

        def marked(record: PageRecord) -> PageRecord:
            return replace(record, refused=standing((*record.refused, *new), looked))

        self._change_newest(marked)
        self.settle(self.list_newest()[:1], looked)

    def overtake(self) -> None:
        """Rewrite the newest page, at most once a minute, so that a fold that read it before loses its swap, however long it has slept."""
        now_ms = self.clock.now_ms()

        def overtaken(record: PageRecord) -> PageRecord:
            is_done = record.overtaken_ms // MINUTE_MS == now_ms // MINUTE_MS
            return record if is_done else replace(record, overtaken_ms=now_ms)

        self._change_newest(overtaken)

    def list_pages(self) -> tuple[ListedPage, ...]:
        """Return the pages that are there, newest first."""
        pages = tuple(self._parsed(self.objects.store.list(self.names.pages_prefix)))
        next_ms = (None, *(one.name.first_ms for one in pages))
        return tuple(replace(one, next_ms=after) for one, after in zip(pages, next_ms, strict=False))

    def read(self, *, since_ms: int | None = None, until_ms: int | None = None) -> PageSpan:
        """Return what pages hold between these timestamps, both included, in two round trips; of very many pages the newest.

        A page that cannot be read is logged and left out. The newest page is open: it is read again beside the others.
        """
        oldest_ms = self.clock.now_ms() - self.days * _DAY_MS
        since = oldest_ms if since_ms is None else max(since_ms, oldest_ms)
        end_look = self.amendments.begin_look()
        wanted = [
            one
            for one in self.list_pages()
            if reaches(one.name.first_ms, one.next_ms, since_ms=since, until_ms=until_ms)
        ]
        bodies = self.objects.read_all([one.listed for one in wanted[:PAGES_READ]])
        pages = [page for data in bodies if data is not None and (page := _readable(data)) is not None]
        messages = [one for page in pages for one in page.messages]
        amendments = self.amendments.with_words_of(end_look(), messages)
        cleaned = [cleaned_page(one, amendments) for one in reversed(pages)]
        said = {one.line_message_id: one for page in cleaned for one in page.messages if not amendments.hides(one)}
        answers = {one.webhook_event_id: one for page in cleaned for one in page.outcomes if one.text is not None}

        def is_within(record: MessageRecord | OutcomeRecord) -> bool:
            return since <= record.timestamp_ms and (until_ms is None or record.timestamp_ms <= until_ms)

        return PageSpan(
            messages=tuple(sorted(filter(is_within, said.values()), key=by_time)),
            outcomes=tuple(sorted(filter(is_within, answers.values()), key=by_time)),
            left_out=len(pages) < len(wanted),
        )

    def _change_newest(self, changed_by: _Change) -> None:
        """Change the newest page by a swap, retried on conflict; a page that was closed meanwhile is left, and the next one is changed."""
        for _ in range(SWAP_ATTEMPTS):
            newest = self.read_newest(self.list_newest()[:1]).newest
            wanted = changed_by(newest.record)
            if wanted == newest.record or self.swap(newest, wanted) is not None:
                return
        raise StorageUnavailableError("others kept changing the newest page")

    def _parsed(self, listed: Iterable[ListedObject]) -> Iterable[ListedPage]:
        for one in listed:
            try:
                yield ListedPage(listed=one, name=PageName.parse(one.name), next_ms=None)
            except UnusableIdError as cause:
                logs.error("record_unreadable", cause=cause)


@lru_cache(maxsize=_DECODED)
def _decoded(data: bytes) -> PageRecord:
    """Return the page as it is read.  Most reads between two folds find the same bytes."""
    return decode_page(data)


def _readable(data: bytes) -> PageRecord | None:
    try:
        return _decoded(data)
    except (CorruptRecordError, UnknownRecordVersionError) as cause:
        logs.error("record_unreadable", cause=cause)
        return None
