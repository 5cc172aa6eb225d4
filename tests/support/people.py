"""People in chats with the bot: their events as LINE sends them, and the delivery to the worker."""

import itertools
from typing import Any, Final

from shared.adapters.memory.scripted_model import Step, calling
from shared.conversation.records import MessageRecord
from shared.line.messaging import ReplyToken
from tests.support import recorded
from tests.support.pushed import PushedWorker

START_MS: Final = 1_763_700_000_000
_MENTION: Final = {"index": 0, "length": 8, "type": "user", "userId": "U" + "b" * 32, "isSelf": True}


class ChatEvents:
    """The events of one chat: `event1` with `token1` and message `m1`, and so on, a second apart."""

    def __init__(self, *, is_group: bool, author: str = recorded.USER, first: int = 1) -> None:
        self.chat_id = recorded.GROUP if is_group else author
        self.is_group = is_group
        self._author = author
        self._numbers = itertools.count(first)

    def event(
        self,
        kind: str,
        *,
        by: str | None = None,
        message: dict[str, Any] | None = None,
        **more: Any,  # noqa: ANN401 - fields of the event
    ) -> dict[str, Any]:
        """Return the next event of the chat; `more` are fields of it."""
        number, user_id = next(self._numbers), by or self._author
        person = {"type": "user", "userId": user_id}
        made: dict[str, Any] = {
            "type": kind,
            "mode": "active",
            "timestamp": START_MS + number * 1_000,
            "source": {"type": "group", "groupId": recorded.GROUP, "userId": user_id} if self.is_group else person,
            "webhookEventId": f"event{number}",
            "replyToken": f"token{number}",
            "deliveryContext": {"isRedelivery": False},
            **more,
        }
        if message is not None:
            made["message"] = {"id": f"m{number}", "quoteToken": f"quote{number}", **message}
        return made

    def text(self, text: str, *, by: str | None = None, **more: Any) -> dict[str, Any]:  # noqa: ANN401
        """Return a text message, which mentions the bot if it begins with `@Aizuchi`; `more` are fields of the message."""
        message = {"type": "text", "text": text, **more}
        if text.startswith("@Aizuchi"):
            message["mention"] = {"mentionees": [_MENTION]}
        return self.event("message", by=by, message=message)

    def skip(self, count: int) -> None:
        """Skip the ids of the next `count` events."""
        for _ in range(count):
            next(self._numbers)


class Person:
    """A person in a chat with the bot, whose events are delivered to the worker at once."""

    def __init__(self, worker: PushedWorker, *, is_in_group: bool) -> None:
        self.worker = worker
        self.events = ChatEvents(is_group=is_in_group)

    @property
    def newest_button(self) -> str:
        """Return the data of the newest button that the bot sent."""
        buttons = [one.button for several in self.worker.line.replied.values() for one in several if one.button]
        return buttons[-1].data

    def sends(self, event: dict[str, Any], *thinks: Step) -> dict[str, Any]:
        """Deliver the event; `thinks` are the scripted steps of the model.  Return the event."""
        assert self.worker.deliver(event, thinks=thinks) == 204
        return event

    def says(self, text: str, *thinks: Step) -> dict[str, Any]:
        """Deliver a text message."""
        return self.sends(self.events.text(text), *thinks)

    def asks(self, text: str, *thinks: Step, by: str | None = None) -> dict[str, Any]:
        """Deliver a text message that is for the bot, also in a group."""
        mention = "@Aizuchi " if self.events.is_group else ""
        return self.sends(self.events.text(f"{mention}{text}", by=by), *thinks)

    def waits(self, text: str, *, by: str) -> None:
        """Record a text message for the bot whose own delivery has not come to the turn yet: the next turn answers it, too."""
        event = self.events.text(text, by=by)
        message = MessageRecord(
            line_message_id=event["message"]["id"],
            webhook_event_id=event["webhookEventId"],
            timestamp_ms=event["timestamp"],
            type="text",
            addressed=True,
            text=text,
            user_id=by,
            reply_token=ReplyToken(value=event["replyToken"], received_ms=event["timestamp"]),
        )
        self.worker.conversations.of(self.events.chat_id).journal.record(message)

    def confirms(self, command: str, **more: Any) -> dict[str, Any]:  # noqa: ANN401
        """Deliver a command that is asked about, and a press of the button under the question; return the press."""
        self.says(command)
        return self.presses(self.newest_button, **more)

    def question(self, command: str) -> dict[str, Any]:
        """Deliver a command that is asked about; return the press that would confirm it, not delivered."""
        self.says(command)
        return self.events.event("postback", postback={"data": self.newest_button})

    def files(self, name: str) -> str:
        """Deliver a message that is filed as an idea of this name; return the name of the entry's object."""
        self.worker.json_model.steps = [{"category": "ideas", "confidence": 0.8, "name": name}]
        captures = calling(("classify_and_capture", {"text": name}))
        self.asks(f"note an idea: {name}", captures, calling(("reply", {"message": "filed"})))
        entry = self.worker.conversations.of(self.events.chat_id).names.entry(f"ideas/{name}.md")
        assert self.worker.store.read(entry) is not None
        return entry

    def captures(self, name: str, *, category: str = "admin", **fields: object) -> dict[str, Any]:
        """Deliver a message that is filed under this name, by default as a task; return its event."""
        self.worker.json_model.steps = [{"category": category, "confidence": 0.8, "name": name, **fields}]
        reply = calling(("reply", {"message": "わかりました"}))
        return self.asks(f"{name}をメモ", calling(("classify_and_capture", {"text": name})), reply)

    def presses(self, data: str, **more: Any) -> dict[str, Any]:  # noqa: ANN401
        """Deliver a press of the button that carries this data."""
        return self.sends(self.events.event("postback", postback={"data": data}, **more))
