"""Pictures, voices, videos and files for a prompt: their bytes, or their address where the model reads buckets."""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future
from contextvars import copy_context
from dataclasses import dataclass, field
from typing import Final

from shared import logs
from shared.agent.model import INLINE_LIMIT_BYTES, MediaPart
from shared.agent.prompt import Part
from shared.clock import Clock, Deadline
from shared.conversation.history import Quotable
from shared.conversation.media import Media, MediumLabel, Unkept
from shared.conversation.records import MessageRecord
from shared.errors import AizuchiError
from shared.line.media import MESSAGE_TYPES
from shared.storage.object_names import medium_name

SECONDS: Final = 15.0
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
class Showing:
    """Fetches what people showed, on the threads of `threads`.  `bucket`: where the model can read it; None where it cannot."""

    media: Media
    bucket: str | None
    threads: Executor = field(repr=False)
    clock: Clock = field(repr=False)

    def begin(self, conversation_id: str, message: MessageRecord) -> "Future[MediumLabel | Unkept] | None":
        """What the message shows is being fetched, if it shows anything: LINE does not keep it for ever."""
        if message.type not in MESSAGE_TYPES:
            return None
        deadline = Deadline.after(self.clock, SECONDS)
        return self.threads.submit(copy_context().run, self.media.fetch, conversation_id, message, deadline)

    def parts(
        self,
        conversation_id: str,
        asked: Sequence[MessageRecord],
        *,
        quotable: Quotable,
        begun: Mapping[str, "Future[MediumLabel | Unkept]"],
    ) -> Mapping[str, Sequence[Part]]:
        """Return what goes with each of the messages: what it quotes and what it shows, or a remark on why that is missing.

        `begun` are fetches that are under way. All bytes together are within what one request may hold. Never raises on a storage failure:
        the turn goes on without.
        """
        shown = {one.line_message_id: list(_showing(one, quotable)) for one in asked}
        fetching = dict(begun)
        for one in (one for several in shown.values() for one in several):
            future = None if one.line_message_id in fetching else self.begin(conversation_id, one)
            if future is not None:
                fetching[one.line_message_id] = future
        found: dict[str, Sequence[Part]] = {}
        left_bytes = INLINE_LIMIT_BYTES
        for line_message_id, several in shown.items():
            parts: list[Part] = []
            for one in several:
                part = self._part(conversation_id, one, fetching[one.line_message_id], left_bytes)
                left_bytes -= len(part.source) if isinstance(part, MediaPart) and self.bucket is None else 0
                parts.append(part)
            found[line_message_id] = parts
        return found

    def one(self, conversation_id: str, message: MessageRecord) -> MediaPart | None:
        """Return what the message shows, if it is kept; nothing is fetched.  Raises: StorageUnavailableError."""
        label = self.media.label(conversation_id, message.line_message_id)
        part = self._opened(conversation_id, message, label, INLINE_LIMIT_BYTES) if label else None
        return part if isinstance(part, MediaPart) else None

    def _part(
        self,
        conversation_id: str,
        message: MessageRecord,
        fetching: "Future[MediumLabel | Unkept]",
        left_bytes: int,
    ) -> Part:
        try:
            found = fetching.result(timeout=SECONDS)
            if isinstance(found, MediumLabel):
                return self._opened(conversation_id, message, found, left_bytes)
        except (AizuchiError, TimeoutError) as cause:
            logs.error("medium_unreadable", cause=cause)
            return f"[note] {_NOT_OPENED}"
        return f"[note] {_WHY_NOT[found]}"

    def _opened(self, conversation_id: str, message: MessageRecord, label: MediumLabel, left_bytes: int) -> Part:
        if self.bucket is not None:
            address = f"gs://{self.bucket}/{medium_name(conversation_id, message.line_message_id)}"
            return MediaPart(content_type=label.content_type, source=address)
        if label.size_bytes > left_bytes:
            return f"[note] {_TOO_MUCH}"
        data = self.media.bytes_of(conversation_id, message.line_message_id)
        return f"[note] {_WHY_NOT['gone']}" if data is None else MediaPart(content_type=label.content_type, source=data)


def _showing(message: MessageRecord, quotable: Quotable) -> Iterator[MessageRecord]:
    quoted = quotable.quoted_by(message)
    for one in (quoted, message):
        if isinstance(one, MessageRecord) and one.type in MESSAGE_TYPES:
            yield one
