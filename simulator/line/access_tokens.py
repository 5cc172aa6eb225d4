"""Channel access tokens other than the long-lived one: lifetimes and key ids.

Source: docs/basics/channel-access-token; channel-access-token.yml of line-openapi.
"""

from dataclasses import dataclass, field, replace
from typing import Final, Literal

from .ids import Ids

SHORT_LIVED_S: Final = 30 * 24 * 3_600
STATELESS_S: Final = 15 * 60
Kind = Literal["short", "v2.1", "stateless"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessToken:
    """An issued token. Only a v2.1 token has a key id. A stateless token cannot be revoked."""

    value: str = field(repr=False)
    kind: Kind
    expires_ms: int
    key_id: str | None = None
    is_revoked: bool = False

    def is_valid(self, at_ms: int) -> bool:
        """Whether the API accepts the token."""
        return not self.is_revoked and at_ms < self.expires_ms


@dataclass(slots=True)
class AccessTokens:
    """All issued tokens by value."""

    _issued: dict[str, AccessToken] = field(default_factory=dict)

    def issue(self, kind: Kind, ids: Ids, *, at_ms: int, lifetime_s: int) -> AccessToken:
        """Return a new token."""
        token = AccessToken(
            value=ids.access_token(),
            kind=kind,
            expires_ms=at_ms + lifetime_s * 1_000,
            key_id=ids.key_id() if kind == "v2.1" else None,
        )
        self._issued[token.value] = token
        return token

    def find(self, value: str, *, at_ms: int) -> AccessToken | None:
        """Return a valid token; None for any other value."""
        token = self._issued.get(value)
        return token if token is not None and token.is_valid(at_ms) else None

    def revoke(self, value: str) -> None:
        """Make the token invalid; a stateless token stays valid.  Repeated: does nothing."""
        token = self._issued.get(value)
        if token is not None and token.kind != "stateless":
            self._issued[value] = replace(token, is_revoked=True)

    def key_ids(self, *, at_ms: int) -> list[str]:
        """Return the key ids of the valid v2.1 tokens."""
        return [token.key_id for token in self._issued.values() if token.key_id and token.is_valid(at_ms)]
