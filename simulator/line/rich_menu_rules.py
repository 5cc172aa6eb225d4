"""The rules for rich menu objects.  Source: Messaging API reference, "Rich menu object"; messaging-api.yml of line-openapi."""

from typing import Final

from .action_rules import RICH_MENU_ACTIONS, check_action
from .messages import JsonObject
from .problems import Problems, is_number

AREAS: Final = 20
WIDTH: Final = (800, 2_500)
LEAST_HEIGHT: Final = 250
LEAST_RATIO: Final = 1.45
_KEPT: Final = ("size", "selected", "name", "chatBarText", "areas")


def check_rich_menu(body: JsonObject) -> JsonObject:
    """Return the menu without unknown properties.  Raises: LineError 400, with every problem."""
    problems = Problems().of_parts()
    size = problems.object(body, "size", "")
    problems.number(size, "width", "size", least=WIDTH[0], most=WIDTH[1])
    problems.number(size, "height", "size", least=LEAST_HEIGHT, most=WIDTH[1])
    width, height = size.get("width"), size.get("height")
    if is_number(width) and is_number(height) and height and width / height < LEAST_RATIO:
        problems.add(f"The aspect ratio must be {LEAST_RATIO} or more", "size")
    problems.flag(body, "selected", "")
    problems.graphemes(body, "name", "", most=300)
    problems.graphemes(body, "chatBarText", "", most=14)
    for index, area in enumerate(problems.items(body, "areas", "", least=0, most=AREAS)):
        at = f"areas[{index}]"
        bounds = problems.object(area, "bounds", at)
        for name, least in (("x", 0), ("y", 0), ("width", 1), ("height", 1)):
            problems.number(bounds, name, f"{at}.bounds", least=least, most=2**31 - 1)
        check_action(problems.object(area, "action", at), f"{at}.action", problems, of=RICH_MENU_ACTIONS)
    problems.raise_any()
    return {name: body[name] for name in _KEPT if name in body}
