"""The bytes of images, voices, videos and files that people sent.

Source: LINE, "Get content": 202 while LINE prepares a large file, 410 after an unsend, 404 after a retention time that LINE does not state.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final, Literal, Protocol, TypeVar

from shared.clock import Clock, Deadline
from shared.files.file_types import file_type

LARGEST_BYTES: Final = 10_000_000
"""Bytes of a medium.  LINE's images are smaller; Gemini takes 20 MB a request, shared by all media of the request.

Source: Gemini API, "Audio understanding"."""
MESSAGE_TYPES: Final = frozenset({"image", "audio", "video", "file"})
_PAUSE_S: Final = 1.0

# Gemini's names for types with other names in LINE.  Source: Gemini API, "Image", "Audio", "Video" and "Document understanding"
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


_Result = TypeVar("_Result")


class ContentTooLargeError(Exception):
    """A content has more bytes than the reader takes."""


class ArrivingContent:
    """The arriving content of a message: the bytes, piece by piece, once.  `content_type` is LINE's, without parameters."""

    def __init__(self, pieces: Iterable[bytes], *, content_type: str, at_most_bytes: int) -> None:
        self.content_type = content_type
        self.size_bytes = 0
        """The bytes that have arrived so far."""
        self._pieces = iter(pieces)
        self._at_most_bytes = at_most_bytes

    def __iter__(self) -> Iterator[bytes]:
        """Yield the pieces.  Raises: ContentTooLargeError; the source's error if the content breaks off.  `fetch` handles both errors."""
        for piece in self._pieces:
            self.size_bytes += len(piece)
            if self.size_bytes > self._at_most_bytes:
                raise ContentTooLargeError("the content has too many bytes")
            yield piece

    def skip(self) -> None:
        """Read and discard the remaining content.  Raises: as `__iter__`."""
        for _ in self:
            pass


Unfetched = Literal["not_ready", "gone", "too_large", "unavailable"]
"""Why there are no bytes: LINE still prepares the content; it was withdrawn or has expired; it exceeds the limit; LINE did not answer."""


class MediaSource(Protocol):
    """LINE's store of message contents."""

    def fetch(
        self, line_message_id: str, keep: Callable[[ArrivingContent], _Result], *, at_most_bytes: int = LARGEST_BYTES
    ) -> _Result | Unfetched:
        """Call `keep` with the arriving content of a message; return the result of `keep`, or why there is no content.

        If the content breaks off or is too large, the error passes through `keep`, and `keep` must leave nothing behind. Repeated: asks
        again. Raises: LineRefusedError, if LINE refuses the bot's access (401, 403); errors of `keep`.
        """
        ...


def fetch_when_ready(
    source: MediaSource,
    line_message_id: str,
    keep: Callable[[ArrivingContent], _Result],
    *,
    clock: Clock,
    deadline: Deadline,
) -> _Result | Unfetched:
    """Fetch the content.  While LINE prepares the content or does not answer, ask again every second until the deadline."""
    content = source.fetch(line_message_id, keep)
    while content in ("not_ready", "unavailable") and deadline.left_s:
        clock.sleep(min(_PAUSE_S, deadline.left_s))
        content = source.fetch(line_message_id, keep)
    return content


def readable_type(content_type: str) -> str | None:
    """Return Gemini's name for LINE's `content_type`, or the type of FILE_TYPES as which the file is read; None for any other type.

    For example, "audio/x-m4a" -> "audio/mp4", "text/x-python" -> "text/plain", "application/zip" -> None.
    """
    plain = content_type.partition(";")[0].strip().lower()
    gemini_type = _SAME_AS.get(plain, plain)
    return gemini_type if gemini_type in _READABLE else file_type(gemini_type)
