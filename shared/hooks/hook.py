"""A hook as a record: the maker, how notices are shown, the notices of the last seven days, and their number.

    hooks/U0123…/h7k2m4q9v3b5n8a6o.json   {"name": "backup", "mode": "next", "mark": "9f…", "notices": [{"text": "done", …}]}

One object for each hook: revoking, a rotation, the exact rate and a redelivery are all decided by one compare-and-swap.
"""

import hashlib
from dataclasses import field, replace
from enum import StrEnum
from typing import Final

from shared.clock import MINUTE_MS
from shared.conversation.amendments import Amendments
from shared.conversation.provenance import Provenance
from shared.conversation.push_claim import PushClaim
from shared.frozen import frozen
from shared.hooks.rates import DAY_MS, Rate
from shared.storage.codec import VERSION
from shared.unknown_fields import Extensible

FORGOTTEN_AFTER_MS: Final = 7 * DAY_MS
HOOKS_A_CHAT: Final = 10
NAME_LIMIT: Final = 20
_NOTICES_HELD: Final = 50
_SEEN: Final = 1_500  # more than seven days of the most notices a day


class HookMode(StrEnum):
    """When a notice is shown: pushed at once; with the chat's next message; or never, as context for the model."""

    NOW = "now"
    NEXT = "next"
    QUIET = "quiet"


class NoticeState(StrEnum):
    """The fate of a notice.

    `pending`: a push is to show the notice. `waiting`: the chat's next message shows the notice. `said`: people saw the notice, or perhaps.
    `quiet`: nobody is to see the notice.
    """

    PENDING = "pending"
    WAITING = "waiting"
    SAID = "said"
    QUIET = "quiet"


_FIRST_STATE: Final = {
    HookMode.NOW: NoticeState.PENDING,
    HookMode.NEXT: NoticeState.WAITING,
    HookMode.QUIET: NoticeState.QUIET,
}


@frozen
class StoredRate(Extensible):
    """A `Rate` in a record: the webhook, which counts by `Rate` too, imports nothing of records."""

    minute: int = 0
    in_minute: int = 0
    day: int = 0
    in_day: int = 0

    def at(self, now_ms: int) -> Rate:
        """Return the rate in the minute and the day of this moment."""
        return Rate(minute=self.minute, in_minute=self.in_minute, day=self.day, in_day=self.in_day).at(now_ms)

    def plus_one(self, now_ms: int) -> "StoredRate":
        """Return the rate with one more notice at this moment."""
        rate = self.at(now_ms).plus_one()
        return replace(self, minute=rate.minute, in_minute=rate.in_minute, day=rate.day, in_day=rate.in_day)


@frozen
class Notice(Extensible):
    """A text that was sent to a hook, at the time of the receiving worker."""

    id: str
    at_ms: int
    text: str = field(repr=False)
    state: NoticeState


@frozen
class NoticesClaim(PushClaim):
    """A worker's claim on the push of some notices.  `id` makes the push's retry key."""

    id: str
    notice_ids: tuple[str, ...]


@frozen
class Hook(Extensible):
    """hooks/{conversation_id}/{id}.json.

    `mark`: the mark of the only token that counts. `provenance`: the command that named the hook. `locale`: the language of its notices.
    `seen`: the ids of received notices, so a redelivery changes nothing. `pushed_ms`: when the last push began.
    """

    version: int = VERSION
    id: str
    name: str = field(repr=False)
    mode: HookMode = HookMode.NEXT
    mark: str
    made_ms: int
    locale: str = ""
    provenance: Provenance = field(default_factory=Provenance)
    rate: StoredRate = field(default_factory=StoredRate)
    seen: tuple[str, ...] = ()
    notices: tuple[Notice, ...] = ()
    claim: NoticesClaim | None = None
    pushed_ms: int = 0

    def is_from_withdrawn(self, amendments: Amendments) -> bool:
        """Whether the command that named the hook was withdrawn or erased."""
        return self.provenance.has_withdrawn(amendments.is_withdrawn_from_entries)

    def in_state(self, state: NoticeState, *, now_ms: int, amendments: Amendments | None = None) -> tuple[Notice, ...]:
        """Return the notices in the state, the oldest first, without forgotten and erased notices."""
        erased_ms = amendments.erased_ms if amendments is not None else -1
        return tuple(
            notice
            for notice in self.notices
            if notice.state is state and notice.at_ms > max(now_ms - FORGOTTEN_AFTER_MS, erased_ms)
        )

    def with_notice(self, notice_id: str, text: str, *, now_ms: int) -> "Hook":
        """Return the hook with one more notice.  Beyond fifty the oldest notices go; of the same text within a minute the first stays."""
        counted = replace(self, rate=self.rate.plus_one(now_ms), seen=(*self.seen, notice_id)[-_SEEN:])
        if any(one.text == text and now_ms - one.at_ms < MINUTE_MS for one in self.notices):
            return counted
        notice = Notice(id=notice_id, at_ms=now_ms, text=text, state=_FIRST_STATE[self.mode])
        return replace(counted, notices=(*self.notices, notice)[-_NOTICES_HELD:]).without_old(now_ms)

    def with_states(self, notice_ids: frozenset[str], state: NoticeState) -> "Hook":
        """Return the hook with these notices in the state, except said ones, which stay said.

        A slow worker that finds a reason to wait may have read the hook before another worker has pushed the notices.
        """
        changed = (
            replace(notice, state=state) if notice.id in notice_ids and notice.state is not NoticeState.SAID else notice
            for notice in self.notices
        )
        return replace(self, notices=tuple(changed))

    def without_old(self, now_ms: int, *, erased_ms: int = -1) -> "Hook":
        """Return the hook without notices of more than seven days, and without those up to an erasure."""
        last_ms = max(now_ms - FORGOTTEN_AFTER_MS, erased_ms)
        return replace(self, notices=tuple(one for one in self.notices if one.at_ms > last_ms))


def notice_name(hook_id: str, notice_id: str) -> str:
    """Return the name of a notice among all hooks of a chat: `h7k2…/9f3a…`."""
    return f"{hook_id}/{notice_id}"


def push_id_of(notice_ids: tuple[str, ...]) -> str:
    """Return the id of a push of the notices, the same for every worker."""
    return "notice-" + hashlib.sha256(" ".join(notice_ids).encode()).hexdigest()[:32]
