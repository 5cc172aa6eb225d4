"""The size of a PNG or JPEG image, from its first bytes.  Source: PNG specification, 11.2.2 "IHDR"; ITU-T T.81, B.2.2 "Frame header"."""

import struct
from typing import Final

_PNG: Final = b"\x89PNG\r\n\x1a\n"
_PNG_HEAD: Final = 24
_FRAME_MARKERS: Final = frozenset({*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC})
_WITHOUT_LENGTH: Final = frozenset({0x01, *range(0xD0, 0xD9)})


def image_size(content: bytes) -> tuple[int, int] | None:
    """Return width and height in pixels, for example `(1024, 768)`; None for anything else than a PNG or a JPEG."""
    if content.startswith(_PNG) and len(content) >= _PNG_HEAD and content[12:16] == b"IHDR":
        width, height = struct.unpack(">II", content[16:24])
        return width, height
    return _jpeg_size(content) if content.startswith(b"\xff\xd8") else None


def _jpeg_size(content: bytes) -> tuple[int, int] | None:
    at = 2
    while at + 9 <= len(content) and content[at] == 0xFF:  # noqa: PLR2004 - each marker begins with FF
        marker = content[at + 1]
        if marker in _FRAME_MARKERS:
            height, width = struct.unpack(">HH", content[at + 5 : at + 9])
            return width, height
        at += 2 if marker in _WITHOUT_LENGTH else 2 + int.from_bytes(content[at + 2 : at + 4])
    return None
