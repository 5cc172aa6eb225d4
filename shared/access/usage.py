"""The usage of the deployment: the spending of all instances on a day, from one small object of each instance.

    usage/{day}/{instance}.json   the weighted tokens of the instance on that day, rewritten at most every REWRITTEN_S

An instance knows its own sum exactly, and other sums at most a minute late: up to 30 s until another instance writes, up to
30 s until this instance reads.
"""

import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Executor, Future
from contextlib import suppress
from contextvars import copy_context
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from shared import logs
from shared.clock import Clock
from shared.conversation.spending import weighted_tokens
from shared.errors import AizuchiError
from shared.frozen import frozen
from shared.metering import ModelUsage
from shared.storage.codec import VERSION, decode_readable, encode
from shared.storage.compare_and_swap import update_by_swap
from shared.storage.object_cache import ObjectCache
from shared.storage.object_names import usage_name, usage_prefix
from shared.unknown_fields import Extensible

REWRITTEN_S: Final = 30.0
AWAITED_AFTER_S: Final = 60.0
"""How old the other instances' sums may be for a turn that does not wait for newer ones."""
WAITED_S: Final = 0.3
"""An awaited exchange takes two round trips, parallel to the reads of the chat; an answer waits no longer than this."""
_READ_AT_ONCE: Final = 32  # half of the threads for reads: reads of chats go on meanwhile


@frozen
class UsageRecord(Extensible):
    """usage/{day}/{instance}.json, for example `{"version":1,"tokens":120345}`."""

    version: int = VERSION
    tokens: int


@dataclass(slots=True, eq=False)
class _Sums:
    """The sums in this instance, by day: own tokens, written tokens, and the tokens of other instances."""

    own: Counter[str] = field(default_factory=Counter)
    written: Counter[str] = field(default_factory=Counter)
    elsewhere: Counter[str] = field(default_factory=Counter)
    exchanged_s: float = float("-inf")
    awaited_exchange: Future[None] | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DeploymentUsage:
    """Counts the spending of the deployment; safe to share between threads.  Without a limit nothing is exchanged.

    Failures are logged; meanwhile the other instances' sums are older. `tokens` waits for work on `threads`, so never call it there.
    """

    objects: ObjectCache = field(repr=False)
    threads: Executor = field(repr=False)
    clock: Clock = field(repr=False)
    day: Callable[[int], str] = field(repr=False)
    instance: str
    is_limited: bool
    waited_s: float = WAITED_S
    _sums: _Sums = field(default_factory=_Sums, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def charge(self, account: str | None, usage: ModelUsage) -> None:
        """Count one request of any chat."""
        del account
        with self._lock:
            self._sums.own[self.day(self.clock.now_ms())] += weighted_tokens(usage)

    def begin_exchange(self) -> None:
        """Write the own sum and read the other sums in the background, unless an exchange began within REWRITTEN_S."""
        now_s = self.clock.monotonic_s()
        if not self.is_limited:
            return
        with self._lock:
            age_s = now_s - self._sums.exchanged_s
            if age_s < REWRITTEN_S:
                return
            self._sums.exchanged_s = now_s
        exchange = self.threads.submit(copy_context().run, self._exchange)
        if age_s > AWAITED_AFTER_S:
            self._sums.awaited_exchange = exchange

    @property
    def has_grown(self) -> bool:
        """Whether the instance has spent what the others cannot know yet."""
        with self._lock:
            return any(tokens > self._sums.written[day] for day, tokens in self._sums.own.items())

    def tokens(self, day: str) -> int:
        """Return the known spending on the day; waits a moment for the first exchange, or the first after AWAITED_AFTER_S."""
        awaited = self._sums.awaited_exchange
        if awaited is not None:
            with suppress(TimeoutError):
                awaited.result(self.waited_s)
        with self._lock:
            return self._sums.own[day] + self._sums.elsewhere[day]

    def _exchange(self) -> None:
        day = self.day(self.clock.now_ms())
        try:
            self._write(day)
            self._read_others(day)
        except AizuchiError as cause:
            logs.warning("usage_not_exchanged", error_type=type(cause).__name__)

    def _write(self, today: str) -> None:
        """Write the own sums that have grown: today's sum, and the last part of yesterday's."""
        with self._lock:
            grown = {day: tokens for day, tokens in self._sums.own.items() if tokens > self._sums.written[day]}
        for day, tokens in grown.items():
            record = encode(UsageRecord(tokens=tokens))
            update_by_swap(self.objects.store, usage_name(day, self.instance), _always(record), what="usage")
            with self._lock:
                self._sums.written[day] = tokens
        with self._lock:
            for day in [one for one in self._sums.own if one < today]:
                del self._sums.own[day]

    def _read_others(self, day: str) -> None:
        own = usage_name(day, self.instance)
        entries = iter([one for one in self.objects.store.list(usage_prefix(day)) if one.name != own])
        tokens = 0
        while part := tuple(islice(entries, _READ_AT_ONCE)):
            tokens += sum(one.tokens for one in decode_readable(UsageRecord, self.objects.read_all(part)))
        with self._lock:
            self._sums.elsewhere = Counter({day: tokens})


def _always(data: bytes) -> Callable[[bytes | None], bytes]:
    """Return a change to these bytes, whatever is stored: this instance alone writes the object."""
    return lambda _: data
