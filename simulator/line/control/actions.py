"""The actions of the control API: what people do. Each takes a checked body, acts on the platform, and returns ids.

`platform_actions.py` has the actions on deliveries, the API and the clock.
"""

import base64
import binascii
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Final

from ..errors import ImpossibleActionError
from ..events import WebhookEvent
from ..media import Media
from ..messages import JsonObject
from ..people import Friendship
from ..platform import LinePlatform
from .fields import (
    BYTES,
    CHAT_ID,
    FLAG,
    MESSAGE_ID,
    NAME,
    OBJECT,
    TEXT,
    USER_ID,
    MalformedBodyError,
    choice,
    list_of,
    nullable,
    number,
    record,
    string,
    whole,
)
from .samples import SAMPLES

Run = Callable[[LinePlatform, JsonObject], JsonObject]

_KEYWORDS: Final = list_of(string(most=100), most=15)
_MENTIONING: Final = list_of(
    string("A user id, the account's, or `all`, in the order of their `@name` in the text."), most=50
)
_RESOURCE_TYPES: Final = (
    *("STATIC", "ANIMATION", "SOUND", "ANIMATION_SOUND", "POPUP", "POPUP_SOUND"),
    *("CUSTOM", "MESSAGE", "NAME_TEXT", "PER_STICKER_TEXT"),
)
IMAGE_TYPES: Final = ("image/jpeg", "image/png", "image/gif", "image/webp")  # formats without scripts
_IMAGE: Final = {"content_base64": BYTES, "content_type": choice(*IMAGE_TYPES)}
_CONTENT: Final = {"content_base64": BYTES, "content_type": string(most=100)}
_PREPARED: Final = {
    "prepared_after_s": number("Until then the content answers 202.", least=0, most=3_600),
    "transcoding_failed": FLAG,
}
_DURATION: Final = whole("Milliseconds.", least=0, most=24 * 60 * 60_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """One action. `fields` are JSON Schemas of the body's properties; those in `required` have to be there."""

    name: str
    summary: str
    run: Run
    fields: Mapping[str, JsonObject]
    required: tuple[str, ...]
    is_recorded: bool = True


def action(
    *, optional: Mapping[str, JsonObject] | None = None, is_recorded: bool = True, **required: JsonObject
) -> Callable[[Run], Action]:
    """Turn the function into the action of its name; its docstring is the summary, `required` and `optional` the body's fields."""

    def describe(run: Run) -> Action:
        return Action(
            name=run.__name__,
            summary=" ".join((run.__doc__ or "").split()),
            run=run,
            fields={**required, **(optional or {})},
            required=tuple(required),
            is_recorded=is_recorded,
        )

    return describe


def actions_of(module: ModuleType) -> list[Action]:
    """Return the actions that a module defines."""
    return [value for value in vars(module).values() if isinstance(value, Action)]


@action(
    user_id=USER_ID,
    chat_id=CHAT_ID,
    text=TEXT,
    optional={"mentioning": nullable(_MENTIONING), "quoting": nullable(MESSAGE_ID), "emojis": list_of(OBJECT, most=20)},
)
def say(platform: LinePlatform, body: JsonObject) -> JsonObject:
    """A person sends a text."""
    return _event(
        platform.say(
            body["user_id"],
            body["chat_id"],
            body["text"],
            mentioning=body.get("mentioning") or (),
            **_given(body, "quoting", "emojis"),
        )
    )


@action(
    user_id=USER_ID,
    chat_id=CHAT_ID,
    optional={
        "package_id": string(most=20),
        "sticker_id": string(most=20),
        "resource_type": choice(*_RESOURCE_TYPES),
        "keywords": _KEYWORDS,
        "text": string("The text of a MESSAGE sticker.", most=100),
        "quoting": nullable(MESSAGE_ID),
    },
)
def sticker(platform: LinePlatform, body: JsonObject) -> JsonObject:
    """A person sends a sticker."""
    options = _given(body, "package_id", "sticker_id", "resource_type", "keywords", "text", "quoting")
    return _event(platform.send_sticker(body["user_id"], body["chat_id"], **options))


@action(
    user_id=USER_ID,
    chat_id=CHAT_ID,
    latitude=number(least=-90, most=90),
    longitude=number(least=-180, most=180),
    optional={"title": string(most=100), "address": string(most=100)},
)
def location(platform: LinePlatform, body: JsonObject) -> JsonObject:
    """A person sends a place."""
    place = _given(body, "title", "address", "latitude", "longitude")
    return _event(platform.send_location(body["user_id"], body["chat_id"], **place))


@action(
    user_id=USER_ID,
    chat_id=CHAT_ID,
    optional={**_IMAGE, **_PREPARED},
)
def image(platform: LinePlatform, body: JsonObject) -> JsonObject:
    """A person sends an image; without content, a small sample."""
    return _event(platform.send_image(body["user_id"], body["chat_id"], _media(platform, "image", body)))


@action(
    user_id=USER_ID,
    chat_id=CHAT_ID,
    optional={
        "count": whole("Images of the sample.", least=2, most=20),
        "images": list_of(record(**_IMAGE), least=2, most=20),
    },
)
def image_set(platform: LinePlatform, body: JsonObject) -> JsonObject:
    """A person sends several images at once: an event each, in one image set."""
    parts = body.get("images") or [{}] * body.get("count", 2)
    images = [_media(platform, "image", part) for part in parts]
    return {"events": [_event(event) for event in platform.send_images(body["user_id"], body["chat_id"], images)]}


@action(
    user_id=USER_ID,
    chat_id=CHAT_ID,
    optional={**_CONTENT, **_PREPARED, "duration_ms": _DURATION},
)
def video(platform: LinePlatform, body: JsonObject) -> JsonObject:
    """A person sends a video; without content, a sample that no player plays."""
    media = _media(platform, "video", body)
    duration_ms = body.get("duration_ms", 1_000)
    return _event(platform.send_video(body["user_id"], body["chat_id"], media, duration_ms=duration_ms))


@action(
    user_id=USER_ID,
    chat_id=CHAT_ID,
    optional={**_CONTENT, **_PREPARED, "duration_ms": _DURATION},
)
def audio(platform: LinePlatform, body: JsonObject) -> JsonObject:
    """A person sends a voice message; without content, a sample that no player plays."""
    media = _media(platform, "audio", body)
    duration_ms = body.get("duration_ms", 1_000)
    return _event(platform.send_audio(body["user_id"], body["chat_id"], media, duration_ms=duration_ms))


@action(
    user_id=USER_ID,
    chat_id=CHAT_ID,
    optional={**_CONTENT, "file_name": string(least=1, most=200)},
)
def file(platform: LinePlatform, body: JsonObject) -> JsonObject:
    """A person sends a file; without content, a short text."""
    media = _media(platform, "file", body)
    file_name = body.get("file_name", "notes.txt")
    return _event(platform.send_file(body["user_id"], body["chat_id"], media, file_name=file_name))


@action(user_id=USER_ID, line_message_id=MESSAGE_ID)
def unsend(platform: LinePlatform, body: JsonObject) -> JsonObject:
    """A person unsends a message."""
    return _event(platform.unsend(body["user_id"], body["line_message_id"]))


@action(
    user_id=USER_ID,
    line_message_id=MESSAGE_ID,
    text=TEXT,
    optional={"mentioning": nullable(_MENTIONING)},
)
def edit(platform: LinePlatform, body: JsonObject) -> JsonObject:
    """A person edits a text in a group."""
    mentioning = body.get("mentioning") or ()
    return _event(platform.edit(body["user_id"], body["line_message_id"], body["text"], mentioning=mentioning))


@action(
    user_id=USER_ID,
    chat_id=CHAT_ID,
    data=string(least=1, most=300),
    optional={"params": OBJECT, "display_text": nullable(string(most=300))},
)
def postback(platform: LinePlatform, body: JsonObject) -> JsonObject:
    """A person presses a postback button."""
    options = _given(body, "params", "display_text")
    return _event(platform.press(body["user_id"], body["chat_id"], body["data"], **options))


@action(user_id=USER_ID)
def follow(platform: LinePlatform, body: JsonObject) -> JsonObject:
    """A person adds the account as a friend, or unblocks it."""
    return _event(platform.follow(body["user_id"]))


@action(user_id=USER_ID)
def unfollow(platform: LinePlatform, body: JsonObject) -> JsonObject:
    """A person blocks the account."""
    return _event(platform.unfollow(body["user_id"]))


@action(
    display_name=NAME,
    optional={
        "status_message": string(most=500),
        "language": string(most=20),
        "picture_url": string(most=2_000),
        "has_consented": FLAG,
        "friendship": choice(*Friendship),
    },
)
def add_person(platform: LinePlatform, body: JsonObject) -> JsonObject:
    """A person appears, by default a friend of the account."""
    profile = _given(body, "status_message", "language", "picture_url", "has_consented")
    friendship = Friendship(body.get("friendship", Friendship.FRIEND))
    return {"user_id": platform.add_person(body["display_name"], friendship=friendship, **profile).user_id}


@action(user_id=USER_ID, has_consented=FLAG)
def set_consent(platform: LinePlatform, body: JsonObject) -> JsonObject:
    """A person gives or takes back the consent to the use of their id."""
    person = platform.person(body["user_id"])
    platform.people[person.user_id] = replace(person, has_consented=body["has_consented"])
    platform.notify_listeners()
    return {"user_id": person.user_id}


@action(name=NAME, user_ids=list_of(USER_ID, least=1))
def create_group(platform: LinePlatform, body: JsonObject) -> JsonObject:
    """People found a group. The account is not in it until `join`."""
    return {"chat_id": platform.create_group(body["name"], tuple(body["user_ids"])).chat_id}


@action(user_ids=list_of(USER_ID, least=1))
def create_room(platform: LinePlatform, body: JsonObject) -> JsonObject:
    """People found a multi-person chat with the account in it."""
    return {"chat_id": platform.create_room(tuple(body["user_ids"])).chat_id}


@action(chat_id=CHAT_ID)
def join(platform: LinePlatform, body: JsonObject) -> JsonObject:
    """The account is invited to the group."""
    return _event(platform.join(body["chat_id"]))


@action(chat_id=CHAT_ID)
def leave(platform: LinePlatform, body: JsonObject) -> JsonObject:
    """The account is removed from the group or room."""
    return _event(platform.leave(body["chat_id"]))


@action(chat_id=CHAT_ID, user_ids=list_of(USER_ID, least=1))
def add_member(platform: LinePlatform, body: JsonObject) -> JsonObject:
    """People join the group or room."""
    return _event(platform.add_member(body["chat_id"], *body["user_ids"]))


@action(chat_id=CHAT_ID, user_ids=list_of(USER_ID, least=1))
def remove_member(platform: LinePlatform, body: JsonObject) -> JsonObject:
    """People leave the group or room."""
    return _event(platform.remove_member(body["chat_id"], *body["user_ids"]))


@action(
    user_id=USER_ID,
    tracking_id=string(least=1, most=100),
)
def finish_video(platform: LinePlatform, body: JsonObject) -> JsonObject:
    """A person watched a video of the account to its end. `tracking_id` has to be that of a video in the 1:1 chat."""
    return _event(platform.finish_video(body["user_id"], body["tracking_id"]))


@action(
    user_id=USER_ID,
    hwid=string(least=1, most=64),
    optional={"type": choice("enter", "banner", "stay"), "dm": string("Device message, hex.", most=64)},
)
def beacon(platform: LinePlatform, body: JsonObject) -> JsonObject:
    """A person comes near a beacon."""
    return _event(
        platform.meet_beacon(body["user_id"], body["hwid"], kind=body.get("type", "enter"), **_given(body, "dm"))
    )


@action(
    user_id=USER_ID,
    nonce=string(least=1, most=255),
    optional={"result": choice("ok", "failed")},
)
def account_link(platform: LinePlatform, body: JsonObject) -> JsonObject:
    """A person links an account of the provider."""
    return _event(platform.link_account(body["user_id"], body["nonce"], **_given(body, "result")))


@action(
    user_id=USER_ID,
    membership_id=whole(least=1, most=2**53),
    type=choice("joined", "left", "renewed"),
)
def membership(platform: LinePlatform, body: JsonObject) -> JsonObject:
    """A person joins, leaves or renews a paid membership."""
    return _event(platform.change_membership(body["user_id"], body["membership_id"], body["type"]))


@action(
    user_id=USER_ID,
    area=whole("Number of the area, from 0.", least=0, most=19),
)
def tap_rich_menu(platform: LinePlatform, body: JsonObject) -> JsonObject:
    """A person taps the rich menu that their 1:1 chat shows."""
    return platform.tap_rich_menu(body["user_id"], body["area"])


def _event(event: WebhookEvent | None) -> JsonObject:
    if event is None:
        return {"webhook_event_id": None, "line_message_id": None}
    return {"webhook_event_id": event.webhook_event_id, "line_message_id": event.line_message_id}


def _given(body: JsonObject, *names: str) -> JsonObject:
    return {name: body[name] for name in names if body.get(name) is not None}


def _media(platform: LinePlatform, kind: str, body: JsonObject) -> Media:
    sample, sample_type = SAMPLES[kind]
    content_type = body.get("content_type", sample_type)
    if not content_type.isascii() or not content_type.isprintable():
        raise MalformedBodyError("content_type has to be ASCII")
    try:
        content = base64.b64decode(body["content_base64"], validate=True) if "content_base64" in body else sample
    except (binascii.Error, ValueError) as cause:
        raise MalformedBodyError("content_base64 is not Base64") from cause
    if not content:
        raise ImpossibleActionError("an empty file cannot be sent")
    return Media(
        content=content,
        content_type=content_type,
        prepared_at_ms=platform.now_ms() + round(body.get("prepared_after_s", 0) * 1_000),
        transcoding_failed=body.get("transcoding_failed", False),
    )
