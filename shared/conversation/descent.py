"""Descent: which answers and recaps lose their words with a withdrawn message.

First those whose own prompt held it. Then those whose prompts held one of these and that repeat a literal run of what was taken out; and so
on. An answer that rephrases another one keeps its words; so does an answer that only came later.
"""

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace

from shared.conversation.amendments import Amendments
from shared.conversation.literal_runs import Signs
from shared.conversation.provenance import Provenance
from shared.conversation.records import OutcomeRecord
from shared.conversation.snapshot_records import ArchivedAnswer, Recap


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeatable:
    """An answer or a recap, by its own id; without `words` if they were taken out already."""

    id: str
    provenance: Provenance
    words: tuple[str, ...] = field(repr=False)


@dataclass(slots=True, kw_only=True)
class Descent:
    """What loses its words with one withdrawal, as found so far.

    `amendments` hold what earlier withdrawals found. `taken` and `kept` are as in `Amendment`.
    """

    amendments: Amendments
    taken: set[str] = field(default_factory=set)
    kept: set[str] = field(default_factory=set)
    _worded: set[str] = field(default_factory=set)
    _compared: dict[str, Repeatable] = field(default_factory=dict, repr=False)
    _signs: Signs = field(default_factory=Signs, repr=False)

    def add_words(self, texts: Iterable[str]) -> None:
        """Note texts that are taken out: what comes from them and repeats them loses its words, too."""
        self._signs.add(texts)

    def has_gaps(self, found: Iterable[Repeatable]) -> bool:
        """Whether one of these is lost whose words were taken out already, while it is not known here what that withdrawal found."""
        known = self._worded | self.amendments.taken.keys()
        missing = (one for one in found if not one.words and one.id and one.id not in known)
        return any(one.provenance.is_lost_with(self.amendments, one.id) for one in missing)

    def learn(self, amendments: Amendments) -> None:
        """Take over what other withdrawals found, except about what was found here with its words: that is compared here."""
        taken = {one: kept for one, kept in amendments.taken.items() if one not in self._worded}
        self.amendments = replace(self.amendments, taken=taken)

    def look_at(self, found: Sequence[Repeatable]) -> bool:
        """Decide on these, and return whether any of them was added to `taken`."""
        before = len(self.taken)
        while self._follow(found, is_anew=True):
            pass
        return len(self.taken) > before

    def follow(self, found: Sequence[Repeatable]) -> bool:
        """Do what `look_at` does, as far as words were handed on; what was compared and names nothing that went since is left to that."""
        return self._follow(found, is_anew=False)

    def _follow(self, found: Sequence[Repeatable], *, is_anew: bool) -> bool:
        """Return whether any of these goes.  Whatever names something that went is compared with all that went, in one round after another.

        A round compares what names something that the last one took; the first one compares, if it `is_anew`, all that names anything.
        """
        before = len(self.taken)
        left = _by_id(one for one in found if one.id and one.id not in self.taken)
        went = {own_id for own_id, one in left.items() if one.provenance.is_lost_with(self.amendments, own_id)}
        for own_id in went:
            self._take(left.pop(own_id))
        heirs = {own_id: one for own_id, one in left.items() if not self.taken.isdisjoint(one.provenance.ids)}
        asked = [
            one
            for own_id, one in heirs.items()
            if is_anew or self._compared.get(own_id) != one or not went.isdisjoint(one.provenance.ids)
        ]
        while asked:
            uncompared = self._uncompared
            lost = [one for one in asked if one.words and self._may_repeat(one.provenance, one.words, uncompared)]
            self._compared |= {one.id: one for one in asked}
            went = {one.id for one in lost}
            for own_id in went:
                self._take(left.pop(own_id))
            asked = [one for one in left.values() if not went.isdisjoint(one.provenance.ids)]
            heirs |= {one.id: one for one in asked}
        self.kept = (heirs.keys() | self.kept) - self.taken
        return len(self.taken) > before

    def is_lost(self, outcome: OutcomeRecord) -> bool:
        """Whether a committed outcome has to lose its words; what is recorded of it may name more than the turn does."""
        own_id, provenance = outcome.webhook_event_id, outcome.provenance
        if own_id in self.taken or provenance.is_lost_with(self.amendments, own_id):
            return True
        is_heir = not self.taken.isdisjoint(provenance.ids)
        return is_heir and self._may_repeat(provenance, outcome.words, self._uncompared)

    def _take(self, one: Repeatable) -> None:
        self.taken.add(one.id)
        self._signs.add(one.words)
        if one.words:
            self._worded.add(one.id)

    @property
    def _uncompared(self) -> frozenset[str]:
        """What lost its words before they could be compared."""
        return frozenset(self.taken - self._worded - self.amendments.taken.keys())

    def _may_repeat(self, provenance: Provenance, words: Sequence[str], uncompared: AbstractSet[str]) -> bool:
        """Whether it repeats what was taken out, or names something of what is `uncompared`."""
        return not uncompared.isdisjoint(provenance.ids) or self._signs.are_in(words)


def _by_id(found: Iterable[Repeatable]) -> dict[str, Repeatable]:
    """Return each once: between fold and deletion an answer has two copies, which may differ in what they name and in their words."""
    known: dict[str, Repeatable] = {}
    for one in found:
        there = known.get(one.id)
        known[one.id] = (
            one
            if there is None
            else replace(
                there,
                provenance=there.provenance | one.provenance,
                words=tuple(dict.fromkeys((*there.words, *one.words))),
            )
        )
    return known


def repeatable(outcomes: Iterable[OutcomeRecord | ArchivedAnswer], recaps: Iterable[Recap] = ()) -> list[Repeatable]:
    """Return what prompts may have shown of these: recorded answers and recaps."""
    return [
        *(Repeatable(id=one.webhook_event_id, provenance=one.provenance, words=one.words) for one in outcomes),
        *(Repeatable(id=one.id, provenance=one.provenance, words=one.words) for one in recaps),
    ]
