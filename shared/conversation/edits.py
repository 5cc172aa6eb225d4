"""The newest words of edited messages: one object for each message, in which an edit and an unsend meet.

edited/{conversation_id}/{line_message_id}.json   the newest words; null, for ever: withdrawn or erased
"""

from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Final

from shared.conversation.amendment_records import Amendment, EditedWords, MadeOfMessage, Watermark
from shared.frozen import frozen
from shared.storage.codec import decode, decode_if_readable, encode
from shared.storage.compare_and_swap import update_by_swap
from shared.storage.object_cache import ObjectCache
from shared.storage.object_names import ObjectNames
from shared.storage.object_store import ListedObject

_DROPPED_AT_ONCE: Final = 64  # to limit how long the reads of other chats wait
_WHAT: Final = "the words of an edit"


@frozen
class Edits:
    """One chat's edited words.  Every method raises StorageUnavailableError when the bucket does not answer in time."""

    names: ObjectNames
    objects: ObjectCache

    def begin_reading(self, line_message_ids: AbstractSet[str]) -> Callable[[], Mapping[str, EditedWords | None]]:
        """Begin to read the newest words of each message.  None: the bucket has no edit of the message, or the edit cannot be read."""
        edited_ids = sorted(line_message_ids)
        reading = self.objects.reads.map(self._newest_words, edited_ids)
        return lambda: dict(zip(edited_ids, reading, strict=True))

    def put(self, edit: Amendment) -> None:
        """The words of the edit are stored, unless newer words are, or the message was withdrawn.

        Raises also: UnreadableRecordError, because an unreadable object may be a withdrawal.
        """

        def newest(data: bytes | None) -> bytes | None:
            stored = decode(EditedWords, data) if data is not None else EditedWords(timestamp_ms=-1, text="")
            is_newer = stored.text is not None and edit.timestamp_ms > stored.timestamp_ms
            made = stored.made | edit.made
            words = stored.redacted(timestamp_ms=edit.timestamp_ms, text=edit.text, by=edit.by, made=made)
            return encode(words) if is_newer else None

        update_by_swap(self.objects.store, self.names.edited(edit.line_message_id), newest, what=_WHAT)

    def untold(self, line_message_id: str, *, timestamp_ms: int) -> MadeOfMessage:
        """Return what this edit removes, if the chat was not told yet; nothing where another edit has the newest words."""
        words = self._newest_words(line_message_id)
        return words.made if words is not None and words.timestamp_ms == timestamp_ms else MadeOfMessage()

    def mark_told(self, line_message_id: str, *, timestamp_ms: int) -> None:
        """The chat was told what this edit removed.  Repeated: changes nothing."""

        def told(data: bytes | None) -> bytes | None:
            stored = decode_if_readable(EditedWords, data)
            is_untold = stored is not None and stored.timestamp_ms == timestamp_ms and bool(stored.made)
            return encode(replace(stored, made=MadeOfMessage())) if stored is not None and is_untold else None

        update_by_swap(self.objects.store, self.names.edited(line_message_id), told, what=_WHAT)

    def drop(self, line_message_ids: Iterable[str]) -> None:
        """No edit of the messages has words, now or later.  Repeated: changes nothing."""
        remaining = iter(sorted(line_message_ids))
        while batch := tuple(islice(remaining, _DROPPED_AT_ONCE)):
            list(self.objects.reads.map(self._drop, batch))

    def drop_erased(self, line_message_id: str) -> bool:
        """Return whether the message's edit is older than the last erasure; such an edit loses the words.

        For example, an edit from 12:00 loses the new text after `/reset` at 12:05; an edit from 12:06 does not.
        """
        erased_ms, is_dropped = self._erased_ms(), False

        def without_words(data: bytes | None) -> bytes | None:
            nonlocal is_dropped
            stored = decode(EditedWords, data) if data is not None else None
            if stored is None or stored.text is None or stored.timestamp_ms > erased_ms:
                return None
            is_dropped = True
            return encode(stored.redacted(text=None, by=None, made=MadeOfMessage()))

        update_by_swap(self.objects.store, self.names.edited(line_message_id), without_words, what=_WHAT)
        return is_dropped

    def made_by(self, mark: str, *, until_ms: int) -> frozenset[str]:
        """Return the messages whose newest words are by the member with this mark, up to the timestamp."""
        return frozenset(
            self.names.edited_id_in(edited.name)
            for edited, data in self._read_all()
            if (words := decode_if_readable(EditedWords, data)) is not None
            and words.text is not None
            and words.by == mark
            and words.timestamp_ms <= until_ms
        )

    def erase(self, until_ms: int) -> None:
        """No edit up to the timestamp has words, and no unreadable edit stays.  Repeated: changes nothing."""
        for edited, data in self._read_all():
            words = decode_if_readable(EditedWords, data)
            if data is not None and (words is None or (words.text is not None and words.timestamp_ms <= until_ms)):
                update_by_swap(self.objects.store, edited.name, partial(_without_words, until_ms=until_ms), what=_WHAT)

    def _read_all(self) -> Iterable[tuple[ListedObject, bytes | None]]:
        edited_objects = self.objects.store.list(self.names.edited_prefix)
        return zip(edited_objects, self.objects.read_all(edited_objects), strict=True)

    def _drop(self, line_message_id: str) -> None:
        update_by_swap(self.objects.store, self.names.edited(line_message_id), _without_words, what=_WHAT)

    def _newest_words(self, line_message_id: str) -> EditedWords | None:
        stored = self.objects.store.read(self.names.edited(line_message_id))
        return decode_if_readable(EditedWords, stored.data if stored is not None else None)

    def _erased_ms(self) -> int:
        stored = self.objects.store.read(self.names.watermark)
        return decode(Watermark, stored.data).timestamp_ms if stored is not None else -1


def _without_words(data: bytes | None, *, until_ms: int | None = None) -> bytes | None:
    """Return an edit without words; None where the edit has none, or is newer than `until_ms`."""
    stored = decode_if_readable(EditedWords, data)
    if stored is None:
        return encode(EditedWords(timestamp_ms=0))
    is_newer = until_ms is not None and stored.timestamp_ms > until_ms
    if stored.text is None or is_newer:
        return None
    return encode(stored.redacted(text=None, by=None, made=MadeOfMessage()))
