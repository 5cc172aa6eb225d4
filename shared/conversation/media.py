"""The bytes of images, voices, videos and files that people sent, kept beside the chat.

    media/{conversation_id}/{line_message_id}        the bytes
    media/{conversation_id}/{line_message_id}.json   the label: when it was sent and what it is; written after the bytes

Whoever writes them looks at the amendments after the write, so that nothing that was taken back stays, however long a fetch took.
"""

import mimetypes
import re
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from shared import logs
from shared.clock import Clock, Deadline
from shared.conversation.amendments import AmendmentLog, Amendments
from shared.conversation.records import MessageRecord
from shared.errors import CorruptRecordError, LineRefusedError
from shared.line.media import MediaSource, Unfetched, fetch_when_ready, readable_type
from shared.storage.codec import VERSION, decode, encode
from shared.storage.object_names import media_prefix, medium_label_name, medium_name
from shared.storage.object_store import ObjectStore

_LABEL_SUFFIX: Final = ".json"
_FILE_NAME: Final = re.compile(r"\[file: (.*?)(?:, [\d,.]+ kB)?\]", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class MediumLabel:
    """What there is to know of a medium without its bytes.  `content_type` is one that the model knows."""

    version: int = VERSION
    timestamp_ms: int
    content_type: str
    size_bytes: int


Unkept: TypeAlias = Unfetched | Literal["unreadable"]
"""Why there are no bytes: LINE has none, or they are of a type that the model cannot read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Media:
    """Fetches and keeps media.  Every method raises StorageUnavailableError when the bucket does not answer in time."""

    store: ObjectStore
    amendments: AmendmentLog
    source: MediaSource
    clock: Clock = field(repr=False)

    def fetch(self, conversation_id: str, message: MessageRecord, deadline: Deadline) -> MediumLabel | Unkept:
        """The bytes of the message are kept; return what they are, or why there are none.

        LINE may take its time until the deadline. Taken back meanwhile: nothing is kept. Repeated: nothing is fetched again.
        """
        known = self.label(conversation_id, message.line_message_id)
        if known is not None:
            return known
        try:
            fetched = fetch_when_ready(self.source, message.line_message_id, clock=self.clock, deadline=deadline)
        except LineRefusedError as cause:
            logs.error("content_refused", cause=cause)
            return "unavailable"
        if isinstance(fetched, str):
            logs.info("medium_not_fetched", reason=fetched)
            return fetched
        content_type = readable_type(fetched.content_type) or readable_type(_type_by_name(message))
        if content_type is None:
            return "unreadable"
        label = MediumLabel(timestamp_ms=message.timestamp_ms, content_type=content_type, size_bytes=len(fetched.data))
        self.store.create(medium_name(conversation_id, message.line_message_id), fetched.data)
        self.store.create(medium_label_name(conversation_id, message.line_message_id), encode(label))
        if self.amendments.has_taken_back(conversation_id, message.line_message_id, timestamp_ms=message.timestamp_ms):
            _drop(self.store, conversation_id, message.line_message_id)
            return "gone"
        logs.info("medium_kept", content_type=content_type, size_bytes=len(fetched.data))
        return label

    def label(self, conversation_id: str, line_message_id: str) -> MediumLabel | None:
        """Return what is kept of a message, or None where no bytes are."""
        stored = self.store.read(medium_label_name(conversation_id, line_message_id))
        return _label(stored.data) if stored else None

    def bytes_of(self, conversation_id: str, line_message_id: str) -> bytes | None:
        """Return the bytes of a message, or None where none are kept."""
        stored = self.store.read(medium_name(conversation_id, line_message_id))
        return stored.data if stored else None


@dataclass(frozen=True, slots=True, kw_only=True)
class MediaCopies:
    """What people showed, for whoever takes words back."""

    store: ObjectStore

    def take_out(self, conversation_id: str, amendments: Amendments) -> None:
        """No bytes are left of anything that was taken back.

        Repeated: does nothing. What has no label that can be read goes with anything that is erased. Raises: StorageUnavailableError.
        """
        prefix = media_prefix(conversation_id)
        names = (listed.name.removeprefix(prefix) for listed in self.store.list(prefix))
        for line_message_id in dict.fromkeys(name.removesuffix(_LABEL_SUFFIX) for name in names):
            if line_message_id in amendments.withdrawn or self._is_erased(conversation_id, line_message_id, amendments):
                _drop(self.store, conversation_id, line_message_id)

    def _is_erased(self, conversation_id: str, line_message_id: str, amendments: Amendments) -> bool:
        if amendments.erased_ms < 0:
            return False
        stored = self.store.read(medium_label_name(conversation_id, line_message_id))
        label = _label(stored.data) if stored else None
        return label is None or label.timestamp_ms <= amendments.erased_ms


def _drop(store: ObjectStore, conversation_id: str, line_message_id: str) -> None:
    store.delete(medium_name(conversation_id, line_message_id))
    store.delete(medium_label_name(conversation_id, line_message_id))


def _label(data: bytes) -> MediumLabel | None:
    try:
        return decode(MediumLabel, data)
    except CorruptRecordError as cause:
        logs.error("record_unreadable", cause=cause)
        return None


def _type_by_name(message: MessageRecord) -> str:
    """Return what a file is by its name, because LINE tells of most that they are octet streams."""
    found = _FILE_NAME.fullmatch(message.text) if message.type == "file" else None
    return (mimetypes.guess_type(found[1])[0] if found else None) or ""
