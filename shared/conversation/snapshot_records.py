"""The records made of a chat by compactions: recaps, the snapshot, and the archive's segments.  Schemas are in schemas/records/."""

from collections.abc import Mapping
from dataclasses import field

from shared.conversation.numbering import Numbered
from shared.conversation.provenance import Provenance
from shared.conversation.receipt_lines import compared_texts
from shared.conversation.records import MessageRecord, OutcomeKind, OutcomeRecord
from shared.conversation.refusals import Refusal
from shared.frozen import frozen
from shared.storage.codec import VERSION
from shared.unknown_fields import Extensible


@frozen
class Recap(Extensible):
    """About ten older messages in a few sentences; without words if every attempt at a summary ended its worker.

    `summed_up_ids`: the messages summed up; `timestamp_ms` is the newest message's. `provenance` names them and the answers between; for a
    repeated answer no longer stored anywhere, the sources of the answer. `id`: the recap's own, used by answers.
    `passed_ms`: when the recap left the prompts, by our clock; 0: still shown.
    """

    text: str = field(repr=False)
    summed_up_ids: tuple[str, ...]
    timestamp_ms: int
    provenance: Provenance
    id: str
    passed_ms: int = 0

    @property
    def words(self) -> tuple[str, ...]:
        """Every text in the recap, as in `OutcomeRecord.words`."""
        return (self.text,) if self.text else ()

    def without_words(self) -> "Recap":
        """Return the recap as retained outside the prompts after a withdrawal."""
        return self.redacted(text="")

    def is_outdated_by(self, edited_ms: Mapping[str, int]) -> bool:
        """Whether a message has an edit newer than the words summed up.

        For example, a recap of message 450 as written at 1,000 ms is outdated by `{"450": 2000}`.
        """
        outdated_ids = self.provenance.withdrawn_ids(lambda own_id, words_ms: words_ms < edited_ms.get(own_id, -1))
        return not outdated_ids.isdisjoint(self.summed_up_ids)

    @property
    def as_source(self) -> Provenance:
        """The provenance of a record made from the recap."""
        if not self.id:
            return self.provenance
        return Provenance(derived_ids=frozenset({self.id}), since_ms=self.provenance.since_ms)


@frozen
class ArchivedAnswer(Extensible):
    """The part of an outcome with words that outlasts the snapshot: `text` as sent, None after a withdrawal.

    The other fields are as in `OutcomeRecord`. Answers never sent are archived, too, because later answers may repeat them; readers leave
    them out.
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
        """The answer's id in prompts, answers and recaps."""
        return self.webhook_event_id

    @property
    def words(self) -> tuple[str, ...]:
        """Every text in the answer, as in `OutcomeRecord.words`."""
        return compared_texts(self.text or "")


@frozen
class Segment(Extensible):
    """Records from the snapshot, verbatim and oldest first: messages without their tokens, answers, and recaps, never to be shown again.

    Recaps stay because archived answers may repeat them. As in a snapshot, the sources of all answers are stored once, in `numbered`; in
    memory `numbered` is empty.
    """

    version: int = VERSION
    messages: tuple[MessageRecord, ...] = ()
    answers: tuple[ArchivedAnswer, ...] = ()
    recaps: tuple[Recap, ...] = ()
    numbered: Numbered = field(default_factory=Numbered)


@frozen
class SnapshotRecord(Extensible):
    """Older messages and outcomes, folded out of the journal, and recaps of older messages still.

    `messages`: shown in prompts, and the sources of the recaps, not shown. `recaps_written` numbers the recaps; `recap_tries`: attempts at
    the next recap since the last success; until `recap_until_ms` a worker may be writing. `passed_recaps` left the prompts, but an answer
    under way or journalled may name them: an answer that names a redacted recap may repeat the recap's words. `leaving` waits for a segment
    of the archive; `segments` lists the last segments written, by the last part of the objects' names.

    The sources of outcomes, and of the answers in `leaving`, are stored once for all, in `numbered`; in memory `numbered` is empty.
    `overtaken_ms`: the last rewrite by `Snapshot.overtake`. `refused`: marks of words refused by the model's provider, also of journalled
    records.
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
        """The messages, including those waiting for the archive."""
        return (*self.messages, *self.leaving.messages)

    @property
    def all_recaps(self) -> tuple[Recap, ...]:
        """The recaps with words that answers may repeat, shown or not; a recap that never had words is left out."""
        return (*self.passed_recaps, *(one for one in self.recaps if one.text))

    @property
    def provenance(self) -> Provenance:
        """The sources of the answers and recaps, including those waiting for the archive."""
        return Provenance.union(
            (
                *(one.provenance for one in self.outcomes),
                *(one.provenance for one in self.leaving.answers),
                *(one.provenance for one in (*self.all_recaps, *self.leaving.recaps)),
            )
        )
