"""The rules for action objects, quick replies and templates.

Source: Messaging API reference, "Action objects", "Quick reply", "Template messages"; lengths by docs/messaging-api/text-character-count.
"""

import re
from typing import Final

from .errors import Detail
from .messages import JsonObject
from .problems import TEMPLATES, Problems

QUICK_REPLY_ITEMS: Final = 13
LABEL_CHARACTERS: Final = 20
IMAGE_CAROUSEL_LABEL_CHARACTERS: Final = 12
MESSAGE_ACTIONS: Final = ("postback", "message", "uri", "datetimepicker", "richmenuswitch", "clipboard")
RICH_MENU_ACTIONS: Final = MESSAGE_ACTIONS
QUICK_REPLY_ACTIONS: Final = (
    "postback",
    "message",
    "uri",
    "datetimepicker",
    "camera",
    "cameraRoll",
    "location",
    "clipboard",
)
_URI_SCHEMES: Final = ("http://", "https://", "line://", "tel:", "mailto:")
_INPUT_OPTIONS: Final = ("closeRichMenu", "openRichMenu", "openKeyboard", "openVoice")
_MOMENTS: Final = {
    "date": re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}"),
    "time": re.compile(r"[0-9]{2}:[0-9]{2}"),
    "datetime": re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}"),
}
_TEMPLATE_ACTIONS: Final = {"buttons": (1, 4), "confirm": (2, 2), "column": (1, 3)}
_TEMPLATE_TEXT: Final = {"buttons": 160, "confirm": 240, "column": 120}
_TEMPLATE_TEXT_WITH_TITLE_OR_IMAGE: Final = {"buttons": 60, "confirm": 240, "column": 60}
_COLUMNS: Final = 10
_PATH_PARTS: Final = re.compile(r"[.\[]")


def check_quick_reply(message: JsonObject, path: str, problems: Problems) -> None:
    """Check for at most 13 items, each an action with a label.

    For example, an item with `{"type": "message", "text": "yes"}` lacks the label.
    Source of the text of a missing label: github.com/line/line-bot-sdk-java/pull/258.
    """
    if "quickReply" not in message or message["quickReply"] is None:
        return
    problems = problems.of_parts()
    quick_reply = problems.object(message, "quickReply", path)
    for index, item in enumerate(
        problems.items(quick_reply, "items", f"{path}.quickReply", least=1, most=QUICK_REPLY_ITEMS)
    ):
        at = f"{path}.quickReply.items[{index}]"
        problems.choice(item, "type", at, of=("action",))
        problems.https_url(item, "imageUrl", at, required=False)
        action = problems.object(item, "action", at)
        if action and not action.get("label"):
            problems.add("`label` must be specified", f"{at}.action")
            action = {name: value for name, value in action.items() if name != "label"}
        if action:
            check_action(action, f"{at}.action", problems, of=QUICK_REPLY_ACTIONS)


def check_action(  # noqa: PLR0913 - what differs between the places of an action
    action: JsonObject,
    path: str,
    problems: Problems,
    *,
    of: tuple[str, ...] = MESSAGE_ACTIONS,
    needs_label: bool = False,
    label_characters: int = LABEL_CHARACTERS,
) -> None:
    """Check the required properties of the action's type, and whether the type is allowed here."""
    problems = problems.of_parts()
    kind = problems.choice(action, "type", path, of=of)
    problems.graphemes(action, "label", path, most=label_characters, required=needs_label)
    match kind:
        case "postback":
            problems.text(action, "data", path, most=300)
            problems.graphemes(action, "displayText", path, most=300, required=False)
            problems.graphemes(action, "text", path, most=300, required=False)
            if action.get("inputOption") is not None:
                problems.choice(action, "inputOption", path, of=_INPUT_OPTIONS)
            problems.graphemes(action, "fillInText", path, most=300, required=False)
        case "message":
            problems.graphemes(action, "text", path, most=300)
        case "uri":
            _check_uri(action, path, problems)
        case "datetimepicker":
            _check_picker(action, path, problems)
        case "richmenuswitch":
            problems.text(action, "richMenuAliasId", path, most=32)
            problems.text(action, "data", path, most=300)
        case "clipboard":
            problems.text(action, "clipboardText", path, most=1_000)
        case _:
            pass


