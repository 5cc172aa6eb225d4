"""Images, voices, videos and files as parts of a prompt: bytes, or an address if the model reads buckets.

A file that the model cannot read becomes text, extracted again for each prompt and never stored.
"""

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

from shared import logs
from shared.agent.file_parts import (
    ALL_FILES_TOKENS,
    CALENDAR_NOTE,
    CAPTION_TOKENS,
    FILE_TOKENS,
    LEAST_TOKENS,
    READ_S,
    UNREAD_NOTES,
    FileReader,
    file_part,
)
from shared.agent.model import INLINE_LIMIT_BYTES, FilePart, MediaPart, Part
from shared.agent.token_estimate import estimated_tokens
from shared.clock import Deadline
from shared.conversation.history import History
from shared.conversation.media import FETCH_S, Fetch, Fetches, Media, MediumLabel, NotStored
from shared.conversation.quotes import Quotable
from shared.conversation.records import MessageRecord
from shared.conversation.store import Conversation
from shared.errors import AizuchiError
from shared.files.document import Unread
from shared.files.file_types import FILE_TYPES, ICS, PDF
from shared.files.pdf_password import needs_password
from shared.frozen import frozen
from shared.line.media_content import MESSAGE_TYPES

PROCESS_LIMIT_BYTES: Final = 3 * INLINE_LIMIT_BYTES
"""The bytes of media in all prompts of a process; a prompt counts its bytes once, from their reading to the model's answer."""

RECENT_MS: Final = 5 * 60_000
RECENT_MEDIA: Final = 3
_TOO_MUCH: Final = "It is left out, because there is too much to look at at once."
_NOT_OPENED: Final = "It could not be opened this time."
REFUSED: Final = (
    "[note] It cannot be opened: it is damaged, locked, or of a kind that you cannot read. Say so if it is asked about."
)
_WHY_NOT: Final[Mapping[NotStored, str]] = {
    "not_ready": "LINE is still preparing it; the person may ask again in a moment.",
    "gone": "It is not there any more.",
    "too_large": "It is too large to be looked at.",
    "unavailable": _NOT_OPENED,
    "unreadable": "It is of a type that cannot be read.",
}


_UNREAD_FILES: Final[Mapping[NotStored, Unread]] = {"unreadable": Unread.UNKNOWN_TYPE, "too_large": Unread.TOO_LARGE}


@frozen
class ShownMedia:
    """The media of a prompt.

    `parts`: by message id, the quoted medium and the message's own medium, or notes on the reason for a missing medium. `unread`: by
    message id, the reason why the message's own file is unreadable.
    """

    parts: Mapping[str, Sequence[Part]] = field(default_factory=dict, repr=False)
    unread: Mapping[str, Unread] = field(default_factory=dict)


class InlineBudget:
    """The bytes of media that the prompts of a process may hold; safe to share between threads."""

    def __init__(self, limit_bytes: int = PROCESS_LIMIT_BYTES) -> None:
        self._left_bytes = limit_bytes
        self._lock = threading.Lock()

    def take(self, size_bytes: int) -> bool:
        """Take the bytes if enough remain; return whether they did."""
        with self._lock:
            is_left = size_bytes <= self._left_bytes
            self._left_bytes -= size_bytes if is_left else 0
            return is_left

    def give_back(self, size_bytes: int) -> None:
        """Return taken bytes to the budget."""
        with self._lock:
            self._left_bytes += size_bytes


@dataclass(slots=True, kw_only=True)
class _Share:
    """A turn's share of the budget, and its deadline for fetches.

    Files are read until the deadline `reading`, and have `file_tokens` together; `question` are the words of the question.
    """

    budget: InlineBudget
    deadline: Deadline
    reading: Deadline
    question: tuple[str, ...] = field(default=(), repr=False)
    file_tokens: int = ALL_FILES_TOKENS
    taken_bytes: int = 0
    unread: dict[str, Unread] = field(default_factory=dict)

    def take(self, size_bytes: int) -> bool:
        if self.taken_bytes + size_bytes > INLINE_LIMIT_BYTES or not self.budget.take(size_bytes):
            logs.warning("medium_left_out", size_bytes=size_bytes, taken_bytes=self.taken_bytes)
            return False
        self.taken_bytes += size_bytes
        return True


