"""The records that compactions make of a chat: recaps, the snapshot, and the archive's segments.  Schemas are in schemas/records/."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TypeAlias

from shared.conversation.provenance import Provenance
from shared.conversation.receipt_lines import compared_texts
from shared.conversation.records import MessageRecord, OutcomeKind, OutcomeRecord
from shared.storage.codec import VERSION

Authors: TypeAlias = Mapping[str, Mapping[str, int]]
"""When messages were sent, by their ids, by whoever sent them: the id of that person's mark (`member_mark`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recap:
    """Some ten older messages in a few sentences, or in none, where every try to sum them up ended the worker.

    `covers` are the messages that it sums up, the newest of them of `timestamp_ms`. `saw` are the answers among them, by their own ids, or
    what these had seen, where it repeats one that is not kept any more.
    `id` is its own, by which answers name it; empty in snapshots from before recaps had ids. All that it sums up lies between `since_ms`
    and `until_ms`. `passed_ms` is when it left the prompts, by our clock; 0: it is shown.
    """

    text: str = field(repr=False)
    covers: tuple[str, ...]
    timestamp_ms: int
    since_ms: int
    until_ms: int
    id: str = ""
    saw: tuple[str, ...] = ()
    passed_ms: int = 0

    @property
    def provenance(self) -> Provenance:
        """Whose words it may hold."""
        return Provenance(ids=frozenset((*self.covers, *self.saw)), since_ms=self.since_ms, until_ms=self.until_ms)

    @property
    def words(self) -> tuple[str, ...]:
        """Every text in it, as of an outcome."""
        return (self.text,) if self.text else ()

    def without_words(self) -> "Recap":
        """Return it as it stays beside the prompts after a withdrawal."""
        return replace(self, text="")

    @property
    def as_source(self) -> Provenance:
        """The provenance of something that was made of it."""
        return Provenance(ids=frozenset({self.id}), since_ms=self.since_ms) if self.id else self.provenance


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchivedAnswer:
    """What is kept of an outcome with words once it leaves the snapshot: `text` as it was said, None where it was withdrawn since.

    All else is as in `OutcomeRecord`. What was never sent is archived too, because later answers may repeat it; readers leave it out.
    """

    webhook_event_id: str
    timestamp_ms: int
    kind: OutcomeKind
    text: str | None = field(default=None, repr=False)
    covers: tuple[str, ...] = ()
    saw: tuple[str, ...] = ()
    since_ms: int = 0
    until_ms: int = 0
    sent_message_ids: tuple[str, ...] = ()
    model_name: str | None = None

    @property
    def provenance(self) -> Provenance:
        """Whose words it may hold."""
        return Provenance(ids=frozenset((*self.covers, *self.saw)), since_ms=self.since_ms, until_ms=self.until_ms)

    @property
    def words(self) -> tuple[str, ...]:
        """Every text in it, as of an outcome."""
        return compared_texts(self.text or "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """What left the snapshot, verbatim and oldest first: messages without their tokens, answers, and recaps, which nobody is shown again.

    Recaps are kept because archived answers may repeat them. As in a snapshot, what answers saw is stored once for all, in `ids` and
    runs of numbers; in memory these two are empty.
    """

    version: int = VERSION
    messages: tuple[MessageRecord, ...] = ()
    answers: tuple[ArchivedAnswer, ...] = ()
    recaps: tuple[Recap, ...] = ()
    ids: tuple[str, ...] = ()
    saw: Mapping[str, tuple[int, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotRecord:
    """Older messages and outcomes, folded out of the journal, and recaps of what is older still.

    `messages` are those that prompts show and the sources of the recaps, which they do not. `recaps_written` numbers the recaps,
    `recap_tries` is how often the next one was asked for since the last one came; until `recap_until_ms` somebody may be at it.
    `passed_recaps` are shown no more, but an answer that is under way or journalled may name them; one without words has lost them, and
    what names it may repeat them. `leaving` waits for its segment of the archive, and `segments` names the last ones that were written, by
    the last part of their objects' names.

    What outcomes saw is stored once for all of them: `ids` numbers everything that they name, and `saw` has, by outcome, the runs of
    numbers that it names, as first number and length in turn. In memory, outcomes have their own `saw`, and these two are empty.
    `timeline` is in snapshots of earlier releases, whose outcomes named intervals: the timestamps of the messages in them.
    `authors` are those of messages that are named and kept nowhere. `overtaken_ms` is when `Snapshot.overtake` wrote it last.
    """

    version: int = VERSION
    messages: tuple[MessageRecord, ...] = ()
    outcomes: tuple[OutcomeRecord, ...] = ()
    recaps: tuple[Recap, ...] = ()
    passed_recaps: tuple[Recap, ...] = ()
    ids: tuple[str, ...] = ()
    saw: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    timeline: Mapping[str, int] = field(default_factory=dict)
    authors: Authors = field(default_factory=dict)
    recaps_written: int = 0
    recap_tries: int = 0
    recap_until_ms: int = 0
    leaving: Segment = field(default_factory=Segment)
    segments: tuple[str, ...] = ()
    overtaken_ms: int = 0

    @property
    def all_recaps(self) -> tuple[Recap, ...]:
        """The recaps whose words answers may repeat, shown or not; one that never had any is not among them."""
        return (*self.passed_recaps, *(one for one in self.recaps if one.text))

    @property
    def named(self) -> frozenset[str]:
        """What its answers and recaps name, those included that wait for the archive."""
        provenances = chain(
            (one.provenance for one in self.outcomes),
            (one.provenance for one in self.leaving.answers),
            (one.provenance for one in (*self.all_recaps, *self.leaving.recaps)),
        )
        return frozenset(named for one in provenances for named in one.ids)