def _check_uri(action: JsonObject, path: str, problems: Problems) -> None:
    uri = problems.text(action, "uri", path, most=1_000)
    if uri and not uri.startswith(_URI_SCHEMES):
        problems.add("invalid uri scheme", f"{path}.uri")


def _check_picker(action: JsonObject, path: str, problems: Problems) -> None:
    problems.text(action, "data", path, most=300)
    mode = problems.choice(action, "mode", path, of=tuple(_MOMENTS))
    for name in ("initial", "max", "min"):
        moment = problems.text(action, name, path, most=16, required=False)
        if moment and mode and not _MOMENTS[mode].fullmatch(moment):
            problems.add("invalid date or time format", f"{path}.{name}")


def template_problems(template: JsonObject, path: str) -> tuple[Detail, ...]:
    """Return the problems of a template, each at a path such as `template/columns/0/title`.

    Source: github.com/zaoldyeck/cross-platform-chatbot/pull/1, github.com/cofacts/rumors-line-bot/issues/125.
    """
    problems = Problems(wording=TEMPLATES)
    _check_template(template, path, problems)
    if not problems.details:
        return _inequalities(template)
    within = len(path) - len("template")
    return tuple(
        Detail(message=detail.message, property=_PATH_PARTS.sub("/", detail.property[within:]).replace("]", ""))
        for detail in problems.details
    )


def _check_template(template: JsonObject, path: str, problems: Problems) -> None:
    kind = problems.choice(template, "type", path, of=("buttons", "confirm", "carousel", "image_carousel"))
    match kind:
        case "buttons" | "confirm":
            _check_face(template, kind, path, problems)
        case "carousel":
            columns = problems.items(template, "columns", path, least=1, most=_COLUMNS)
            for index, column in enumerate(columns):
                _check_face(column, "column", f"{path}.columns[{index}]", problems)
        case "image_carousel":
            for index, column in enumerate(problems.items(template, "columns", path, least=1, most=_COLUMNS)):
                at = f"{path}.columns[{index}]"
                problems.https_url(column, "imageUrl", at)
                action = problems.object(column, "action", at)
                check_action(action, f"{at}.action", problems, label_characters=IMAGE_CAROUSEL_LABEL_CHARACTERS)
        case _:
            pass


def _inequalities(template: JsonObject) -> tuple[Detail, ...]:
    """Return the differences between the columns of a checked carousel: number of actions, presence of title and image.

    The texts of the details are the stand-in's own.
    Source: Messaging API reference, "Column object for carousel"; github.com/line/line-bot-sdk-python/issues/38.
    """
    if template["type"] != "carousel":
        return ()
    columns, problems = template["columns"], Problems()
    if len({len(column["actions"]) for column in columns}) > 1:
        problems.add("The number of actions must be the same in all columns", "/columns")
    for name in ("title", "thumbnailImageUrl"):
        if len({bool(column.get(name)) for column in columns}) > 1:
            problems.add(f"Either all columns or none must have {name}", "/columns")
    return tuple(problems.details)


def _check_face(face: JsonObject, kind: str, path: str, problems: Problems) -> None:
    has_title_or_image = bool(face.get("title") or face.get("thumbnailImageUrl"))
    most = (_TEMPLATE_TEXT_WITH_TITLE_OR_IMAGE if has_title_or_image else _TEMPLATE_TEXT)[kind]
    problems.graphemes(face, "text", path, most=most)
    problems.graphemes(face, "title", path, most=40, required=False)
    problems.https_url(face, "thumbnailImageUrl", path, required=False)
    if face.get("defaultAction") is not None:
        check_action(problems.object(face, "defaultAction", path), f"{path}.defaultAction", problems)
    least, most_actions = _TEMPLATE_ACTIONS[kind]
    for index, action in enumerate(problems.items(face, "actions", path, least=least, most=most_actions)):
        check_action(action, f"{path}.actions[{index}]", problems, needs_label=True)
