"""Messages to many people at once: narrowcasts with progress, the counts of each day, and aggregation units.

Source: Messaging API reference, "Get narrowcast message status", "Get number of sent messages", "Get the number of units used this month".
"""

from dataclasses import dataclass, field
from typing import Final, Literal

from .quota import day_of, month_of

NARROWCAST_S: Final = 2
SentBy = Literal["reply", "push", "multicast", "broadcast", "narrowcast"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Narrowcast:
    """An accepted narrowcast: waiting for a second, sending for another, then succeeded."""

    accepted_ms: int
    target_count: int
    failed_description: str | None = None
    error_code: int | None = None

    @property
    def completed_ms(self) -> int:
        """The time of completion."""
        return self.accepted_ms + NARROWCAST_S * 1_000

    def phase(self, at_ms: int) -> str:
        """Return `waiting`, `sending`, `succeeded` or `failed`."""
        if at_ms < self.accepted_ms + NARROWCAST_S * 500:
            return "waiting"
        if at_ms < self.completed_ms:
            return "sending"
        return "failed" if self.error_code is not None else "succeeded"


@dataclass(frozen=True, slots=True, kw_only=True)
class SentRequest:
    """A narrowcast or broadcast with statistics."""

    at_ms: int
    recipients: int


@dataclass(slots=True)
class Broadcasts:
    """The narrowcasts and the requests with statistics by request id, the counts by day and endpoint, the units by month."""

    narrowcasts: dict[str, Narrowcast] = field(default_factory=dict)
    sent_requests: dict[str, SentRequest] = field(default_factory=dict)
    _counts: dict[tuple[str, str], int] = field(default_factory=dict)
    _units: dict[str, dict[str, int]] = field(default_factory=dict)

    def count(self, sent_by: SentBy, messages: int, *, at_ms: int) -> None:
        """Add messages to the count of the day."""
        key = (day_of(at_ms), sent_by)
        self._counts[key] = self._counts.get(key, 0) + messages

    def sent(self, sent_by: SentBy, day: str) -> int:
        """Return how many messages were sent on the day `yyyyMMdd`."""
        return self._counts.get((day, sent_by), 0)

    def count_units(self, units: list[str], recipients: int, *, at_ms: int) -> None:
        """Count the units as used in the month."""
        month = self._units.setdefault(month_of(at_ms), {})
        for unit in units:
            month[unit] = month.get(unit, 0) + recipients

    def units(self, *, at_ms: int) -> dict[str, int]:
        """Return the month's units, each with the number of recipients: `{"promotion_a": 12}`, for example."""
        return self._units.get(month_of(at_ms), {})
