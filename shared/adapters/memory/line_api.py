"""LINE's Messaging API in memory."""

from collections.abc import Sequence

from shared.line.replies import ReplyFate


class MemoryLineApi:
    """Accepts each reply token once.  `fates` are what the next calls report instead of their effect's own fate, first to last.

    "unknown" loses LINE's answer after the effect; "unknown, not sent" before it; "refused" and "not_sent" have no effect.
    """

    def __init__(self, *, name: str | None = "Aizuchi", fates: Sequence[str] = ()) -> None:
        self.name = name
        self.fates = list(fates)
        self.replies: dict[str, tuple[str, ...]] = {}
        self.calls = 0
        self.loading_shown_to: list[str] = []
        self.marked_as_read: list[str] = []

    def reply(self, reply_token: str, texts: Sequence[str]) -> ReplyFate:
        self.calls += 1
        told = self.fates.pop(0) if self.fates else None
        match told:
            case "refused":
                return ReplyFate(kind="refused")
            case "not_sent":
                return ReplyFate(kind="not_sent")
            case "unknown, not sent":
                return ReplyFate(kind="unknown")
        if reply_token in self.replies:
            return ReplyFate(kind="refused")
        self.replies[reply_token] = tuple(texts)
        sent = tuple(f"{len(self.replies)}-{index}" for index, _ in enumerate(texts, start=1))
        return ReplyFate(kind="unknown") if told == "unknown" else ReplyFate(kind="accepted", sent_message_ids=sent)

    def display_name(self) -> str | None:
        return self.name

    def show_loading(self, user_id: str) -> None:
        self.loading_shown_to.append(user_id)

    def mark_as_read(self, mark_as_read_token: str) -> None:
        self.marked_as_read.append(mark_as_read_token)
