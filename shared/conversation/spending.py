"""Spending: what a chat has used up on a day.  It stands in the chat's turn, which is swapped anyway, so it is exact.

A request to the model is charged to the ledger of its instance, and moves into the turn with the turn's next write, once. If the instance
dies before that write, the request is not charged.
"""

import datetime as dt
import threading
import zoneinfo
from collections import Counter
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Final

from cachetools import LRUCache

from shared.metering import ModelUsage
from shared.unknown_fields import Extensible

OUTPUT_WEIGHT: Final = Fraction(25, 3)
"""A token of output costs as many of input.  Source: Google, "Gemini API pricing", flash-lite: $0.30 and $2.50 for a million."""
_CHATS_CACHED: Final = 4_096


@dataclass(frozen=True, slots=True, kw_only=True)
class Spending(Extensible):
    """What a chat has used up on `day`, in the zone of the bot.

    `turns` counts those in which the model was asked; `is_reserved` tells that the turn under way is among them. `tokens` are weighted.
    `was_told` tells that the chat knows that its budget is spent. `charged_by` is the token of the last write that charged something.
    """

    day: str = ""
    turns: int = 0
    tokens: int = 0
    is_reserved: bool = False
    was_told: bool = False
    charged_by: str = ""

    def on(self, day: str) -> "Spending":
        """Return the spending of this day; a new day begins with the turn that is under way, if there is one.

        No day comes again: two instances whose clocks are apart would otherwise renew the budget with each of their turns at midnight.
        """
        if day <= self.day:  # an instance whose clock is behind, at midnight
            return self
        return Spending(day=day, turns=int(self.is_reserved), is_reserved=self.is_reserved)

    def plus(self, tokens: int, *, by: str) -> "Spending":
        """Return it with these tokens, charged by this write."""
        return replace(self, tokens=self.tokens + tokens, charged_by=by) if tokens else self

    def reserved(self) -> "Spending":
        """Return it with a turn that begins; one that was reserved by a holder that died is not counted again."""
        return self if self.is_reserved else replace(self, turns=self.turns + 1, is_reserved=True)

    def settled(self, *, counts: bool) -> "Spending":
        """Return it after the turn that was reserved, if one was, has ended; it `counts` if the model was asked."""
        if not self.is_reserved:
            return self
        return replace(self, turns=self.turns if counts else self.turns - 1, is_reserved=False)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ledger:
    """What this instance has charged to chats and not yet written into their turns; safe to share between threads.

    It also remembers what the turns told of what their chats have used up, as this instance read or wrote them last.
    """

    time_zone: dt.tzinfo = field(default_factory=lambda: zoneinfo.ZoneInfo("Asia/Tokyo"))
    _open: Counter[str] = field(default_factory=Counter, repr=False)
    _carried: Counter[str] = field(default_factory=Counter, repr=False)
    _stored: LRUCache[str, tuple[int, Spending]] = field(default_factory=lambda: LRUCache(_CHATS_CACHED), repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def day(self, now_ms: int) -> str:
        """Return the day of this moment, such as `2026-11-22`."""
        return dt.datetime.fromtimestamp(now_ms / 1_000, self.time_zone).date().isoformat()

    def charge(self, account: str | None, usage: ModelUsage) -> None:
        """Charge one request to the chat."""
        if account is not None:
            self.put_back(account, weighted_tokens(usage))

    def remember(self, conversation_id: str, spending: Spending, *, generation: int) -> None:
        """The turn held this spending at this generation."""
        with self._lock:
            stored_generation, _ = self._stored.get(conversation_id, (-1, None))
            if generation >= stored_generation:
                self._stored[conversation_id] = generation, spending

    def spending(self, conversation_id: str, now_ms: int) -> Spending | None:
        """Return what the chat has used up today, as far as this instance knows: with what is charged and not yet written.

        None: this instance has not read the chat's turn.
        """
        with self._lock:
            _, stored = self._stored.get(conversation_id, (0, None))
            if stored is None:
                return None
            charged = self._open.get(conversation_id, 0) + self._carried.get(conversation_id, 0)
        today = stored.on(self.day(now_ms))
        return replace(today, tokens=today.tokens + charged)

    def owes(self, conversation_id: str) -> bool:
        """Whether anything is charged to the chat."""
        with self._lock:
            return bool(self._open.get(conversation_id))

    def take(self, conversation_id: str) -> int:
        """Return the tokens that are charged to the chat; the caller has to write them, or to put them back."""
        with self._lock:
            tokens = self._open.pop(conversation_id, 0)
            if tokens:
                self._carried[conversation_id] += tokens
            return tokens

    def end_writing(self, conversation_id: str, tokens: int) -> None:
        """The write that was to carry these tokens has ended, whatever came of it."""
        if tokens:
            with self._lock:
                self._carried[conversation_id] -= tokens
                if not self._carried[conversation_id]:
                    del self._carried[conversation_id]

    def put_back(self, conversation_id: str, tokens: int) -> None:
        """The tokens are charged to the chat, because a write that was to carry them is certain not to have been made."""
        if tokens:
            with self._lock:
                self._open[conversation_id] += tokens


def weighted_tokens(usage: ModelUsage) -> int:
    """Return the tokens of a request, with its output converted into tokens of input."""
    return usage.prompt_tokens + round((usage.output_tokens + usage.thought_tokens) * OUTPUT_WEIGHT)
