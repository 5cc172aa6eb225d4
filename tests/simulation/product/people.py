"""What people do in the chat, as LINE's webhook tells it.

Every text is one word that stands nowhere else, so that it can be looked for. A kind of event is one method: it notes what the checks
have to know, and returns the event.
"""

import re
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from tests.simulation.product.world import EPOCH_MS

Json: TypeAlias = dict[str, object]
WORD: Final = re.compile(r"word\d+[a-z]")
PERSON: Final = "U" + "1" * 32
GROUP: Final = "C" + "2" * 32
_BOT: Final = "U" + "b" * 32


def spoken_by(text: str) -> set[str]:
    """Return the ids of the messages whose words a text repeats."""
    return {f"m{word[4:-1]}" for word in WORD.findall(text)}


@dataclass(slots=True, kw_only=True)
class Message:
    """Something that somebody wrote, or a press of a button, which has no words.  `words` are its texts, each with when it was written."""

    id: str
    event: Json
    at_s: float
    addressed: bool
    words: list[tuple[str, float]] = field(default_factory=list)
    unsent: bool = False
    presses: str | None = None

    @property
    def reply_token(self) -> str:
        return str(self.event["replyToken"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Welcome:
    """The bot was added as a friend, or invited to the group: it says hello."""

    event: Json
    at_s: float

    @property
    def id(self) -> str:
        return str(self.event["webhookEventId"])

    @property
    def reply_token(self) -> str:
        return str(self.event["replyToken"])


@dataclass(slots=True, kw_only=True)
class People:
    """Everybody in the chat.  What is up to `erased_s` was erased."""

    is_group: bool = False
    erased_s: float = -1.0
    messages: list[Message] = field(default_factory=list)
    welcomes: list[Welcome] = field(default_factory=list)
    _events: int = 0

    def message(self, *, at_s: float, addressed: bool = True) -> Message:
        """Somebody writes; in a group, to the bot or to the others."""
        number = len(self.messages)
        word = f"word{number}a"
        content: Json = {"id": f"m{number}", "type": "text", "quoteToken": f"quote-{number}", "text": word}
        if self.is_group and addressed:
            mentionee = {"index": 0, "length": 8, "type": "user", "userId": _BOT, "isSelf": True}
            content |= {"text": f"@Aizuchi {word}", "mention": {"mentionees": [mentionee]}}
        event = self._event("message", at_s, replyToken=f"token-{number}", message=content)
        return self._added(
            Message(
                id=f"m{number}",
                event=event,
                at_s=at_s,
                addressed=addressed or not self.is_group,
                words=[(word, at_s)],
            )
        )

    def press(self, data: str, *, at_s: float) -> Message:
        """Somebody presses a button; such an event has no message, so the bot knows it by its own id."""
        event = self._event("postback", at_s, replyToken=f"token-{len(self.messages)}", postback={"data": data})
        return self._added(
            Message(id=str(event["webhookEventId"]), event=event, at_s=at_s, addressed=True, presses=data)
        )

    def unsend(self, message: Message, *, at_s: float) -> Json:
        """Somebody takes a message back."""
        message.unsent = True
        return self._event("unsend", at_s, unsend={"messageId": message.id})

    def edit(self, message: Message, *, at_s: float) -> Json:
        """Somebody edits a message; only groups can."""
        before = message.words[0][0]
        word = f"{before[:-1]}{chr(ord('a') + len(message.words))}"
        message.words.append((word, at_s))
        was = message.event["message"]
        content = {**was, "text": str(was["text"]).replace(before, word)} if isinstance(was, dict) else {}
        return self._event("messageEdited", at_s, message=content)

    def welcome(self, *, at_s: float) -> Welcome:
        """The bot comes into the chat."""
        token = f"token-welcome-{len(self.welcomes)}"
        event = self._event("join" if self.is_group else "follow", at_s, replyToken=token)
        self.welcomes.append(Welcome(event=event, at_s=at_s))
        return self.welcomes[-1]

    def part(self, *, at_s: float) -> Json:
        """The bot is removed from the group, or blocked."""
        self.erased_s = max(self.erased_s, at_s)
        return self._event("leave" if self.is_group else "unfollow", at_s)

    def stands(self, message: Message) -> bool:
        """Whether nobody took the message back."""
        return not message.unsent and message.at_s > self.erased_s

    def gone(self, message: Message) -> list[str]:
        """Return the words of a message that must be nowhere in the end."""
        return [word for word, at_s in message.words if message.unsent or at_s <= self.erased_s]

    def _added(self, message: Message) -> Message:
        self.messages.append(message)
        return message

    def _event(self, kind: str, at_s: float, **more: object) -> Json:
        self._events += 1
        person: Json = {"type": "user", "userId": PERSON}
        return {
            "type": kind,
            "mode": "active",
            "timestamp": EPOCH_MS + round(at_s * 1_000),
            "source": {"type": "group", "groupId": GROUP, "userId": PERSON} if self.is_group else person,
            "webhookEventId": f"event-{self._events}",
            "deliveryContext": {"isRedelivery": False},
            **more,
        }
