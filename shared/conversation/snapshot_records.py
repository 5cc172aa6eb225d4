"""The records that compactions make of a chat: recaps, the snapshot, and the archive's segments.  Schemas are in schemas/records/."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from shared.conversation.numbering import Numbered
from shared.conversation.provenance import Provenance
from shared.conversation.receipt_lines import compared_texts
from shared.conversation.records import MessageRecord, OutcomeKind, OutcomeRecord
from shared.conversation.refusals import Refusal
from shared.storage.codec import VERSION
from shared.unknown_fields import Extensible


@dataclass(frozen=True, slots=True, kw_only=True)
class Recap(Extensible):
    """About ten older messages in a few sentences; without words if every attempt to sum them up ended its worker.

    `summed_up_ids`: the messages that it sums up; `timestamp_ms` is that of the newest. Its `provenance` names these and the answers among
    them; if it repeats an answer that is kept nowhere, what that one was made of. `id`: its own, by which answers name it; empty in
    snapshots from before recaps had ids. `passed_ms`: when it left the prompts, by our clock; 0: it has not.
    """

    text: str = field(repr=False)
    summed_up_ids: tuple[str, ...]
    timestamp_ms: int
    provenance: Provenance
    id: str = ""
    passed_ms: int = 0

    @property
    def words(self) -> tuple[str, ...]:
        """Every text in it, as in `OutcomeRecord.words`."""
        return (self.text,) if self.text else ()

    def without_words(self) -> "Recap":
        """Return it as it stays beside the prompts after a withdrawal."""
        return self.redacted(text="")

    def is_outdated_by(self, edited_ms: Mapping[str, int]) -> bool:
        """Whether a message that it sums up was edited after the words that it sums up."""
        sources = (source for source in self.provenance.sources if source.line_message_id in self.summed_up_ids)
        return any(source.timestamp_ms < edited_ms.get(source.line_message_id, -1) for source in sources)

    @property
    def as_source(self) -> Provenance:
        """The provenance of something that was made of it."""
        if not self.id:
            return self.provenance
        return Provenance(derived_ids=frozenset({self.id}), since_ms=self.provenance.since_ms)


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchivedAnswer(Extensible):
    """What is kept of an outcome with words once it leaves the snapshot: `text` as it was said, None if it was withdrawn since.

    The other fields are as in `OutcomeRecord`. Answers that were never sent are archived, too, because later answers may repeat them;
    readers leave them out.
    """

    webhook_event_id: str
    timestamp_ms: int
    kind: OutcomeKind
    text: str | None = field(default=None, repr=False)
    answered_ids: tuple[str, ...] = ()
    provenance: Provenance
    sent_message_ids: tuple[str, ...] = ()
    model_name: str | None = None

    @property
    def id(self) -> str:
        """The id by which prompts, answers and recaps name it."""
        return self.webhook_event_id

    @property
    def words(self) -> tuple[str, ...]:
        """Every text in it, as in `OutcomeRecord.words`."""
        return compared_texts(self.text or "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment(Extensible):
    """What left the snapshot, verbatim and oldest first: messages without their tokens, answers, and recaps, which are never shown again.

    Recaps are kept because archived answers may repeat them. As in a snapshot, what answers name is stored once for all, in `numbered`; in
    memory that is empty.
    """

    version: int = VERSION
    messages: tuple[MessageRecord, ...] = ()
    answers: tuple[ArchivedAnswer, ...] = ()
    recaps: tuple[Recap, ...] = ()
    numbered: Numbered = field(default_factory=Numbered)


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotRecord(Extensible):
    """Older messages and outcomes, folded out of the journal, and recaps of what is older still.

    `messages`: those that prompts show, and the sources of the recaps, which prompts do not show. `recaps_written` numbers the recaps;
    `recap_tries`: attempts at the next one since the last one was written; until `recap_until_ms` a worker may be writing it.
    `passed_recaps` left the prompts, but an answer that is under way or journalled may name them; what names one that lost its words may
    repeat these words. `leaving` waits for its segment of the archive; `segments` names the last ones that were written, by the last part
    of their objects' names.

    What its outcomes, and the answers that leave, name is stored once for all of them, in `numbered`; in memory that is empty.
    `overtaken_ms` is when `Snapshot.overtake` wrote it last.
    `refused`: marks on what the model's provider refuses to read, of the journal, too.
    """

    version: int = VERSION
    messages: tuple[MessageRecord, ...] = ()
    outcomes: tuple[OutcomeRecord, ...] = ()
    recaps: tuple[Recap, ...] = ()
    passed_recaps: tuple[Recap, ...] = ()
    numbered: Numbered = field(default_factory=Numbered)
    recaps_written: int = 0
    recap_tries: int = 0
    recap_until_ms: int = 0
    leaving: Segment = field(default_factory=Segment)
    segments: tuple[str, ...] = ()
    overtaken_ms: int = 0
    refused: tuple[Refusal, ...] = ()

    @property
    def all_messages(self) -> tuple[MessageRecord, ...]:
        """The messages, those included that wait for the archive."""
        return (*self.messages, *self.leaving.messages)

    @property
    def all_recaps(self) -> tuple[Recap, ...]:
        """The recaps whose words answers may repeat, shown or not; one that never had any is not among them."""
        return (*self.passed_recaps, *(one for one in self.recaps if one.text))

    @property
    def provenance(self) -> Provenance:
        """What its answers and recaps were made of, those included that wait for the archive."""
        return Provenance.union(
            (
                *(one.provenance for one in self.outcomes),
                *(one.provenance for one in self.leaving.answers),
                *(one.provenance for one in (*self.all_recaps, *self.leaving.recaps)),
            )
        )
