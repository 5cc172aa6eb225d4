"""Reply tokens and the times in which LINE takes them.

    event ──delivery──▶ received ── 60 s ──▶ expired ──redelivery──▶ received ── 60 s ──▶ expired     (never later than event + 20 min)
                            └──────── a reply spends it, for good ────────┘

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
    """Every reply token that was given out. A token that nobody received is not valid."""

    _issued: dict[str, _Issued] = field(default_factory=dict)

    def issue(self, reply_token: str, *, chat_id: str, event_timestamp_ms: int) -> None:
        """The token exists; its minute begins with `received`."""
        self._issued[reply_token] = _Issued(chat_id=chat_id, event_timestamp_ms=event_timestamp_ms)

    def received(self, reply_token: str, *, at_ms: int) -> None:
        """A minute runs from here. Repeated: with a redelivery, and the minute runs anew."""
        self._issued[reply_token] = replace(self._issued[reply_token], received_ms=at_ms)

    def chat_of(self, reply_token: str, *, at_ms: int) -> str | None:
        """The chat that the token answers in. None: unknown, spent or expired, which LINE does not tell apart."""
        issued = self._issued.get(reply_token)
        if issued is None or issued.is_spent or issued.received_ms is None:
            return None
        if at_ms - issued.received_ms > LIFETIME_MS or at_ms - issued.event_timestamp_ms > LIFETIME_AFTER_EVENT_MS:
            return None
        return issued.chat_id

    def spend(self, reply_token: str) -> None:
        """The token is never valid again."""
        self._issued[reply_token] = replace(self._issued[reply_token], is_spent=True)
