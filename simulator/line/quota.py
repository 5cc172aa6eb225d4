"""The monthly quota of the account, and the retry keys of accepted requests."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, timezone
from typing import Final

from .messages import JsonObject

_JAPAN: Final = timezone(timedelta(hours=9))
RETRY_KEY_LIFETIME_MS: Final = 24 * 60 * 60_000


@dataclass(slots=True, kw_only=True)
class MonthlyQuota:
    """Counts the recipients of pushes by month in Japan's time. Replies do not count.

    Source: docs/messaging-api/pricing: four message objects pushed to a chat of five people count as five.
    """

    limit: int | None = 200
    used_by_month: dict[str, int] = field(default_factory=dict)

    def usage(self, at_ms: int) -> int:
        """Return the count of the month so far."""
        return self.used_by_month.get(month_of(at_ms), 0)

    def has_room_for(self, recipients: int, *, at_ms: int) -> bool:
        """Whether messages to so many more recipients may be sent."""
        return self.limit is None or self.usage(at_ms) + recipients <= self.limit

    def count(self, recipients: int, *, at_ms: int) -> None:
        """Add the recipients to the count of the month."""
        self.used_by_month[month_of(at_ms)] = self.usage(at_ms) + recipients


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptedRequest:
    """The facts of an accepted request, for LINE's answer to a retry."""

    request_id: str
    at_ms: int
    sent_messages: tuple[JsonObject, ...]


@dataclass(slots=True)
class RetryKeys:
    """Keys of accepted requests, for 24 hours.  Source: docs/messaging-api/retrying-api-request."""

    _accepted: dict[str, AcceptedRequest] = field(default_factory=dict)

    def find(self, retry_key: str, *, at_ms: int) -> AcceptedRequest | None:
        """Return the request accepted with the key less than 24 hours ago."""
        request = self._accepted.get(retry_key)
        return request if request and at_ms - request.at_ms < RETRY_KEY_LIFETIME_MS else None

    def accept(self, retry_key: str, request: AcceptedRequest) -> None:
        """Answer later requests with the key by 409."""
        self._accepted[retry_key] = request


def month_of(at_ms: int) -> str:
    """Return `yyyy-MM` in Japan's time: `month_of(1_764_514_800_000)` is "2025-12"."""
    return datetime.fromtimestamp(at_ms / 1_000, UTC).astimezone(_JAPAN).strftime("%Y-%m")


def day_of(at_ms: int) -> str:
    """Return `yyyyMMdd` in Japan's time: `day_of(1_764_514_800_000)` is "20251201"."""
    return datetime.fromtimestamp(at_ms / 1_000, UTC).astimezone(_JAPAN).strftime("%Y%m%d")
