"""The rules for a bot's messages: their number, and each message by type.

Source: Messaging API reference, "Message objects".
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from .action_rules import check_quick_reply, template_problems
from .errors import Detail, invalid_message
from .flex_rules import flex_problems
from .messages import JsonObject
from .problems import Problems
from .text_rules import MayMention, check_text, check_text_v2

MESSAGES: Final = 5
IMAGEMAP_WIDTH: Final = 1_040
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
_FORBIDDEN_SENDER: Final = "line"


@dataclass(frozen=True, slots=True, kw_only=True)
class Destination:
    """The facts about the destination chat that the rules depend on. `is_single_user`: a 1:1 chat."""

    may_mention: MayMention
    has_quote_token: Callable[[str], bool]
    is_single_user: bool = True


def check_messages(body: JsonObject, destination: Destination | None) -> tuple[JsonObject, ...]:
    """Return the messages if all are valid. Without a destination, the destination's rules are not checked.

    Raises: LineError 400, with every problem.
    """
    problems = Problems()
    messages = problems.items(body, "messages", "", least=1, most=MESSAGES)
    for index, message in enumerate(messages):
        _check_message(message, f"messages[{index}]", problems, destination)
    problems.raise_any()
    for index, message in enumerate(messages):
        if details := _inner_problems(message, f"messages[{index}]"):
            raise invalid_message(index, details)
    problems.flag(body, "notificationDisabled", "", required=False)
    problems.raise_any()
    return tuple(messages)


def _inner_problems(message: JsonObject, path: str) -> tuple[Detail, ...]:
    match message["type"]:
        case "flex":
            return flex_problems(message["contents"])
        case "template":
            return template_problems(message["template"], f"{path}.template")
        case _:
            return ()


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
    if kind == "video":
        tracking_id = problems.text(message, "trackingId", path, most=100, required=False)
        if tracking_id and destination is not None and not destination.is_single_user:
            problems.add("trackingId is not supported in groups and rooms", f"{path}.trackingId")
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
            problems.object(message, "template", path)
        case "flex":
            contents = problems.object(message, "contents", path)
            problems.choice(contents, "type", f"{path}.contents", of=("bubble", "carousel"))
        case _:
            problems.https_url(message, "baseUrl", path)
            size = problems.object(message, "baseSize", path)
            problems.number(size, "width", f"{path}.baseSize", least=IMAGEMAP_WIDTH, most=IMAGEMAP_WIDTH)
            problems.number(size, "height", f"{path}.baseSize", least=1, most=10_000)
            for index, action in enumerate(problems.items(message, "actions", path, least=1, most=50)):
                _check_imagemap_action(action, f"{path}.actions[{index}]", problems.of_parts())
            if message.get("video") is not None:
                _check_imagemap_video(problems.object(message, "video", path), f"{path}.video", problems.of_parts())


def _check_imagemap_action(action: JsonObject, path: str, problems: Problems) -> None:
    match problems.choice(action, "type", path, of=("uri", "message", "clipboard")):
        case "uri":
            problems.text(action, "linkUri", path, most=1_000)
        case "message":
            problems.text(action, "text", path, most=400)
        case "clipboard":
            problems.text(action, "clipboardText", path, most=1_000)
    _check_area(action, path, problems)


def _check_imagemap_video(video: JsonObject, path: str, problems: Problems) -> None:
    problems.https_url(video, "originalContentUrl", path)
    problems.https_url(video, "previewImageUrl", path)
    _check_area(video, path, problems)
    if video.get("externalLink") is not None:
        link = problems.object(video, "externalLink", path)
        problems.text(link, "linkUri", f"{path}.externalLink", most=1_000)
        problems.text(link, "label", f"{path}.externalLink", most=30)


def _check_area(holder: JsonObject, path: str, problems: Problems) -> None:
    area = problems.object(holder, "area", path)
    for name, least in (("x", 0), ("y", 0), ("width", 1), ("height", 1)):
        problems.number(area, name, f"{path}.area", least=least, most=10_000)


def _check_sender(message: JsonObject, path: str, problems: Problems) -> None:
    if message.get("sender") is None:
        return
    sender = problems.object(message, "sender", path)
    name = problems.text(sender, "name", f"{path}.sender", most=20, required=False)
    if name.strip().lower() == _FORBIDDEN_SENDER:
        problems.add("The name is not allowed", f"{path}.sender.name")
    problems.https_url(sender, "iconUrl", f"{path}.sender", required=False)
