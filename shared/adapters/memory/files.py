"""A reader of files in this process, without limits."""

import zoneinfo
from dataclasses import field

from shared.files.document import Document, Unread, UnreadableFileError
from shared.files.reading import read_document
from shared.frozen import frozen


@frozen
class MemoryFiles:
    """A FileReader."""

    locale: str = "ja"
    time_zone: zoneinfo.ZoneInfo = field(default_factory=lambda: zoneinfo.ZoneInfo("Asia/Tokyo"))
    now_ms: int | None = None

    def read(self, data: bytes, content_type: str, *, seconds: float) -> Document | Unread | None:
        del seconds
        try:
            return read_document(data, content_type, locale=self.locale, time_zone=self.time_zone, now_ms=self.now_ms)
        except UnreadableFileError as cause:
            return cause.reason
