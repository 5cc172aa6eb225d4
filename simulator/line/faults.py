"""Faults injected by tests into a stand-in's HTTP API, and their effects on a request.

    request ─ before(): `arrived`, delay ─ `error_status`, or the effect ─ after(): `took_effect` ─ `lost_answer`, or the answer

Each stand-in defines a `Fault` with the affected requests.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

_Request = TypeVar("_Request")


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestFault(Generic[_Request]):
    """A fault of the `nth` matching request, counted from 1 since the fault was added; None affects every matching request.

    `arrived` is called before anything happens, `took_effect` between the effect and the answer. `error_status` replaces the effect.
    `answer`: "sent", or how the answer is lost after the effect. For example, `nth=2, error_status=503` fails the second request.
    """

    nth: int | None = None
    delay_s: float = 0.0
    error_status: int | None = None
    answer: str = "sent"
    arrived: Callable[[], None] | None = None
    took_effect: Callable[[], None] | None = None

    def applies_to(self, request: _Request, /) -> bool:
        """Whether the fault is for requests of this kind."""
        raise NotImplementedError


_Fault = TypeVar("_Fault", bound=RequestFault)  # type: ignore[type-arg]  # bound to the request's type by each use


@dataclass(frozen=True, slots=True)
class RequestFaults(Generic[_Fault]):
    """The faults of one request, in the order of addition."""

    faults: tuple[_Fault, ...] = ()

    async def before(self, sleep: Callable[[float], Awaitable[None]]) -> None:
        """Report the arrival and wait out the delays."""
        for fault in self.faults:
            if fault.arrived is not None:
                fault.arrived()
            if fault.delay_s:
                await sleep(fault.delay_s)

    def after(self) -> None:
        """Report the request's effect."""
        for fault in self.faults:
            if fault.took_effect is not None:
                fault.took_effect()

    @property
    def error(self) -> _Fault | None:
        """The first fault with an error in place of the effect."""
        return next((fault for fault in self.faults if fault.error_status is not None), None)

    @property
    def error_status(self) -> int | None:
        """The status in place of the effect."""
        return None if self.error is None else self.error.error_status

    @property
    def lost_answer(self) -> str | None:
        """How the answer is lost; None for a sent answer."""
        return next((fault.answer for fault in self.faults if fault.answer != "sent"), None)


@dataclass(slots=True)
class FaultsInForce(Generic[_Fault, _Request]):
    """The faults in force, and how many requests each has matched."""

    _counts: list[tuple[_Fault, list[int]]] = field(default_factory=list)

    @property
    def faults(self) -> tuple[_Fault, ...]:
        """The faults, in the order of addition."""
        return tuple(fault for fault, _ in self._counts)

    def add(self, fault: _Fault) -> None:
        """Put the fault in force from the next request on."""
        self._counts.append((fault, [0]))

    def clear(self) -> None:
        """Put every fault out of force."""
        self._counts.clear()

    def match(self, request: _Request) -> RequestFaults[_Fault]:
        """Count the request; return the matching faults."""
        matches = []
        for fault, count in tuple(self._counts):
            if fault.applies_to(request):
                count[0] += 1
                if fault.nth in {None, count[0]}:
                    matches.append(fault)
        return RequestFaults(tuple(matches))
