"""Export and erasure of all stored objects of a chat."""

import base64
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from shared.access.admission import AdmissionRecord
from shared.clock import Clock
from shared.conversation.amendment_events import AmendmentEvent
from shared.conversation.amendment_fold import readable_fold
from shared.conversation.amendment_records import EditedWords, Watermark
from shared.conversation.members import MembersRecord
from shared.conversation.silences import SilencesRecord
from shared.conversation.snapshot_records import SnapshotRecord
from shared.conversation.store import Conversation, Conversations
from shared.conversation.turn import TurnRecord
from shared.conversation.withdrawal import Withdrawal
from shared.errors import PermanentError
from shared.features.stored_feature import StoredFeature
from shared.features.stored_features import STORED_FEATURES
from shared.knowledge.tombstone import tombstone_in
from shared.line.ids import checked_conversation_id, is_conversation_id
from shared.storage.codec import decode
from shared.storage.object_names import ObjectNames
from shared.storage.object_store import ObjectStore

# The kinds at the top of the bucket: with a folder for each chat, or with a single object for each chat. The journal is read before the
# snapshot, and the archive after the snapshot, so that a record that a compaction moves meanwhile is found at its new place. Amendments are
# read first: an export that lacks a later amendment is refused by `restore`. The fold is listed again after the events, because the chat's
# first fold may be written meanwhile.
_SINGLE: Final = ("admitted", "erased", "members", "silences", "snapshots", "turns")
_LAST: Final = ("archive",)
# Objects that stay, without words, after an erasure: they hold admissions and pauses, keep late events out, and continue the numbering.
_STAY: Final[Mapping[str, type[object]]] = {
    "admitted": AdmissionRecord,
    "amended": AmendmentEvent,
    "edited": EditedWords,
    "erased": Watermark,
    "members": MembersRecord,
    "silences": SilencesRecord,
    "snapshots": SnapshotRecord,
    "turns": TurnRecord,
}


def names_of(
    store: ObjectStore, conversation_id: str, features: Sequence[StoredFeature] = STORED_FEATURES
) -> tuple[str, ...]:
    """Return the names of all objects of the chat.  Raises: UnusableIdError, StorageUnavailableError."""
    return tuple(_objects_of(store, conversation_id, features))


def exported(
    store: ObjectStore, conversation_id: str, features: Sequence[StoredFeature] = STORED_FEATURES
) -> Iterator[str]:
    """Yield every object of the chat, except tombstones of entries, as a line: `{"name": "turns/C4af….json", "json": {}}` for example.

    Content that is not JSON stands under "text" or "base64".
    Raises: UnusableIdError, at the call; StorageUnavailableError, while the lines are read.
    """
    return _lines(store, _prefixes(conversation_id, features))


def all_chats(store: ObjectStore, features: Sequence[StoredFeature] = STORED_FEATURES) -> tuple[str, ...]:
    """Return the ids of all chats with any object.  Raises: StorageUnavailableError."""
    kinds = ("amended", *_folders(features), *_SINGLE, *_LAST)
    parts = {listing.name.split("/")[1].removesuffix(".json") for kind in kinds for listing in store.list(f"{kind}/")}
    return tuple(sorted(part for part in parts if is_conversation_id(part)))  # other names were made by hand


def remove_moved(conversation: Conversation) -> int:
    """Delete all objects of a chat that moved to another deployment; return the number of objects.

    Unlike an erasure, the deletion leaves no mark, so the chat may move back. No worker may serve the chat here.
    Repeated: no further effect. Raises: UnusableIdError, StorageUnavailableError; safe to repeat.
    """
    for feature in STORED_FEATURES:
        feature.transfer.begin_removal(conversation)
    objects = _objects_of(conversation.objects.store, conversation.id, STORED_FEATURES)
    for name, generation in objects.items():
        conversation.objects.store.delete(name, generation=generation)
    return len(objects)


