"""What people do in the chat, as webhook events.

Every text holds one word that is unique to it, so that a check can search for it. Each kind of event has one method, which records what the
checks need and returns the event.
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


def ids_repeated_in(text: str) -> set[str]:
    """Return the ids of the messages whose words a text repeats."""
    return {f"m{word[4:-1]}" for word in WORD.findall(text)}


@dataclass(slots=True, kw_only=True)
class Message:
    """A message of a member, or a press of a button, which has no words.  `words` are its texts, each with the time of its writing."""

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
    """The bot was added as a friend, or invited to the group, so it sends a greeting."""

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
    """The members of the chat.  Everything up to `erased_s` was erased."""

    is_group: bool = False
    erased_s: float = -1.0
    messages: list[Message] = field(default_factory=list)
    welcomes: list[Welcome] = field(default_factory=list)
    _events: int = 0

    def message(self, *, at_s: float, addressed: bool = True) -> Message:
        """Return a new message; in a group, `addressed` says whether it is for the bot."""
        number = len(self.messages)
        word = f"word{number}a"
        content: Json = {"id": f"m{number}", "type": "text", "quoteToken": f"quote-{number}", "text": word}
        if self.is_group and addressed:
            mentionee = {"index": 0, "length": 8, "type": "user", "userId": _BOT, "isSelf": True}
            content |= {"text": f"@Aizuchi {word}", "mention": {"mentionees": [mentionee]}}
        event = self._event("message", at_s, replyToken=f"token-{number}", message=content)
        return self._add(
            Message(
                id=f"m{number}",
                event=event,
                at_s=at_s,
                addressed=addressed or not self.is_group,
                words=[(word, at_s)],
            )
        )

    def press(self, data: str, *, at_s: float) -> Message:
        """Return a press of a button.  Its event has no message, so the bot identifies it by the event's id."""
        event = self._event("postback", at_s, replyToken=f"token-{len(self.messages)}", postback={"data": data})
        return self._add(Message(id=str(event["webhookEventId"]), event=event, at_s=at_s, addressed=True, presses=data))

    def unsend(self, message: Message, *, at_s: float) -> Json:
        """Return the event of a withdrawal."""
        message.unsent = True
        return self._event("unsend", at_s, unsend={"messageId": message.id})

    def edit(self, message: Message, *, at_s: float) -> Json:
        """Return the event of an edit, which only groups have."""
        before = message.words[0][0]
        word = f"{before[:-1]}{chr(ord('a') + len(message.words))}"
        message.words.append((word, at_s))
        was = message.event["message"]
        content = {**was, "text": str(was["text"]).replace(before, word)} if isinstance(was, dict) else {}
        return self._event("messageEdited", at_s, message=content)

    def welcome(self, *, at_s: float) -> Welcome:
        """Return the event that brings the bot into the chat: a join or a follow."""
        token = f"token-welcome-{len(self.welcomes)}"
        event = self._event("join" if self.is_group else "follow", at_s, replyToken=token)
        self.welcomes.append(Welcome(event=event, at_s=at_s))
        return self.welcomes[-1]

    def departure(self, *, at_s: float) -> Json:
        """Return the event that takes the bot out of the chat: a leave or an unfollow."""
        self.erased_s = max(self.erased_s, at_s)
        return self._event("leave" if self.is_group else "unfollow", at_s)

    def is_kept(self, message: Message) -> bool:
        """Whether the message was neither withdrawn nor erased."""
        return not message.unsent and message.at_s > self.erased_s

    def withdrawn_words(self, message: Message) -> list[str]:
        """Return those words of the message that no object may hold in the end."""
        return [word for word, at_s in message.words if message.unsent or at_s <= self.erased_s]

    def _add(self, message: Message) -> Message:
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
