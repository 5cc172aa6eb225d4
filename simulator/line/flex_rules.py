"""The rules for the contents of flex messages.  Source: Messaging API reference, "Flex Message"; messaging-api.yml of line-openapi.

A property outside the reference is an unknown field. Errors have paths such as `/body/contents/0/text`.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from .action_rules import MESSAGE_ACTIONS, check_action
from .errors import Detail, LineError
from .flex_properties import PROPERTIES
from .messages import JsonObject
from .problems import Problems, is_number

BUBBLE_BYTES: Final = 30_000
CAROUSEL_BYTES: Final = 50_000
BUBBLES: Final = 12
LABEL_CHARACTERS: Final = 40
COMPONENTS: Final = 1_000

_COLOR: Final = re.compile(r"#[0-9a-fA-F]{6}([0-9a-fA-F]{2})?")
_PIXELS: Final = re.compile(r"[0-9]{1,5}(\.[0-9]{1,5})?px")
_SIGNED_PIXELS: Final = re.compile(r"-?[0-9]{1,5}(\.[0-9]{1,5})?px")
_PERCENT: Final = re.compile(r"[0-9]{1,3}(\.[0-9]{1,5})?%")
_ANGLE: Final = re.compile(r"[0-9]{1,3}(\.[0-9]{1,5})?deg")
_RATIO: Final = re.compile(r"([1-9][0-9]{0,5}):([1-9][0-9]{0,5})")
_MOST_RATIO: Final = 3
_SIZES: Final = ("xxs", "xs", "sm", "md", "lg", "xl", "xxl", "3xl", "4xl", "5xl")
_SPACES: Final = ("none", "xs", "sm", "md", "lg", "xl", "xxl")
_BUBBLE_SIZES: Final = ("nano", "micro", "deca", "hecto", "kilo", "mega", "giga")
_IN_BOX: Final = ("box", "button", "image", "text", "separator", "filler", "video", "icon", "span")
_CONTENTS: Final = {
    "horizontal": frozenset({"box", "button", "image", "text", "separator", "filler", "video"}),
    "vertical": frozenset({"box", "button", "image", "text", "separator", "filler", "video"}),
    "baseline": frozenset({"icon", "text", "filler", "separator"}),
}

_ENUMS: Final[Mapping[str, tuple[str, ...]]] = {
    "align": ("start", "end", "center"),
    "gravity": ("top", "bottom", "center"),
    "weight": ("regular", "bold"),
    "decoration": ("none", "underline", "line-through"),
    "position": ("relative", "absolute"),
    "aspectMode": ("cover", "fit"),
    "adjustMode": ("shrink-to-fit",),
    "justifyContent": ("flex-start", "center", "flex-end", "space-between", "space-around", "space-evenly"),
    "alignItems": ("flex-start", "center", "flex-end"),
}
_COLORS: Final = ("color", "backgroundColor", "borderColor", "separatorColor")
_OFFSETS: Final = ("offsetTop", "offsetBottom", "offsetStart", "offsetEnd")
_PADDINGS: Final = ("paddingAll", "paddingTop", "paddingBottom", "paddingStart", "paddingEnd")
_LENGTHS: Final = ("width", "maxWidth", "height", "maxHeight")
_FLAGS: Final = ("wrap", "scaling", "animated", "separator")
_BORDERS: Final = ("none", "light", "normal", "medium", "semi-bold", "bold")


def flex_problems(contents: JsonObject) -> tuple[Detail, ...]:
    """Return all problems of a bubble or a carousel."""
    check = _Check()
    if contents.get("type") == "carousel":
        check.known_properties(contents, "carousel", "")
        _check_carousel(contents, check)
    else:
        _check_bubble(contents, "", check)
    most_bytes = CAROUSEL_BYTES if contents.get("type") == "carousel" else BUBBLE_BYTES
    if len(json.dumps(contents, ensure_ascii=False).encode()) > most_bytes:
        check.add(f"size must be at most {most_bytes} bytes", "/")
    return tuple(check.details)


@dataclass(slots=True)
class _Check:
    details: list[Detail] = field(default_factory=list)
    components: int = 0

    def add(self, message: str, path: str) -> None:
        self.details.append(Detail(message=message, property=path))

    def known_properties(self, holder: JsonObject, kind: str, path: str) -> None:
        """Source: github.com/line/line-bot-sdk-python/issues/111."""
        for name in holder.keys() - PROPERTIES[kind]:
            self.add("unknown field", f"{path}/{name}")

    def object(self, holder: JsonObject, name: str, path: str, *, required: bool = False) -> JsonObject | None:
        value = holder.get(name)
        if isinstance(value, dict):
            return value
        if value is not None:
            self.add("must be an object", f"{path}/{name}")
        elif required:
            self.add("must be specified", f"{path}/{name}")
        return None

    def objects(self, holder: JsonObject, name: str, path: str) -> list[JsonObject]:
        value = holder.get(name)
        if isinstance(value, list) and all(isinstance(item, dict) for item in value):
            return value
        self.add("must be specified" if value is None else "must be an array of objects", f"{path}/{name}")
        return []

    def url(self, holder: JsonObject, name: str, path: str) -> None:
        value = holder.get(name)
        if value is None:
            self.add("must be specified", f"{path}/{name}")
        elif not isinstance(value, str) or not value.startswith("https://"):
            self.add("invalid uri scheme", f"{path}/{name}")
        elif len(value) > 2_000:  # noqa: PLR2004 - LINE's limit of URLs
            self.add("must not be longer than 2000 characters", f"{path}/{name}")

    def action(self, holder: JsonObject, path: str, *, required: bool = False) -> None:
        action = self.object(holder, "action", path, required=required)
        if action is None:
            return
        problems = Problems()
        try:
            check_action(
                action, "", problems, of=MESSAGE_ACTIONS, needs_label=required, label_characters=LABEL_CHARACTERS
            )
        except LineError as error:
            self.add(error.message, f"{path}/action")
        for detail in problems.details:
            self.add(detail.message, f"{path}/action/{detail.property.lstrip('.')}")


def _check_carousel(carousel: JsonObject, check: _Check) -> None:
    bubbles = check.objects(carousel, "contents", "")
    if not 1 <= len(bubbles) <= BUBBLES:
        check.add(f"must have 1 to {BUBBLES} items", "/contents")
        return
    sizes = {str(bubble.get("size", "mega")) for bubble in bubbles}
    if len(sizes) > 1:
        check.add("all bubbles must have the same size", "/contents")
    for index, bubble in enumerate(bubbles):
        _check_bubble(bubble, f"/contents/{index}", check)


def _check_bubble(bubble: JsonObject, path: str, check: _Check) -> None:
    if bubble.get("type") != "bubble":
        check.add("unknown object type", f"{path}/type")
        return
    check.known_properties(bubble, "bubble", path)
    _check_choice(bubble, "size", _BUBBLE_SIZES, path, check)
    _check_choice(bubble, "direction", ("ltr", "rtl"), path, check)
    check.action(bubble, path)
    for name in ("header", "body", "footer"):
        block = check.object(bubble, name, path)
        if block is not None:
            _check_component(block, f"{path}/{name}", ("box",), check)
    hero = check.object(bubble, "hero", path)
    if hero is not None:
        _check_component(hero, f"{path}/hero", ("box", "image", "video"), check)
    styles = check.object(bubble, "styles", path) or {}
    check.known_properties(styles, "styles", f"{path}/styles")
    for name in ("header", "hero", "body", "footer"):
        style = check.object(styles, name, f"{path}/styles")
        if style is not None:
            check.known_properties(style, "style", f"{path}/styles/{name}")
            _check_properties(style, f"{path}/styles/{name}", check)


def _check_component(component: JsonObject, path: str, of: tuple[str, ...], check: _Check) -> None:
    check.components += 1
    if check.components > COMPONENTS:
        if check.components == COMPONENTS + 1:
            check.add("too many components", path)
        return
    kind = component.get("type")
    if kind not in of:
        # Source of "invalid property", for a spacer: github.com/line/line-bot-sdk-go/issues/657
        check.add("unknown object type" if kind not in (*_IN_BOX, "spacer") else "invalid property", path)
        return
    check.known_properties(component, str(kind), path)
    _check_properties(component, path, check)
    _check_kind(component, str(kind), path, check)
    if kind in {"box", "text", "image", "button", "video"}:
        check.action(component, path, required=kind == "button")


def _check_kind(component: JsonObject, kind: str, path: str, check: _Check) -> None:
    match kind:
        case "box":
            _check_box(component, path, check)
        case "text":
            _check_text(component, path, check)
        case "span":
            if not isinstance(component.get("text"), str):
                check.add("must be specified", f"{path}/text")
        case "image" | "icon":
            check.url(component, "url", path)
        case "video":
            check.url(component, "url", path)
            check.url(component, "previewUrl", path)
            alternative = check.object(component, "altContent", path, required=True)
            if alternative is not None:
                _check_component(alternative, f"{path}/altContent", ("box", "image"), check)
        case "button":
            _check_choice(component, "style", ("primary", "secondary", "link"), path, check)
            _check_choice(component, "height", ("sm", "md"), path, check)


def _check_box(box: JsonObject, path: str, check: _Check) -> None:
    layout = box.get("layout")
    if not isinstance(layout, str) or layout not in _CONTENTS:
        check.add("must be specified" if layout is None else "invalid property", f"{path}/layout")
        return
    allowed = tuple(kind for kind in _IN_BOX if kind in _CONTENTS[layout])
    for index, component in enumerate(check.objects(box, "contents", path)):
        _check_component(component, f"{path}/contents/{index}", allowed, check)
    for name in (*_PADDINGS, *_LENGTHS):
        _check_length(box, name, path, check)
    background = check.object(box, "background", path)
    if background is not None:
        _check_background(background, f"{path}/background", check)


def _check_background(background: JsonObject, path: str, check: _Check) -> None:
    check.known_properties(background, "background", path)
    _check_choice(background, "type", ("linearGradient",), path, check)
    for name in ("type", "angle", "startColor", "endColor"):
        if background.get(name) is None:
            check.add("must be specified", f"{path}/{name}")
    _check_pattern(background, "angle", (), (_ANGLE,), path, check)
    _check_pattern(background, "centerPosition", (), (_PERCENT,), path, check)
    for name in ("startColor", "centerColor", "endColor"):
        _check_pattern(background, name, (), (_COLOR,), path, check)


def _check_text(text: JsonObject, path: str, check: _Check) -> None:
    value = text.get("text")
    if value is not None and not isinstance(value, str):
        check.add("invalid property", f"{path}/text")
    if text.get("contents") is None:
        if not value:
            check.add("must be specified" if value is None else "must be non-empty text", f"{path}/text")
        return
    for index, span in enumerate(check.objects(text, "contents", path)):
        _check_component(span, f"{path}/contents/{index}", ("span",), check)


def _check_properties(component: JsonObject, path: str, check: _Check) -> None:
    """Check the properties with the same meaning in every component."""
    for name, values in _ENUMS.items():
        _check_choice(component, name, values, path, check)
    for name in _COLORS:
        _check_pattern(component, name, (), (_COLOR,), path, check)
    for name in _FLAGS:
        _check_type(component, name, bool, path, check)
    for name in ("margin", "spacing"):
        _check_pattern(component, name, _SPACES, (_PIXELS,), path, check)
    for name in _OFFSETS:
        _check_pattern(component, name, _SPACES, (_SIGNED_PIXELS, _PERCENT), path, check)
    _check_pattern(component, "cornerRadius", _SPACES, (_PIXELS,), path, check)
    _check_pattern(component, "borderWidth", _BORDERS, (_PIXELS,), path, check)
    _check_ratio(component, path, check)
    _check_pattern(component, "lineSpacing", (), (_PIXELS,), path, check)
    if component.get("type") in {"text", "span", "icon", "image"}:
        _check_pattern(component, "size", (*_SIZES, "full"), (_PIXELS, _PERCENT), path, check)
    for name in ("flex", "maxLines"):
        value = component.get(name)
        if value is not None and (not is_number(value) or value < 0 or value != int(value)):
            check.add("invalid property", f"{path}/{name}")


def _check_ratio(component: JsonObject, path: str, check: _Check) -> None:
    _check_pattern(component, "aspectRatio", (), (_RATIO,), path, check)
    ratio = _RATIO.fullmatch(str(component.get("aspectRatio")))
    if ratio is not None and int(ratio[2]) > _MOST_RATIO * int(ratio[1]):
        check.add("the height must not be more than three times the width", f"{path}/aspectRatio")


def _check_length(component: JsonObject, name: str, path: str, check: _Check) -> None:
    _check_pattern(component, name, _SPACES, (_PIXELS, _PERCENT), path, check)


def _check_choice(holder: JsonObject, name: str, values: tuple[str, ...], path: str, check: _Check) -> None:
    _check_pattern(holder, name, values, (), path, check)


def _check_pattern(  # noqa: PLR0913, PLR0917 - one rule with its parts
    holder: JsonObject,
    name: str,
    values: tuple[str, ...],
    patterns: tuple[re.Pattern[str], ...],
    path: str,
    check: _Check,
) -> None:
    value = holder.get(name)
    if value is None:
        return
    if not isinstance(value, str) or (value not in values and not any(one.fullmatch(value) for one in patterns)):
        check.add("invalid property", f"{path}/{name}")


def _check_type(holder: JsonObject, name: str, kind: type[Any], path: str, check: _Check) -> None:
    value = holder.get(name)
    if value is not None and not isinstance(value, kind):
        check.add("invalid property", f"{path}/{name}")
