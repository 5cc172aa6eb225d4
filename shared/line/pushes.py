"""Pushing messages: at most once for a retry key, within the month's quota.

Source: LINE, "Retry a failed API request": a key is a UUID, good for 24 hours, and a call that was accepted before gets 409; "Send push
message": every recipient counts, so a push to a group costs as many messages as it has members.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, Protocol

from shared.clock import Clock, Deadline
from shared.line.outgoing import OutgoingMessage

ATTEMPTS: Final = 3
_PAUSE_S: Final = 0.5
_WORTH_ANOTHER_TRY: Final = frozenset({"unknown", "not_sent"})


@dataclass(frozen=True, slots=True, kw_only=True)
class PushFate:
    """What became of one push.

    `accepted`: LINE sent it. `already_accepted`: it had sent it before under the same key (409); both name the bubbles where LINE tells
    them. `quota_spent`: the month's messages are used up (429). `refused`: it never will (4xx). `unknown`: no answer, or 5xx.
    `not_sent`: LINE was not reached, or says to come again later (429).
    """

    kind: Literal["accepted", "already_accepted", "quota_spent", "refused", "unknown", "not_sent"]
    sent_message_ids: tuple[str, ...] = ()


class PushApi(Protocol):
    """The call of LINE's Messaging API that needs no reply token."""

    def push(self, to: str, messages: Sequence[OutgoingMessage], *, retry_key: str) -> PushFate:
        """Send 1 to 5 messages to a chat.  Repeated with the same key: `already_accepted`, and nothing is sent again.

        Raises: LineRefusedError, where LINE refuses this bot altogether (401, 403).
        """
        ...


def push_until_known(  # noqa: PLR0913 - the call's own arguments, and the time it has
    api: PushApi,
    to: str,
    messages: Sequence[OutgoingMessage],
    *,
    retry_key: str,
    clock: Clock,
    deadline: Deadline,
) -> PushFate:
    """Return the push's fate, tried again with the same key while it is unknown or LINE was not reached."""
    fate = api.push(to, messages, retry_key=retry_key)
    for attempt in range(1, ATTEMPTS):
        if fate.kind not in _WORTH_ANOTHER_TRY or not deadline.left_s:
            break
        clock.sleep(min(_PAUSE_S * attempt, deadline.left_s))
        fate = _joined(fate, api.push(to, messages, retry_key=retry_key))
    return fate


def _joined(before: PushFate, after: PushFate) -> PushFate:
    """A call that was surely not sent tells nothing about the one before it."""
    return before if before.kind == "unknown" and after.kind == "not_sent" else after
