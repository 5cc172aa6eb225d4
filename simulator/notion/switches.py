"""Misbehaviour of Notion on demand (`Fault`), and the rate limit (`Rate`)."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from simulator.line.faults import FaultsInForce, RequestFault
from simulator.notion.errors import NotionError

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A request, as faults match it: `POST pages`."""

    method: str
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault(RequestFault[Call]):
    """A fault of requests with a `method` to every path that begins with `path`.

    `retry_after_s` goes with `error_status`. `answer`: "cut" closes the connection after the effect, in the middle of the answer;
    "unavailable" answers 503 after the effect.
    """

    path: str
    method: str | None = None
    retry_after_s: int | None = None
    answer: Literal["sent", "cut", "unavailable"] = "sent"

    def applies_to(self, call: Call, /) -> bool:
        """Whether the method is the fault's and the path begins with the fault's."""
        return self.method in {None, call.method} and call.path.startswith(self.path)


@dataclass(slots=True, kw_only=True)
class Rate:
    """Three requests a second on average, and a burst of `burst` beyond.  Source: Notion API reference, "Request limits"."""

    monotonic_s: Callable[[], float]
    per_s: float = 3.0
    burst: float = 30.0
    _remaining: float = field(init=False)
    _at_s: float = field(init=False)

    def __post_init__(self) -> None:
        self._remaining, self._at_s = self.burst, self.monotonic_s()

    def spend(self) -> None:
        """Count a request.  Raises: NotionError 429, above the limit."""
        at_s = self.monotonic_s()
        self._remaining = min(self.burst, self._remaining + (at_s - self._at_s) * self.per_s)
        self._at_s = at_s
        if self._remaining < 1:
            wait_s = math.ceil((1 - self._remaining) / self.per_s)
            raise NotionError(429, "You have been rate limited. Please try again in a few minutes.", None, wait_s)
        self._remaining -= 1


Faults = FaultsInForce[Fault, Call]
