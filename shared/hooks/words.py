"""The words in hooks: a hook goes with the command that named it, and its notices go with the chat's erasure."""

from collections.abc import Sequence
from dataclasses import replace

from shared import logs
from shared.conversation.amendments import Amendments
from shared.conversation.store import Conversation
from shared.conversation.word_holder import Removal, WordHolder
from shared.errors import UnreadableRecordError
from shared.hooks.hook import Hook
from shared.hooks.store import HookStore
from shared.storage.codec import decode
from shared.storage.object_store import ListedObject


class HookWords(WordHolder):
    """The words in hooks."""

    def begin_removal(self, conversation: Conversation) -> Removal:
        """Delete the hooks whose command was withdrawn or erased; of others, delete the notices up to an erasure.

        `/reset` leaves hooks as it leaves entries, and takes their notices. A deleted hook's token opens nothing any more. An unreadable
        hook is deleted by an erasure that spares nothing. Repeated: does nothing. Raises: StorageUnavailableError.
        """
        store = HookStore(conversation)
        listing = store.begin_listing()
        return lambda amendments: _remove_withdrawn(store, listing(), amendments)


def _remove_withdrawn(store: HookStore, objects: Sequence[ListedObject], amendments: Amendments) -> None:
    bodies = store.conversation.objects.read_all(objects) if objects else ()
    for thing, body in zip(objects, bodies, strict=True):
        try:
            hook = decode(Hook, body) if body is not None else None
        except UnreadableRecordError as cause:
            logs.error("record_unreadable", cause=cause)
            if amendments.erased_entries_ms >= 0:
                store.delete_if(thing.name, lambda _: True)
            continue
        if hook is None:
            continue
        if hook.is_from_withdrawn(amendments):
            store.delete_if(thing.name, lambda stored: stored.is_from_withdrawn(amendments))
            logs.info("hook_withdrawn")
        elif _is_outdated(hook, amendments):
            store.update(hook.id, lambda stored: _without_erased(stored, amendments))


def _is_outdated(hook: Hook, amendments: Amendments) -> bool:
    return any(notice.at_ms <= amendments.erased_ms for notice in hook.notices)


def _without_erased(hook: Hook, amendments: Amendments) -> Hook | None:
    if not _is_outdated(hook, amendments):
        return None
    return replace(hook, notices=tuple(one for one in hook.notices if one.at_ms > amendments.erased_ms))
