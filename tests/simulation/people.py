"""What people do in a chat, as webhook events.

Every message holds one word that is unique to it, so that a check can search for it. Each kind of event has one method, which records what
the checks need and returns the event.
"""

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from tests.simulation.world import EPOCH_MS, WORD

Json: TypeAlias = dict[str, object]
NAMED: Final = re.compile(r"(?:word|gloss)\d+[a-z]")
"""A word of a message, or the other word for it."""
COMMON: Final = " please keep this in mind"
"""What several messages say beside their word; longer than a run."""
PERSON: Final = "U" + "1" * 32
GROUP: Final = "C" + "2" * 32
MEMBERS: Final = ("U" + "a" * 32, "U" + "b" * 32)
_BOT: Final = "U" + "f" * 32
TAKE_BACK: Final = "take back"
SPARE: Final = "spare"
VOTE: Final = "vote"
SETTLE: Final = "settle"
KEEP: Final = "keep"
"""LINE's timestamps are milliseconds."""


def gloss_of(word: str) -> str:
    """Return the other word that a model which paraphrases uses for it."""
    return word.replace("word", "gloss")


def on_one_line(text: str) -> str:
    return " ".join(text.split())


def without_spaces(text: str) -> str:
    """Return the characters of the text in order, without white space, to compare a text with the bubbles and the card that say it.

    A card says the receipts below the words, also those that stand before a last sentence of the text.
    For example, `without_spaces("b , a")` -> ",ab", as of "b" and ", a" in two bubbles.
    """
    return "".join(sorted("".join(text.split())))


def ids_repeated_in(text: str) -> set[str]:
    """Return the ids of the messages whose words a text repeats."""
    return {f"m{word[4:-1]}" for word in WORD.findall(text)}


def link_of(word: str) -> str:
    """Return the link that a message with the word holds: `link_of("word3a")` is `https://word3a.example/`."""
    return f"https://{word}.example/"


@dataclass(slots=True, kw_only=True)
class Message:
    """A message of a member, or a press of a button, which has no words.  `words` are its texts, each with the time of its writing.

    `unsent` is by LINE's unsend, or by a press that takes back what the bot proposed to; `forgotten` by `/forget me` of its author.
    `amended_s` are the times at which it was edited or withdrawn. `is_unsure`: whether it is for the bot depends on whether the bot still
    knows the bubble that it quotes.
    """

    id: str
    conversation_id: str
    event: Json
    at_s: float
    addressed: bool
    is_unsure: bool = False
    words: list[tuple[str, float]] = field(default_factory=list)
    unsent: bool = False
    forgotten: bool = False
    amended_s: list[float] = field(default_factory=list)
    presses: str | None = None
    medium: bytes | None = None

    @property
    def reply_token(self) -> str:
        return str(self.event["replyToken"])

    @property
    def author(self) -> str:
        """LINE's id of the person who wrote it."""
        return _user_in(self.event)

    @property
    def text(self) -> str:
        """What it says, "" for what is no text."""
        content = self.event.get("message")
        return str(content.get("text", "")) if isinstance(content, dict) else ""

    @property
    def quoted_id(self) -> str | None:
        """What it quotes: a message, or a bubble of the bot."""
        content = self.event.get("message")
        return content.get("quotedMessageId") if isinstance(content, dict) else None

    @property
    def is_withdrawn(self) -> bool:
        """Whether its author took it back."""
        return self.unsent or self.forgotten

    @property
    def newest_words(self) -> list[str]:
        """Its newest text; several where two edits have the same timestamp."""
        newest_s = max((at_s for _, at_s in self.words), default=0.0)
        return [word for word, at_s in self.words if at_s == newest_s]


@dataclass(slots=True, kw_only=True)
class Welcome:
    """The bot was added as a friend, or invited to the group, so it sends a greeting."""

    conversation_id: str
    event: Json
    at_s: float

    @property
    def id(self) -> str:
        return str(self.event["webhookEventId"])

    @property
    def reply_token(self) -> str:
        return str(self.event["replyToken"])


@dataclass(slots=True, kw_only=True)
class MemberEvent:
    """A member joined the group, or left it."""

    conversation_id: str
    event: Json
    at_s: float
    user_id: str


