"""Changing one object that others change too: read it, say what it has to be, swap it; somebody was faster: once more."""

from collections.abc import Callable
from typing import Final

from shared.errors import StorageUnavailableError
from shared.storage.object_store import ObjectStore

SWAP_ATTEMPTS: Final = 20


def changed_by_swap(
    store: ObjectStore, name: str, change: Callable[[bytes | None], bytes | None], *, what: str
) -> None:
    """The object is as `change` makes it of what is there, None where there is nothing; None from it leaves everything as it is.

    `change` is asked anew after every lost swap, and may look around. Raises: StorageUnavailableError, also where others kept changing
    `what`.
    """
    for _ in range(SWAP_ATTEMPTS):
        stored = store.read(name)
        wanted = change(stored.data if stored else None)
        if wanted is None:
            return
        if store.replace(name, wanted, generation=stored.generation if stored else 0) is not None:
            return
    raise StorageUnavailableError(f"others kept changing {what}")
