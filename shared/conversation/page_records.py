"""Pages as they are stored: at most 200 records of a chat's past, and a head with what turns need of the pages before.

Nothing leaves a page but by a withdrawal, an erasure or the retention. A page is closed by naming the next one, which fixes the name of
that page before it is created.
"""

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from typing import Final

from shared.clock import MINUTE_MS
from shared.conversation.amendments import Amendments
from shared.conversation.numbering import Numbered
from shared.conversation.provenance import Provenance
from shared.conversation.records import ANSWERABLE_MS, MessageRecord, OutcomeKind, OutcomeRecord, by_time
from shared.conversation.refusals import Refusal, standing
from shared.conversation.segments import with_provenance, without_provenance
from shared.conversation.snapshot_records import Recap
from shared.storage.codec import VERSION, decode, encode
from shared.unknown_fields import Extensible

PAGE_RECORDS: Final = 200
PAGE_CHARACTERS: Final = 100_000
_HEAD_RECAPS: Final = 10
_HEAD_OUTCOMES: Final = 20
_HEAD_LATE: Final = 10
_REDELIVERED_MS: Final = 24 * 60 * MINUTE_MS


@dataclass(frozen=True, slots=True, kw_only=True)
class PageHead(Extensible):
    """Copies of what turns need of the pages before, made when the page was created.

    `recaps`: the ten newest that prompts show. `outcomes`: the newest twenty, and the newest deferrals and stored answers with what fulfils
    them.
    """

    recaps: tuple[Recap, ...] = ()
    outcomes: tuple[OutcomeRecord, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRecord(Extensible):
    """A page.  `next_file`: the name of the page after it, which closes it; empty while it is the newest.

    `lost_recaps` lost their words: they sum up nothing any more, and stay because answers that name them may repeat these words.
    `recaps_written` numbers the recaps of the chat; `recap_tries`: attempts at the next one since the last one was written; until
    `recap_until_ms` a worker may be writing it. What outcomes name is stored once for all of them, in `numbered`; in memory that is empty.
    `overtaken_ms`: when a second pass wrote it.
    """

    version: int = VERSION
    head: PageHead = field(default_factory=PageHead)
    messages: tuple[MessageRecord, ...] = ()
    outcomes: tuple[OutcomeRecord, ...] = ()
    recaps: tuple[Recap, ...] = ()
    lost_recaps: tuple[Recap, ...] = ()
    numbered: Numbered = field(default_factory=Numbered)
    recaps_written: int = 0
    recap_tries: int = 0
    recap_until_ms: int = 0
    overtaken_ms: int = 0
    refused: tuple[Refusal, ...] = ()
    next_file: str = ""

    @property
    def all_recaps(self) -> tuple[Recap, ...]:
        """The recaps whose words answers may repeat, those of the head included; one that never had any is not among them."""
        return (*self.lost_recaps, *(one for one in (*self.head.recaps, *self.recaps) if one.text))

    @property
    def all_outcomes(self) -> tuple[OutcomeRecord, ...]:
        """The outcomes, those of the head included."""
        return (*self.head.outcomes, *self.outcomes)

    @property
    def provenance(self) -> Provenance:
        """What its answers and recaps were made of."""
        records: tuple[OutcomeRecord | Recap, ...] = (*self.all_outcomes, *self.all_recaps)
        return Provenance.union(one.provenance for one in records)

    @property
    def newest_ms(self) -> int:
        """LINE's timestamp of its newest record; 0 where it has none."""
        records: tuple[MessageRecord | OutcomeRecord, ...] = (*self.messages, *self.outcomes)
        return max((one.timestamp_ms for one in records), default=0)

    @property
    def has_records(self) -> bool:
        """Whether anything but copies is left on it."""
        return bool(self.messages or self.outcomes or self.recaps or self.lost_recaps)

    def part_that_fits(
        self, records: Iterable[MessageRecord | OutcomeRecord]
    ) -> tuple[MessageRecord | OutcomeRecord, ...]:
        """Return as many of the records, by time, as still fit on the page; on an empty page that is at least one."""
        room = PAGE_RECORDS - len(self.messages) - len(self.outcomes) - len(self.recaps) - len(self.lost_recaps)
        held: tuple[MessageRecord | OutcomeRecord | Recap, ...] = (*self.messages, *self.outcomes, *self.recaps)
        characters = PAGE_CHARACTERS - sum(map(_length, held))
        fits: list[MessageRecord | OutcomeRecord] = []
        for record in sorted(records, key=by_time):
            characters -= _length(record)
            if len(fits) >= room or (characters < 0 and (fits or self.has_records)):
                break
            fits.append(record)
        return tuple(fits)


def page_after(page: PageRecord) -> PageRecord:
    """Return the page after this one as it is created: a head, and no record."""
    return PageRecord(head=_head_of(page), recaps_written=page.recaps_written, refused=page.refused)


def _head_of(page: PageRecord) -> PageHead:
    outcomes = tuple(sorted(_by_id(page.all_outcomes), key=by_time))
    newest = frozenset(one.webhook_event_id for one in outcomes[-_HEAD_OUTCOMES:])
    copied = newest | _late(outcomes)
    recaps = sorted((*page.head.recaps, *page.recaps), key=lambda one: one.timestamp_ms)
    return PageHead(
        recaps=tuple(recaps[-_HEAD_RECAPS:]),
        outcomes=tuple(one for one in outcomes if one.webhook_event_id in copied),
    )


def encode_page(page: PageRecord) -> bytes:
    """Return the bytes of a page; what its outcomes name is stored once for all."""
    numbered = Numbered.of({one.webhook_event_id: one.provenance for one in page.all_outcomes})
    head = replace(page.head, outcomes=tuple(map(without_provenance, page.head.outcomes)))
    return encode(replace(page, head=head, outcomes=tuple(map(without_provenance, page.outcomes)), numbered=numbered))


def decode_page(data: bytes) -> PageRecord:
    """Read the bytes back.  Raises: CorruptRecordError, UnknownRecordVersionError."""
    stored = decode(PageRecord, data)
    head = replace(stored.head, outcomes=with_provenance(stored.head.outcomes, stored.numbered))
    outcomes = with_provenance(stored.outcomes, stored.numbered)
    return replace(stored, head=head, outcomes=outcomes, numbered=Numbered())


def cleaned_page(page: PageRecord, amendments: Amendments) -> PageRecord:
    """Return the page without the words of what was withdrawn, and with those of what was edited; its head likewise.

    A recap tells by its provenance how old the words are that it sums up, so an edit of a message on another page takes its words, too.
    """

    def is_lost(recap: Recap) -> bool:
        return recap.provenance.is_lost_with(amendments, recap.id) or _sums_up_older_words(recap, amendments)

    def cleaned(outcomes: Iterable[OutcomeRecord]) -> tuple[OutcomeRecord, ...]:
        return tuple(amendments.without_lost(one) for one in outcomes if one.timestamp_ms > amendments.erased_ms)

    recaps = tuple(one for one in page.recaps if one.provenance.since_ms > amendments.erased_ms)
    lost = tuple(one for one in page.lost_recaps if one.provenance.since_ms > amendments.erased_ms)
    return replace(
        page,
        unknown_fields=page.wordless_fields,
        head=replace(
            page.head,
            unknown_fields=page.head.wordless_fields,
            recaps=tuple(one for one in page.head.recaps if not is_lost(one)),
            outcomes=cleaned(page.head.outcomes),
        ),
        messages=tuple(amendments.overlay(one) for one in page.messages if not amendments.is_withdrawn(one)),
        outcomes=cleaned(page.outcomes),
        recaps=tuple(one for one in recaps if not is_lost(one)),
        lost_recaps=(*lost, *(one.without_words() for one in recaps if is_lost(one))),
        refused=standing(page.refused, amendments),
    )


def without_old_words(page: PageRecord) -> PageRecord:
    """Return the page as it stays where nothing is archived: ids and provenance, by which withdrawals go on finding what repeats it."""
    return replace(
        page,
        unknown_fields=page.wordless_fields,
        head=PageHead(),
        messages=(),
        outcomes=tuple(one.without_words() for one in page.outcomes),
        recaps=(),
        lost_recaps=(*page.lost_recaps, *(one.without_words() for one in page.recaps)),
    )


def reaches(first_ms: int, next_ms: int | None, *, since_ms: int, until_ms: int | None) -> bool:
    """Whether a page may hold a record of the span: by its own name, and by that of the page after it; None: there is none."""
    is_early = next_ms is not None and next_ms + _REDELIVERED_MS < since_ms
    return not is_early and (until_ms is None or first_ms - _REDELIVERED_MS <= until_ms)


def _sums_up_older_words(recap: Recap, amendments: Amendments) -> bool:
    sources = recap.provenance.sources
    return any(amendments.edited_ms.get(one.line_message_id, 0) > one.timestamp_ms for one in sources)


def _by_id(outcomes: Iterable[OutcomeRecord]) -> Iterator[OutcomeRecord]:
    """Yield each outcome once; the last copy counts."""
    yield from {one.webhook_event_id: one for one in outcomes}.values()


def _late(outcomes: tuple[OutcomeRecord, ...]) -> AbstractSet[str]:
    """Return the newest deferrals and stored answers, and the outcomes that fulfil them: these tell a press that its answer was sent."""
    late = [one for one in outcomes if one.offer.is_deferral or one.kind is OutcomeKind.STORED][-_HEAD_LATE:]
    roots = frozenset(root for one in late for root in one.answers)
    return frozenset(one.webhook_event_id for one in outcomes if one in late or not roots.isdisjoint(one.answers))


def may_be_folded(outcome: OutcomeRecord, *, now_ms: int) -> bool:
    """Whether no press can confirm anything of it any more; until then it stays in the journal, so that no page loses its arguments."""
    return not outcome.offer.may_be_pressed or now_ms - outcome.timestamp_ms >= ANSWERABLE_MS


def _length(record: MessageRecord | OutcomeRecord | Recap) -> int:
    return len(record.text or "")
