"""The origin of each message of the bot: the reply and its event, or another endpoint."""

from dataclasses import dataclass, field
from typing import Final

from .broadcasts import SentBy

SENT_KEPT: Final = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """The endpoint of a message; for a reply also the token and the token's event."""

    kind: SentBy
    reply_token: str | None = field(default=None, repr=False)
    webhook_event_id: str | None = None


@dataclass(slots=True)
class SentMessages:
    """The newest messages of the bot, by id."""

    _sent: dict[str, Sent] = field(default_factory=dict)

    def note(self, line_message_id: str, sent: Sent) -> None:
        """Keep how the message was sent."""
        self._sent[line_message_id] = sent
        if len(self._sent) > SENT_KEPT:
            del self._sent[next(iter(self._sent))]

    def find(self, line_message_id: str) -> Sent | None:
        """Return the message's origin; None if unknown, e.g. after a restart."""
        return self._sent.get(line_message_id)
