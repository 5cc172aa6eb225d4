"""Refusals independent of the key: prompts with a blocked word, and undecodable media.

    stand_in.refusals = Refusals(blocked_words=("forbidden",), broken_media=("damaged",))

For example, a prompt with "forbidden" is then blocked.
Source: Gemini API, "Safety settings": a prompt with prohibited content has a `promptFeedback` and no candidate; 400 INVALID_ARGUMENT,
"Provided image is not valid.", for an undecodable picture (google-gemini/gemini-cli #27244).
"""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simulator.gemini.answers import Blocked
from simulator.gemini.errors import invalid_argument

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simulator.gemini.request import GenerateContentRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusals:
    """Any of `blocked_words` in a content blocks the prompt; any of `broken_media` in a medium's bytes or address refuses the request."""

    blocked_words: tuple[str, ...] = ()
    broken_media: tuple[str, ...] = ()

    def answer(self, request: GenerateContentRequest) -> Blocked | None:
        """Return the answer to a blocked prompt, None for any other prompt.  Raises: RefusedError, for an undecodable medium."""
        contents = request.body.get("contents")
        if self.broken_media and any(
            marker.encode() in data for data in _media_in(contents) for marker in self.broken_media
        ):
            raise invalid_argument("Provided image is not valid.")
        text = json.dumps(contents, ensure_ascii=False) if self.blocked_words else ""
        return Blocked(reason="PROHIBITED_CONTENT") if any(word in text for word in self.blocked_words) else None


def _media_in(value: object) -> Iterator[bytes]:
    """Yield the bytes of each inline medium, and the address of any other."""
    if isinstance(value, list):
        for item in value:
            yield from _media_in(item)
    elif isinstance(value, dict):
        for name, item in value.items():
            if name == "inlineData" and isinstance(item, dict):
                yield base64.b64decode(str(item.get("data", "")), altchars=b"-_")
            elif name == "fileData" and isinstance(item, dict):
                yield str(item.get("fileUri", "")).encode()
            else:
                yield from _media_in(item)
