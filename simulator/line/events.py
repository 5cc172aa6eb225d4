"""Webhook events: the fields, in LINE's order.

Source: Messaging API reference, "Webhook Event Objects"; webhook.yml of line-openapi.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from .chats import Chat, ChatKind
from .messages import JsonObject, Message
from .people import Person

_REPLIABLE: Final = frozenset(
    {
        "message",
        "messageEdited",
        "follow",
        "join",
        "memberJoined",
        "postback",
        "videoPlayComplete",
        "beacon",
        "accountLink",
        "membership",
    }
)
QUOTABLE: Final = frozenset({"text", "textV2", "sticker", "image", "video", "template", "flex"})
"""Message types that get a quote token.  Source: docs/messaging-api/get-quote-tokens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookEvent:
    """An event. `fields` is the sent JSON, apart from a redelivery's `deliveryContext`."""

    webhook_event_id: str
    chat_id: str | None
    fields: JsonObject
    line_message_id: str | None = None
    reply_token: str | None = field(default=None, repr=False)

    @property
    def type(self) -> str:
        """LINE's name of the kind of event, e.g. `memberJoined`."""
        return str(self.fields["type"])

    def as_sent(self, *, is_redelivery: bool) -> JsonObject:
        """Return the JSON of a delivery; only `isRedelivery` differs between deliveries."""
        return self.fields | {"deliveryContext": {"isRedelivery": is_redelivery}}


def is_repliable(body: JsonObject) -> bool:
    """Whether LINE sends a reply token: by the type, and never with a failed account link."""
    link = body.get("link")
    has_failed = isinstance(link, dict) and link.get("result") == "failed"
    return body["type"] in _REPLIABLE and not has_failed


def source_of(chat: Chat, person: Person | None) -> JsonObject:
    """Return, for example, `{"type": "group", "groupId": ..., "userId": ...}`; `userId` only if the person consented.

    Source: docs/messaging-api/user-consent.
    """
    match chat.kind:
        case ChatKind.USER:
            has_consented = person is None or person.has_consented
            return {"type": "user", "userId": chat.chat_id} if has_consented else {"type": "user"}
        case ChatKind.GROUP:
            source: JsonObject = {"type": "group", "groupId": chat.chat_id}
        case ChatKind.ROOM:
            source = {"type": "room", "roomId": chat.chat_id}
    return source | {"userId": person.user_id} if person and person.has_consented else source


def message_event(message: Message) -> JsonObject:
    """Return a message event; `quoteToken` and `markAsReadToken` only if the message has any."""
    return {"type": "message", "message": _message_object(message)}


def edited_event(message: Message) -> JsonObject:
    """Return an event with the id of the edited message and the new text, without `markAsReadToken`.

    Source: Messaging API reference, "Edit event".
    """
    edited = _message_object(message)
    edited.pop("markAsReadToken", None)
    return {"type": "messageEdited", "message": edited}


def unsend_event(line_message_id: str) -> JsonObject:
    """Return an unsend event, with no more than the message's id: `{"unsend": {"messageId": "5"}}`, for example."""
    return {"type": "unsend", "unsend": {"messageId": line_message_id}}


def follow_event(*, is_unblocked: bool) -> JsonObject:
    """Return a follow event; `isUnblocked` is false for a new friend."""
    return {"type": "follow", "follow": {"isUnblocked": is_unblocked}}


def members_event(kind: Literal["memberJoined", "memberLeft"], people: Sequence[Person]) -> JsonObject:
    """Return an event with members as sources of type user; a member without consent has no id.

    For example, `{"joined": {"members": [{"type": "user", "userId": "U1..."}, {"type": "user"}]}}`.
    Source: docs/messaging-api/user-consent.
    """
    members = [{"type": "user"} | ({"userId": one.user_id} if one.has_consented else {}) for one in people]
    return {"type": kind, "joined" if kind == "memberJoined" else "left": {"members": members}}


def postback_event(data: str, params: JsonObject | None) -> JsonObject:
    """Return a postback event; `params` only for date pickers and rich menu switches."""
    return {"type": "postback", "postback": {"data": data} | ({"params": params} if params else {})}


def _message_object(message: Message) -> JsonObject:
    content = dict(message.content)
    fields: JsonObject = {"type": content.pop("type"), "id": message.line_message_id}
    if message.quote_token is not None:
        fields["quoteToken"] = message.quote_token
    if message.mark_as_read_token is not None:
        fields["markAsReadToken"] = message.mark_as_read_token
    if message.quoted_message_id is not None:
        fields["quotedMessageId"] = message.quoted_message_id
    return fields | content
