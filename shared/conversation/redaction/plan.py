"""The plan of a withdrawal or an erasure: which answers and recaps lose their words, stored before any words go.

First come the records with a withdrawn message in their own prompt. Next come records with a redacted record in the prompt and a literal
run of redacted words; and so on. An answer that only rephrases another answer keeps its words; so does an answer that only came later. All
are compared, in journal, snapshot and archive, until a round finds nothing new.

For example, message 450 is withdrawn. Answer e1 had 450 in its prompt: redacted. Answer e2 had only e1 in its prompt, and quotes e1:
redacted. Answer e3 had e1 in its prompt, and says "OK": cleared. If the words of 450 are nowhere, e3 is redacted, too.
"""

from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from itertools import chain

from shared.conversation.amendments import Amendments, Plan
from shared.conversation.provenance import Provenance
from shared.conversation.records import OutcomeRecord
from shared.conversation.redaction.sweep import Sweep
from shared.conversation.snapshot_records import ArchivedAnswer, Recap, Segment, SnapshotRecord
from shared.conversation.store import Conversation
from shared.errors import StorageUnavailableError
from shared.frozen import frozen
from shared.search.literal_runs import Signs
from shared.storage.compare_and_swap import SWAP_ATTEMPTS


@frozen
class Derived:
    """An answer or a recap, by its own id; without `words` if they were removed before."""

    id: str
    provenance: Provenance
    words: tuple[str, ...] = field(repr=False)

    @classmethod
    def of(cls, *groups: Iterable[OutcomeRecord | ArchivedAnswer | Recap]) -> list["Derived"]:
        """Return the records of answers and recaps, as prompts may have shown them."""
        records = chain.from_iterable(groups)
        return [cls(id=record.id, provenance=record.provenance, words=record.words) for record in records]


