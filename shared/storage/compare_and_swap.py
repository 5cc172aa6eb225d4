"""Change an object that other workers also change: read, compute new bytes, write if the generation is unchanged, else repeat."""

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
    """Update the object by compare-and-swap, retried on conflict; return the object as written, or as read if `change` left it alone.

    `change` gets the stored bytes, or None if no object exists, and returns the new bytes, or None to write nothing. `change` runs
    again after every lost swap, and may read other objects.
    Raises: StorageUnavailableError, also after `attempts` lost swaps; `what` names the object in the error's text.

    Example: `update_by_swap(store, names.members, lambda stored: with_member(stored, "U1"), what="the members")`.
    """
    for _ in range(attempts):
        stored = store.read(name)
        changed = change(stored.data if stored else None)
        if changed is None:
            return stored
        generation = store.replace(name, changed, generation=stored.generation if stored else 0)
        if generation is not None:
            return StoredObject(data=changed, generation=generation)
    raise StorageUnavailableError(f"others kept changing {what}")
