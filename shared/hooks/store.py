"""The hooks of a chat as objects of the bucket, each with a marker under `due/` for its next push or its next notice to be forgotten."""

from collections.abc import Callable, Sequence
from typing import Final

from shared import logs
from shared.clock import SKEW_MS
from shared.conversation.due import DueMarkers
from shared.conversation.thing_store import ThingStore
from shared.errors import UnreadableRecordError
from shared.hooks.hook import Hook
from shared.hooks.token import HOOK_ID, is_hook_id
from shared.storage.codec import decode, encode
from shared.storage.object_store import ListedObject

FOLDER: Final = "hooks"
NOTICE_PUSH: Final = "notice"
NOTICE_END: Final = "notice-end"
"""The kinds of the markers, with the hook's id."""
_SUFFIX: Final = ".json"


class HookStore(ThingStore[Hook]):
    """Reads and writes a chat's hooks."""

    __slots__ = ()
    folder = FOLDER
    ids = HOOK_ID
    noun = "a hook"

    def kind_of(self, thing_id: str) -> type[Hook]:  # noqa: ARG002 - every hook has the same class
        return Hook

    def read(self, objects: Sequence[ListedObject]) -> tuple[Hook, ...]:
        """Return every readable hook of the listing, the oldest first."""
        return tuple(sorted(super().read(objects), key=lambda hook: (hook.made_ms, hook.id)))

    def find(self, hook_id: str, /) -> tuple[Hook, int] | None:
        """Return a hook with the generation of its object; None where there is no readable hook, or the id is none of a hook."""
        return super().find(hook_id) if is_hook_id(hook_id) else None

    def create(self, hook: Hook) -> bool:
        """Return whether the hook was created; a hook of the same id stays.  The caller reads the amendments next."""
        return self.conversation.objects.store.create(self.name_of(hook.id), encode(hook)) is not None

    def update(self, thing_id: str, change: Callable[[Hook], Hook | None]) -> Hook | None:
        """Change the hook by compare-and-swap; return the hook afterwards, None where there is no readable hook.

        `change` returns None to write nothing, and never sees a missing hook: a revoked hook is not made again.
        """
        return super().update(thing_id, lambda hook: change(hook) if hook is not None else None)

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
