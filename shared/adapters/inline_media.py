"""Media inside a JSON body, encoded during sending: memory holds one copy of the bytes, and never the whole base64.

The body is made with a placeholder for each medium. Placeholders hold 128 random bits, so no person's text contains one.
Source: Gemini API, `Blob.data`; base64 in the alphabet for URLs, as google-genai 3.4.0 sends it.
"""

import base64
import re
import secrets
from collections.abc import Iterator
from dataclasses import field
from typing import Final

from shared.frozen import frozen

_RANDOM_BYTES: Final = 16
_PIECE_BYTES: Final = 3 * 16_384
"""Divisible by three, so that only the last piece is padded."""


@frozen
class Body:
    """A body as bytes and media in sending order, which can be sent repeatedly.  Media are sent as base64."""

    texts: tuple[bytes, ...] = field(repr=False)
    media: tuple[bytes, ...] = field(repr=False)

    @property
    def size_bytes(self) -> int:
        """The number of sent bytes: a medium of 4 bytes counts 8."""
        return sum(map(len, self.texts)) + sum((len(one) + 2) // 3 * 4 for one in self.media)

    def __iter__(self) -> Iterator[bytes]:
        """The body piece by piece."""
        yield self.texts[0]
        for medium, text in zip(self.media, self.texts[1:], strict=True):
            view = memoryview(medium)
            for start in range(0, len(medium), _PIECE_BYTES):
                yield base64.urlsafe_b64encode(view[start : start + _PIECE_BYTES])
            yield text


class InlineMedia:
    """The media of one request."""

    def __init__(self) -> None:
        self._mark = secrets.token_hex(_RANDOM_BYTES)
        self._media: list[bytes] = []

    def __len__(self) -> int:
        return len(self._media)

    def placeholder(self, medium: bytes) -> str:
        """Return the placeholder of the medium, for example `3f9a…:0:`."""
        self._media.append(medium)
        return f"{self._mark}:{len(self._media) - 1}:"

    def body(self, text: bytes) -> Body:
        """Return the body with media in place of the placeholders in `text`."""
        texts = re.split(rb"%s:(\d+):" % self._mark.encode(), text)
        return Body(texts=tuple(texts[::2]), media=tuple(self._media[int(one)] for one in texts[1::2]))
