"""The bytes of images, voices, videos and files sent by people, stored along with the chat.

    media/{conversation_id}/{line_message_id}        the bytes
    media/{conversation_id}/{line_message_id}.json   the label: type, time and sender; written after the bytes

The writer looks at the amendments after the write, so nothing withdrawn stays, however long a fetch took.
"""

import mimetypes
import re
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor, Future
from contextvars import copy_context
from dataclasses import field, replace
from typing import Final, Literal, TypeAlias

from shared import logs
from shared.clock import Clock, Deadline
from shared.conversation.amendments import Amendments
from shared.conversation.member_mark import mark_id
from shared.conversation.records import MessageRecord
from shared.conversation.store import Conversation
from shared.conversation.word_holder import Removal, WordHolder
from shared.errors import CorruptRecordError, LineRefusedError
from shared.files.file_types import type_of_suffix
from shared.frozen import frozen
from shared.line.media_content import (
    MESSAGE_TYPES,
    ArrivingContent,
    MediaSource,
    Unfetched,
    fetch_when_ready,
    readable_type,
)
from shared.storage.codec import VERSION, decode, decode_if_readable, decode_readable, encode
from shared.storage.compare_and_swap import update_by_swap
from shared.storage.object_store import ListedObject
from shared.unknown_fields import Extensible

FETCH_S: Final = 15.0
UNKNOWN_MS: Final = 0
"""The timestamp of a medium fetched because of a quote, if memory does not know the quoted message."""
_LABEL_SUFFIX: Final = ".json"
_FILE_SUFFIX: Final = re.compile(r"\[file: .*?(\.[0-9A-Za-z]+)(?:, [\d,.]+ kB)?\]", re.DOTALL)


@frozen
class MediumLabel(Extensible):
    """The facts about a medium, without the bytes.

    `content_type`: a type known to the model, or one of FILE_TYPES, read as text. `by`: the sender's mark (`member_mark`), if known.
    `is_refused`: the model cannot open the medium, or its provider will not let it, so the medium is never shown again.
    """

    version: int = VERSION
    timestamp_ms: int
    content_type: str
    size_bytes: int
    by: str | None = None
    is_refused: bool = False


NotStored: TypeAlias = Unfetched | Literal["unreadable"]
"""Why no bytes are stored: LINE has none, or neither the model nor this system can read the type."""

Fetch: TypeAlias = Future[MediumLabel | NotStored]
Fetches: TypeAlias = Mapping[str, Fetch]
"""Fetches under way, by message id."""


@frozen
class Media:
    """Fetches and stores media.  Every method raises StorageUnavailableError when the bucket does not answer in time."""

    source: MediaSource
    threads: Executor = field(repr=False)
    clock: Clock = field(repr=False)

    def begin_fetch(self, conversation: Conversation, message: MessageRecord) -> Fetches:
        """Begin to fetch the message's medium, if any: LINE stores media for a limited time."""
        if message.type not in MESSAGE_TYPES:
            return {}
        deadline = Deadline.after(self.clock, FETCH_S)
        fetching = self.threads.submit(copy_context().run, self.fetch, conversation, message, deadline)
        return {message.line_message_id: fetching}

    def fetch(self, conversation: Conversation, message: MessageRecord, deadline: Deadline) -> MediumLabel | NotStored:
        """The bytes of the message are stored; return their label, or the reason why not.

        LINE is asked again until the deadline. After a withdrawal meanwhile nothing stays. A quoted medium has no known sender, so nothing
        stays either if a member took back everything meanwhile, because the member erasure may have missed the label. Repeated: nothing is
        fetched again, but the amendments are looked at again.
        """
        stored_label = self.label(conversation, message.line_message_id)
        result = self._fetch(conversation, message, deadline) if stored_label is None else stored_label
        if not isinstance(result, MediumLabel):
            return result
        amendments, is_new_quote = conversation.amendments, stored_label is None and message.timestamp_ms == UNKNOWN_MS
        if amendments.has_withdrawn(message.line_message_id, timestamp_ms=message.timestamp_ms) or (
            is_new_quote and amendments.look().members
        ):
            _drop(conversation, message.line_message_id)
            return "gone"
        return result

    def _fetch(self, conversation: Conversation, message: MessageRecord, deadline: Deadline) -> MediumLabel | NotStored:
        """Write the bytes of the message, if LINE has them by the deadline; the caller looks at the amendments next.

        After the deadline nothing is written: the request may be over, so a failed look or deletion would not be repeated.
        """

        def write(content: ArrivingContent) -> MediumLabel | NotStored:
            return _write(conversation, message, content) if deadline.left_s else "unavailable"

        try:
            result = fetch_when_ready(self.source, message.line_message_id, write, clock=self.clock, deadline=deadline)
        except LineRefusedError as cause:
            logs.error("content_refused", cause=cause)
            return "unavailable"
        if isinstance(result, MediumLabel):
            logs.info("medium_kept", content_type=result.content_type, size_bytes=result.size_bytes)
        else:
            logs.info("medium_not_fetched", reason=result)
        return result

    def label(self, conversation: Conversation, line_message_id: str) -> MediumLabel | None:
        """Return the label of a message's medium, or None where no bytes are stored."""
        return _label(conversation, line_message_id)

    def mark_as_refused(self, conversation: Conversation, line_message_id: str) -> None:
        """The medium, if stored, is never shown to the model again.  Repeated: changes nothing."""

        def refused(data: bytes | None) -> bytes | None:
            label = decode_if_readable(MediumLabel, data)
            return encode(replace(label, is_refused=True)) if label is not None and not label.is_refused else None

        store = conversation.objects.store
        update_by_swap(store, conversation.names.medium_label(line_message_id), refused, what="a medium's label")

    def bytes_of(self, conversation: Conversation, line_message_id: str) -> bytes | None:
        """Return the bytes of a message, or None where none are stored."""
        stored = conversation.objects.store.read(conversation.names.medium(line_message_id))
        return stored.data if stored else None


