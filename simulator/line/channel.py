"""The channel: people, chats, messages and tokens, and the creation of webhook events.

People act through `user_messages`, `chat_membership` and `background_events`, the bot through the endpoints.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any, Final

import httpx2

from .access_tokens import AccessTokens
from .broadcasts import Broadcasts
from .chats import Chat, ChatKind
from .deliveries import Courier, DeliveryAttempt
from .errors import ImpossibleActionError
from .events import QUOTABLE, WebhookEvent, is_repliable, source_of
from .ids import Ids
from .link_tokens import LinkTokens
from .listeners import Listeners
from .media import Media
from .messages import DeliveryState, JsonObject, Message, Notice
from .people import Bot, Person
from .quota import MonthlyQuota, RetryKeys
from .reply_tokens import ReplyTokens
from .rich_menu_batches import Batch
from .rich_menus import RichMenus
from .sent_messages import Sent, SentMessages

EVENTS_KEPT: Final = 10_000
BotListener = Callable[[str, tuple[JsonObject, ...], tuple[str, ...]], None]
"""Hears of messages of the account: the id of the chat, the message objects, and their ids."""


def _ignore(_name: str, _fields: dict[str, Any]) -> None:
    """Report to no listener."""


@dataclass(kw_only=True)
class Channel:
    """An official account with chats, in one asyncio loop; not for several threads.

    `channel_id` is the console's. Unless `is_strict`, `http://` media and webhooks of this machine are accepted. With `is_verified`, a bot
    may list followers and members. With `keeps_webhook`, the channel accepts another URL from the bot, and goes on delivering to its own.
    `on_event` is called with the name and fields of every fact, e.g. `webhook_delivered`. `webhook_client` replaces the HTTP client for
    deliveries. Times of messages and tokens come from `now_ms`, durations from `monotonic_s`.
    """

    webhook_url: str
    channel_secret: str = field(repr=False)
    channel_access_token: str = field(repr=False)
    now_ms: Callable[[], int]
    monotonic_s: Callable[[], float]
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    rng: Random = field(default_factory=Random)
    bot: Bot | None = None
    channel_id: str = "1234567890"
    monthly_quota: int | None = 200
    is_strict: bool = True
    is_verified: bool = False
    keeps_webhook: bool = False
    on_event: Callable[[str, dict[str, Any]], None] = _ignore
    webhook_client: httpx2.AsyncClient | None = None
    people: dict[str, Person] = field(init=False, default_factory=dict)
    chats: dict[str, Chat] = field(init=False, default_factory=dict)
    events: list[WebhookEvent] = field(init=False, default_factory=list)
    media: dict[str, Media] = field(init=False, default_factory=dict)
    reply_tokens: ReplyTokens = field(init=False, default_factory=ReplyTokens)
    retry_keys: RetryKeys = field(init=False, default_factory=RetryKeys)
    access_tokens: AccessTokens = field(init=False, default_factory=AccessTokens)
    rich_menus: RichMenus = field(init=False, default_factory=RichMenus)
    broadcasts: Broadcasts = field(init=False, default_factory=Broadcasts)
    sent_messages: SentMessages = field(init=False, default_factory=SentMessages)
    link_tokens: LinkTokens = field(init=False, default_factory=LinkTokens)
    liff_apps: dict[str, JsonObject] = field(init=False, default_factory=dict)
    rich_menu_batches: dict[str, Batch] = field(init=False, default_factory=dict)
    named_webhook_url: str | None = field(init=False, default=None)
    bot_listeners: list[BotListener] = field(init=False, default_factory=list)
    _advanced_ms: int = field(init=False, default=0)
    _listeners: Listeners = field(init=False, default_factory=Listeners)
    _batch: list[WebhookEvent] | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        real_now_ms = self.now_ms
        self.now_ms = lambda: real_now_ms() + self._advanced_ms
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
            on_departure=self._note_departure,
            on_arrival=self._note_arrival,
            on_other_attempt=self.notify_listeners,
            client=self.webhook_client,
        )

    def advance_clock(self, *, s: float) -> None:
        """Move the platform's time forward: tokens and retry keys expire."""
        self._advanced_ms += round(s * 1_000)
        self.notify_listeners()

    def add_person(self, display_name: str, **profile: Any) -> Person:  # noqa: ANN401 - the fields of Person, as they are
        """Add a person with a 1:1 chat, by default a friend of the account."""
        person = Person(**{"user_id": self.ids.user_id(), "display_name": display_name} | profile)
        self.people[person.user_id] = person
        self.chats[person.user_id] = Chat(
            chat_id=person.user_id,
            kind=ChatKind.USER,
            name=self.account.display_name,
            member_ids=(person.user_id,),
            bot_is_member=True,
        )
        self.notify_listeners()
        return person

    def person(self, user_id: str) -> Person:
        """Return the person.  Raises: ImpossibleActionError, for an unknown id."""
        if user_id not in self.people:
            raise ImpossibleActionError("no such person")
        return self.people[user_id]

    def chat(self, chat_id: str) -> Chat:
        """Return the chat.  Raises: ImpossibleActionError, for an unknown id."""
        if chat_id not in self.chats:
            raise ImpossibleActionError("no such chat")
        return self.chats[chat_id]

    def message(self, line_message_id: str) -> tuple[Chat, Message] | None:
        """Return the chat and the message; None for an unknown id."""
        for chat in self.chats.values():
            message = chat.message(line_message_id)
            if message is not None:
                return chat, message
        return None

    @contextmanager
    def in_one_delivery(self) -> Iterator[None]:
        """Deliver all events of the context in one request."""
        self._batch = []
        try:
            yield
        finally:
            events, self._batch = tuple(self._batch), None
            if events:
                self.courier.hand_over(events)

    def listen(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call the listener after every change.  Returns: a function to remove the listener."""
        return self._listeners.add(listener)

    def notify_listeners(self) -> None:
        """Report a change in the chats."""
        self._listeners.notify()

    def notice(self, chat: Chat, name: str, display_name: str) -> None:
        """Show a line in the chat, not as a message."""
        chat.add(Notice(timestamp_ms=self.now_ms(), name=name, display_name=display_name))

    def say_as_bot(
        self, chat: Chat, contents: tuple[JsonObject, ...], how: Sent | None = None
    ) -> tuple[JsonObject, ...]:
        """Show the bot's messages in the chat, and end the loading animation.  Returns: LINE's `sentMessages`."""
        sent_messages = []
        for content in contents:
            message = Message(
                line_message_id=self.ids.line_message_id(self.now_ms()),
                sender_id=self.account.user_id,
                timestamp_ms=self.now_ms(),
                content=content,
                quote_token=self.ids.quote_token() if content["type"] in QUOTABLE else None,
                quoted_message_id=chat.find_quoted(content.get("quoteToken", "")),
            )
            chat.add(message)
            if how is not None:
                self.sent_messages.note(message.line_message_id, how)
            sent_messages.append(
                {"id": message.line_message_id} | ({"quoteToken": message.quote_token} if message.quote_token else {})
            )
        chat.loading_until_ms = 0
        for listener in self.bot_listeners:
            listener(chat.chat_id, contents, tuple(one["id"] for one in sent_messages))
        self.notify_listeners()
        return tuple(sent_messages)

    def emit(
        self, chat: Chat | None, body: JsonObject, *, by: Person | None = None, message: Message | None = None
    ) -> WebhookEvent:
        """Create an event of the chat, and hand the event over for delivery to the webhook."""
        if chat is not None and chat.awaits_join:
            chat.awaits_join = False
            self.emit(chat, {"type": "join"})
        event = self._event(chat, body, by, message)
        self.events.append(event)
        del self.events[:-EVENTS_KEPT]
        self.on_event(
            "event_created", {"webhook_event_id": event.webhook_event_id, "type": event.type, "chat_id": event.chat_id}
        )
        if self._batch is None:
            self.courier.hand_over((event,))
        else:
            self._batch.append(event)
        self.notify_listeners()
        return event

    def _event(self, chat: Chat | None, body: JsonObject, by: Person | None, message: Message | None) -> WebhookEvent:
        now_ms = message.timestamp_ms if message else self.now_ms()
        switches = self.courier.switches
        mode = switches.mode
        webhook_event_id = (message.webhook_event_id if message else None) or self.ids.webhook_event_id(now_ms)
        fields = body | {
            "webhookEventId": webhook_event_id,
            "deliveryContext": {"isRedelivery": False},
            "timestamp": now_ms,
        }
        if chat is not None:
            fields["source"] = source_of(chat, by)
        reply_token = None
        has_token = is_repliable(body) and (body["type"] != "messageEdited" or switches.edits_have_tokens)
        if chat is not None and mode == "active" and has_token:
            reply_token = fields["replyToken"] = self.ids.reply_token()
            self.reply_tokens.issue(reply_token, chat_id=chat.chat_id, event_timestamp_ms=now_ms)
        return WebhookEvent(
            webhook_event_id=webhook_event_id,
            chat_id=chat.chat_id if chat else None,
            fields=fields | {"mode": mode},
            line_message_id=message.line_message_id if message else None,
            reply_token=reply_token,
        )

    def event_of_token(self, reply_token: str) -> WebhookEvent | None:
        """Return the newest event with the reply token."""
        return next((event for event in reversed(self.events) if event.reply_token == reply_token), None)

    def _note_departure(self, event: WebhookEvent, at_ms: int) -> None:
        if event.reply_token is not None:
            self.reply_tokens.start_lifetime(event.reply_token, at_ms=at_ms)

    def _note_arrival(self, event: WebhookEvent, attempt: DeliveryAttempt) -> None:
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
        chat_and_message = self.message(event.line_message_id) if event.line_message_id else None
        if chat_and_message is not None:
            chat, message = chat_and_message
            if attempt.is_accepted:
                is_read = message.is_read or self.account.mark_as_read_mode == "auto"
                chat.put(replace(message, delivery=DeliveryState.DELIVERED, failure=None, is_read=is_read))
            elif message.delivery is not DeliveryState.DELIVERED:
                chat.put(replace(message, delivery=DeliveryState.FAILED, failure=attempt.failure))
        self.notify_listeners()
