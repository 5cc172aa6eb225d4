"""The hooks of a chat as objects of the bucket, each with a marker under `due/` for its next push or its next notice to be forgotten."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from shared import logs
from shared.clock import SKEW_MS
from shared.conversation.due import DueMarkers
from shared.conversation.store import Conversation
from shared.errors import CorruptRecordError, UnreadableRecordError
from shared.hooks.hook import Hook
from shared.hooks.token import is_hook_id
from shared.line.ids import checked_id
from shared.storage.codec import decode, decode_readable, encode
from shared.storage.compare_and_swap import update_by_swap
from shared.storage.object_store import ListedObject

FOLDER: Final = "hooks"
NOTICE_PUSH: Final = "notice"
NOTICE_END: Final = "notice-end"
"""The kinds of the markers, with the hook's id."""
_SUFFIX: Final = ".json"


@dataclass(frozen=True, slots=True)
class HookStore:
    """Reads and writes a chat's hooks.  Every method raises StorageUnavailableError when the bucket does not answer in time."""

    conversation: Conversation

    @property
    def prefix(self) -> str:
        """The beginning of the names of the chat's hooks."""
        return f"{FOLDER}/{self.conversation.id}/"

    def name_of(self, hook_id: str) -> str:
        """Return the name of a hook's object."""
        return f"{self.prefix}{checked_id(hook_id)}{_SUFFIX}"

    def list_objects(self) -> tuple[ListedObject, ...]:
        """Return the objects of all hooks."""
        return tuple(self.conversation.objects.store.list(self.prefix))

    def read_all(self) -> tuple[Hook, ...]:
        """Return every readable hook, the oldest first, in two round trips; one where the chat has no hook."""
        return self.read_listed(self.list_objects())

    def read_listed(self, objects: Sequence[ListedObject]) -> tuple[Hook, ...]:
        """Return every readable hook of the listing, the oldest first."""
        bodies = self.conversation.objects.read_all(objects) if objects else ()
        return tuple(sorted(decode_readable(Hook, bodies), key=lambda hook: (hook.made_ms, hook.id)))

    def find(self, hook_id: str) -> tuple[Hook, int] | None:
        """Return a hook with the generation of its object; None where there is no readable hook."""
        if not is_hook_id(hook_id):
            return None
        stored = self.conversation.objects.store.read(self.name_of(hook_id))
        try:
            return (decode(Hook, stored.data), stored.generation) if stored is not None else None
        except CorruptRecordError as cause:
            logs.error("record_unreadable", cause=cause)
            return None

    def create(self, hook: Hook) -> bool:
        """Return whether the hook was created; a hook of the same id stays.  The caller reads the amendments next."""
        return self.conversation.objects.store.create(self.name_of(hook.id), encode(hook)) is not None

    def swap(self, hook: Hook, generation: int) -> int | None:
        """Write the hook over the given generation; return the new generation, or None where the object has changed or is missing."""
        return self.conversation.objects.store.replace(self.name_of(hook.id), encode(hook), generation=generation)

    def update(self, hook_id: str, change: Callable[[Hook], Hook | None]) -> Hook | None:
        """Change the hook by compare-and-swap; return the hook afterwards, None where there is no readable hook.

        `change` returns None to write nothing, and never sees a missing hook: a revoked hook is not made again.
        """

        def changed(data: bytes | None) -> bytes | None:
            updated = change(decode(Hook, data)) if data is not None else None
            return None if updated is None else encode(updated)

        try:
            stored = update_by_swap(self.conversation.objects.store, self.name_of(hook_id), changed, what="a hook")
        except CorruptRecordError as cause:
            logs.error("record_unreadable", cause=cause)
            return None
        return decode(Hook, stored.data) if stored is not None else None

    def delete_if(self, name: str, is_affected: Callable[[Hook], bool]) -> None:
        """Delete the object if its hook is affected, or unreadable; a changed hook is read again.  Repeated: does nothing."""
        store = self.conversation.objects.store
        while (stored := store.read(name)) is not None:
            try:
                if not is_affected(decode(Hook, stored.data)):
                    return
            except UnreadableRecordError as cause:
                logs.error("record_unreadable", cause=cause)
            if store.delete(name, generation=stored.generation):
                return

    def mark(self, kind: str, hook_id: str, *, at_ms: int) -> None:
        """Have a tick do the hook's work of this kind from the given time on.  Repeated: changes nothing."""
        soon_ms = self.conversation.turn.clock.now_ms() + SKEW_MS
        markers = DueMarkers(store=self.conversation.objects.store)
        markers.mark(kind, self.conversation, hook_id, at_ms=max(at_ms, soon_ms))