def object_line(store: ObjectStore, name: str) -> Iterator[str]:
    """Yield the object as a line of JSON; yield nothing for a missing object or a tombstone.  Raises: StorageUnavailableError."""
    stored = store.read(name)
    if stored is not None and tombstone_in(stored.data) is None:
        yield json.dumps({"name": name, **_content(name, stored.data)}, ensure_ascii=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Forget:
    """Erases chats."""

    conversations: Conversations
    withdrawal: Withdrawal
    clock: Clock = field(repr=False)
    features: Sequence[StoredFeature] = STORED_FEATURES

    def __call__(self, conversation_id: str) -> int:
        """Erase the chat, so that no object holds words of people; return the number of deleted objects.

        The chat is erased as if the bot had been removed now: a worker that holds the turn sends nothing and writes none of the erased
        words, late events stay out, and later messages stay. Unreadable objects and the markers of reminders are deleted as well. The
        erasure takes a little longer than a lease.
        Repeated: no further effect. Raises: UnusableIdError, StorageUnavailableError; safe to repeat.
        """
        conversation = self.conversations.of(conversation_id)
        store = conversation.objects.store
        before = _objects_of(store, conversation_id, self.features)
        until_ms = self.clock.now_ms()
        for name in before:
            stored = store.read(name) if _kind(name) in _STAY else None
            if stored is not None and not _is_readable(conversation.names, name, stored.data):
                store.delete(name, generation=stored.generation)
        conversation.amendments.erase(until_ms)  # first, so that every later writer finds the watermark
        for feature in self.features:
            feature.transfer.begin_removal(conversation)
        for name, generation in before.items():
            if _kind(name) not in _STAY:
                store.delete(name, generation=generation)
        self.withdrawal.erase(conversation, until_ms=until_ms)
        self.clock.sleep(self.withdrawal.second_pass_s(conversation))
        self.withdrawal.finish_erasure(conversation, str(until_ms))
        return len({*before} - {*names_of(store, conversation_id, self.features)})


def _is_readable(names: ObjectNames, name: str, data: bytes) -> bool:
    """Whether an object of a kind in `_STAY` can be read."""
    try:
        if name == names.amended_fold:
            readable_fold(data)
        else:
            decode(_STAY[_kind(name)], data)
    except PermanentError:
        return False
    return True


def _folders(features: Sequence[StoredFeature]) -> tuple[str, ...]:
    return ("edited", "journal", *(feature.folder for feature in features))


def _prefixes(conversation_id: str, features: Sequence[StoredFeature]) -> tuple[str, ...]:
    checked = checked_conversation_id(conversation_id)
    names = ObjectNames(checked)
    return (
        names.amended_prefix,
        names.amended_fold,
        *(f"{kind}/{checked}/" for kind in _folders(features)),
        *(f"{kind}/{checked}.json" for kind in _SINGLE),
        *(f"{kind}/{checked}/" for kind in _LAST),
    )


def _objects_of(store: ObjectStore, conversation_id: str, features: Sequence[StoredFeature]) -> dict[str, int]:
    """Return the generations of all objects of the chat by name, for example `{"turns/C4af….json": 1763700000000123}`."""
    prefixes = _prefixes(conversation_id, features)
    return {listing.name: listing.generation for prefix in prefixes for listing in store.list(prefix)}


def _lines(store: ObjectStore, prefixes: Iterable[str]) -> Iterator[str]:
    names: set[str] = set()
    for prefix in prefixes:
        for listing in store.list(prefix):
            if listing.name not in names:
                names.add(listing.name)
                yield from object_line(store, listing.name)


def _kind(name: str) -> str:
    return name.partition("/")[0]


def _content(name: str, data: bytes) -> dict[str, object]:
    try:
        return {"json": json.loads(data)} if name.endswith(".json") else {"text": data.decode()}
    except (ValueError, RecursionError):
        return {"base64": base64.b64encode(data).decode()}
