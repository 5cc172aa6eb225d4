"""Change an object that other workers change too: read, compute the new bytes, write them if the generation is unchanged, else repeat."""

from collections.abc import Callable
from typing import Final

from shared.errors import StorageUnavailableError
from shared.storage.object_store import ObjectStore, StoredObject

SWAP_ATTEMPTS: Final = 20


def update_by_swap(
    store: ObjectStore,
    name: str,
    change: Callable[[bytes | None], bytes | None],
    *,
    what: str,
    attempts: int = SWAP_ATTEMPTS,
) -> StoredObject | None:
    """Update the object by compare-and-swap, retried on conflict; return it as written, or as it was read if it is left unchanged.

    `change` gets the bytes, None where there is no object, and returns the new ones, or None to leave the object as it is. It is called
    again after every lost swap, and may read other objects.
    Raises: StorageUnavailableError, also after `attempts` lost swaps; `what` names the object in its text, such as "a message".
    """
    for _ in range(attempts):
        stored = store.read(name)
        wanted = change(stored.data if stored else None)
        if wanted is None:
            return stored
        generation = store.replace(name, wanted, generation=stored.generation if stored else 0)
        if generation is not None:
            return StoredObject(data=wanted, generation=generation)
    raise StorageUnavailableError(f"others kept changing {what}")
