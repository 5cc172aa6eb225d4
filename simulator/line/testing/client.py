"""The verbs of a test: a person says, taps, unsends; the test expects a reply or silence.  Over HTTP, with the standard library only.

alice.say("hello")
assert alice.expect_reply("hello").kind == "reply"
"""

import base64
import json
import re
import urllib.error
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import urlencode

PATIENCE_S: Final = 5.0
QUIET_S: Final = 0.5


class LineError(RuntimeError):
    """The simulator refused an action: impossible at present for any person, or malformed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BotMessage:
    """A message of the bot.

    `content` is LINE's message object, for example `{"type": "text", "text": "hello"}`, `kind` the way of sending (reply, push, multicast,
    broadcast, narrowcast). A reply has the spent token and the id of the answered event.
    """

    line_message_id: str
    content: dict[str, Any]
    timestamp_ms: int
    kind: str | None
    reply_token: str | None = field(repr=False)
    webhook_event_id: str | None

    @property
    def text(self) -> str:
        """The text, or the alternative text of a template, an imagemap or a Flex message."""
        return str(self.content.get("text", self.content.get("altText", "")))


class Line:
    """A running simulator at `url`."""

    def __init__(self, url: str) -> None:
        self.url = url.rstrip("/")

    def do(self, action: str, **body: Any) -> Any:  # noqa: ANN401 - JSON
        """Carry out an action of the control API: `line.do("beacon", user_id=..., hwid=...)`.  Raises: LineError."""
        request = urllib.request.Request(  # noqa: S310 - an address of this machine
            f"{self.url}/simulator/{action}", json.dumps(body).encode(), {"Content-Type": "application/json"}
        )
        return self._answer(request, PATIENCE_S + float(body.get("wait_s", 0)))

    def get(self, path: str, **query: Any) -> Any:  # noqa: ANN401 - JSON
        """Read from the control API: `line.get("deliveries")`.  Raises: LineError."""
        request = urllib.request.Request(f"{self.url}/simulator/{path}?{urlencode(query)}")  # noqa: S310 - likewise
        return self._answer(request, PATIENCE_S + float(query.get("wait_s", 0)))

    def person(self, name: str) -> "Person":
        """Add a friend of the account."""
        return Person(self, self.do("add_person", display_name=name)["user_id"], name)

    def group(self, name: str, *people: "Person") -> "Group":
        """Create a group with the people and the account."""
        chat_id = self.do("create_group", name=name, user_ids=[person.user_id for person in people])["chat_id"]
        self.do("join", chat_id=chat_id)
        return Group(self, chat_id, name)

    def reset(self) -> None:
        """Forget all chats, people, faults and tokens."""
        self.do("reset")

    def wait(self, *, within_s: float = PATIENCE_S) -> None:
        """Wait until the bot has answered every delivery."""
        if not self.do("wait", timeout_s=within_s)["is_settled"]:
            raise AssertionError(f"the bot has not answered every delivery after {within_s} s")

    def advance_clock(self, *, s: float) -> None:
        """Move LINE's clock: tokens expire."""
        self.do("advance_clock", seconds=s)

    def redeliver(self, webhook_event_id: str) -> None:
        """Send an event once more, as a redelivery."""
        self.do("redeliver", webhook_event_id=webhook_event_id)

    def recording(self) -> Any:  # noqa: ANN401 - JSON
        """Return all actions and messages so far, for `replay`."""
        return self.get("recording")

    def replay(self, recording: Any, *, within_s: float = PATIENCE_S) -> bool:  # noqa: ANN401 - JSON
        """Play the recording again.  Returns: whether the bot said the same."""
        return bool(self.do("replay", recording=recording, wait_s=within_s)["is_equal"])

    def _answer(self, request: urllib.request.Request, timeout_s: float) -> Any:  # noqa: ANN401 - JSON
        try:
            opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
            with opener.open(request, timeout=timeout_s) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            with error:
                raise LineError(json.load(error).get("message", str(error))) from error


