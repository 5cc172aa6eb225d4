"""The buttons of a message on LINE's wire, whether it is a buttons template or a card."""

from collections.abc import Iterator, Mapping
from typing import Any

from shared.line.postback_data import AnswerPress, ConfirmPress, SparePress


def actions_in(content: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the actions of the message's buttons in reading order: of `/forget`'s question the erasure's, then the decline's."""
    return list(_actions(content.get("template") or content.get("contents") or {}))


def first_press(content: Mapping[str, Any]) -> str:
    """Return the postback data of the first button."""
    return next(str(action["data"]) for action in actions_in(content) if action["type"] == "postback")


def is_question(content: Mapping[str, Any]) -> bool:
    """Whether the message asks for a tap: a list's "Cancel" and an example of `/help` ask nothing."""
    presses = [str(action.get("data")) for action in actions_in(content)]
    return any(confirmed_question_in(data) is not None or AnswerPress.read(data) is not None for data in presses)


def confirmed_question_in(data: str | None) -> str | None:
    """Return the id of the question that the press confirms; None for any other press."""
    press = ConfirmPress.read(data)
    return press.question_id if press is not None else None


def spared_question_in(data: str | None) -> str | None:
    """Return the id of the question that the press declines; None for any other press."""
    press = SparePress.read(data)
    return press.question_id if press is not None else None


def _actions(part: Any) -> Iterator[dict[str, Any]]:  # noqa: ANN401 - JSON
    if isinstance(part, list):
        for item in part:
            yield from _actions(item)
    elif isinstance(part, dict):
        if isinstance(part.get("action"), dict):
            yield part["action"]
        yield from part.get("actions", ())
        for name in ("hero", "header", "body", "footer", "contents"):
            yield from _actions(part.get(name))
