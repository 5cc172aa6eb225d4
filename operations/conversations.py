"""All that the bucket holds of one chat: handed over, or forgotten."""

import base64
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from shared.clock import Clock
from shared.conversation.memory import Memory
from shared.conversation.object_store import ObjectStore
from shared.line.ids import checked_conversation_id

# The kinds at the top of the bucket: a folder a chat, or one object a chat
_FOLDERS: Final = ("amended", "calls", "entries", "journal", "media")
_SINGLE: Final = ("erased", "snapshots", "turns")
_STAY: Final = (
    "amended/",
    "erased/",
    "turns/",
)  # they hold no words any more, and keep what comes late from coming back


def names_of(store: ObjectStore, conversation_id: str) -> tuple[str, ...]:
    """Return the name of every object of the chat.  Raises: UnusableIdError, StorageUnavailableError."""
    checked = checked_conversation_id(conversation_id)
    prefixes = [f"{kind}/{checked}/" for kind in _FOLDERS] + [f"{kind}/{checked}.json" for kind in _SINGLE]
    return tuple(listed.name for prefix in prefixes for listed in store.list(prefix))


def exported(store: ObjectStore, conversation_id: str) -> Iterator[str]:
    """Yield every object of the chat as one line of JSON: its name, and its content as JSON, text or base64.

    Raises: UnusableIdError, StorageUnavailableError.
    """
    for name in names_of(store, conversation_id):
        stored = store.read(name)
        if stored is not None:
            yield json.dumps({"name": name, **_content(name, stored.data)}, ensure_ascii=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Forget:
    """Erases chats."""

    memory: Memory
    clock: Clock = field(repr=False)

    def __call__(self, conversation_id: str) -> int:
        """No object of the chat holds words of it any more; return how many objects are gone.

        It is erased as if the bot had been removed just now: a worker that is thinking about a message says nothing and writes nothing of
        it later, and what comes late stays out. Takes a little longer than a lease. Repeated: does nothing new.
        Raises: UnusableIdError, StorageUnavailableError.
        """
        store = self.memory.bodies.store
        before = names_of(store, conversation_id)
        self.memory.withdrawal.erase(conversation_id, until_ms=self.clock.now_ms())
        for name in names_of(store, conversation_id):
            if not name.startswith(_STAY):
                store.delete(name)
        return len({*before} - {*names_of(store, conversation_id)})


def _content(name: str, data: bytes) -> dict[str, object]:
    try:
        return {"json": json.loads(data)} if name.endswith(".json") else {"text": data.decode()}
    except ValueError:
        return {"base64": base64.b64encode(data).decode()}
