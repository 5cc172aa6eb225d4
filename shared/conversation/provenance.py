"""Whose words something may hold: a prompt, an answer, a recap.  A withdrawal asks it whether they have to go."""

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
    def edits(self) -> Mapping[str, str]:
        """The newest texts of the edited messages."""
        ...

    @property
    def erased_ms(self) -> int:
        """Up to when everything is erased."""
        ...

    @property
    def erased_entries_ms(self) -> int:
        """Up to when filed entries are erased."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """The messages whose words something may hold, by their ids, and the interval of LINE's timestamps in which they were written.

    The default holds no words of any message.
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

    def without(self, line_message_ids: frozenset[str]) -> "Provenance":
        """Return the provenance without these messages."""
        return replace(self, ids=self.ids - line_message_ids)

    def spans(self, timestamp_ms: int) -> bool:
        """Whether a message of this timestamp lies in the interval."""
        return self.since_ms <= timestamp_ms <= self.until_ms

    def is_affected_by(self, amendments: AmendedWords) -> bool:
        """Whether a message of it was withdrawn, or anything of it erased."""
        return self.since_ms <= amendments.erased_ms or not amendments.withdrawn.isdisjoint(self.ids)

    def is_affected_since(self, before: AmendedWords, now: AmendedWords) -> bool:
        """Whether a message of it was withdrawn, erased or edited between two looks.

        Filed entries may be older than the interval, so an erasure of entries always counts.
        """
        if self.since_ms <= now.erased_ms and now.erased_ms > before.erased_ms:
            return True
        if now.erased_entries_ms > before.erased_entries_ms:
            return True
        withdrawn = (now.withdrawn - before.withdrawn) & self.ids
        return bool(withdrawn) or any(
            one in self.ids and before.edits.get(one) != text for one, text in now.edits.items()
        )
