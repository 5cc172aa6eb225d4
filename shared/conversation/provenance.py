"""Provenance: whose words a prompt, an answer or a recap may hold.  A withdrawal decides by it whether the words have to go.

It names only what stood in the prompt itself: messages, earlier answers and recaps, each by its own id. What an answer in the prompt had
seen is not inherited; words that the answer passed on are found by comparing texts, when it loses its own.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol

LATEST_MS: Final = 2**53
"""Later than any timestamp: the start of an interval that holds nothing."""


IsWithdrawn = Callable[[str, int], bool]
"""Whether no entry may hold what a message, by its id, said at a timestamp of LINE's: it was withdrawn, erased or replaced by an edit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A message that something came from.  `timestamp_ms` is LINE's, of the message or of the edit that brought the words.

    `by` is the mark of its sender (`member_mark`), because the entry may outlive the message; empty if unknown.
    """

    line_message_id: str
    timestamp_ms: int
    by: str = ""


def oldest_words(sources: Iterable[Source]) -> dict[str, Source]:
    """Return each message once, with the timestamp of its oldest words: those before an edit, if there are such."""
    newest_first = sorted(sources, key=lambda one: one.timestamp_ms, reverse=True)
    return {one.line_message_id: one for one in newest_first}


class AmendedWords(Protocol):
    """What one look at the amendments found; see `Amendments`."""

    @property
    def withdrawn(self) -> frozenset[str]:
        """The withdrawn messages."""
        ...

    @property
    def taken(self) -> Mapping[str, frozenset[str]]:
        """The answers and recaps whose words went with withdrawn messages, by their own ids, with those that repeat nothing of them."""
        ...

    @property
    def edits(self) -> Mapping[str, str]:
        """The newest texts of the edited messages."""
        ...

    @property
    def members(self) -> Mapping[str, int]:
        """Up to when members took back everything, by the ids of their marks."""
        ...

    @property
    def erased_ms(self) -> int:
        """Up to when everything is erased."""
        ...

    @property
    def erased_entries_ms(self) -> int:
        """Up to when filed entries are erased."""
        ...

    def generation_of(self, line_message_id: str) -> int:
        """Return the generation of a message's amendment, also of one that was listed and too old to be read; 0 where there is none."""
        ...


class Sourced(Protocol):
    """An answer or a recap, which says what it was made of; see `OutcomeRecord` and `Recap`."""

    @property
    def covers(self) -> Sequence[str]:
        """The messages that it answers or sums up."""
        ...

    @property
    def saw(self) -> Sequence[str]:
        """What its prompt held besides."""
        ...

    @property
    def since_ms(self) -> int:
        """As in `Provenance`."""
        ...

    @property
    def until_ms(self) -> int:
        """As in `Provenance`."""
        ...

    @property
    def entries_since_ms(self) -> int:
        """As in `Provenance`."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """The ids of what something was made of, and the interval of LINE's timestamps in which that was written.

    Filed entries do not count for the interval, because a reset spares them. Of the entries that may have been shown, nothing is from
    before `entries_since_ms`. The default names nothing.
    """

    ids: frozenset[str] = frozenset()
    since_ms: int = LATEST_MS
    until_ms: int = -1
    entries_since_ms: int = LATEST_MS

    @classmethod
    def of(cls, one: Sourced) -> "Provenance":
        """Return the provenance that it says."""
        return cls(
            ids=frozenset((*one.covers, *one.saw)),
            since_ms=one.since_ms,
            until_ms=one.until_ms,
            entries_since_ms=one.entries_since_ms,
        )

    def __or__(self, other: "Provenance") -> "Provenance":
        return Provenance(
            ids=self.ids | other.ids,
            since_ms=min(self.since_ms, other.since_ms),
            until_ms=max(self.until_ms, other.until_ms),
            entries_since_ms=min(self.entries_since_ms, other.entries_since_ms),
        )

    def without(self, ids: frozenset[str]) -> "Provenance":
        """Return the provenance without these."""
        return replace(self, ids=self.ids - ids)

    def is_affected_by(self, amendments: AmendedWords) -> bool:
        """Whether a message of it was withdrawn, or anything of it erased."""
        return self.is_erased_by(amendments) or not amendments.withdrawn.isdisjoint(self.ids)

    def is_erased_by(self, amendments: AmendedWords) -> bool:
        """Whether anything of it was erased, or an entry that it may hold."""
        return self.since_ms <= amendments.erased_ms or self.entries_since_ms <= amendments.erased_entries_ms

    def is_lost_with(self, amendments: AmendedWords, own_id: str) -> bool:
        """Whether the answer or recap with this provenance has to lose its words.

        It has to if something of it was withdrawn or erased, or if a withdrawal has taken it. It also has to if its prompt held an answer
        that was taken and the two were not compared, because it was under way at that time.
        """
        if own_id in amendments.taken or self.is_affected_by(amendments):
            return True
        return any(own_id not in amendments.taken[one] for one in amendments.taken.keys() & self.ids)

    def is_affected_since(self, before: AmendedWords, now: AmendedWords) -> bool:
        """Whether a message of it was withdrawn, erased or edited between two looks, or an answer or recap of it lost its words.

        An edit that the first look listed does not count, even if it was too old to be read: a reader that shows words reads every
        amendment of them. A withdrawal that the first look did not read counts. Filed entries may be older than the interval, so an erasure
        of entries always counts. Authors are not known here, so a member who takes back everything always counts, too.
        """
        if self.since_ms <= now.erased_ms and now.erased_ms > before.erased_ms:
            return True
        if now.erased_entries_ms > before.erased_entries_ms or now.members != before.members:
            return True
        gone = (now.withdrawn - before.withdrawn) | (now.taken.keys() - before.taken.keys())
        if not gone.isdisjoint(self.ids):
            return True
        edited = (one for one, text in now.edits.items() if one in self.ids and before.edits.get(one) != text)
        return any(not 0 < now.generation_of(one) <= before.generation_of(one) for one in edited)
