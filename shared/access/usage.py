"""The usage of the deployment: what all instances have spent on a day, from one small object of each.

    usage/{day}/{instance}.json   the weighted tokens of the instance on that day, rewritten at most every REWRITTEN_S

An instance knows its own sum exactly, and the sums of the others at most a minute late: up to 30 s until they write, up to 30 s until it
reads.
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
from shared.metering import ModelUsage
from shared.storage.codec import VERSION, decode_readable, encode
from shared.storage.compare_and_swap import update_by_swap
from shared.storage.object_cache import ObjectCache
from shared.storage.object_names import usage_name, usage_prefix
from shared.unknown_fields import Extensible

REWRITTEN_S: Final = 30.0
WAITED_S: Final = 0.3
"""The first exchange takes two round trips beside the reads of the chat; an answer waits no longer for one that takes more."""
_READ_AT_ONCE: Final = 32  # half of the threads for reads: those of chats go on meanwhile


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageRecord(Extensible):
    """usage/{day}/{instance}.json."""

    version: int = VERSION
    tokens: int


@dataclass(slots=True, eq=False)
class _Known:
    """What this instance knows: its own tokens and those it has written, and those of the others, by day."""

    own: Counter[str] = field(default_factory=Counter)
    written: Counter[str] = field(default_factory=Counter)
    others: Counter[str] = field(default_factory=Counter)
    exchanged_s: float = float("-inf")
    first_exchange: Future[None] | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DeploymentUsage:
    """Counts what the deployment spends; safe to share between threads.  Without a limit nothing is exchanged.

    Failures are logged: then the sums of the others are older. No caller of `tokens` may run on `threads`, because it waits for work there.
    """

    objects: ObjectCache = field(repr=False)
    threads: Executor = field(repr=False)
    clock: Clock = field(repr=False)
    day: Callable[[int], str] = field(repr=False)
    instance: str
    is_limited: bool
    waited_s: float = WAITED_S
    _known: _Known = field(default_factory=_Known, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def charge(self, account: str | None, usage: ModelUsage) -> None:
        """Count one request, whatever chat it was for."""
        del account
        with self._lock:
            self._known.own[self.day(self.clock.now_ms())] += weighted_tokens(usage)

    def begin_exchange(self) -> None:
        """Write the own sum and read those of the others beside the caller's work, if it was not done within REWRITTEN_S."""
        now_s = self.clock.monotonic_s()
        if not self.is_limited:
            return
        with self._lock:
            if now_s - self._known.exchanged_s < REWRITTEN_S:
                return
            self._known.exchanged_s = now_s
        exchange = self.threads.submit(copy_context().run, self._exchange)
        if self._known.first_exchange is None:
            self._known.first_exchange = exchange

    def tokens(self, day: str) -> int:
        """Return what is known to be spent on the day; waits a moment for the first exchange of the instance, and for no other."""
        first = self._known.first_exchange
        if first is not None:
            with suppress(TimeoutError):
                first.result(self.waited_s)
        with self._lock:
            return self._known.own[day] + self._known.others[day]

    def _exchange(self) -> None:
        day = self.day(self.clock.now_ms())
        try:
            self._write(day)
            self._read_others(day)
        except AizuchiError as cause:
            logs.warning("usage_not_exchanged", error_type=type(cause).__name__)

    def _write(self, today: str) -> None:
        """Write the own sums that have grown: today's, and yesterday's last part."""
        with self._lock:
            grown = {day: tokens for day, tokens in self._known.own.items() if tokens > self._known.written[day]}
        for day, tokens in grown.items():
            wanted = encode(UsageRecord(tokens=tokens))
            update_by_swap(self.objects.store, usage_name(day, self.instance), _always(wanted), what="usage")
            with self._lock:
                self._known.written[day] = tokens
        with self._lock:
            for day in [one for one in self._known.own if one < today]:
                del self._known.own[day]

    def _read_others(self, day: str) -> None:
        own = usage_name(day, self.instance)
        listed = iter([one for one in self.objects.store.list(usage_prefix(day)) if one.name != own])
        tokens = 0
        while part := tuple(islice(listed, _READ_AT_ONCE)):
            tokens += sum(one.tokens for one in decode_readable(UsageRecord, self.objects.read_all(part)))
        with self._lock:
            self._known.others = Counter({day: tokens})


def _always(wanted: bytes) -> Callable[[bytes | None], bytes]:
    """Return the change that makes an object this one, whatever is there; only this instance writes it."""
    return lambda _: wanted
