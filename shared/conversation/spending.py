"""Spending: a chat's use of the model on a day.  Stored in the chat's turn, which is swapped anyway, so exact.

A request to the model is charged to the ledger of the instance, and moves into the turn with the turn's next write, once. If the instance
dies before the write, the request is not charged.
"""

import datetime as dt
import threading
import zoneinfo
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Final

from cachetools import LRUCache

from shared.frozen import frozen
from shared.metering import ModelUsage
from shared.unknown_fields import Extensible

OUTPUT_WEIGHT: Final = Fraction(25, 3)
"""The price of a token of output, in tokens of input.  Source: Google, "Gemini API pricing", flash-lite: $0.30 and $2.50 for a million."""
_CHATS_CACHED: Final = 4_096
_CHARGES_KNOWN: Final = 16


@frozen
class Spending(Extensible):
    """The turns and tokens used by a chat on `day`, in the zone of the bot.

    `turns` counts turns that asked the model; `is_reserved`: the turn under way is among them. `tokens` are weighted. `was_told`: the chat
    has been told of the spent budget. `charged_by` is the token of the last write with a charge; `charged_before`: those of the writes
    before it, the newest first. `translations` and `translated_tokens`: the part of both that translation used;
    `was_told_of_translations`: the chat has been told that this part is used up.
    """

    day: str = ""
    turns: int = 0
    tokens: int = 0
    is_reserved: bool = False
    was_told: bool = False
    charged_by: str = ""
    charged_before: tuple[str, ...] = ()
    translations: int = 0
    translated_tokens: int = 0
    was_told_of_translations: bool = False

    def on(self, day: str) -> "Spending":
        """Return the spending of the day; a new day begins with the turn under way, if any.

        No day comes again: two instances with different clocks would otherwise renew the budget with each of their turns at midnight.

        For example, on 2026-11-23 a spending of 2026-11-22 with 9 turns becomes 0 turns, or 1 with a reserved turn.
        """
        if day <= self.day:  # at midnight, on an instance with a slow clock
            return self
        return Spending(
            day=day,
            turns=int(self.is_reserved),
            is_reserved=self.is_reserved,
            charged_by=self.charged_by,
            charged_before=self.charged_before,
        )

    def plus(self, tokens: int, *, by: str) -> "Spending":
        """Return the spending with the tokens, charged by the write `by`."""
        if not tokens:
            return self
        before = (self.charged_by, *self.charged_before)[: _CHARGES_KNOWN - 1]
        return replace(self, tokens=self.tokens + tokens, charged_by=by, charged_before=before)

    def has_charge_of(self, writer: str) -> bool:
        """Whether the write `writer` has charged tokens, as far as the last sixteen writes with a charge show."""
        return writer in {self.charged_by, *self.charged_before}

    def reserved(self) -> "Spending":
        """Return the spending with a turn that begins; a turn reserved by a dead holder is not counted again."""
        return self if self.is_reserved else replace(self, turns=self.turns + 1, is_reserved=True)

    def with_translation(self, usage: Iterable[ModelUsage], *, tells_limit: bool) -> "Spending":
        """Return the spending after an outcome that translates: its turn, if the model was asked, and its tokens."""
        tokens = [weighted_tokens(one) for one in usage]
        return replace(
            self,
            translations=self.translations + bool(tokens),
            translated_tokens=self.translated_tokens + sum(tokens),
            was_told_of_translations=self.was_told_of_translations or tells_limit,
        )

    def settled(self, *, counts: bool) -> "Spending":
        """Return the spending after the reserved turn, if any, has ended; the turn `counts` if the model was asked."""
        if not self.is_reserved:
            return self
        return replace(self, turns=self.turns if counts else self.turns - 1, is_reserved=False)


