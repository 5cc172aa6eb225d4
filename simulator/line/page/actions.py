"""The actions of the page: each takes the body of a POST, acts on the platform, and returns the ids of the result."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from typing import Final

from ..errors import ImpossibleActionError
from ..events import WebhookEvent
from ..messages import JsonObject
from ..platform import LinePlatform

Action = Callable[[LinePlatform, JsonObject], JsonObject]

_STICKER: Final = ("package_id", "sticker_id", "resource_type", "keywords", "quoting")
_PLACE: Final = ("title", "address", "latitude", "longitude")


def say(platform: LinePlatform, body: JsonObject) -> JsonObject:
    """`{user_id, chat_id, text, mentioning?, quoting?}`."""
    return _result(platform.say(body["user_id"], body["chat_id"], body["text"], **_pick(body, "mentioning", "quoting")))


def sticker(platform: LinePlatform, body: JsonObject) -> JsonObject:
    """`{user_id, chat_id, package_id?, sticker_id?, resource_type?, keywords?, quoting?}`."""
    return _result(platform.send_sticker(body["user_id"], body["chat_id"], **_pick(body, *_STICKER)))


def location(platform: LinePlatform, body: JsonObject) -> JsonObject:
    """`{user_id, chat_id, latitude, longitude, title?, address?}`."""
    return _result(platform.send_location(body["user_id"], body["chat_id"], **_pick(body, *_PLACE)))


def unsend(platform: LinePlatform, body: JsonObject) -> JsonObject:
    """`{user_id, line_message_id}`."""
    return _result(platform.unsend(body["user_id"], body["line_message_id"]))


def edit(platform: LinePlatform, body: JsonObject) -> JsonObject:
    """`{user_id, line_message_id, text, mentioning?}`."""
    return _result(platform.edit(body["user_id"], body["line_message_id"], body["text"], **_pick(body, "mentioning")))


def postback(platform: LinePlatform, body: JsonObject) -> JsonObject:
    """`{user_id, chat_id, data, params?, display_text?}`."""
    return _result(
        platform.press(body["user_id"], body["chat_id"], body["data"], **_pick(body, "params", "display_text"))
    )


def follow(platform: LinePlatform, body: JsonObject) -> JsonObject:
    """`{user_id}`."""
    return _result(platform.follow(body["user_id"]))


def unfollow(platform: LinePlatform, body: JsonObject) -> JsonObject:
    """`{user_id}`."""
    return _result(platform.unfollow(body["user_id"]))


def add_person(platform: LinePlatform, body: JsonObject) -> JsonObject:
    """`{display_name}`."""
    return {"user_id": platform.add_person(body["display_name"]).user_id}


def create_group(platform: LinePlatform, body: JsonObject) -> JsonObject:
    """`{name, user_ids}`."""
    return {"chat_id": platform.create_group(body["name"], tuple(body["user_ids"])).chat_id}


def create_room(platform: LinePlatform, body: JsonObject) -> JsonObject:
    """`{user_ids}`."""
    return {"chat_id": platform.create_room(tuple(body["user_ids"])).chat_id}


def join(platform: LinePlatform, body: JsonObject) -> JsonObject:
    """`{chat_id}`."""
    return _result(platform.join(body["chat_id"]))


def leave(platform: LinePlatform, body: JsonObject) -> JsonObject:
    """`{chat_id}`."""
    return _result(platform.leave(body["chat_id"]))


def add_member(platform: LinePlatform, body: JsonObject) -> JsonObject:
    """`{chat_id, user_ids}`."""
    return _result(platform.add_member(body["chat_id"], *body["user_ids"]))


def remove_member(platform: LinePlatform, body: JsonObject) -> JsonObject:
    """`{chat_id, user_ids}`."""
    return _result(platform.remove_member(body["chat_id"], *body["user_ids"]))


def switches(platform: LinePlatform, body: JsonObject) -> JsonObject:
    """Any fields of DeliverySwitches; the others keep their values.  Returns: all of them."""
    unknown = body.keys() - asdict(platform.switches).keys()
    if unknown:
        raise ImpossibleActionError(f"no such switch: {', '.join(sorted(unknown))}")
    platform.switches = replace(platform.switches, **body)
    return asdict(platform.switches)


ACTIONS: Final[Mapping[str, Action]] = {
    action.__name__: action
    for action in (
        say,
        sticker,
        location,
        unsend,
        edit,
        postback,
        follow,
        unfollow,
        add_person,
        create_group,
        create_room,
        join,
        leave,
        add_member,
        remove_member,
        switches,
    )
}


def _result(event: WebhookEvent) -> JsonObject:
    return {"webhook_event_id": event.webhook_event_id, "line_message_id": event.line_message_id}


def _pick(body: JsonObject, *names: str) -> JsonObject:
    return {name: body[name] for name in names if body.get(name) is not None}
