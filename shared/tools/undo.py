"""Undo: take back the last thing that was done in the chat, whatever feature it was of."""

from typing import Final

from shared.agent.model import Json
from shared.agent.overlay import StagingFault
from shared.agent.tools import NeedsTap, Tool, ToolFault, load_schema
from shared.agent.turn_context import TurnContext

_TOO_MUCH_TO_UNDO: Final = ToolFault(
    message="Not done: the prompt holds words that were read from outside, and the last change was of several things. Tell the person, "
    "and delete or change one by one what they name.",
    may_retry=False,
)


def undo_tools() -> tuple[Tool, ...]:
    """Return the tool, for deployments with a feature that stages writes."""
    return (
        Tool(
            name="undo_last_change",
            description="Take back the last change, one step: of an entry, of a reminder, whatever was changed last. Use when the person "
            "says that they did not mean it, or wants it back as it was.",
            parameters=load_schema("undo_last_change.parameters"),
            response=load_schema("undo_last_change.response"),
            run=_undo,
            revision=_revision,
        ),
    )


def _undo(_: Json, context: TurnContext) -> Json | ToolFault | NeedsTap:
    staged = context.staged
    try:
        with staged.together():
            names = staged.show_undo()
            if names and context.needs_tap:
                return NeedsTap(name=names[0]) if len(names) == 1 else _TOO_MUCH_TO_UNDO
            effect = staged.undo()
    except StagingFault as fault:
        return ToolFault(message=str(fault), may_retry=fault.may_retry)
    return {"restored": list(effect.restored), "removed": list(effect.removed)}


def _revision(_: Json, context: TurnContext) -> str:
    return context.staged.revision_of_undo
