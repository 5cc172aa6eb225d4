"""Link tokens: issued for a user, valid for ten minutes and for one link.  Source: docs/messaging-api/linking-accounts."""

from dataclasses import dataclass, field
from typing import Final, Literal

LIFETIME_MS: Final = 10 * 60_000


@dataclass(slots=True)
class LinkTokens:
    """The issued tokens by value, each with the user and the time of issue."""

    _issued: dict[str, tuple[str, int]] = field(default_factory=dict)

    def issue(self, value: str, *, user_id: str, at_ms: int) -> None:
        """Make the token valid."""
        self._issued[value] = (user_id, at_ms)

    def redeem(self, value: str, *, user_id: str, at_ms: int) -> Literal["ok", "failed"] | None:
        """Return the result of a link, and spend the token: `failed` for another user's token, None for an invalid token."""
        owner, issued_ms = self._issued.pop(value, ("", 0))
        if not owner or at_ms - issued_ms >= LIFETIME_MS:
            return None
        return "ok" if owner == user_id else "failed"
