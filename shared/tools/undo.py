"""Undo: take back the last thing that was done in the chat, whatever feature it was of."""

from collections.abc import Set as AbstractSet
from functools import partial
from typing import Final

from shared.agent.model import Json
from shared.agent.overlay import StagingFault
from shared.agent.tools import NeedsTap, Tool, ToolFault, load_schema
from shared.agent.turn_context import TurnContext
from shared.conversation.write_key import read_key

_DONE_OUTSIDE: Final = ToolFault(
    message="Not done: the last change was made in another service, such as Notion, and cannot be taken back from here. Say so, and offer "
    "to change it there.",
    may_retry=False,
)
_TOO_MUCH_TO_UNDO: Final = ToolFault(
    message="Not done: the prompt holds words that were read from outside, and the last change was of several things. Tell the person, "
    "and delete or change one by one what they name.",
    may_retry=False,
)


def undo_tools(outside: AbstractSet[str] = frozenset()) -> tuple[Tool, ...]:
    """Return the tool, for deployments with a feature that stages writes.  `outside` names the tools that write to other services.

    What was done outside is not taken back. For example, after a page in Notion 「取り消して」 leaves the note of an earlier turn alone.
    """
    return (
        Tool(
            name="undo_last_change",
            description="Take back the last change, one step: of an entry, of a reminder, whatever was changed last. Use when the person "
            "says that they did not mean it, or wants it back as it was.",
            parameters=load_schema("undo_last_change.parameters"),
            response=load_schema("undo_last_change.response"),
            run=partial(_undo, outside=outside),
            stages=True,
            revision=_revision,
        ),
    )


def _undo(_: Json, context: TurnContext, *, outside: AbstractSet[str] = frozenset()) -> Json | ToolFault | NeedsTap:
    staged = context.staged
    try:
        with staged.together():
            names = staged.show_undo()
            if names and _is_newest_outside(context, outside):
                return _DONE_OUTSIDE
            if names and context.needs_tap:
                return NeedsTap(name=names[0]) if len(names) == 1 else _TOO_MUCH_TO_UNDO
            effect = staged.undo()
    except StagingFault as fault:
        return ToolFault(message=str(fault), may_retry=fault.may_retry)
    return {"restored": list(effect.restored), "removed": list(effect.removed)}


def _is_newest_outside(context: TurnContext, outside: AbstractSet[str]) -> bool:
    """Whether a turn since the staged changes, or this turn, wrote to another service."""
    if context.outside.done:
        return True
    outcomes = context.question.history.outcomes if context.question is not None else ()
    changed_by, _ = read_key(context.staged.revision_of_undo)
    return any(one.sequence > changed_by and not outside.isdisjoint(one.audit.tools_used) for one in outcomes)


def _revision(_: Json, context: TurnContext) -> str:
    return context.staged.revision_of_undo
