"""The state for the page: chats, people, and the latest requests, without tokens."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final

from ..chats import Chat
from ..messages import JsonObject, Message, Notice
from ..people import Friendship
from ..platform import LinePlatform

ENTRIES_SHOWN: Final = 300
FACTS_SHOWN: Final = 40
EVENTS_SHOWN: Final = 400


def snapshot(platform: LinePlatform, about: Mapping[str, Any]) -> JsonObject:
    """Return the page's state; lists begin with the oldest.

    `{"now_ms", "about", "webhook_url", "switches", "faults": [...], "bot", "people": [...], "chats": [...], "facts": [...]}`
    """
    event_ids = _event_ids(platform)
    return {
        "now_ms": platform.now_ms(),
        "about": dict(about),
        "webhook_url": platform.courier.webhook_url,
        "switches": asdict(platform.switches),
        "faults": [
            {"path": fault.path, "error_status": fault.error_status, "delay_s": fault.delay_s, "answer": fault.answer}
            for fault in platform.faults.faults
        ],
        "bot": {"user_id": platform.account.user_id, "display_name": platform.account.display_name},
        "people": [
            {
                "user_id": person.user_id,
                "display_name": person.display_name,
                "friendship": person.friendship.value,
                "has_consented": person.has_consented,
            }
            for person in platform.people.values()
        ],
        "chats": [
            _chat(chat, event_ids) | {"rich_menu": _rich_menu(platform, chat)} for chat in platform.chats.values()
        ],
        "facts": _facts(platform),
    }


def _chat(chat: Chat, event_ids: Mapping[str, list[str]]) -> JsonObject:
    return {
        "chat_id": chat.chat_id,
        "kind": chat.kind.value,
        "name": chat.name,
        "member_ids": list(chat.member_ids),
        "bot_is_member": chat.bot_is_member,
        "loading_until_ms": chat.loading_until_ms,
        "entries": [_entry(entry, event_ids) for entry in chat.entries[-ENTRIES_SHOWN:]],
    }


def _rich_menu(platform: LinePlatform, chat: Chat) -> JsonObject | None:
    """Return the menu on the phone: only in 1:1 chats, and only for people without a block."""
    person = platform.people.get(chat.chat_id)
    if person is None or person.friendship is Friendship.BLOCKED:
        return None
    menu = platform.rich_menus.shown_to(person.user_id)
    if menu is None:
        return None
    return {
        "rich_menu_id": menu.rich_menu_id,
        "name": menu.body["name"],
        "chat_bar_text": menu.body["chatBarText"],
        "selected": menu.body["selected"],
        "size": menu.body["size"],
        "areas": menu.body.get("areas", []),
    }


def _entry(entry: Message | Notice, event_ids: Mapping[str, list[str]]) -> JsonObject:
    if isinstance(entry, Notice):
        return {
            "kind": "notice",
            "name": entry.name,
            "display_name": entry.display_name,
            "timestamp_ms": entry.timestamp_ms,
        }
    return {
        "kind": "message",
        "line_message_id": entry.line_message_id,
        "sender_id": entry.sender_id,
        "timestamp_ms": entry.timestamp_ms,
        "content": {name: value for name, value in entry.content.items() if name != "quoteToken"},
        "quoted_message_id": entry.quoted_message_id,
        "is_read": entry.is_read,
        "is_unsent": entry.is_unsent,
        "is_edited": entry.is_edited,
        "caused_event": entry.webhook_event_id is not None,
        "webhook_event_ids": event_ids.get(entry.line_message_id, []),
        "delivery": entry.delivery.value,
        "failure": entry.failure,
    }


def _event_ids(platform: LinePlatform) -> dict[str, list[str]]:
    """Return by `line_message_id` the events about a person's message, or the event answered by the bot's message."""
    event_ids: dict[str, list[str]] = {}
    event_ids_by_token: dict[str, str] = {}
    for event in platform.events[-EVENTS_SHOWN:]:
        match event.fields:
            case {"message": {"id": str(line_message_id)}} | {"unsend": {"messageId": str(line_message_id)}}:
                event_ids.setdefault(line_message_id, []).append(event.webhook_event_id)
        if event.reply_token is not None:
            event_ids_by_token[event.reply_token] = event.webhook_event_id
    for request in platform.requests[-EVENTS_SHOWN:]:
        if (
            request.path == "/v2/bot/message/reply"
            and request.has_effect
            and request.body["replyToken"] in event_ids_by_token
        ):
            for sent in request.answer["sentMessages"]:
                event_ids.setdefault(sent["id"], []).append(event_ids_by_token[request.body["replyToken"]])
    return event_ids


def _facts(platform: LinePlatform) -> list[JsonObject]:
    facts: list[JsonObject] = [
        {
            "key": f"{attempt.started_ms} {attempt.signature}",
            "at_ms": attempt.started_ms,
            "way": "to_webhook",
            "what": _event_types(platform, attempt.webhook_event_ids),
            "status": attempt.failure or str(attempt.status),
            "is_fine": attempt.is_accepted,
            "duration_ms": attempt.duration_ms,
            "is_redelivery": attempt.is_redelivery,
        }
        for attempt in platform.deliveries[-FACTS_SHOWN:]
    ]
    facts += [
        {
            "key": request.request_id,
            "at_ms": request.at_ms,
            "way": "from_bot",
            "what": f"{request.method} {request.path.removeprefix('/v2/bot/')}",
            "status": str(int(request.status)),
            "is_fine": request.status < 400,  # noqa: PLR2004 - where HTTP's errors begin
        }
        for request in platform.requests[-FACTS_SHOWN:]
    ]
    return sorted(facts, key=lambda fact: int(fact["at_ms"]))[-FACTS_SHOWN:]


def _event_types(platform: LinePlatform, webhook_event_ids: tuple[str, ...]) -> str:
    recent = platform.events[-10 * FACTS_SHOWN :]
    types = [event.type for event in recent if event.webhook_event_id in webhook_event_ids]
    return ", ".join(types) or "verify"