@dataclass(slots=True, kw_only=True)
class Order(Welcome):
    """A command, such as `/reset`, or a press of a button that confirms an erasure: `presses` is the button's data.

    `withdrawn_s` is when a withdrawal of the command had been handled.
    """

    command: str
    presses: str = ""
    withdrawn_s: float = float("inf")

    @property
    def author(self) -> str:
        """LINE's id of the person who gave it."""
        return _user_in(self.event)

    @property
    def just_before_s(self) -> float:
        """The last of LINE's timestamps before it."""
        return _just_before(self.at_s)

    @property
    def line_message_id(self) -> str:
        """The id of the command's message."""
        content = self.event["message"]
        assert isinstance(content, dict)
        return str(content["id"])


@dataclass(slots=True, kw_only=True)
class People:
    """The members of a chat.  Everything up to `erased_s` was erased, of entries everything up to `erased_entries_s`.

    Numbers are shared by all chats, so that a word or a token belongs to one chat alone.
    """

    is_group: bool = False
    is_stranger: bool = False
    """Whether the chat was never admitted."""
    place: int = 0
    messages: list[Message] = field(default_factory=list)
    welcomes: list[Welcome] = field(default_factory=list)
    orders: list[Order] = field(default_factory=list)
    unsent_commands: set[str] = field(default_factory=set)
    erased_s: float = -1.0
    forgotten_s: dict[str, float] = field(default_factory=dict)
    """Up to when members took back all that they had said."""
    erased_entries_s: float = -1.0
    departed_s: list[float] = field(default_factory=list)
    erasures_s: list[float] = field(default_factory=list)
    message_numbers: Iterator[int] = field(default_factory=itertools.count)
    event_numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    @property
    def conversation_id(self) -> str:
        """LINE's id of the user or group."""
        whose = GROUP if self.is_group else PERSON
        return whose[0] + f"{int(whose[1]) + 2 * self.place}" * 32

    def message(
        self,
        *,
        at_s: float,
        addressed: bool = True,
        verb: str = "",
        quotes: str | None = None,
        says_more: bool = False,
        by: str | None = None,
    ) -> Message:
        """Return a new message; in a group, `addressed` says whether it mentions the bot, and `by` who writes: else the members do in turn.

        `verb` is what the bot is asked to do with the word, such as `file`. `quotes` is the id of a message or of a bubble of the bot.
        With `says_more` it also says what others say.
        """
        number = next(self.message_numbers)
        word = f"word{number}a"
        link = f"{link_of(word)} " if verb == "read" else ""
        text = f"{link}{verb} {word}{COMMON if says_more else ''}".strip()
        content: Json = {"id": f"m{number}", "type": "text", "quoteToken": f"quote-{number}", "text": text}
        if quotes is not None:
            content["quotedMessageId"] = quotes
        if self.is_group and addressed:
            mentionee = {"index": 0, "length": 8, "type": "user", "userId": _BOT, "isSelf": True}
            content |= {"text": f"@Aizuchi {text}", "mention": {"mentionees": [mentionee]}}
        is_to_bubble = self.is_group and not addressed and (quotes or "").startswith("sent-")
        return self._say(number, content, at_s=at_s, word=word, addressed=addressed, is_unsure=is_to_bubble, by=by)

    def image(self, *, at_s: float) -> Message:
        """Return an image, whose bytes hold its word.  In a group it cannot address the bot."""
        number = next(self.message_numbers)
        word = f"word{number}a"
        content: Json = {
            "id": f"m{number}",
            "type": "image",
            "quoteToken": f"quote-{number}",
            "contentProvider": {"type": "line"},
        }
        message = self._say(number, content, at_s=at_s, word=word, addressed=False)
        message.medium = f"picture of {word}".encode()
        return message

    def catch_up(self, *, at_s: float, by: str | None = None) -> Message:
        """Return `/catchup`, which has no word, and is for the bot also in a group; `by` is the member, else the members write in turn."""
        number = next(self.message_numbers)
        content: Json = {"id": f"m{number}", "type": "text", "quoteToken": f"quote-{number}", "text": "/catchup"}
        return self._say(number, content, at_s=at_s, word=None, addressed=True, by=by)

    def press(self, data: str, *, at_s: float) -> Message:
        """Return a press of "show the answer".  Its event has no message, so the bot identifies it by the event's id."""
        token = f"token-{next(self.message_numbers)}"
        event = self._event("postback", at_s, replyToken=token, postback={"data": data})
        message = Message(
            id=str(event["webhookEventId"]),
            conversation_id=self.conversation_id,
            event=event,
            at_s=at_s,
            addressed=True,
            presses=data,
        )
        return self._add(message)

    def order(self, command: str, *, at_s: float, by: str | None = None) -> Order:
        """Return a command.  In a 1:1 chat some erase what is older than themselves; whether a question is confirmed shows later."""
        number = next(self.message_numbers)
        at_s = round(at_s, 3)
        content: Json = {"id": f"m{number}", "type": "text", "quoteToken": f"quote-{number}", "text": f"/{command}"}
        event = self._event("message", at_s, by=by, replyToken=f"token-{number}", message=content)
        if self.erases_at_once(command):
            self.erase(until_s=_just_before(at_s), spares_entries=True)
        order = Order(conversation_id=self.conversation_id, event=event, at_s=at_s, command=command)
        if self.forgets_a_member(command):
            self._forget_member(order)
        self.orders.append(order)
        return order

    def forgets_a_member(self, command: str) -> bool:
        """Whether the command takes back what one member of a group said."""
        return self.is_group and command == "forget me"

    def own_messages(self, order: Order) -> list[Message]:
        """Return the messages that the command takes back, those that were not drawn before it too."""
        return [one for one in self.messages if one.author == order.author and one.at_s < order.at_s]

    def erases_at_once(self, command: str) -> bool:
        """Whether the command erases the chat without a question."""
        return not self.is_group and command in {"reset", "exit", "bye"}

    def unsend_of(self, order: Order, *, at_s: float) -> Json:
        """Return the event of a withdrawal of a command."""
        self.unsent_commands.add(order.line_message_id)
        return self._event("unsend", at_s, unsend={"messageId": order.line_message_id})

    def confirm(self, data: str, *, at_s: float) -> Order:
        """Return a press of the button under a question whether something may be erased."""
        return self._press("confirm", data, at_s=at_s)

    def spare(self, data: str, *, at_s: float) -> Order:
        """Return a press of the button that declines what a question would erase."""
        return self._press(SPARE, data, at_s=at_s)

    def take_back(self, data: str, *, at_s: float, by: str | None = None) -> Order:
        """Return a press of the button under messages that the bot proposes to take back."""
        return self._press(TAKE_BACK, data, at_s=at_s, by=by)

    def choose(self, data: str, *, at_s: float) -> Order:
        """Return a press of a quick reply under a reminder."""
        return self._press("choose", data, at_s=at_s)

    def press_listed(self, data: str, *, at_s: float, by: str | None = None) -> Order:
        """Return a press of a button beside a listed reminder, an entry, or what is on; `by` is the member, else in turn."""
        return self._press("listed", data, at_s=at_s, by=by)

    def keep(self, data: str, *, at_s: float) -> Order:
        """Return a press below a question whether to keep a word as it is in translations."""
        return self._press(KEEP, data, at_s=at_s)

    def vote(self, data: str, *, at_s: float, by: str | None = None) -> Order:
        """Return a press of a poll's button; `by` is the member, else the members press in turn."""
        return self._press(VOTE, data, at_s=at_s, by=by)

    def settle(self, data: str, *, at_s: float, by: str | None = None) -> Order:
        """Return a press of "Settle up" below a balance; `by` is the member, else the members press in turn."""
        return self._press(SETTLE, data, at_s=at_s, by=by)

    def suggested(self, data: str, *, at_s: float) -> Order:
        """Return a press of a suggestion that is told that it no longer applies."""
        return self._press("suggested", data, at_s=at_s)

    def _press(self, command: str, data: str, *, at_s: float, by: str | None = None) -> Order:
        token = f"token-{next(self.message_numbers)}"
        event = self._event("postback", at_s, by=by, replyToken=token, postback={"data": data})
        order = Order(
            conversation_id=self.conversation_id, event=event, at_s=round(at_s, 3), command=command, presses=data
        )
        self.orders.append(order)
        return order

    def unsend(self, message: Message, *, at_s: float) -> Json:
        """Return the event of a withdrawal."""
        message.unsent = True
        message.amended_s.append(at_s)
        return self._event("unsend", at_s, unsend={"messageId": message.id})

    def edit(self, message: Message, *, at_s: float, has_token: bool = False) -> Json:
        """Return the event of an edit, which only groups have; LINE may give it a reply token."""
        before = message.words[0][0]
        word = f"{before[:-1]}{chr(ord('a') + len(message.words))}"
        message.words.append((word, round(at_s, 3)))
        message.amended_s.append(at_s)
        was = message.event["message"]
        content = {**was, "text": str(was["text"]).replace(before, word)} if isinstance(was, dict) else {}
        token = {"replyToken": f"token-{next(self.message_numbers)}"} if has_token else {}
        return self._event("messageEdited", at_s, by=message.author, message=content, **token)

    def welcome(self, *, at_s: float) -> Welcome:
        """Return the event that brings the bot into the chat: a join or a follow."""
        token = f"token-welcome-{self.place}-{len(self.welcomes)}"
        event = self._event("join" if self.is_group else "follow", at_s, replyToken=token)
        self.welcomes.append(Welcome(conversation_id=self.conversation_id, event=event, at_s=at_s))
        return self.welcomes[-1]

    def joining(self, *, at_s: float) -> MemberEvent:
        """Return the event of a member who joins the group."""
        at_s, user_id = round(at_s, 3), MEMBERS[0]
        event = self._event("memberJoined", at_s, joined={"members": [{"type": "user", "userId": user_id}]})
        return MemberEvent(conversation_id=self.conversation_id, event=event, at_s=at_s, user_id=user_id)

    def leaving(self, *, at_s: float) -> MemberEvent:
        """Return the event of a member who leaves the group."""
        at_s, user_id = round(at_s, 3), MEMBERS[0]
        event = self._event("memberLeft", at_s, left={"members": [{"type": "user", "userId": user_id}]})
        return MemberEvent(conversation_id=self.conversation_id, event=event, at_s=at_s, user_id=user_id)

    def departure(self, *, at_s: float) -> Json:
        """Return the event that takes the bot out of the chat: a leave or an unfollow."""
        self.erase(until_s=round(at_s, 3), spares_entries=False)
        self.departed_s.append(at_s)
        return self._event("leave" if self.is_group else "unfollow", at_s)

    def erase(self, *, until_s: float, spares_entries: bool) -> None:
        """Everything up to then is erased."""
        self.erasures_s.append(until_s)
        self.erased_s = max(self.erased_s, until_s)
        if not spares_entries:
            self.erased_entries_s = max(self.erased_entries_s, until_s)

    def is_kept(self, message: Message) -> bool:
        """Whether the message was neither withdrawn nor erased."""
        return not message.is_withdrawn and message.at_s > self.erased_s

    def withdrawn_words(self, message: Message) -> list[str]:
        """Return those words of the message that no object may hold in the end.

        An edit that is newer than its author's `/forget me` or than an erasure may wait for a message that was erased before.
        """
        until_s = max(self.erased_s, self.forgotten_s.get(message.author, -1.0) if message.forgotten else -1.0)
        return [word for word, at_s in message.words if message.unsent or at_s <= until_s]

    def _say(
        self,
        number: int,
        content: Json,
        *,
        at_s: float,
        word: str | None,
        addressed: bool,
        is_unsure: bool = False,
        by: str | None = None,
    ) -> Message:
        at_s = round(at_s, 3)
        message = Message(
            id=f"m{number}",
            conversation_id=self.conversation_id,
            event=self._event("message", at_s, by=by, replyToken=f"token-{number}", message=content),
            at_s=at_s,
            addressed=addressed or not self.is_group,
            is_unsure=is_unsure,
            words=[(word, at_s)] if word is not None else [],
        )
        return self._add(message)

    def _add(self, message: Message) -> Message:
        """The message is known; it may be older than a command that was drawn before it."""
        self.messages.append(message)
        if message.at_s <= self.forgotten_s.get(message.author, -1.0):
            message.forgotten = True
            message.amended_s.append(self.forgotten_s[message.author])
        return message

    def _forget_member(self, order: Order) -> None:
        until_s = order.just_before_s
        self.forgotten_s[order.author] = max(until_s, self.forgotten_s.get(order.author, -1.0))
        self.erasures_s.append(until_s)  # every thought in the chat begins again
        for message in self.own_messages(order):
            message.forgotten = True
            message.amended_s.append(order.at_s)

    def _event(self, kind: str, at_s: float, *, by: str | None = None, **more: object) -> Json:
        number = next(self.event_numbers)
        here = self.conversation_id
        member = by or MEMBERS[number % len(MEMBERS)]
        person: Json = {"type": "user", "userId": here}
        return {
            "type": kind,
            "mode": "active",
            "timestamp": EPOCH_MS + round(at_s * 1_000),
            "source": {"type": "group", "groupId": here, "userId": member} if self.is_group else person,
            "webhookEventId": f"event-{number}",
            "deliveryContext": {"isRedelivery": False},
            **more,
        }


def _user_in(event: Json) -> str:
    source = event["source"]
    assert isinstance(source, dict)
    return str(source["userId"])


def _just_before(at_s: float) -> float:
    """Return the last of LINE's timestamps, which are whole milliseconds, before this one."""
    return round(at_s - 0.001, 3)
