"""The bucket: objects with generations, atomic conditional writes, one write a second a name."""

from dataclasses import dataclass
from typing import Generic, TypeVar

from tests.simulation.model.records import Record
from tests.simulation.product.times import WRITE_S

RecordT = TypeVar("RecordT", bound=Record)


class ThrottledError(Exception):
    """429: this name was written less than a second ago."""


@dataclass(frozen=True, slots=True)
class Stored(Generic[RecordT]):
    """An object as it was at `generation`."""

    value: RecordT
    generation: int


class Bucket:
    """Objects by name, as Cloud Storage keeps them."""

    def __init__(self) -> None:
        self._objects: dict[str, Stored[Record]] = {}
        self._written_s: dict[str, float] = {}
        self._generation = 0

    def read(self, name: str, kind: type[RecordT]) -> Stored[RecordT] | None:
        """Return the object, or None where there is none."""
        stored = self._objects.get(name)
        if stored is None:
            return None
        if not isinstance(stored.value, kind):
            raise TypeError(f"{name} is no {kind.__name__}")
        return Stored(stored.value, stored.generation)

    def peek(self, name: str) -> Record:
        """Return what is stored there; for those who look from outside."""
        return self._objects[name].value

    def names(self, prefix: str) -> tuple[str, ...]:
        """Return the names that start with `prefix`, sorted."""
        return tuple(sorted(name for name in self._objects if name.startswith(prefix)))

    def write(self, name: str, value: Record, generation: int, *, now_s: float) -> int | None:
        """Write if the object has this generation (0: if there is none) and return its new one, None where it has another.

        Raises: ThrottledError.  Source: Cloud Storage, "Quotas & limits", "Request preconditions".
        """
        if now_s - self._written_s.get(name, -WRITE_S) < WRITE_S:
            raise ThrottledError(name)
        there = self._objects.get(name)
        if generation != (there.generation if there else 0):
            return None
        self._generation += 1
        self._objects[name] = Stored(value, self._generation)
        self._written_s[name] = now_s
        return self._generation

    def delete(self, name: str) -> None:
        """The object is gone.  Repeated: does nothing."""
        self._objects.pop(name, None)
