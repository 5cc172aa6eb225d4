"""The port to the bucket: small objects with generations.

Generations as Cloud Storage has them: every write of an object gives it a new, larger one.
Source: Cloud Storage, "Request preconditions" and "Consistency" (single-object operations and listings are strongly consistent).
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredObject:
    """An object as it was at `generation`."""

    data: bytes = field(repr=False)
    generation: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedObject:
    """An object's name and generation, as a listing tells them."""

    name: str
    generation: int


class ObjectStore(Protocol):
    """Objects by name.  Every method raises StorageUnavailableError when the store does not answer in time."""

    def read(self, name: str) -> StoredObject | None:
        """Return the object, or None where there is none."""
        ...

    def read_again(self, name: str, known: StoredObject) -> StoredObject | None:
        """Return what `read` does; `known` itself, for which no bytes are sent, where the object still has its generation."""
        ...

    def create(self, name: str, data: bytes) -> int | None:
        """Write the object unless there is one; return its generation, or None where there was one already.

        A write whose answer was lost may have won and still return None; where that matters, the bytes have to identify their writer.
        """
        ...

    def create_from(self, name: str, pieces: Iterable[bytes]) -> bool:
        """Write the object unless there is one, while its bytes arrive, so that only some of them are in memory.

        Returns: whether it was written; a write whose answer was lost may have won and still return False.
        Raises also: what `pieces` raises; then nothing is written.
        """
        ...

    def replace(self, name: str, data: bytes, *, generation: int) -> int | None:
        """Write the object if it still has `generation`; return its new one, or None where it has another, or is gone."""
        ...

    def delete(self, name: str, *, generation: int | None = None) -> bool:
        """The object is gone, if it still has `generation`; return whether no object has the name then.

        Without a generation any object of the name goes, also one that was written since: only where whatever has the name must go.
        Repeated, or carried out late because its answer was lost: an object that was written since has another generation, and stays.

        ```
        store.delete("entries/U1/ideas/lunch.md", generation=7)  # False: the entry was filed anew, at generation 9
        ```
        """
        ...

    def list(self, prefix: str, *, since: str | None = None, before: str | None = None) -> tuple[ListedObject, ...]:
        """Return every object whose name starts with `prefix`, by name.

        With `since`, only `since` itself and those whose names sort after it; with `before`, only those whose names sort before it. Names
        sort by their UTF-8 bytes.
        """
        ...
