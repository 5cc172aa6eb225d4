"""LINE's monthly quota of pushes, read before a push.  Replies cost nothing; a push to a group costs as many as the group has members.

Source: LINE, "Messaging API pricing", "Get the target limit for sending messages this month", "Get number of messages sent this month"
(approximate), "Get number of users in a group chat" (without the bot).
"""

from dataclasses import dataclass, replace
from threading import Lock
from typing import Final, Protocol

from cachetools import TTLCache

from shared.clock import Clock

QUOTA_KEPT_S: Final = 60.0
_MEMBERS_KEPT_S: Final = 600.0
_CHATS_KEPT: Final = 4_096


@dataclass(frozen=True, slots=True, kw_only=True)
class Quota:
    """How many pushes the account may send this month, and how many it has sent; `limit` None: any number."""

    limit: int | None
    used: int = 0


class QuotaApi(Protocol):
    """What LINE tells of the cost of pushes.  Each raises LineRefusedError, if LINE refuses the bot itself (401, 403)."""

    def push_quota(self) -> Quota | None:
        """Return the account's quota; None: LINE did not answer, which is logged."""
        ...

    def member_count(self, conversation_id: str) -> int | None:
        """Return how many people are in the group or room, without the bot; None: LINE did not answer, which is logged."""
        ...


class PushBudget:
    """The rest of the quota, as this instance knows it; safe to share between threads.

    LINE is asked once a minute, and the pushes of this instance since then are added to its answer. Other instances push, too, so in the
    end LINE's refusal of a push counts.
    """

    def __init__(self, *, api: QuotaApi, clock: Clock) -> None:
        self._api = api
        self._clock = clock
        self._lock = Lock()
        self._quota: Quota | None = None
        self._read_s = float("-inf")
        self._members: TTLCache[str, int] = TTLCache(_CHATS_KEPT, _MEMBERS_KEPT_S, timer=clock.monotonic_s)

    def cost_of(self, conversation_id: str) -> int | None:
        """Return what a push to the chat costs: 1 in a 1:1 chat, else the number of its members; None: LINE does not tell."""
        if conversation_id.startswith("U"):
            return 1
        with self._lock:
            known = self._members.get(conversation_id)
        if known is not None:
            return known
        count = self._api.member_count(conversation_id)
        if count is not None:
            with self._lock:
                self._members[conversation_id] = count
        return count

    def take(self, conversation_id: str) -> bool:
        """Return whether a push to the chat may be tried, and count it; where LINE does not tell, it may."""
        cost = self.cost_of(conversation_id)
        self._refresh()
        with self._lock:
            quota = self._quota
            if quota is None or quota.limit is None:
                return True
            if quota.used + (cost or 1) > quota.limit:
                return False
            self._quota = replace(quota, used=quota.used + (cost or 1))
            return True

    def mark_spent(self) -> None:
        """LINE has refused a push because the quota is spent; until it is asked again, nothing is left."""
        with self._lock:
            if self._quota is not None and self._quota.limit is not None:
                self._quota = replace(self._quota, used=self._quota.limit)

    def _refresh(self) -> None:
        with self._lock:
            now_s = self._clock.monotonic_s()
            if now_s - self._read_s < QUOTA_KEPT_S:
                return
            self._read_s = now_s  # the other threads go on with what is known
        quota = self._api.push_quota()
        with self._lock:
            self._quota = quota
