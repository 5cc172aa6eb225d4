"""The bytes of images, voices, videos and files that people sent.

Source: LINE, "Get content": 202 while LINE prepares a large file, 410 after an unsend, 404 after a retention time that LINE does not state.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final, Literal, Protocol, TypeVar

from shared.clock import Clock, Deadline
from shared.files.file_types import file_type

LARGEST_BYTES: Final = 10_000_000
"""The bytes of one medium.  LINE's images are smaller; Gemini takes 20 MB a request, which a medium shares with others.

Source: Gemini API, "Audio understanding"."""
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
}
_READABLE: Final = frozenset(
    {
        *("image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"),
        *("audio/mp4", "audio/mp3", "audio/wav", "audio/aac", "audio/ogg", "audio/flac", "audio/aiff"),
        *("video/mp4", "video/mov", "video/mpeg", "video/webm", "video/3gpp"),
        "application/pdf",
    }
)


_Kept = TypeVar("_Kept")


class ContentTooLargeError(Exception):
    """A content has more bytes than its reader takes."""


class ArrivingContent:
    """The content of a message while it arrives: its bytes, piece by piece, once.  `content_type` is LINE's, without parameters."""

    def __init__(self, pieces: Iterable[bytes], *, content_type: str, at_most_bytes: int) -> None:
        self.content_type = content_type
        self.size_bytes = 0
        """The bytes that have arrived so far."""
        self._pieces = iter(pieces)
        self._at_most_bytes = at_most_bytes

    def __iter__(self) -> Iterator[bytes]:
        """Yield the pieces.  Raises: ContentTooLargeError; an error of the source if it breaks off.  The source's `fetch` handles both."""
        for piece in self._pieces:
            self.size_bytes += len(piece)
            if self.size_bytes > self._at_most_bytes:
                raise ContentTooLargeError("the content has too many bytes")
            yield piece

    def skip(self) -> None:
        """Read what is left of the content, and keep none of it.  Raises: as above."""
        for _ in self:
            pass


Unfetched = Literal["not_ready", "gone", "too_large", "unavailable"]
"""Why there are no bytes: LINE still prepares them, they were withdrawn or expired, they exceed the limit, or LINE did not answer."""


class MediaSource(Protocol):
    """LINE's store of message contents."""

    def fetch(
        self, line_message_id: str, keep: Callable[[ArrivingContent], _Kept], *, at_most_bytes: int = LARGEST_BYTES
    ) -> _Kept | Unfetched:
        """Hand the content of a message to `keep` while it arrives; return what that returns, or why there is no content.

        Where the content breaks off or is too large, `keep` is left by the error, and must leave nothing behind. Repeated: asks again.
        Raises: LineRefusedError, if LINE refuses the bot itself (401, 403); what `keep` raises.
        """
        ...


def fetch_when_ready(
    source: MediaSource,
    line_message_id: str,
    keep: Callable[[ArrivingContent], _Kept],
    *,
    clock: Clock,
    deadline: Deadline,
) -> _Kept | Unfetched:
    """Return what `keep` returns.  While LINE prepares the content or does not answer, ask again every second until the deadline."""
    found = source.fetch(line_message_id, keep)
    while found in ("not_ready", "unavailable") and deadline.left_s:
        clock.sleep(min(_PAUSE_S, deadline.left_s))
        found = source.fetch(line_message_id, keep)
    return found


def readable_type(content_type: str) -> str | None:
    """Return Gemini's name for LINE's `content_type`, or the one of FILE_TYPES as which it is read; None if nobody can read this type."""
    plain = content_type.partition(";")[0].strip().lower()
    known = _SAME_AS.get(plain, plain)
    return known if known in _READABLE else file_type(known)
