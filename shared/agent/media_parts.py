"""Images, voices, videos and files as parts of a prompt: their bytes, or their address if the model reads buckets."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from shared import logs
from shared.agent.model import INLINE_LIMIT_BYTES, MediaPart
from shared.agent.prompt import Part
from shared.conversation.media import FETCH_S, Fetch, Fetches, Media, MediumLabel, Unkept
from shared.conversation.quotes import Quotable
from shared.conversation.records import MessageRecord
from shared.conversation.store import Conversation
from shared.errors import AizuchiError
from shared.line.media_content import MESSAGE_TYPES

_TOO_MUCH: Final = "It is left out, because there is too much to look at at once."
_NOT_OPENED: Final = "It could not be opened this time."
_WHY_NOT: Final[Mapping[Unkept, str]] = {
    "not_ready": "LINE is still preparing it; the person may ask again in a moment.",
    "gone": "It is not there any more.",
    "too_large": "It is too large to be looked at.",
    "unavailable": _NOT_OPENED,
    "unreadable": "It is of a type that cannot be read.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class MediaParts:
    """Makes parts of media.  `bucket` is the bucket that the model can read; None if it can read none."""

    media: Media
    bucket: str | None

    def of(
        self, conversation: Conversation, asked: Sequence[MessageRecord], *, quotable: Quotable, fetches: Fetches
    ) -> Mapping[str, Sequence[Part]]:
        """Return the parts of each message by its id: the medium that it quotes and its own, or a note on why a medium is missing.

        `fetches` are under way; fetches of other media are begun. All bytes together are within INLINE_LIMIT_BYTES. A storage failure
        raises nothing: the turn goes on without the medium.
        """
        shown = {message.line_message_id: list(_media_of(message, quotable)) for message in asked}
        fetching = dict(fetches)
        for medium in (medium for several in shown.values() for medium in several):
            if medium.line_message_id not in fetching:
                fetching |= self.media.begin_fetch(conversation, medium)
        found: dict[str, Sequence[Part]] = {}
        left_bytes = INLINE_LIMIT_BYTES
        for line_message_id, several in shown.items():
            parts: list[Part] = []
            for medium in several:
                part = self._part(conversation, medium, fetching[medium.line_message_id], left_bytes)
                left_bytes -= len(part.source) if isinstance(part, MediaPart) and self.bucket is None else 0
                parts.append(part)
            found[line_message_id] = parts
        return found

    def stored_part(self, conversation: Conversation, message: MessageRecord) -> MediaPart | None:
        """Return the message's medium if it is stored; nothing is fetched.  Raises: StorageUnavailableError."""
        label = self.media.label(conversation, message.line_message_id)
        part = self._open_medium(conversation, message, label, INLINE_LIMIT_BYTES) if label else None
        return part if isinstance(part, MediaPart) else None

    def _part(
        self,
        conversation: Conversation,
        message: MessageRecord,
        fetching: Fetch,
        left_bytes: int,
    ) -> Part:
        try:
            found = fetching.result(timeout=FETCH_S)
            if isinstance(found, MediumLabel):
                return self._open_medium(conversation, message, found, left_bytes)
        except (AizuchiError, TimeoutError) as cause:
            logs.error("medium_unreadable", cause=cause)
            return f"[note] {_NOT_OPENED}"
        return f"[note] {_WHY_NOT[found]}"

    def _open_medium(
        self, conversation: Conversation, message: MessageRecord, label: MediumLabel, left_bytes: int
    ) -> Part:
        if self.bucket is not None:
            address = f"gs://{self.bucket}/{conversation.names.medium(message.line_message_id)}"
            return MediaPart(content_type=label.content_type, source=address)
        if label.size_bytes > left_bytes:
            return f"[note] {_TOO_MUCH}"
        data = self.media.bytes_of(conversation, message.line_message_id)
        return f"[note] {_WHY_NOT['gone']}" if data is None else MediaPart(content_type=label.content_type, source=data)


def _media_of(message: MessageRecord, quotable: Quotable) -> Iterator[MessageRecord]:
    quoted = quotable.quoted_by(message)
    for record in (quoted, message):
        if isinstance(record, MessageRecord) and record.type in MESSAGE_TYPES:
            yield record
