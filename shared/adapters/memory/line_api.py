"""LINE's Messaging API in memory."""

from collections.abc import Mapping, Sequence
from typing import Literal

from shared.line.messaging import OutgoingMessage, PushFate, ReplyFate, ReplyToken, is_sendable
from shared.line.quota import Quota

_KindWithoutEffect = Literal["refused", "not_sent", "unknown"]


class MemoryLineApi:
    """Accepts each reply token and each retry key once, and refuses messages that LINE refuses.

    `fates`: the reported fates of the next replies and pushes, in order: "unknown" loses LINE's answer after the effect, "unknown, not
    sent" before it; "refused" and "not_sent" have no effect. Example: `MemoryLineApi(fates=["unknown"])` sends the first reply, and reports
    its fate as unknown. `push_quota`: pushes left this month; a push to a chat counts as many as the chat has `members`. `is_manual`: the
    bot sets read marks.
    """

    def __init__(
        self, *, name: str | None = "Aizuchi", fates: Sequence[str] = (), push_quota: int | None = None
    ) -> None:
        self.name = name
        self.fates = list(fates)
        self.push_quota_left = push_quota
        self.pushes_counted = 0
        self.tells_quota = True
        self.members: dict[str, int] = {}
        self.replied: dict[str, tuple[OutgoingMessage, ...]] = {}
        self.pushed: dict[str, tuple[str, tuple[OutgoingMessage, ...]]] = {}
        self.calls = 0
        self.chats_left: list[str] = []
        self.loading_shown_to: list[str] = []
        self.marked_as_read: list[str] = []
        self.is_manual = True

    @property
    def replies(self) -> Mapping[str, tuple[str, ...]]:
        """The texts that were sent on each reply token."""
        return {token: tuple(message.text for message in messages) for token, messages in self.replied.items()}

    @property
    def pushes(self) -> Sequence[tuple[str, tuple[str, ...]]]:
        """The texts that were pushed to each chat, in order."""
        return [(to, tuple(message.text for message in messages)) for to, messages in self.pushed.values()]

    def reply(self, token: ReplyToken, messages: Sequence[OutgoingMessage]) -> ReplyFate:
        kind, is_lost = self._next_fate()
        if kind is not None:
            return ReplyFate(kind=kind)
        if not is_sendable(messages) or token.value in self.replied:
            return ReplyFate(kind="refused")
        self.replied[token.value] = tuple(messages)
        if is_lost:
            return ReplyFate(kind="unknown")
        return ReplyFate(kind="accepted", sent_message_ids=_ids(len(self.replied), messages))

    def push(self, to: str, messages: Sequence[OutgoingMessage], *, retry_key: str) -> PushFate:
        kind, is_lost = self._next_fate()
        if kind is not None:
            return PushFate(kind=kind)
        if not is_sendable(messages):
            return PushFate(kind="refused")
        if retry_key in self.pushed:
            number = list(self.pushed).index(retry_key) + 1
            return PushFate(kind="already_accepted", sent_message_ids=_ids(f"p{number}", self.pushed[retry_key][1]))
        cost = self.members.get(to, 1)
        if self.push_quota_left is not None:
            if self.push_quota_left < cost:
                return PushFate(kind="quota_spent")
            self.push_quota_left -= cost
        self.pushes_counted += cost
        self.pushed[retry_key] = (to, tuple(messages))
        if is_lost:
            return PushFate(kind="unknown")
        return PushFate(kind="accepted", sent_message_ids=_ids(f"p{len(self.pushed)}", messages))

    def push_quota(self) -> Quota | None:
        if not self.tells_quota:
            return None
        if self.push_quota_left is None:
            return Quota(limit=None)
        return Quota(limit=self.pushes_counted + self.push_quota_left, used=self.pushes_counted)

    def member_count(self, conversation_id: str) -> int | None:
        return self.members.get(conversation_id)

    def leave(self, conversation_id: str) -> None:
        if conversation_id not in self.chats_left:
            self.chats_left.append(conversation_id)

    def display_name(self) -> str | None:
        return self.name

    def show_loading(self, user_id: str) -> None:
        self.loading_shown_to.append(user_id)

    def mark_as_read(self, mark_as_read_token: str) -> None:
        self.marked_as_read.append(mark_as_read_token)

    def marks_reads_by_hand(self) -> bool:
        return self.is_manual

    def _next_fate(self) -> tuple[_KindWithoutEffect | None, bool]:
        """Return a fate without an effect, or None; and whether the answer of an effect is lost."""
        self.calls += 1
        match self.fates.pop(0) if self.fates else None:
            case "refused":
                return "refused", False
            case "not_sent":
                return "not_sent", False
            case "unknown, not sent":
                return "unknown", False
            case "unknown":
                return None, True
            case _:
                return None, False


def _ids(call: int | str, messages: Sequence[OutgoingMessage]) -> tuple[str, ...]:
    return tuple(f"{call}-{index}" for index, _ in enumerate(messages, start=1))