class MediaBytes(WordHolder):
    """The media of chats."""

    def begin_removal(self, conversation: Conversation) -> Removal:
        """No bytes are left of any withdrawn or erased message.

        Repeated: does nothing. A medium with an unreadable label is deleted by any erasure. Raises: StorageUnavailableError.
        """
        objects = conversation.objects
        listing = objects.reads.submit(lambda: objects.store.list(conversation.names.media_prefix))
        return lambda amendments: _remove_withdrawn(conversation, listing.result(), amendments)


def _remove_withdrawn(conversation: Conversation, listed: Sequence[ListedObject], amendments: Amendments) -> None:
    prefix, objects = conversation.names.media_prefix, conversation.objects
    objects_by_name = {one.name.removeprefix(prefix): one for one in listed}
    media_ids = dict.fromkeys(name.removesuffix(_LABEL_SUFFIX) for name in objects_by_name)
    dropped_ids = [one for one in media_ids if one in amendments.withdrawn]
    if amendments.erased_ms >= 0:
        labels = [objects_by_name.get(f"{one}{_LABEL_SUFFIX}") for one in media_ids]
        bodies = objects.reads.map(
            lambda label_object: objects.read(label_object) if label_object is not None else None, labels
        )
        dropped_ids += [one for one, data in zip(media_ids, bodies, strict=True) if _is_erased(data, amendments)]
    for line_message_id in dict.fromkeys(dropped_ids):
        _drop(conversation, line_message_id)


def count_media(conversation: Conversation) -> int:
    """Return the number of the chat's pictures, voice messages, videos and files, without their labels."""
    objects = conversation.objects.store.list(conversation.names.media_prefix)
    return sum(not one.name.endswith(_LABEL_SUFFIX) for one in objects)


def media_labels(conversation: Conversation) -> Mapping[str, MediumLabel | None]:
    """Return the label of each medium, by the id of its message.  None: the writer died before the label, or the label cannot be read.

    Raises: StorageUnavailableError.
    """
    prefix, objects = conversation.names.media_prefix, conversation.objects
    listed = objects.store.list(prefix)
    label_objects = [one for one in listed if one.name.endswith(_LABEL_SUFFIX)]
    labels = {
        label_object.name.removeprefix(prefix).removesuffix(_LABEL_SUFFIX): label
        for label_object, data in zip(label_objects, objects.read_all(label_objects), strict=True)
        for label in decode_readable(MediumLabel, [data])
    }
    media_ids = (one.name.removeprefix(prefix).removesuffix(_LABEL_SUFFIX) for one in listed)
    return {line_message_id: labels.get(line_message_id) for line_message_id in media_ids}


def _write(
    conversation: Conversation, message: MessageRecord, content: ArrivingContent
) -> MediumLabel | Literal["unreadable"]:
    """Write the bytes while they arrive, then their label; content of an unreadable type is not downloaded."""
    content_type = _type_of(message, content)
    if content_type is None:
        return "unreadable"
    names, store = conversation.names, conversation.objects.store
    if not store.create_from(names.medium(message.line_message_id), content):  # written by an earlier fetch
        content.skip()
    label = MediumLabel(
        timestamp_ms=message.timestamp_ms,
        content_type=content_type,
        size_bytes=content.size_bytes,
        by=mark_id(message.user_id) or None,
    )
    store.create(names.medium_label(message.line_message_id), encode(label))
    return label


def _is_erased(label: bytes | None, amendments: Amendments) -> bool:
    """Whether the label's medium was erased; without a readable label the medium counts as older than any erasure."""
    return all(one.timestamp_ms <= amendments.erased_ms for one in decode_readable(MediumLabel, [label]))


def _drop(conversation: Conversation, line_message_id: str) -> None:
    """The bytes and the label are deleted; a medium stored later for another quote of the message stays."""
    names, store = conversation.names, conversation.objects.store
    own = (names.medium(line_message_id), names.medium_label(line_message_id))
    for listed_object in store.list(own[0]):
        if listed_object.name in own:
            store.delete(listed_object.name, generation=listed_object.generation)


def _label(conversation: Conversation, line_message_id: str) -> MediumLabel | None:
    stored = conversation.objects.store.read(conversation.names.medium_label(line_message_id))
    if stored is None:
        return None
    try:
        return decode(MediumLabel, stored.data)
    except CorruptRecordError as cause:
        logs.error("record_unreadable", cause=cause)
        return None


def _type_of(message: MessageRecord, content: ArrivingContent) -> str | None:
    """Return the type under which the content is read; None: unreadable.

    The suffix of a file name counts more than LINE's type where this system reads such files: LINE calls most files octet streams, and
    Windows calls csv files Excel's. Only the suffix is shown to `mimetypes`, which would read a whole name as a URL, and refuse invalid
    ones.

    For example, `[file: plan.csv, 2 kB]` is `text/csv`, whatever LINE reports.
    """
    suffix_match = _FILE_SUFFIX.fullmatch(message.text) if message.type == "file" else None
    suffix = suffix_match[1] if suffix_match else ""
    guessed = mimetypes.guess_type(f"file{suffix}")[0] if suffix else None
    return type_of_suffix(suffix) or readable_type(content.content_type) or readable_type(guessed or "")
