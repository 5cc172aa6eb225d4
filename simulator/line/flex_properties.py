"""The properties of each Flex object.  Source: Messaging API reference, "Flex Message"; messaging-api.yml of line-openapi."""

from collections.abc import Mapping
from typing import Final

_PLACE: Final = frozenset({"margin", "position", "offsetTop", "offsetBottom", "offsetStart", "offsetEnd"})
_PADDING: Final = frozenset({"paddingAll", "paddingTop", "paddingBottom", "paddingStart", "paddingEnd"})
_BLOCKS: Final = frozenset({"header", "hero", "body", "footer"})

PROPERTIES: Final[Mapping[str, frozenset[str]]] = {
    "carousel": frozenset({"type", "contents"}),
    "bubble": _BLOCKS | {"type", "size", "direction", "styles", "action"},
    "styles": _BLOCKS,
    "style": frozenset({"backgroundColor", "separator", "separatorColor"}),
    "box": _PLACE
    | _PADDING
    | {"type", "layout", "contents", "flex", "spacing", "action", "justifyContent", "alignItems", "background"}
    | {"backgroundColor", "borderColor", "borderWidth", "cornerRadius", "width", "maxWidth", "height", "maxHeight"},
    "background": frozenset({"type", "angle", "startColor", "endColor", "centerColor", "centerPosition"}),
    "button": _PLACE | {"type", "action", "flex", "height", "style", "color", "gravity", "adjustMode", "scaling"},
    "image": _PLACE
    | {"type", "url", "flex", "align", "gravity", "size", "aspectRatio", "aspectMode", "backgroundColor", "action"}
    | {"animated"},
    "video": frozenset({"type", "url", "previewUrl", "altContent", "aspectRatio", "action"}),
    "icon": _PLACE | {"type", "url", "size", "aspectRatio", "scaling"},
    "text": _PLACE
    | {"type", "text", "contents", "flex", "size", "align", "gravity", "color", "weight", "style", "decoration"}
    | {"wrap", "lineSpacing", "action", "maxLines", "adjustMode", "scaling"},
    "span": frozenset({"type", "text", "size", "color", "weight", "style", "decoration"}),
    "separator": frozenset({"type", "margin", "color"}),
    "filler": frozenset({"type", "flex"}),
}
