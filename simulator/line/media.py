"""The bytes of people's images, videos, voice messages and files.  Source: Messaging API reference, "Get content"."""

from dataclasses import dataclass, field
from typing import Literal

TranscodingStatus = Literal["processing", "succeeded", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Media:
    """The content of a message. Until `prepared_at_ms` the endpoint answers 202."""

    content: bytes = field(repr=False)
    content_type: str
    preview: bytes | None = field(default=None, repr=False)
    prepared_at_ms: int = 0
    transcoding_failed: bool = False

    def status(self, at_ms: int) -> TranscodingStatus:
        """Return the transcoding status at the given time."""
        if self.transcoding_failed:
            return "failed"
        return "succeeded" if at_ms >= self.prepared_at_ms else "processing"
