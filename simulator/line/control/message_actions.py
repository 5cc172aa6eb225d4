"""The control API's actions for people's messages: send, unsend and edit messages, and press buttons."""

import base64
import binascii
from typing import Final

from ..errors import ImpossibleActionError
from ..media import Media
from ..messages import JsonObject
from ..platform import LinePlatform
from .actions import action, event_of, present_fields
from .fields import (
    BYTES,
    CHAT_ID,
    FLAG,
    MESSAGE_ID,
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


@action(
    user_id=USER_ID,
    chat_id=CHAT_ID,
    text=TEXT,
    optional={"mentioning": nullable(_MENTIONING), "quoting": nullable(MESSAGE_ID), "emojis": list_of(OBJECT, most=20)},
)
def say(platform: LinePlatform, body: JsonObject) -> JsonObject:
    """A person sends a text."""
    return event_of(
        platform.say(
            body["user_id"],
            body["chat_id"],
            body["text"],
            mentioning=body.get("mentioning") or (),
            **present_fields(body, "quoting", "emojis"),
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
    options = present_fields(body, "package_id", "sticker_id", "resource_type", "keywords", "text", "quoting")
    return event_of(platform.send_sticker(body["user_id"], body["chat_id"], **options))


@action(
    user_id=USER_ID,
    chat_id=CHAT_ID,
    latitude=number(least=-90, most=90),
    longitude=number(least=-180, most=180),
    optional={"title": string(most=100), "address": string(most=100)},
)
def location(platform: LinePlatform, body: JsonObject) -> JsonObject:
    """A person sends a place."""
    place = present_fields(body, "title", "address", "latitude", "longitude")
    return event_of(platform.send_location(body["user_id"], body["chat_id"], **place))


@action(
    user_id=USER_ID,
    chat_id=CHAT_ID,
    optional={**_IMAGE, **_PREPARED},
)
def image(platform: LinePlatform, body: JsonObject) -> JsonObject:
    """A person sends an image; without content, a small sample."""
    return event_of(platform.send_image(body["user_id"], body["chat_id"], _media(platform, "image", body)))


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
    return {"events": [event_of(event) for event in platform.send_images(body["user_id"], body["chat_id"], images)]}


@action(
    user_id=USER_ID,
    chat_id=CHAT_ID,
    optional={**_CONTENT, **_PREPARED, "duration_ms": _DURATION},
)
def video(platform: LinePlatform, body: JsonObject) -> JsonObject:
    """A person sends a video; without content, an unplayable sample."""
    media = _media(platform, "video", body)
    duration_ms = body.get("duration_ms", 1_000)
    return event_of(platform.send_video(body["user_id"], body["chat_id"], media, duration_ms=duration_ms))


@action(
    user_id=USER_ID,
    chat_id=CHAT_ID,
    optional={**_CONTENT, **_PREPARED, "duration_ms": _DURATION},
)
def audio(platform: LinePlatform, body: JsonObject) -> JsonObject:
    """A person sends a voice message; without content, an unplayable sample."""
    media = _media(platform, "audio", body)
    duration_ms = body.get("duration_ms", 1_000)
    return event_of(platform.send_audio(body["user_id"], body["chat_id"], media, duration_ms=duration_ms))


@action(
    user_id=USER_ID,
    chat_id=CHAT_ID,
    optional={**_CONTENT, "file_name": string(least=1, most=200)},
)
def file(platform: LinePlatform, body: JsonObject) -> JsonObject:
    """A person sends a file; without content, a short text."""
    media = _media(platform, "file", body)
    file_name = body.get("file_name", "notes.txt")
    return event_of(platform.send_file(body["user_id"], body["chat_id"], media, file_name=file_name))


@action(user_id=USER_ID, line_message_id=MESSAGE_ID)
def unsend(platform: LinePlatform, body: JsonObject) -> JsonObject:
    """A person unsends a message."""
    return event_of(platform.unsend(body["user_id"], body["line_message_id"]))


@action(
    user_id=USER_ID,
    line_message_id=MESSAGE_ID,
    text=TEXT,
    optional={"mentioning": nullable(_MENTIONING)},
)
def edit(platform: LinePlatform, body: JsonObject) -> JsonObject:
    """A person edits a text in a group."""
    mentioning = body.get("mentioning") or ()
    return event_of(platform.edit(body["user_id"], body["line_message_id"], body["text"], mentioning=mentioning))


@action(
    user_id=USER_ID,
    chat_id=CHAT_ID,
    data=string(least=1, most=300),
    optional={"params": OBJECT, "display_text": nullable(string(most=300))},
)
def postback(platform: LinePlatform, body: JsonObject) -> JsonObject:
    """A person presses a postback button."""
    options = present_fields(body, "params", "display_text")
    return event_of(platform.press(body["user_id"], body["chat_id"], body["data"], **options))


@action(
    user_id=USER_ID,
    chat_id=CHAT_ID,
    label=string(least=1, most=100),
    optional={"value": string("What the person picks in a date picker.", least=1, most=30)},
)
def tap(platform: LinePlatform, body: JsonObject) -> JsonObject:
    """A person taps the newest button, quick reply or area of the rich menu with the label."""
    return platform.tap(body["user_id"], body["chat_id"], body["label"], **present_fields(body, "value"))


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
