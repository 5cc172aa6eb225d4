"""LINE's monthly quota of pushes, read before a push.  Replies cost nothing; a push to a group costs as many as the group has members.

Source: LINE, "Messaging API pricing", "Get the target limit for sending messages this month", "Get number of messages sent this month"
(approximate), "Get number of users in a group chat" (without the bot).
"""

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass, replace
from threading import Lock
from typing import Final, Protocol

from cachetools import TTLCache

from shared.clock import Clock

QUOTA_KEPT_S: Final = 60.0
_JAPAN: Final = dt.timezone(dt.timedelta(hours=9))
_SHARED_BY: Final = 4
_RESERVED_OF: Final = 10
_MEMBERS_KEPT_S: Final = 600.0
_CHATS_KEPT: Final = 4_096


@dataclass(frozen=True, slots=True, kw_only=True)
class Quota:
    """How many pushes the account may send this month, and how many it has sent; `limit` None: any number."""

    limit: int | None
    used: int = 0

    def has(self, cost: int) -> bool:
        """Return whether so many messages are left."""
        return self.limit is None or cost <= self.limit - self.used

    def allows(self, cost: int, *, sent_today: int) -> bool:
        """Return whether a chat that has had `sent_today` messages of the quota on this day may have a push of this cost.

        A chat gets a quarter of what is left, before its own pushes of the day, on each day, and one message in any case. The last tenth of
        the limit is a reserve, from which a chat gets its first push of a day only. So a group of 50 with 500 left gets two pushes on
        that day, and however many chats push a lot, others have something left.
        """
        if self.limit is None:
            return True
        if not self.has(cost):
            return False
        left = self.limit - self.used
        is_of_reserve = left - cost < -(-self.limit // _RESERVED_OF)
        if is_of_reserve and sent_today:
            return False
        return sent_today + cost <= max(1, (left + sent_today) // _SHARED_BY)

    def after(self, cost: int) -> "Quota":
        """Return the quota after a push of this cost."""
        return replace(self, used=self.used + cost)

    def carries(self, pushes: Iterable[tuple[str, bool]], *, cost: int, today: str, sent_today: int) -> int:
        """Return how many of the pushes to a chat that are counted it carries, if no other chat pushes.

        `pushes` are all pushes to the chat that are due this month, in their order: the day of each, and whether it is to be counted.
        `sent_today` is what the chat has had today.
        """
        quota, sent, last, carried = self, sent_today, today, 0
        for day, is_counted in pushes:
            sent, last = sent if day == last else 0, day
            if quota.allows(cost, sent_today=sent):
                quota, sent = quota.after(cost), sent + cost
                carried += is_counted
        return carried


def renewal_ms(now_ms: int) -> int:
    """Return when the quota is renewed: the first moment of the next month in Japan.  LINE's pages name no time zone."""
    now = dt.datetime.fromtimestamp(now_ms / 1_000, _JAPAN)
    year, month = divmod(now.year * 12 + now.month, 12)
    return round(dt.datetime(year, month + 1, 1, tzinfo=_JAPAN).timestamp()) * 1_000


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

    @property
    def is_limited(self) -> bool:
        """Whether pushes have to be counted: LINE tells a limit, or has not told the quota yet.

        A push that is not counted looks, when it is repeated, like one that was never made.
        """
        quota = self.quota()
        return quota is None or quota.limit is not None

    def quota(self) -> Quota | None:
        """Return the quota, as LINE told it when it last answered, with what this instance has pushed since; None: LINE never told it."""
        self._refresh()
        with self._lock:
            return self._quota

    def allows(self, conversation_id: str, *, sent_today: int) -> bool:
        """Return whether a push to the chat may be tried, which has had so many messages today; where LINE does not tell, it may."""
        quota = self.quota()
        return quota is None or quota.allows(self.cost_of(conversation_id) or 1, sent_today=sent_today)

    def carries(self, conversation_id: str) -> bool:
        """Return whether the account has enough left for a push to the chat, whatever the chat's share; or LINE does not tell."""
        quota = self.quota()
        return quota is None or quota.has(self.cost_of(conversation_id) or 1)

    def count(self, cost: int) -> None:
        """A push of this cost is about to be made."""
        with self._lock:
            if self._quota is not None:
                self._quota = self._quota.after(cost)

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
        if quota is not None:  # else what was known a minute ago is the best guess
            with self._lock:
                self._quota = quota