@frozen
class MediaParts:
    """Makes parts of media.  `bucket`: the bucket that the model can read; None if the model reads no bucket."""

    media: Media
    files: FileReader = field(repr=False)
    bucket: str | None
    budget: InlineBudget = field(default_factory=InlineBudget, repr=False)

    @contextmanager
    def shown(
        self,
        conversation: Conversation,
        asked: Sequence[MessageRecord],
        *,
        quotable: Quotable,
        fetches: Fetches,
        deadline: Deadline,
    ) -> Iterator[ShownMedia]:
        """Yield the media of the messages and of the messages quoted there, as the prompt shows them.

        `fetches` are under way; fetches of other media are begun; all together are awaited for at most FETCH_S, and not after the deadline.
        The bytes of a block are at most INLINE_LIMIT_BYTES; the bytes of all open blocks are within the budget. Storage failures are not
        raised: the turn goes on without the medium.
        """
        question = tuple(message.text for message in asked if message.type not in MESSAGE_TYPES)
        share = _Share(
            budget=self.budget,
            deadline=deadline.within(FETCH_S),
            reading=deadline.within(FETCH_S + READ_S),
            question=question,
        )
        try:
            yield ShownMedia(parts=self._parts(conversation, asked, quotable, fetches, share), unread=share.unread)
        finally:
            self.budget.give_back(share.taken_bytes)

    def _parts(
        self,
        conversation: Conversation,
        asked: Sequence[MessageRecord],
        quotable: Quotable,
        fetches: Fetches,
        share: _Share,
    ) -> Mapping[str, Sequence[Part]]:
        shown = {message.line_message_id: list(media_of(message, quotable)) for message in asked}
        fetching = dict(fetches)
        for medium in (medium for several in shown.values() for medium in several):
            if medium.line_message_id not in fetching:
                fetching |= self.media.begin_fetch(conversation, medium)
        return {
            line_message_id: [
                self._part(conversation, medium, fetching[medium.line_message_id], share) for medium in several
            ]
            for line_message_id, several in shown.items()
        }

    def stored_part(self, conversation: Conversation, message: MessageRecord) -> MediaPart | FilePart | None:
        """Return the message's medium if it is stored; nothing is fetched.  Raises: StorageUnavailableError."""
        label = self.media.label(conversation, message.line_message_id)
        # A request after the answer shows one medium, and waits for no fetch
        share = _Share(
            budget=InlineBudget(INLINE_LIMIT_BYTES),
            deadline=Deadline.after(self.media.clock, 0),
            reading=Deadline.after(self.media.clock, READ_S),
            file_tokens=CAPTION_TOKENS,
        )
        part = self._open_medium(conversation, message, label, share) if label and not label.is_refused else None
        return None if isinstance(part, str) else part

    def _part(
        self,
        conversation: Conversation,
        message: MessageRecord,
        fetching: Fetch,
        share: _Share,
    ) -> Part:
        try:
            fetched = fetching.result(timeout=share.deadline.left_s)
            if isinstance(fetched, MediumLabel):
                return self._open_medium(conversation, message, fetched, share)
        except (AizuchiError, TimeoutError) as cause:
            logs.error("medium_unreadable", cause=cause)
            return f"[note] {_NOT_OPENED}"
        if message.type == "file" and fetched in _UNREAD_FILES:
            return _unread(message, _UNREAD_FILES[fetched], share)
        return f"[note] {_WHY_NOT[fetched]}"

    def _open_medium(
        self, conversation: Conversation, message: MessageRecord, label: MediumLabel, share: _Share
    ) -> Part:
        if label.is_refused:
            return REFUSED
        if label.content_type in FILE_TYPES:
            return self._read_file(conversation, message, label, share)
        reason = self._why_unread(conversation, message, label)
        if reason is not None:
            return _unread(message, reason, share)
        if self.bucket is not None:
            address = f"gs://{self.bucket}/{conversation.names.medium(message.line_message_id)}"
            return MediaPart(content_type=label.content_type, source=address)
        if not share.take(label.size_bytes):
            return f"[note] {_TOO_MUCH}"
        data = self.media.bytes_of(conversation, message.line_message_id)
        return f"[note] {_WHY_NOT['gone']}" if data is None else MediaPart(content_type=label.content_type, source=data)

    def _why_unread(self, conversation: Conversation, message: MessageRecord, label: MediumLabel) -> Unread | None:
        """Return why the model is not shown a file of its types; None: it is shown, also while too many bytes are held to look."""
        if message.type != "file":
            return None
        if not label.size_bytes:
            return Unread.EMPTY
        if label.content_type != PDF or not self.budget.take(label.size_bytes):
            return None
        try:
            data = self.media.bytes_of(conversation, message.line_message_id)
            return Unread.PROTECTED if data is not None and needs_password(data) else None
        finally:
            self.budget.give_back(label.size_bytes)

    def _read_file(self, conversation: Conversation, message: MessageRecord, label: MediumLabel, share: _Share) -> Part:
        """Return the text of a file, within the remaining tokens for files."""
        if share.file_tokens < LEAST_TOKENS or not share.take(label.size_bytes):
            return f"[note] {_TOO_MUCH}"
        data = self.media.bytes_of(conversation, message.line_message_id)
        if data is None:
            return f"[note] {_WHY_NOT['gone']}"
        document = self.files.read(data, label.content_type, seconds=share.reading.left_s)
        if document is None:
            return f"[note] {_NOT_OPENED}"
        if isinstance(document, Unread):
            return _unread(message, document, share)
        part = file_part(document, question=share.question, limit_tokens=min(FILE_TOKENS, share.file_tokens))
        if label.content_type == ICS:
            part = FilePart(text=f"{part.text}\n{CALENDAR_NOTE}")
        share.file_tokens -= estimated_tokens(part.text)
        return part


def _unread(message: MessageRecord, reason: Unread, share: _Share) -> str:
    """Record the message's file as unreadable, and return the note on the reason."""
    share.unread[message.line_message_id] = reason
    return UNREAD_NOTES[reason]


def recent_media(history: History, asked: Sequence[MessageRecord]) -> tuple[MessageRecord, ...]:
    """Return the askers' three newest media of the five minutes before: a picture and its text are separate messages."""
    if not asked or all(one.type in MESSAGE_TYPES for one in asked):
        return ()
    people, asked_ids = {one.user_id for one in asked}, {one.line_message_id for one in asked}
    quoted = {one.quoted_message_id for one in asked}
    since_ms = max(one.timestamp_ms for one in asked) - RECENT_MS
    media = [
        message
        for message in history.messages
        if message.type in MESSAGE_TYPES
        and message.user_id in people
        and message.timestamp_ms >= since_ms
        and message.line_message_id not in asked_ids | quoted
    ]
    return tuple(media[-RECENT_MEDIA:])


def media_of(message: MessageRecord, quotable: Quotable) -> Iterator[MessageRecord]:
    """Yield the quoted medium, and the message's own medium."""
    quoted = quotable.quoted_by(message)
    for record in (quoted, message):
        if isinstance(record, MessageRecord) and record.type in MESSAGE_TYPES:
            yield record
