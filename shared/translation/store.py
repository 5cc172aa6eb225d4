"""The chat's translation setting as an object of the bucket."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from shared import logs
from shared.conversation.amendments import Amendments
from shared.conversation.store import Conversation
from shared.conversation.word_holder import Removal, WordHolder
from shared.errors import CorruptRecordError, StorageUnavailableError, UnreadableRecordError
from shared.storage.codec import decode, encode
from shared.storage.compare_and_swap import SWAP_ATTEMPTS, update_by_swap
from shared.storage.object_store import ObjectStore, StoredObject
from shared.translation.setting import TranslationSetting

FOLDER: Final = "translation"


@dataclass(frozen=True, slots=True)
class TranslationStore:
    """Reads and writes one chat's setting.  Every method raises StorageUnavailableError when the bucket does not answer in time."""

    conversation: Conversation

    @property
    def name(self) -> str:
        """The name of the object."""
        return f"{FOLDER}/{self.conversation.id}/setting.json"

    def read(self) -> TranslationSetting:
        """Return the setting; off where none was ever stored, and where the object is unreadable."""
        stored = self.conversation.objects.store.read(self.name)
        return _readable(stored.data) if stored is not None else TranslationSetting()

    def update(self, change: Callable[[TranslationSetting], TranslationSetting]) -> TranslationSetting:
        """Change the setting by compare-and-swap, then remove what was taken back meanwhile; return it.  Repeated: as `change` does."""

        def changed(data: bytes | None) -> bytes | None:
            before = _readable(data) if data is not None else TranslationSetting()
            after = change(before)
            return None if after == before else encode(after)

        update_by_swap(self.conversation.objects.store, self.name, changed, what="the translation of a chat")
        TranslationWords().remove_withdrawn(self.conversation, self.conversation.amendments.look())
        return self.read()


def translated_between(conversation: Conversation) -> Sequence[str]:
    """Return the languages between which translation is on: ("ja", "th"); off, none.  Raises: StorageUnavailableError."""
    setting = TranslationStore(conversation).read()
    return setting.languages if setting.is_on else ()


class TranslationWords(WordHolder):
    """The words in a setting.  Translations themselves are stored only until they were sent."""

    def begin_removal(self, conversation: Conversation) -> Removal:
        """Delete a setting that was erased, and remove terms that were taken back.  Repeated: does nothing."""
        objects, name = conversation.objects, TranslationStore(conversation).name
        read = objects.reads.submit(lambda: objects.store.read(name))
        return lambda amendments: _remove_withdrawn(objects.store, name, read.result(), amendments)


def _remove_withdrawn(store: ObjectStore, name: str, stored: StoredObject | None, amendments: Amendments) -> None:
    for _ in range(SWAP_ATTEMPTS):
        if stored is None:
            return
        remaining = _remaining(stored.data, amendments)
        if remaining == stored.data:
            return
        if remaining is None:
            is_done = store.delete(name, generation=stored.generation)
        else:
            is_done = store.replace(name, remaining, generation=stored.generation) is not None
        if is_done:
            logs.info("translation_setting_withdrawn", is_deleted=remaining is None)
            return
        stored = store.read(name)
    raise StorageUnavailableError("others kept changing the translation of a chat")


def _remaining(data: bytes, amendments: Amendments) -> bytes | None:
    """Return the object without withdrawn words; an unreadable one is deleted by an erasure."""
    try:
        setting = decode(TranslationSetting, data)
    except UnreadableRecordError as cause:
        logs.error("record_unreadable", cause=cause)
        return None if amendments.erased_entries_ms >= 0 else data
    remaining = setting.without_withdrawn(amendments)
    if remaining is None:
        return None
    return data if remaining == setting else encode(remaining)


def _readable(data: bytes) -> TranslationSetting:
    try:
        return decode(TranslationSetting, data)
    except CorruptRecordError as cause:
        logs.error("record_unreadable", cause=cause)
        return TranslationSetting()
