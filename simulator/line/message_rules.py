"""The rules for the messages that a bot sends: their number, and each message by its type.

Source: Messaging API reference, "Message objects".
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from .action_rules import check_quick_reply, check_template
from .errors import invalid_property
from .messages import JsonObject
from .problems import Problems
from .text_rules import MayMention, check_text, check_text_v2

MESSAGES: Final = 5
MESSAGE_TYPES: Final = (
    "text",
    "textV2",
    "sticker",
    "image",
    "video",
    "audio",
    "location",
    "imagemap",
    "template",
    "flex",
    "coupon",
)
_QUOTING: Final = frozenset({"text", "textV2", "sticker"})
_BUBBLE_BYTES: Final = 30_000
_CAROUSEL_BYTES: Final = 50_000
_FORBIDDEN_SENDER: Final = "line"


@dataclass(frozen=True, slots=True, kw_only=True)
class Destination:
    """What the rules need to know of the chat that the messages go to."""

    may_mention: MayMention
    has_quote_token: Callable[[str], bool]


def check_messages(body: JsonObject, destination: Destination | None) -> tuple[JsonObject, ...]:
    """Return the messages if all of them may be sent. Without a destination, the rules that depend on it are not checked.

    Raises: LineError 400, with every problem.
    """
    problems = Problems()
    messages = problems.items(body, "messages", "", least=1, most=MESSAGES)
    for index, message in enumerate(messages):
        _check_message(message, f"messages[{index}]", problems, destination)
    problems.raise_any()
    if not isinstance(body.get("notificationDisabled", False), bool):
        raise invalid_property("notificationDisabled")
    return tuple(messages)


def _check_message(message: JsonObject, path: str, problems: Problems, destination: Destination | None) -> None:
    kind = problems.choice(message, "type", path, of=MESSAGE_TYPES)
    match kind:
        case None:
            return
        case "text":
            check_text(message, path, problems)
        case "textV2":
            check_text_v2(message, path, problems, destination.may_mention if destination else None)
        case "template" | "flex" | "imagemap":
            problems.text(message, "altText", path, most=1_500)
            _check_rich(message, kind, path, problems)
        case _:
            _check_plain(message, kind, path, problems)
    quote_token = problems.text(message, "quoteToken", path, most=2_000, required=False) if kind in _QUOTING else ""
    if quote_token and destination is not None and not destination.has_quote_token(quote_token):
        problems.add("Invalid quote token", f"{path}.quoteToken")
    _check_sender(message, path, problems)
    check_quick_reply(message, path, problems)


def _check_plain(message: JsonObject, kind: str, path: str, problems: Problems) -> None:
    match kind:
        case "sticker":
            problems.text(message, "packageId", path, most=20)
            problems.text(message, "stickerId", path, most=20)
        case "image" | "video":
            problems.https_url(message, "originalContentUrl", path)
            problems.https_url(message, "previewImageUrl", path)
        case "audio":
            problems.https_url(message, "originalContentUrl", path)
            problems.number(message, "duration", path, least=1, most=24 * 60 * 60_000)
        case "location":
            problems.text(message, "title", path, most=100)
            problems.text(message, "address", path, most=100)
            problems.number(message, "latitude", path, least=-90, most=90)
            problems.number(message, "longitude", path, least=-180, most=180)
        case _:
            problems.text(message, "couponId", path, most=100)


def _check_rich(message: JsonObject, kind: str, path: str, problems: Problems) -> None:
    match kind:
        case "template":
            check_template(problems.object(message, "template", path), f"{path}.template", problems)
        case "flex":
            contents = problems.object(message, "contents", path)
            shape = problems.choice(contents, "type", f"{path}.contents", of=("bubble", "carousel"))
            most_bytes = _BUBBLE_BYTES if shape == "bubble" else _CAROUSEL_BYTES
            if len(json.dumps(contents, ensure_ascii=False).encode()) > most_bytes:
                problems.add(f"Size must be at most {most_bytes} bytes", f"{path}.contents")
            if shape == "carousel":
                problems.items(contents, "contents", f"{path}.contents", least=1, most=12)
        case _:
            problems.https_url(message, "baseUrl", path)
            problems.object(message, "baseSize", path)
            problems.items(message, "actions", path, least=1, most=50)


def _check_sender(message: JsonObject, path: str, problems: Problems) -> None:
    if message.get("sender") is None:
        return
    sender = problems.object(message, "sender", path)
    name = problems.text(sender, "name", f"{path}.sender", most=20, required=False)
    if name.strip().lower() == _FORBIDDEN_SENDER:
        problems.add("The name is not allowed", f"{path}.sender.name")
    problems.https_url(sender, "iconUrl", f"{path}.sender", required=False)
