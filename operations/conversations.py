"""All that the bucket holds of one chat: handed over, or forgotten."""

import base64
import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from shared.clock import Clock
from shared.conversation.journal import Journal
from shared.conversation.names import OUTCOME_SUFFIX, amended_prefix, journal_prefix
from shared.conversation.object_store import ObjectStore
from shared.conversation.turn import Turns
from shared.errors import StorageUnavailableError
from shared.line.ids import checked_conversation_id

# The kinds at the top of the bucket: a folder a chat, or one object a chat
_FOLDERS: Final = ("amended", "calls", "entries", "journal", "media")
_SINGLE: Final = ("erased", "snapshots", "turns")
_STAY: Final = (
    "amended/",
    "erased/",
    "turns/",
)  # they hold no words any more, and keep what comes late from coming back
_SWAP_ATTEMPTS: Final = 10


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

    store: ObjectStore
    journal: Journal
    turns: Turns
    clock: Clock = field(repr=False)

    def __call__(self, conversation_id: str) -> int:
        """No object of the chat holds words of it any more; return how many objects are gone.

        Every message is withdrawn first, as if its sender had taken it back, so that a worker that is thinking about one says nothing
        and writes nothing of it later. Repeated: does nothing new. Raises: UnusableIdError, StorageUnavailableError.
        """
        before = names_of(self.store, conversation_id)
        for line_message_id in sorted(self._line_message_ids(conversation_id)):
            self.journal.withdraw(conversation_id, line_message_id, timestamp_ms=self.clock.now_ms())
        self._silence_turn(conversation_id)
        for name in names_of(self.store, conversation_id):
            if not name.startswith(_STAY):
                self.store.delete(name)
        return len({*before} - {*names_of(self.store, conversation_id)})

    def _line_message_ids(self, conversation_id: str) -> set[str]:
        """Return the messages that are there, and those that were edited."""
        listed = [*self.store.list(journal_prefix(conversation_id)), *self.store.list(amended_prefix(conversation_id))]
        names = (one.name for one in listed if not one.name.endswith(OUTCOME_SUFFIX))
        return {name.rsplit("/", 1)[1].removesuffix(".json") for name in names}

    def _silence_turn(self, conversation_id: str) -> None:
        """An answer that the turn holds may be about messages that nobody finds any more."""
        for _ in range(_SWAP_ATTEMPTS):
            seen = self.turns.read(conversation_id)
            outcome = seen.record.outcome
            if outcome is None or outcome.text is None:
                return
            silent = replace(seen.record, outcome=replace(outcome, text=None))
            if self.turns.swap(conversation_id, seen, silent) is not None:
                return
        raise StorageUnavailableError("others kept changing the turn")


def _content(name: str, data: bytes) -> dict[str, object]:
    try:
        return {"json": json.loads(data)} if name.endswith(".json") else {"text": data.decode()}
    except ValueError:
        return {"base64": base64.b64encode(data).decode()}
