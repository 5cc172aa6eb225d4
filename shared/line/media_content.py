"""The bytes of images, voices, videos and files that people sent.

Source: LINE, "Get content": 202 while LINE prepares a large file, 410 after an unsend, 404 after a retention time that LINE does not state.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, Protocol

from shared.clock import Clock, Deadline

LARGEST_BYTES: Final = 10_000_000
"""The bytes of one medium.  Those that are fetched at once are bounded by this and by the threads that fetch.  LINE's images are smaller;
Gemini takes 20 MB a request, which a medium shares with others.  Source: Gemini API, "Audio understanding"."""
MESSAGE_TYPES: Final = frozenset({"image", "audio", "video", "file"})
_PAUSE_S: Final = 1.0

# Gemini's names for types that LINE and devices name otherwise.  Source: Gemini API, "Image", "Audio", "Video" and "Document understanding"
_SAME_AS: Final[Mapping[str, str]] = {
    "audio/x-m4a": "audio/mp4",
    "audio/m4a": "audio/mp4",
    "audio/mpeg": "audio/mp3",
    "audio/x-wav": "audio/wav",
    "image/jpg": "image/jpeg",
    "video/quicktime": "video/mov",
    "text/markdown": "text/plain",
    "text/csv": "text/plain",
    "application/json": "text/plain",
}
_READABLE: Final = frozenset(
    {
        *("image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"),
        *("audio/mp4", "audio/mp3", "audio/wav", "audio/aac", "audio/ogg", "audio/flac", "audio/aiff"),
        *("video/mp4", "video/mov", "video/mpeg", "video/webm", "video/3gpp"),
        *("application/pdf", "text/plain"),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """The content of a message; `content_type` is LINE's, without parameters."""

    data: bytes = field(repr=False)
    content_type: str


Unfetched = Literal["not_ready", "gone", "too_large", "unavailable"]
"""Why there are no bytes: LINE still prepares them, they were withdrawn or expired, they exceed the limit, or LINE did not answer."""


class MediaSource(Protocol):
    """LINE's store of message contents."""

    def fetch(self, line_message_id: str, *, at_most_bytes: int = LARGEST_BYTES) -> Fetched | Unfetched:
        """Return the content of a message, or why there is none.  Repeated: asks again.

        No more than `at_most_bytes` are held in memory. Raises: LineRefusedError, if LINE refuses the bot itself (401, 403).
        """
        ...


def fetch_when_ready(
    source: MediaSource, line_message_id: str, *, clock: Clock, deadline: Deadline, at_most_bytes: int = LARGEST_BYTES
) -> Fetched | Unfetched:
    """Return the content.  While LINE prepares it or does not answer, ask again every second until the deadline."""
    found = source.fetch(line_message_id, at_most_bytes=at_most_bytes)
    while found in {"not_ready", "unavailable"} and deadline.left_s:
        clock.sleep(min(_PAUSE_S, deadline.left_s))
        found = source.fetch(line_message_id, at_most_bytes=at_most_bytes)
    return found


def readable_type(content_type: str) -> str | None:
    """Return Gemini's name for LINE's `content_type`; None if Gemini cannot read this type."""
    plain = content_type.partition(";")[0].strip().lower()
    known = _SAME_AS.get(plain, plain)
    return known if known in _READABLE else None
