"""LINE's monthly quota of pushes, read before a push.  Replies cost nothing; a push to a group costs as many as the group has members.

Source: LINE, "Messaging API pricing", "Get the target limit for sending messages this month", "Get number of messages sent this month"
(approximate), "Get number of users in a group chat" (without the bot).
"""

import datetime as dt
from collections.abc import Iterable
from dataclasses import replace
from threading import Lock
from typing import Final, Protocol

from cachetools import TTLCache

from shared.clock import Clock
from shared.frozen import frozen
from shared.locked_cache import LockedCache

QUOTA_CACHED_S: Final = 60.0
_JAPAN: Final = dt.timezone(dt.timedelta(hours=9))
_SHARED_BY: Final = 4
_RESERVED_OF: Final = 10
_MEMBERS_CACHED_S: Final = 600.0
_CHATS_CACHED: Final = 4_096


@frozen
class Quota:
    """How many messages the account may push this month (`limit`, None: any number), and how many it has pushed (`used`)."""

    limit: int | None
    used: int = 0

    def has(self, cost: int) -> bool:
        """Return whether `cost` messages remain: `Quota(limit=200, used=199).has(2)` -> False."""
        return self.limit is None or cost <= self.limit - self.used

    def allows(self, cost: int, *, sent_today: int) -> bool:
        """Return whether a chat may have a push of the cost, after `sent_today` messages of the quota on the same day.

        Each day a chat gets a quarter of the quota that remained before the chat's own pushes of the day, and a single message in any case.
        The last tenth of the limit is a reserve; from the reserve a chat gets only the first push of a day. So messages remain for other
        chats, however much some chats push. For example, with 500 of 1,000 messages left, a group of 50 gets two pushes on a day.
        """
        if self.limit is None:
            return True
        if not self.has(cost):
            return False
        remaining = self.limit - self.used
        is_of_reserve = remaining - cost < -(-self.limit // _RESERVED_OF)
        if is_of_reserve and sent_today:
            return False
        return sent_today + cost <= max(1, (remaining + sent_today) // _SHARED_BY)

    def after(self, cost: int) -> "Quota":
        """Return the quota after a push of the cost."""
        return replace(self, used=self.used + cost)

    def carries(self, pushes: Iterable[tuple[str, bool]], *, cost: int, today: str, sent_today: int) -> int:
        """Return how many of the counted pushes to a chat fit in the quota, if no other chat pushes.

        `pushes` are all pushes due in the chat this month, in order, as pairs of a day and whether the push is counted. `sent_today` is the
        number of messages sent to the chat today. For example, with 500 of 1,000 messages left, three pushes of cost 50 today and a fourth
        tomorrow, the result is 3: two pushes fit today.
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
    """LINE's answers about the cost of pushes.  All raise LineRefusedError, if LINE refuses the bot's access (401, 403)."""

    def push_quota(self) -> Quota | None:
        """Return the account's quota; None, with a log line, if LINE did not answer."""
        ...

    def member_count(self, conversation_id: str) -> int | None:
        """Return the number of people in the group or room, without the bot; None, with a log line, if LINE did not answer."""
        ...


class PushBudget:
    """The remaining quota, as this instance knows it; safe to share between threads.

    LINE is asked once a minute, and the instance's own pushes since then are added to the answer. Other instances push, too, so in the end
    LINE's refusal of a push counts.
    """

    def __init__(self, *, api: QuotaApi, clock: Clock) -> None:
        self._api = api
        self._clock = clock
        self._lock = Lock()
        self._quota: Quota | None = None
        self._read_s = float("-inf")
        self._members = LockedCache[str, int](TTLCache(_CHATS_CACHED, _MEMBERS_CACHED_S, timer=clock.monotonic_s))

    def cost_of(self, conversation_id: str) -> int | None:
        """Return the cost of a push to the chat: 1 in a 1:1 chat, else the number of members; None if LINE does not say."""
        if conversation_id.startswith("U"):
            return 1
        cached_count = self._members.get(conversation_id)
        if cached_count is not None:
            return cached_count
        count = self._api.member_count(conversation_id)
        if count is not None:
            self._members.put(conversation_id, count)
        return count

    @property
    def is_limited(self) -> bool:
        """Whether pushes have to be counted: LINE named a limit, or has not answered yet.

        A push without a count looks, when repeated, like a push that was never made.
        """
        quota = self.quota()
        return quota is None or quota.limit is not None

    def quota(self) -> Quota | None:
        """Return LINE's last answer plus the instance's own pushes since then; None if LINE never answered."""
        self._refresh()
        with self._lock:
            return self._quota

    def allows(self, conversation_id: str, *, sent_today: int) -> bool:
        """Return whether a push to the chat may be tried, after `sent_today` messages; True if LINE never answered."""
        quota = self.quota()
        return quota is None or quota.allows(self.cost_of(conversation_id) or 1, sent_today=sent_today)

    def carries(self, conversation_id: str) -> bool:
        """Return whether enough remains for a push to the chat, whatever the chat's share; True if LINE never answered."""
        quota = self.quota()
        return quota is None or quota.has(self.cost_of(conversation_id) or 1)

    def count(self, cost: int) -> None:
        """Add the cost of a push that is about to be made."""
        with self._lock:
            if self._quota is not None:
                self._quota = self._quota.after(cost)

    def mark_spent(self) -> None:
        """Record LINE's refusal of a push because the quota is spent: nothing remains until LINE is asked again."""
        with self._lock:
            if self._quota is not None and self._quota.limit is not None:
                self._quota = replace(self._quota, used=self._quota.limit)

    def _refresh(self) -> None:
        with self._lock:
            now_s = self._clock.monotonic_s()
            if now_s - self._read_s < QUOTA_CACHED_S:
                return
            self._read_s = now_s  # the other threads go on with the last answer
        quota = self._api.push_quota()
        if quota is not None:  # else the last answer is the best guess
            with self._lock:
                self._quota = quota
