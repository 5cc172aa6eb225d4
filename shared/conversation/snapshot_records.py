"""The records that compactions make of a chat: recaps, the snapshot, and the archive's segments.  Schemas are in schemas/records/."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TypeAlias

from shared.conversation.provenance import LATEST_MS, Provenance
from shared.conversation.receipt_lines import compared_texts
from shared.conversation.records import MessageRecord, OutcomeKind, OutcomeRecord
from shared.conversation.refusals import Refusal
from shared.storage.codec import VERSION

Authors: TypeAlias = Mapping[str, Mapping[str, int]]
"""When a person's messages were sent, by the person's mark (`member_mark`) and their ids: `{"member-...": {"message-id": sent_ms}}`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recap:
    """About ten older messages in a few sentences; without words if every attempt to sum them up ended its worker.

    `covers`: the messages that it sums up; `timestamp_ms` is that of the newest. `saw`: the answers among them, by their own ids; if it
    repeats one that is kept nowhere, what that one had seen. `id`: its own, by which answers name it; empty in snapshots from before recaps
    had ids. All that it sums up lies between `since_ms` and `until_ms`. `entries_since_ms` is that of an answer that it repeats and that is
    kept nowhere. `passed_ms`: when it left the prompts, by our clock; 0: it has not.
    """

    text: str = field(repr=False)
    covers: tuple[str, ...]
    timestamp_ms: int
    since_ms: int
    until_ms: int
    entries_since_ms: int = LATEST_MS
    id: str = ""
    saw: tuple[str, ...] = ()
    passed_ms: int = 0

    @property
    def provenance(self) -> Provenance:
        """Whose words it may hold."""
        return Provenance.of(self)

    @property
    def words(self) -> tuple[str, ...]:
        """Every text in it, as in `OutcomeRecord.words`."""
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
    """What is kept of an outcome with words once it leaves the snapshot: `text` as it was said, None if it was withdrawn since.

    The other fields are as in `OutcomeRecord`. Answers that were never sent are archived, too, because later answers may repeat them;
    readers leave them out.
    """

    webhook_event_id: str
    timestamp_ms: int
    kind: OutcomeKind
    text: str | None = field(default=None, repr=False)
    covers: tuple[str, ...] = ()
    saw: tuple[str, ...] = ()
    since_ms: int = 0
    until_ms: int = 0
    entries_since_ms: int = 0
    sent_message_ids: tuple[str, ...] = ()
    model_name: str | None = None

    @property
    def provenance(self) -> Provenance:
        """Whose words it may hold."""
        return Provenance.of(self)

    @property
    def words(self) -> tuple[str, ...]:
        """Every text in it, as in `OutcomeRecord.words`."""
        return compared_texts(self.text or "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """What left the snapshot, verbatim and oldest first: messages without their tokens, answers, and recaps, which are never shown again.

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

    `messages`: those that prompts show, and the sources of the recaps, which prompts do not show. `recaps_written` numbers the recaps;
    `recap_tries`: attempts at the next one since the last one was written; until `recap_until_ms` a worker may be writing it.
    `passed_recaps` left the prompts, but an answer that is under way or journalled may name them; what names one that lost its words may
    repeat these words. `leaving` waits for its segment of the archive; `segments` names the last ones that were written, by the last part
    of their objects' names.

    What outcomes saw is stored once for all of them: `ids` numbers everything that they name, and `saw` has, by outcome, the runs of
    numbers that it names, as first number and length in turn. In memory, outcomes have their own `saw`, and these two are empty.
    `timeline` is in snapshots of earlier releases, whose outcomes named intervals: the timestamps of the messages in them.
    `authors` are those of messages that are named and kept nowhere. `overtaken_ms` is when `Snapshot.overtake` wrote it last.
    `refused`: marks on what the model's provider refuses to read, of the journal, too.
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
    refused: tuple[Refusal, ...] = ()

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
