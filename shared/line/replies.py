"""Spending a reply token: at most one answer, also when LINE's answer is lost on the way.

Source: LINE, "Send reply message": a token works once; a used and an expired one get the same 400; retry keys are refused, so a reply whose
answer was lost can only be told apart by trying the same token again.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, Protocol

from shared.clock import Clock, Deadline
from shared.line.outgoing import OutgoingMessage

ATTEMPTS: Final = 3
_PAUSE_S: Final = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyFate:
    """What became of one reply call.

    `accepted`: LINE sent it, and `sent_message_ids` name the bubbles. `refused`: LINE did not (400). `unknown`: no answer, or 5xx.
    `not_sent`: LINE says to come again later (429).
    """

    kind: Literal["accepted", "refused", "unknown", "not_sent"]
    sent_message_ids: tuple[str, ...] = ()


class ReplyApi(Protocol):
    """The one call of LINE's Messaging API that spends a reply token."""

    def reply(self, reply_token: str, messages: Sequence[OutgoingMessage]) -> ReplyFate:
        """Send 1 to 5 messages.  Raises: LineRefusedError, where LINE refuses this bot altogether (401, 403)."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class SpentReply:
    """What the user saw: `delivered` is None where nobody can know."""

    delivered: bool | None
    sent_message_ids: tuple[str, ...] = field(default=())


def spend_reply_token(  # noqa: PLR0913 - the call's own arguments, the time it has, and the token's
    api: ReplyApi,
    reply_token: str,
    messages: Sequence[OutgoingMessage],
    *,
    surely_alive_until_ms: int,
    clock: Clock,
    deadline: Deadline,
) -> SpentReply:
    """The messages were sent once, or not at all, or nobody knows; an unknown fate is tried again with the same token and messages.

    A refusal of the first call means that nothing was sent. After a call whose answer was lost it means that that one was accepted, as long
    as the token is surely alive; later it may as well have died.
    """
    may_have_arrived = False
    for attempt in range(ATTEMPTS):
        if attempt:
            clock.sleep(min(_PAUSE_S * attempt, deadline.left_s))
        fate = api.reply(reply_token, messages)
        if fate.kind == "accepted":
            return SpentReply(delivered=True, sent_message_ids=fate.sent_message_ids)
        if fate.kind == "refused":
            was_spent = True if clock.now_ms() < surely_alive_until_ms else None
            return SpentReply(delivered=was_spent if may_have_arrived else False)
        may_have_arrived = may_have_arrived or fate.kind == "unknown"
        if not deadline.left_s:
            break
    return SpentReply(delivered=None if may_have_arrived else False)