@frozen
class _DoubtfulCharge:
    """Tokens that a failed write `writer` over a generation of the turn was to carry; nobody knows whether the write took effect."""

    tokens: int
    writer: str
    generation: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ledger:
    """The instance's charges to chats before they are written into turns; safe to share between threads.

    Also remembers each chat's spending, as last read or written by this instance.
    """

    time_zone: dt.tzinfo = field(default_factory=lambda: zoneinfo.ZoneInfo("Asia/Tokyo"))
    _open: Counter[str] = field(default_factory=Counter, repr=False)
    _carried: Counter[str] = field(default_factory=Counter, repr=False)
    _doubtful: dict[str, tuple[_DoubtfulCharge, ...]] = field(default_factory=dict, repr=False)
    _stored: LRUCache[str, tuple[int, Spending]] = field(default_factory=lambda: LRUCache(_CHATS_CACHED), repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def day(self, now_ms: int) -> str:
        """Return the day of the moment, such as `2026-11-22`."""
        return dt.datetime.fromtimestamp(now_ms / 1_000, self.time_zone).date().isoformat()

    def charge(self, account: str | None, usage: ModelUsage) -> None:
        """Charge one request to the chat."""
        if account is not None:
            self.put_back(account, weighted_tokens(usage))

    def remember(self, conversation_id: str, spending: Spending, *, generation: int) -> None:
        """The turn held the spending at the generation.  A newer generation decides on charges in doubt, as it shows who charged."""
        with self._lock:
            doubtful = self._doubtful.pop(conversation_id, ())
            if waiting := tuple(charge for charge in doubtful if charge.generation >= generation):
                self._doubtful[conversation_id] = waiting
            for charge in doubtful:
                if charge.generation < generation and not spending.has_charge_of(charge.writer):
                    self._open[conversation_id] += charge.tokens
            stored_generation, _ = self._stored.get(conversation_id, (-1, None))
            if generation >= stored_generation:
                self._stored[conversation_id] = generation, spending

    def spending(self, conversation_id: str, now_ms: int) -> Spending | None:
        """Return the chat's spending today as known to the instance, including charges not yet written.

        None: this instance has not read the chat's turn.
        """
        with self._lock:
            _, stored = self._stored.get(conversation_id, (0, None))
            if stored is None:
                return None
            charged = self._open.get(conversation_id, 0) + self._carried.get(conversation_id, 0)
            charged += sum(charge.tokens for charge in self._doubtful.get(conversation_id, ()))
        today = stored.on(self.day(now_ms))
        return replace(today, tokens=today.tokens + charged)

    def owes(self, conversation_id: str) -> bool:
        """Whether anything is charged to the chat."""
        with self._lock:
            return bool(self._open.get(conversation_id))

    def take(self, conversation_id: str) -> int:
        """Return the tokens charged to the chat; the caller has to write them, or to put them back."""
        with self._lock:
            tokens = self._open.pop(conversation_id, 0)
            if tokens:
                self._carried[conversation_id] += tokens
            return tokens

    def end_writing(self, conversation_id: str, tokens: int) -> None:
        """The write that was to carry the tokens has ended, with whatever result."""
        if tokens:
            with self._lock:
                self._carried[conversation_id] -= tokens
                if not self._carried[conversation_id]:
                    del self._carried[conversation_id]

    def doubt(self, conversation_id: str, tokens: int, *, writer: str, generation: int) -> None:
        """The write over the generation that was to carry the tokens failed, and may have taken effect.  Until that is known, they count.

        A newer generation of the turn shows it (`remember`).
        """
        if tokens:
            charge = _DoubtfulCharge(tokens=tokens, writer=writer, generation=generation)
            with self._lock:
                self._doubtful[conversation_id] = (*self._doubtful.get(conversation_id, ()), charge)

    def put_back(self, conversation_id: str, tokens: int) -> None:
        """The tokens are charged to the chat, because the write that was to carry them certainly failed."""
        if tokens:
            with self._lock:
                self._open[conversation_id] += tokens


def weighted_tokens(usage: ModelUsage) -> int:
    """Return the tokens of a request, with the output converted into tokens of input.

    For example, 1,000 tokens of prompt and 300 of output are 3,500.
    """
    return usage.prompt_tokens + round((usage.output_tokens + usage.thought_tokens) * OUTPUT_WEIGHT)