class Chat:
    """A chat with expectations of the bot. Each expectation begins after the message returned by the previous expectation."""

    def __init__(self, line: Line, chat_id: str) -> None:
        self.line = line
        self.chat_id = chat_id
        self._newest: str | None = None

    def bot_messages(self, count: int = 0, *, within_s: float = 0) -> list[BotMessage]:
        """Return the bot's messages not returned by an expectation yet, after waiting for `count` messages at most `within_s`."""
        after = {"after": self._newest} if self._newest else {}
        answer = self.line.get("bot_messages", chat_id=self.chat_id, count=count, wait_s=within_s, **after)
        return [BotMessage(**message) for message in answer["messages"]]

    def expect_reply(self, text: str | re.Pattern[str] | None = None, *, within_s: float = PATIENCE_S) -> BotMessage:
        """Return the bot's next message; the text must be `text`, or match the pattern.  Raises: AssertionError.

        For example, `expect_reply("Hi Alice!")` or `expect_reply(re.compile("hi .*", re.IGNORECASE))`.
        """
        messages = self.bot_messages(1, within_s=within_s)
        if not messages:
            raise AssertionError(f"the bot said nothing within {within_s} s; {self._last_delivery()}")
        message = messages[0]
        self._newest = message.line_message_id
        is_expected = text is None or (text == message.text if isinstance(text, str) else text.search(message.text))
        if not is_expected:
            raise AssertionError(f"expected {text!r}, the bot said {message.text!r} ({message.content['type']})")
        return message

    def expect_silence(self, *, for_s: float = QUIET_S) -> None:
        """Wait until every delivery is answered, and `for_s` more.  Raises: AssertionError, where the bot speaks."""
        self.line.wait()
        messages = self.bot_messages(1, within_s=for_s)
        if messages:
            raise AssertionError(f"expected silence, the bot said {messages[0].text!r}")

    def _last_delivery(self) -> str:
        deliveries = self.line.get("deliveries")["deliveries"]
        if not deliveries:
            return "nothing was delivered to its webhook"
        last = deliveries[-1]
        return f"its webhook answered {last['status'] or last['reason']}"


class Group(Chat):
    """A group or room with the account."""

    def __init__(self, line: Line, chat_id: str, name: str) -> None:
        super().__init__(line, chat_id)
        self.name = name


class Person(Chat):
    """A person. Expectations are about the person's 1:1 chat. With `to=group` the person acts in a group."""

    def __init__(self, line: Line, user_id: str, name: str) -> None:
        super().__init__(line, user_id)
        self.user_id = user_id
        self.name = name

    def say(
        self, text: str, *, to: Chat | None = None, mentioning: Sequence[str] = (), quoting: str | None = None
    ) -> Any:  # noqa: ANN401 - JSON
        """Send a text.  Returns: `{"line_message_id", "webhook_event_id"}`, as all sending actions."""
        return self.act("say", to=to, text=text, mentioning=list(mentioning), quoting=quoting)

    def tap(self, label: str, *, to: Chat | None = None, value: str | None = None) -> Any:  # noqa: ANN401 - JSON
        """Tap the newest button with the label.  Returns: `{"action", "webhook_event_id"}`."""
        return self.act("tap", to=to, label=label, **({"value": value} if value is not None else {}))

    def sticker(self, *, to: Chat | None = None) -> Any:  # noqa: ANN401 - JSON
        """Send a sticker."""
        return self.act("sticker", to=to)

    def image(self, content: bytes | None = None, *, content_type: str = "image/png", to: Chat | None = None) -> Any:  # noqa: ANN401 - JSON
        """Send a picture; without content, a small sample."""
        if content is None:
            return self.act("image", to=to)
        encoded = base64.b64encode(content).decode()
        return self.act("image", to=to, content_base64=encoded, content_type=content_type)

    def unsend(self, sent: Any) -> Any:  # noqa: ANN401 - JSON
        """Unsend a message, given as the result of `say` or as an id."""
        line_message_id = sent["line_message_id"] if isinstance(sent, dict) else sent
        return self.line.do("unsend", user_id=self.user_id, line_message_id=line_message_id)

    def redeliver(self, sent: Any) -> None:  # noqa: ANN401 - JSON
        """Let LINE deliver an event again, given as the result of `say`."""
        self.line.redeliver(sent["webhook_event_id"])

    def follow(self) -> Any:  # noqa: ANN401 - JSON
        """Add the account as a friend."""
        return self.line.do("follow", user_id=self.user_id)

    def unfollow(self) -> Any:  # noqa: ANN401 - JSON
        """Block the account."""
        return self.line.do("unfollow", user_id=self.user_id)

    def act(self, action: str, *, to: Chat | None = None, **body: Any) -> Any:  # noqa: ANN401 - JSON
        """Carry out any action of the control API as the person, by default in the 1:1 chat, for example `act("unfollow")`."""
        return self.line.do(action, user_id=self.user_id, chat_id=(to or self).chat_id, **body)
