"""The declaration of an action of the control API: summary, fields of the body, and function."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import ModuleType

from ..events import WebhookEvent
from ..messages import JsonObject
from ..platform import LinePlatform

Run = Callable[[LinePlatform, JsonObject], JsonObject]


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """An action. `fields` are JSON Schemas of the body's properties; the properties in `required` must be present."""

    name: str
    summary: str
    run: Run
    fields: Mapping[str, JsonObject]
    required: tuple[str, ...]
    is_recorded: bool = True


def action(
    *, optional: Mapping[str, JsonObject] | None = None, is_recorded: bool = True, **required: JsonObject
) -> Callable[[Run], Action]:
    """Turn the function into an action of the same name; the docstring is the summary, `required` and `optional` the body's fields.

    For example, `@action(user_id=USER_ID, optional={"text": TEXT})`.
    """

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
    """Return the actions of a module."""
    return [value for value in vars(module).values() if isinstance(value, Action)]


def event_of(event: WebhookEvent | None) -> JsonObject:
    """Return the ids of the event; nulls where there was none."""
    if event is None:
        return {"webhook_event_id": None, "line_message_id": None}
    return {"webhook_event_id": event.webhook_event_id, "line_message_id": event.line_message_id}


def present_fields(body: JsonObject, *names: str) -> JsonObject:
    """Return the present fields among `names`: `present_fields({"a": 1, "b": None}, "a", "b")` is `{"a": 1}`."""
    return {name: body[name] for name in names if body.get(name) is not None}
