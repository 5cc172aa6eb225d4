"""The faults that a stand-in has in force, whatever its requests are."""

from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

_Request_contra = TypeVar("_Request_contra", contravariant=True)
_Request = TypeVar("_Request")


class AnyFault(Protocol[_Request_contra]):
    """Something that goes wrong with requests of a kind: with the `nth`, counted from 1 since it was added, or with every one."""

    @property
    def nth(self) -> int | None:
        """Which request of the kind; None: every one."""
        ...

    def befalls(self, request: _Request_contra, /) -> bool:
        """Whether the request is of the kind that this goes wrong with."""
        ...


_Fault = TypeVar("_Fault", bound=AnyFault)  # type: ignore[type-arg]  # bound to the request's type where it is used


@dataclass(slots=True)
class FaultsInForce(Generic[_Fault, _Request]):
    """The faults in force, and how often each was met."""

    _met: list[tuple[_Fault, list[int]]] = field(default_factory=list)

    def add(self, fault: _Fault) -> None:
        """The fault is in force from the next request on."""
        self._met.append((fault, [0]))

    def clear(self) -> None:
        """Nothing goes wrong any more."""
        self._met.clear()

    def of(self, request: _Request) -> tuple[_Fault, ...]:
        """The faults that this request meets. Every call counts as a request."""
        met = []
        for fault, count in tuple(self._met):
            if fault.befalls(request):
                count[0] += 1
                if fault.nth in {None, count[0]}:
                    met.append(fault)
        return tuple(met)
