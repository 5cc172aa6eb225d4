"""The port to the bucket: small objects with generations.

As in Cloud Storage, every write gives an object a new, larger generation.
Source: Cloud Storage, "Request preconditions" and "Consistency" (single-object operations and listings are strongly consistent).
"""

from collections.abc import Iterable
from dataclasses import field
from typing import Protocol

from shared.frozen import frozen


@frozen
class StoredObject:
    """An object as it was at `generation`."""

    data: bytes = field(repr=False)
    generation: int


@frozen
class ListedObject:
    """An object's name and generation in a listing."""

    name: str
    generation: int


class ObjectStore(Protocol):
    """Objects by name.  Every method raises StorageUnavailableError when the store does not answer in time."""

    def read(self, name: str) -> StoredObject | None:
        """Return the object, or None if no object has the name."""
        ...

    def read_again(self, name: str, cached: StoredObject) -> StoredObject | None:
        """Return what `read` does, or `cached` itself, without transfer of bytes, if its generation is still stored."""
        ...

    def create(self, name: str, data: bytes) -> int | None:
        """Write the object unless the name exists; return the generation, or None if the name existed.

        A write whose answer was lost may have won and still return None; where this matters, the bytes have to identify their writer.
        """
        ...

    def create_from(self, name: str, pieces: Iterable[bytes]) -> bool:
        """Write the object unless the name exists, while the bytes arrive, so that memory holds only a part of them.

        Returns: whether the object was written; a write whose answer was lost may have won and still return False.
        Raises also: the errors of `pieces`; then nothing is written.
        """
        ...

    def replace(self, name: str, data: bytes, *, generation: int) -> int | None:
        """Write the object if `generation` is still stored; return the new generation, or None after another write or a deletion.

        ```
        store.replace("turns/U1.json", data, generation=7)  # 9, or None: another worker wrote generation 8
        ```
        """
        ...

    def delete(self, name: str, *, generation: int | None = None) -> bool:
        """Delete the object if `generation` is still stored; return whether no object has the name afterwards.

        Without a generation, any object of the name is deleted, also a newer one: only for names that must not exist afterwards.
        Repeated, or carried out late after a lost answer: an object that was written since has another generation, and stays.

        ```
        store.delete("entries/U1/ideas/lunch.md", generation=7)  # False: the entry was filed anew, at generation 9
        ```
        """
        ...

    def list(self, prefix: str, *, since: str | None = None, before: str | None = None) -> tuple[ListedObject, ...]:
        """Return every object whose name starts with `prefix`, by name.

        `since`: only names from `since` on, inclusive; `before`: only names that sort before `before`. Names sort by their UTF-8 bytes.
        Example: objects `due/1`, `due/2` and `due/3`, with `since="due/2"` and `before="due/3"`, give `due/2`.
        """
        ...
