"""Reply tokens and their lifetimes.

    event ──delivery──▶ received ── 60 s ──▶ expired ──redelivery──▶ received ── 60 s ──▶ expired     (never later than event + 20 min)
                            └──────── a reply spends it for ever ────────┘

Source: Messaging API reference, "Send reply message".
"""

from dataclasses import dataclass, field, replace
from typing import Final

LIFETIME_MS: Final = 60_000
LIFETIME_AFTER_EVENT_MS: Final = 20 * 60_000


@dataclass(frozen=True, slots=True, kw_only=True)
class _Issued:
    chat_id: str
    event_timestamp_ms: int
    received_ms: int | None = None
    is_spent: bool = False


@dataclass(slots=True)
class ReplyTokens:
    """All issued reply tokens. A token becomes valid with the event's delivery."""

    _issued: dict[str, _Issued] = field(default_factory=dict)

    def issue(self, reply_token: str, *, chat_id: str, event_timestamp_ms: int) -> None:
        """Register a token; the minute of validity begins with `start_lifetime`."""
        self._issued[reply_token] = _Issued(chat_id=chat_id, event_timestamp_ms=event_timestamp_ms)

    def start_lifetime(self, reply_token: str, *, at_ms: int) -> None:
        """Begin the token's minute.  Repeated: with a redelivery, the minute begins again."""
        self._issued[reply_token] = replace(self._issued[reply_token], received_ms=at_ms)

    def chat_of(self, reply_token: str, *, at_ms: int) -> str | None:
        """Return the chat of a valid token. None: unknown, spent or expired; LINE does not distinguish the three."""
        issued = self._issued.get(reply_token)
        if issued is None or issued.is_spent or issued.received_ms is None:
            return None
        if at_ms - issued.received_ms > LIFETIME_MS or at_ms - issued.event_timestamp_ms > LIFETIME_AFTER_EVENT_MS:
            return None
        return issued.chat_id

    def spend(self, reply_token: str) -> None:
        """Make the token invalid for ever."""
        self._issued[reply_token] = replace(self._issued[reply_token], is_spent=True)
