"""LINE's profiles and message contents in memory."""

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Final, TypeVar

from shared.frozen import frozen
from shared.line.media_content import LARGEST_BYTES, ArrivingContent, ContentTooLargeError, Unfetched

_Kept = TypeVar("_Kept")
_PIECE_BYTES: Final = 256 * 1024


@frozen
class HeldContent:
    """The content of a message; `content_type` is LINE's, without parameters."""

    data: bytes = field(repr=False)
    content_type: str

    @classmethod
    def of(cls, content: ArrivingContent) -> "HeldContent":
        """Return the whole content."""
        return cls(data=b"".join(content), content_type=content.content_type)


class MemoryProfiles:
    """Names by the id of a user or group; `asked` counts the calls.  While `is_down`, it returns None.  `strangers` are no members."""

    def __init__(self, names: Mapping[str, str] | None = None) -> None:
        self.names = dict(names or {})
        self.strangers: set[str] = set()
        self.is_down = False
        self.asked = 0

    def display_name(self, conversation_id: str, user_id: str) -> str | None:
        del conversation_id
        self.asked += 1
        return None if self.is_down else self.names.get(user_id)

    def is_member(self, conversation_id: str, user_id: str) -> bool | None:
        del conversation_id
        return None if self.is_down else user_id not in self.strangers

    def group_name(self, conversation_id: str) -> str | None:
        return self.names.get(conversation_id) if conversation_id.startswith("C") and not self.is_down else None


class MemoryMedia:
    """Contents by message id; a message id without a content is "gone".  `delays`: how often a content is "not_ready" first.

    Example: with `delays["5931"] = 2`, the third fetch gets the content.
    """

    def __init__(self) -> None:
        self.contents: dict[str, HeldContent] = {}
        self.delays: dict[str, int] = {}
        self.is_down = False
        self.asked = 0

    def fetch(
        self, line_message_id: str, keep: Callable[[ArrivingContent], _Kept], *, at_most_bytes: int = LARGEST_BYTES
    ) -> _Kept | Unfetched:
        self.asked += 1
        if self.is_down:
            return "unavailable"
        content = self.contents.get(line_message_id)
        if content is None:
            return "gone"
        if self.delays.get(line_message_id, 0) > 0:
            self.delays[line_message_id] -= 1
            return "not_ready"
        pieces = (content.data[start : start + _PIECE_BYTES] for start in range(0, len(content.data), _PIECE_BYTES))
        try:
            return keep(ArrivingContent(pieces, content_type=content.content_type, at_most_bytes=at_most_bytes))
        except ContentTooLargeError:
            return "too_large"
