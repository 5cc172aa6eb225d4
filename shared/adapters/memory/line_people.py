"""LINE's profiles and message contents in memory."""

from collections.abc import Mapping

from shared.line.media_content import LARGEST_BYTES, Fetched, Unfetched


class MemoryProfiles:
    """Display names by user id; `asked` counts the calls.  While `is_down`, it returns None.  `strangers` are no members."""

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


class MemoryMedia:
    """Contents by message id; a message id without a content is "gone".  `delays` is how often a content is "not_ready" first."""

    def __init__(self) -> None:
        self.contents: dict[str, Fetched] = {}
        self.delays: dict[str, int] = {}
        self.is_down = False
        self.asked = 0

    def fetch(self, line_message_id: str, *, at_most_bytes: int = LARGEST_BYTES) -> Fetched | Unfetched:
        self.asked += 1
        if self.is_down:
            return "unavailable"
        found = self.contents.get(line_message_id)
        if found is None:
            return "gone"
        if self.delays.get(line_message_id, 0) > 0:
            self.delays[line_message_id] -= 1
            return "not_ready"
        return found if len(found.data) <= at_most_bytes else "too_large"
