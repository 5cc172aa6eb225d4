"""What the account may still send: the month's quota, and the retry keys of requests that were accepted."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, timezone
from typing import Final

from simulator.line.messages import JsonObject

_JAPAN: Final = timezone(timedelta(hours=9))
RETRY_KEY_LIFETIME_MS: Final = 24 * 60 * 60_000


@dataclass(slots=True, kw_only=True)
class MonthlyQuota:
    """Counts recipients of pushes, month by month in Japan's time. Replies are free.

    Source: docs/messaging-api/pricing: four objects that are pushed to a chat of five people count five.
    """

    limit: int | None = 200
    used_by_month: dict[str, int] = field(default_factory=dict)

    def used(self, at_ms: int) -> int:
        """Messages of the month so far."""
        return self.used_by_month.get(_month(at_ms), 0)

    def has_room_for(self, recipients: int, *, at_ms: int) -> bool:
        """Whether that many more may be sent."""
        return self.limit is None or self.used(at_ms) + recipients <= self.limit

    def count(self, recipients: int, *, at_ms: int) -> None:
        """That many more were sent."""
        self.used_by_month[_month(at_ms)] = self.used(at_ms) + recipients


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptedRequest:
    """What a retry of an accepted request is told again."""

    request_id: str
    at_ms: int
    sent_messages: tuple[JsonObject, ...]


@dataclass(slots=True)
class RetryKeys:
    """Keys of accepted requests, for 24 hours.  Source: docs/messaging-api/retrying-api-request."""

    _accepted: dict[str, AcceptedRequest] = field(default_factory=dict)

    def accepted(self, retry_key: str, *, at_ms: int) -> AcceptedRequest | None:
        """The request that went through with this key, if that is less than a day ago."""
        request = self._accepted.get(retry_key)
        return request if request and at_ms - request.at_ms < RETRY_KEY_LIFETIME_MS else None

    def accept(self, retry_key: str, request: AcceptedRequest) -> None:
        """A later request with this key will get 409."""
        self._accepted[retry_key] = request


def _month(at_ms: int) -> str:
    return datetime.fromtimestamp(at_ms / 1_000, UTC).astimezone(_JAPAN).strftime("%Y-%m")
