"""Whose words something may hold: a prompt, an answer, a recap.  A withdrawal asks it whether they have to go.

Only what stood in the prompt itself is named: messages, earlier answers and recaps, each by its own id. What an answer had seen in its turn
is not inherited; words that were handed on are found by comparing texts, when the answer that handed them on loses its own.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, Protocol

LATEST_MS: Final = 2**53
"""Later than any timestamp: the start of an interval that holds nothing."""


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
        """Up to when people took back all that they said."""
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """What something was made of, by its ids, and the interval of LINE's timestamps in which that was written.

    The default holds nobody's words.
    """

    ids: frozenset[str] = frozenset()
    since_ms: int = LATEST_MS
    until_ms: int = -1

    def __or__(self, other: "Provenance") -> "Provenance":
        return Provenance(
            ids=self.ids | other.ids,
            since_ms=min(self.since_ms, other.since_ms),
            until_ms=max(self.until_ms, other.until_ms),
        )

    def without(self, ids: frozenset[str]) -> "Provenance":
        """Return the provenance without these."""
        return replace(self, ids=self.ids - ids)

    def is_affected_by(self, amendments: AmendedWords) -> bool:
        """Whether a message of it was withdrawn, or anything of it erased."""
        return self.since_ms <= amendments.erased_ms or not amendments.withdrawn.isdisjoint(self.ids)

    def is_lost_with(self, amendments: AmendedWords, own_id: str) -> bool:
        """Whether an answer or a recap, by its own id, must not keep its words.

        Something of it was withdrawn or erased, or it is among what went with a withdrawn message. Or its prompt held an answer that went,
        and nobody has compared the two, because it was under way at that time.
        """
        if own_id in amendments.taken or self.is_affected_by(amendments):
            return True
        return any(own_id not in amendments.taken[one] for one in amendments.taken.keys() & self.ids)

    def is_affected_since(self, before: AmendedWords, now: AmendedWords) -> bool:
        """Whether a message of it was withdrawn, erased or edited between two looks, or an answer or recap of it lost its words.

        An edit that the first look listed does not count, although it was too old to be read: whoever shows words reads every amendment of
        them. A withdrawal that the first look did not read counts. Filed entries may be older than the interval, so an erasure of entries
        always counts. Nobody knows here who wrote what, so somebody who takes back all that they said always counts, too.
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
