"""The rules for action objects, quick replies and templates.

Source: Messaging API reference, "Action objects", "Quick reply", "Template messages".
"""

from typing import Final

from .messages import JsonObject
from .problems import Problems

QUICK_REPLY_ITEMS: Final = 13
LABEL_CHARACTERS: Final = 20
ACTION_TYPES: Final = (
    "postback",
    "message",
    "uri",
    "datetimepicker",
    "camera",
    "cameraRoll",
    "location",
    "richmenuswitch",
    "clipboard",
)
_QUICK_REPLY_ONLY: Final = frozenset({"camera", "cameraRoll", "location"})
_URI_SCHEMES: Final = ("http://", "https://", "line://", "tel:", "mailto:")
_TEMPLATE_ACTIONS: Final = {"buttons": (1, 4), "confirm": (2, 2), "column": (1, 3)}
_TEMPLATE_TEXT: Final = {"buttons": 160, "confirm": 240, "column": 120}
_TEMPLATE_TEXT_WITH_TITLE_OR_IMAGE: Final = {"buttons": 60, "confirm": 240, "column": 60}
_COLUMNS: Final = 10


def check_quick_reply(message: JsonObject, path: str, problems: Problems) -> None:
    """Check that there are at most 13 items, each an action with a label."""
    if "quickReply" not in message or message["quickReply"] is None:
        return
    quick_reply = problems.object(message, "quickReply", path)
    for index, item in enumerate(
        problems.items(quick_reply, "items", f"{path}.quickReply", least=1, most=QUICK_REPLY_ITEMS)
    ):
        at = f"{path}.quickReply.items[{index}]"
        problems.choice(item, "type", at, of=("action",))
        problems.https_url(item, "imageUrl", at, required=False)
        check_action(problems.object(item, "action", at), f"{at}.action", problems, in_quick_reply=True)


def check_action(action: JsonObject, path: str, problems: Problems, *, in_quick_reply: bool = False) -> None:
    """Check the properties that the type of the action requires."""
    allowed = ACTION_TYPES if in_quick_reply else tuple(kind for kind in ACTION_TYPES if kind not in _QUICK_REPLY_ONLY)
    kind = problems.choice(action, "type", path, of=allowed)
    problems.text(action, "label", path, most=LABEL_CHARACTERS, required=in_quick_reply)
    match kind:
        case "postback":
            problems.text(action, "data", path, most=300)
            problems.text(action, "displayText", path, most=300, required=False)
            problems.text(action, "text", path, most=300, required=False)
        case "message":
            problems.text(action, "text", path, most=300)
        case "uri":
            uri = problems.text(action, "uri", path, most=1_000)
            if uri and not uri.startswith(_URI_SCHEMES):
                problems.add("invalid uri scheme", f"{path}.uri")
        case "datetimepicker":
            problems.text(action, "data", path, most=300)
            problems.choice(action, "mode", path, of=("date", "time", "datetime"))
        case "clipboard":
            problems.text(action, "clipboardText", path, most=1_000)
        case _:
            pass


def check_template(template: JsonObject, path: str, problems: Problems) -> None:
    """Check a template of type buttons, confirm, carousel or image carousel."""
    kind = problems.choice(template, "type", path, of=("buttons", "confirm", "carousel", "image_carousel"))
    match kind:
        case "buttons" | "confirm":
            _check_face(template, kind, path, problems)
        case "carousel":
            for index, column in enumerate(problems.items(template, "columns", path, least=1, most=_COLUMNS)):
                _check_face(column, "column", f"{path}.columns[{index}]", problems)
        case "image_carousel":
            for index, column in enumerate(problems.items(template, "columns", path, least=1, most=_COLUMNS)):
                at = f"{path}.columns[{index}]"
                problems.https_url(column, "imageUrl", at)
                check_action(problems.object(column, "action", at), f"{at}.action", problems)
        case _:
            pass


def _check_face(face: JsonObject, kind: str, path: str, problems: Problems) -> None:
    has_title_or_image = bool(face.get("title") or face.get("thumbnailImageUrl"))
    most = (_TEMPLATE_TEXT_WITH_TITLE_OR_IMAGE if has_title_or_image else _TEMPLATE_TEXT)[kind]
    problems.text(face, "text", path, most=most)
    problems.text(face, "title", path, most=40, required=False)
    problems.https_url(face, "thumbnailImageUrl", path, required=False)
    least, most_actions = _TEMPLATE_ACTIONS[kind]
    for index, action in enumerate(problems.items(face, "actions", path, least=least, most=most_actions)):
        check_action(action, f"{path}.actions[{index}]", problems)
