"""Content for messages sent without content: a red dot as a PNG, and bytes resembling the start of a video or a voice message."""

import base64
from typing import Final

_PNG: Final = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
)
_MP4: Final = b"\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom"
_M4A: Final = b"\x00\x00\x00\x18ftypM4A \x00\x00\x00\x00M4A mp42"

SAMPLES: Final = {
    "image": (_PNG, "image/png"),
    "video": (_MP4, "video/mp4"),
    "audio": (_M4A, "audio/x-m4a"),
    "file": (b"A note.\n", "text/plain"),
}