@dataclass(slots=True, kw_only=True)
class RedactionPlan:
    """The records redacted by one withdrawal, as far as found.

    `amendments` hold the results of earlier withdrawals. `redacted_ids` and `cleared_ids` are as in `Plan`.
    """

    amendments: Amendments
    redacted_ids: set[str] = field(default_factory=set)
    cleared_ids: set[str] = field(default_factory=set)
    _worded: set[str] = field(default_factory=set)
    _compared: dict[str, Derived] = field(default_factory=dict, repr=False)
    _lost_ids: frozenset[str] = frozenset()
    _of_lost: set[str] = field(default_factory=set)
    _signs: Signs = field(default_factory=Signs, repr=False)

    @property
    def applied(self) -> Amendments:
        """The amendments, with this plan."""
        plan = dict.fromkeys(self.redacted_ids, frozenset(self.cleared_ids))
        return replace(self.amendments, redacted={**self.amendments.redacted, **plan})

    def store_for_withdrawal(
        self,
        conversation: Conversation,
        line_message_ids: AbstractSet[str],
        sweep: Sweep,
        *,
        round_id: str,
        read_ids: AbstractSet[str] = frozenset(),
    ) -> bool:
        """Find and store the plan of the messages before any words go.  Return whether an object knew the messages.

        The plan is an amendment event of the round; readers take the plans of all rounds together. The journal is listed again after each
        find, because an answer recorded meanwhile may not know of the find. A cleared answer is a find, too: other withdrawals redact an
        answer missing from the plan. Records redacted since the look by another delivery or withdrawal are read from the other plan.
        Messages under another withdrawal are compared here, too: the plan decides on their answers, and the other withdrawal may have
        stalled. `read_ids`: messages whose words were added before. A message may be nowhere, because its withdrawal was interrupted, and
        whoever rewrote the chat since has dropped it.
        """
        stored: AbstractSet[str] = frozenset()
        segments: list[Segment] = []
        withdrawn = self.amendments.withdrawn
        for _ in range(SWAP_ATTEMPTS):
            listing = conversation.journal.list_objects()
            outcomes = conversation.journal.read_outcomes(listing)
            other_withdrawn = conversation.journal.read_listed(listing, withdrawn - line_message_ids)
            snapshot = conversation.snapshot.read().record
            sweep.add_sent_times(snapshot.all_messages)
            sweep.skip_segments_before(line_message_ids)
            segments += sweep.find_more(line_message_ids | self.redacted_ids)
            archived = (message for segment in segments for message in segment.messages)
            messages = {
                message.line_message_id: message
                for message in (*other_withdrawn, *snapshot.all_messages, *archived)
                if message.line_message_id in withdrawn
            }
            self.add_words(text for message in messages.values() for text in message.words)
            self._lost_ids = frozenset(line_message_ids - read_ids - messages.keys())
            derived = _derived(outcomes, snapshot, segments)
            is_grown = self._compare_all(sweep, derived, segments, look=conversation.amendments.look)
            if not is_grown and self.cleared_ids <= stored:
                named_ids = frozenset().union(*(record.provenance.message_ids for record in derived))
                return not line_message_ids.isdisjoint(named_ids | messages.keys())
            stored = frozenset(self.cleared_ids)
            conversation.amendments.add_plan(
                round_id, Plan(redacted_ids=frozenset(self.redacted_ids), cleared_ids=stored)
            )
        raise StorageUnavailableError("answers kept coming")

    def store_for_erasure(self, conversation: Conversation, sweep: Sweep) -> None:
        """Find the records redacted by the erasure; store the ones newer than the watermark, as a plan, before any words go.

        The watermark does not cover the newer part: an answer given later may stand in a prompt without anything older, and the turn with
        such a prompt has to be thought again. The journal is listed again after each find, as in `store_for_withdrawal`.
        """
        erased_ms = self.amendments.erased_ms
        segments = [_with_erased(self.amendments, segment) for segment in sweep.segments_after(erased_ms)]
        stored: AbstractSet[str] = frozenset()
        for _ in range(SWAP_ATTEMPTS):
            outcomes = conversation.journal.read_outcomes(drops_unreadable=True)
            derived = _derived(outcomes, conversation.snapshot.read().record, segments)
            is_grown = self._compare_all(sweep, derived, segments, look=conversation.amendments.look)
            newer_ids = frozenset(
                record.id
                for record in derived
                if record.id in self.redacted_ids and record.provenance.until_ms > erased_ms
            )
            if not is_grown and (not newer_ids or self.cleared_ids <= stored):
                return
            if newer_ids:
                stored = frozenset(self.cleared_ids)
                conversation.amendments.add_plan(
                    f"erasure-{erased_ms}", Plan(redacted_ids=newer_ids, cleared_ids=stored)
                )
        raise StorageUnavailableError("answers kept coming")

    def add_words(self, texts: Iterable[str]) -> None:
        """Add texts to be removed: a derived record that repeats a text is redacted, too."""
        self._signs.add(texts)

    def has_gaps(self, derived: Iterable[Derived]) -> bool:
        """Whether the plan of some redacted record has not been loaded: the words are gone without a comparison by this plan.

        The words are the record's own, or those of a message in its prompt.
        """
        explained = self._worded | self.amendments.redacted.keys()
        undecided = [record for record in derived if record.id and record.id not in self.redacted_ids]
        wordless = (record for record in undecided if not record.words and record.id not in explained)
        return any(record.provenance.is_redacted_by(self.amendments, record.id) for record in wordless) or any(
            map(self._is_of_lost, undecided)
        )

    def merge(self, amendments: Amendments) -> None:
        """Merge the plans of other withdrawals, except for records compared by this plan."""
        redacted = {own_id: cleared for own_id, cleared in amendments.redacted.items() if own_id not in self._worded}
        together, plans = amendments.together, amendments.plans
        self.amendments = replace(self.amendments, redacted=redacted, together=together, plans=plans)

    def compare(self, derived: Sequence[Derived]) -> bool:
        """Decide on the records, and return whether any was added to `redacted_ids`."""
        before = len(self.redacted_ids)
        while self._compare(derived, is_anew=True):
            pass
        return len(self.redacted_ids) > before

    def compare_further(self, derived: Sequence[Derived]) -> bool:
        """Do the same as `compare`, but skip records compared before, unless a source was redacted since."""
        return self._compare(derived, is_anew=False)

    def _compare_all(
        self,
        sweep: Sweep,
        derived: list[Derived],
        segments: list[Segment],
        *,
        look: Callable[[], Amendments],
    ) -> bool:
        """Return whether any record goes.  Archived records naming a redacted record are compared and added to both lists, batch by batch.

        Another withdrawal may have stored a plan meanwhile, before removing words: then `look` returns the plan.
        """
        is_grown = False
        while True:
            if self.has_gaps(derived):
                self.merge(look())
            is_further = self.compare_further(derived) if is_grown else self.compare(derived)
            is_grown = is_grown or is_further
            more = [*sweep.find_more(self.redacted_ids)] if is_further else []
            if not more:
                return is_grown
            segments += more
            derived += _derived((), SnapshotRecord(), more)

    def _compare(self, derived: Sequence[Derived], *, is_anew: bool) -> bool:
        """Return whether any record goes.  Records naming a redacted record are compared with all removed words, round by round.

        A round compares the records naming a record redacted by the last round; the first round, if `is_anew`, all records naming any
        redacted record.
        """
        before = len(self.redacted_ids)
        standing = _by_id(record for record in derived if record.id and record.id not in self.redacted_ids)
        newly_redacted = {
            own_id for own_id, record in standing.items() if record.provenance.is_redacted_by(self.amendments, own_id)
        }
        for own_id in newly_redacted:
            self._redact(standing.pop(own_id))
        referrers = {
            own_id: record
            for own_id, record in standing.items()
            if not self.redacted_ids.isdisjoint(record.provenance.derived_ids)
        }
        pending = [
            record
            for own_id, record in referrers.items()
            if is_anew
            or self._compared.get(own_id) != record
            or not newly_redacted.isdisjoint(record.provenance.derived_ids)
        ]
        while pending:
            uncompared = self._uncompared
            repeating = [
                record
                for record in pending
                if record.words and self._may_repeat(record.provenance, record.words, uncompared)
            ]
            self._compared |= {record.id: record for record in pending}
            newly_redacted = {record.id for record in repeating}
            for own_id in newly_redacted:
                self._redact(standing.pop(own_id))
            pending = [
                record for record in standing.values() if not newly_redacted.isdisjoint(record.provenance.derived_ids)
            ]
            referrers |= {record.id: record for record in pending}
        self.cleared_ids = (referrers.keys() | self.cleared_ids) - self.redacted_ids
        return len(self.redacted_ids) > before

    def redacts(self, outcome: OutcomeRecord) -> bool:
        """Whether a committed outcome has to lose its words; the recorded outcome may name more sources than the turn does."""
        provenance = outcome.provenance
        if outcome.id in self.redacted_ids or provenance.is_redacted_by(self.amendments, outcome.id):
            return True
        is_referrer = not self.redacted_ids.isdisjoint(provenance.derived_ids)
        return is_referrer and self._may_repeat(provenance, outcome.words, self._uncompared)

    def _redact(self, record: Derived) -> None:
        self.redacted_ids.add(record.id)
        self._signs.add(record.words)
        if record.words:
            self._worded.add(record.id)
        if self._is_of_lost(record):
            self._of_lost.add(record.id)

    def _is_of_lost(self, record: Derived) -> bool:
        """Whether a message of the prompt lost its words before any plan compared them with what repeats the record."""
        lost_ids = self._lost_ids & record.provenance.message_ids
        return any(record.id not in self._planned_for(line_message_id) for line_message_id in lost_ids)

    def _planned_for(self, line_message_id: str) -> frozenset[str]:
        """Return the records redacted by the stored plans of the withdrawals of the message."""
        together, plans = self.amendments.together, self.amendments.plans
        rounds = [plan for own_id, plan in plans.items() if line_message_id in {own_id, *together.get(own_id, ())}]
        return frozenset().union(*(plan.redacted_ids for plan in rounds))

    @property
    def _uncompared(self) -> frozenset[str]:
        """The records redacted before any comparison, and those of messages without words."""
        return frozenset(self._of_lost | (self.redacted_ids - self._worded - self.amendments.redacted.keys()))

    def _may_repeat(self, provenance: Provenance, words: Sequence[str], uncompared: AbstractSet[str]) -> bool:
        """Whether the words repeat removed words, or the provenance names an `uncompared` record."""
        return not uncompared.isdisjoint(provenance.derived_ids) or self._signs.are_in(words)


def _derived(outcomes: Iterable[OutcomeRecord], snapshot: SnapshotRecord, segments: Iterable[Segment]) -> list[Derived]:
    parts = (snapshot.leaving, *segments)
    answers = (answer for segment in parts for answer in segment.answers)
    recaps = (recap for segment in parts for recap in segment.recaps)
    return Derived.of(answers, outcomes, snapshot.outcomes, recaps, snapshot.all_recaps)


def _by_id(derived: Iterable[Derived]) -> dict[str, Derived]:
    """Return each record once: between fold and deletion an answer has two copies, possibly with different sources and words."""
    united: dict[str, Derived] = {}
    for record in derived:
        copy = united.setdefault(record.id, record)
        if copy is not record:
            words = tuple(dict.fromkeys((*copy.words, *record.words)))
            united[record.id] = replace(copy, provenance=copy.provenance | record.provenance, words=words)
    return united


def _with_erased(amendments: Amendments, segment: Segment) -> Segment:
    """Return the answers and recaps of the segment that lose their words with an erasure."""
    return Segment(
        answers=tuple(one for one in segment.answers if one.provenance.is_erased_by(amendments)),
        recaps=tuple(one for one in segment.recaps if one.provenance.is_erased_by(amendments)),
    )
