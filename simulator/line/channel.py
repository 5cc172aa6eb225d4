"""The channel: everything that the platform knows, and how an event of it comes to be.

People act on it through `talking`, `gathering` and `occurrences`, the bot through the endpoints.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

import httpx2

from simulator.line.chats import Chat, ChatKind
from simulator.line.deliveries import Courier, DeliveryAttempt
from simulator.line.errors import ImpossibleActionError
from simulator.line.events import QUOTABLE, WebhookEvent, is_repliable, source_of
from simulator.line.ids import Ids
from simulator.line.media import Media
from simulator.line.messages import DeliveryState, JsonObject, Message, Notice
from simulator.line.people import Bot, Person
from simulator.line.quota import MonthlyQuota, RetryKeys
from simulator.line.tokens import ReplyTokens


def _ignore(_name: str, _fields: dict[str, Any]) -> None:
    """Nobody listens."""


@dataclass(kw_only=True)
class Channel:
    """One official account with its chats, in one asyncio loop; not for several threads.

    `on_event` is told every fact as it happens, e.g. `webhook_delivered` with its fields. `webhook_client` replaces the HTTP
    client that deliveries leave by. Times of messages and tokens come from `now_ms`, durations from `monotonic_s`.
    """

    webhook_url: str
    channel_secret: str = field(repr=False)
    channel_access_token: str = field(repr=False)
    now_ms: Callable[[], int]
    monotonic_s: Callable[[], float]
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    rng: Random = field(default_factory=Random)
    bot: Bot | None = None
    monthly_quota: int | None = 200
    on_event: Callable[[str, dict[str, Any]], None] = _ignore
    webhook_client: httpx2.AsyncClient | None = None
    people: dict[str, Person] = field(init=False, default_factory=dict)
    chats: dict[str, Chat] = field(init=False, default_factory=dict)
    events: list[WebhookEvent] = field(init=False, default_factory=list)
    media: dict[str, Media] = field(init=False, default_factory=dict)
    reply_tokens: ReplyTokens = field(init=False, default_factory=ReplyTokens)
    retry_keys: RetryKeys = field(init=False, default_factory=RetryKeys)
    _listeners: list[Callable[[], None]] = field(init=False, default_factory=list)
    _together: list[WebhookEvent] | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        self.ids = Ids(self.rng)
        self.account = self.bot or Bot(user_id=self.ids.user_id())
        self.quota = MonthlyQuota(limit=self.monthly_quota)
        self.courier = Courier(
            webhook_url=self.webhook_url,
            destination=self.account.user_id,
            channel_secret=self.channel_secret,
            now_ms=self.now_ms,
            monotonic_s=self.monotonic_s,
            sleep=self.sleep,
            rng=self.rng,
            departed=self._departed,
            arrived=self._arrived,
            client=self.webhook_client,
        )

    def add_person(self, display_name: str, **profile: Any) -> Person:  # noqa: ANN401 - the fields of Person, as they are
        """A person with a 1:1 chat, by default a friend of the account already."""
        person = Person(**{"user_id": self.ids.user_id(), "display_name": display_name} | profile)
        self.people[person.user_id] = person
        self.chats[person.user_id] = Chat(
            chat_id=person.user_id,
            kind=ChatKind.USER,
            name=self.account.display_name,
            member_ids=(person.user_id,),
            bot_is_member=True,
        )
        self.changed()
        return person

    def person(self, user_id: str) -> Person:
        """The person. Raises: ImpossibleActionError, for an unknown id."""
        if user_id not in self.people:
            raise ImpossibleActionError("no such person")
        return self.people[user_id]

    def chat(self, chat_id: str) -> Chat:
        """The chat. Raises: ImpossibleActionError, for an unknown id."""
        if chat_id not in self.chats:
            raise ImpossibleActionError("no such chat")
        return self.chats[chat_id]

    def message(self, line_message_id: str) -> tuple[Chat, Message] | None:
        """The message and where it stands."""
        for chat in self.chats.values():
            message = chat.message(line_message_id)
            if message is not None:
                return chat, message
        return None

    @contextmanager
    def in_one_delivery(self) -> Iterator[None]:
        """What happens inside reaches the webhook in one request."""
        self._together = []
        try:
            yield
        finally:
            events, self._together = tuple(self._together), None
            if events:
                self.courier.hand_over(events)

    def listen(self, listener: Callable[[], None]) -> Callable[[], None]:
        """The listener is called after every change. Returns: how to stop listening."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def changed(self) -> None:
        """Whoever shows the chats should look again."""
        for listener in tuple(self._listeners):
            listener()

    def notice(self, chat: Chat, name: str, display_name: str) -> None:
        """The chat shows a line that nobody wrote."""
        chat.add(Notice(timestamp_ms=self.now_ms(), name=name, display_name=display_name))

    def say_as_bot(self, chat: Chat, contents: tuple[JsonObject, ...]) -> tuple[JsonObject, ...]:
        """The messages stand in the chat, and the loading animation is over. Returns: LINE's `sentMessages`."""
        sent = []
        for content in contents:
            message = Message(
                line_message_id=self.ids.line_message_id(self.now_ms()),
                sender_id=self.account.user_id,
                timestamp_ms=self.now_ms(),
                content=content,
                quote_token=self.ids.quote_token() if content["type"] in QUOTABLE else None,
                quoted_message_id=chat.quoted_by(content.get("quoteToken", "")),
            )
            chat.add(message)
            sent.append(
                {"id": message.line_message_id} | ({"quoteToken": message.quote_token} if message.quote_token else {})
            )
        chat.loading_until_ms = 0
        self.changed()
        return tuple(sent)

    def emit(
        self, chat: Chat | None, body: JsonObject, *, by: Person | None = None, message: Message | None = None
    ) -> WebhookEvent:
        """An event of the chat is on its way to the webhook."""
        if chat is not None and chat.awaits_join:
            chat.awaits_join = False
            self.emit(chat, {"type": "join"})
        event = self._event(chat, body, by, message)
        self.events.append(event)
        self.on_event(
            "event_created", {"webhook_event_id": event.webhook_event_id, "type": event.type, "chat_id": event.chat_id}
        )
        if self._together is None:
            self.courier.hand_over((event,))
        else:
            self._together.append(event)
        self.changed()
        return event

    def _event(self, chat: Chat | None, body: JsonObject, by: Person | None, message: Message | None) -> WebhookEvent:
        now_ms = message.timestamp_ms if message else self.now_ms()
        mode = self.courier.switches.mode
        webhook_event_id = (message.webhook_event_id if message else None) or self.ids.webhook_event_id(now_ms)
        fields = body | {
            "webhookEventId": webhook_event_id,
            "deliveryContext": {"isRedelivery": False},
            "timestamp": now_ms,
        }
        if chat is not None:
            fields["source"] = source_of(chat, by)
        reply_token = None
        if chat is not None and mode == "active" and is_repliable(body):
            reply_token = fields["replyToken"] = self.ids.reply_token()
            self.reply_tokens.issue(reply_token, chat_id=chat.chat_id, event_timestamp_ms=now_ms)
        return WebhookEvent(
            webhook_event_id=webhook_event_id,
            chat_id=chat.chat_id if chat else None,
            fields=fields | {"mode": mode},
            line_message_id=message.line_message_id if message else None,
            reply_token=reply_token,
        )

    def _departed(self, event: WebhookEvent, at_ms: int) -> None:
        if event.reply_token is not None:
            self.reply_tokens.received(event.reply_token, at_ms=at_ms)

    def _arrived(self, event: WebhookEvent, attempt: DeliveryAttempt) -> None:
        self.on_event(
            "webhook_delivered" if attempt.is_accepted else "webhook_refused",
            {
                "webhook_event_id": event.webhook_event_id,
                "type": event.type,
                "status": attempt.status,
                "reason": attempt.reason,
                "duration_ms": attempt.duration_ms,
                "is_redelivery": attempt.is_redelivery,
            },
        )
        found = self.message(event.line_message_id) if event.line_message_id else None
        if found is not None:
            chat, message = found
            if attempt.is_accepted:
                is_read = message.is_read or self.account.mark_as_read_mode == "auto"
                chat.put(replace(message, delivery=DeliveryState.DELIVERED, failure=None, is_read=is_read))
            elif message.delivery is not DeliveryState.DELIVERED:
                chat.put(replace(message, delivery=DeliveryState.FAILED, failure=attempt.failure))
        self.changed()
