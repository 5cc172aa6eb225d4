"""Tools that work on a turn's overlay of one feature: reminders, expenses."""

from collections.abc import Callable

from shared.agent.model import Json
from shared.agent.overlay import StagingFault
from shared.agent.tools import NeedsTap, Tool, ToolFault, load_schema
from shared.agent.turn_context import TurnContext


def overlay_tool(  # noqa: PLR0913 - the fields of a Tool
    name: str,
    description: str,
    act: Callable[[Json, TurnContext], Json | ToolFault | NeedsTap],
    *,
    is_plain: Callable[[Json, Json], bool] | None = None,
    is_reading: bool = False,
    revision: Callable[[Json, TurnContext], str] | None = None,
) -> Tool:
    """Return a tool that reads or stages on an overlay by `act`; a StagingFault becomes a ToolFault."""

    def run(arguments: Json, context: TurnContext) -> Json | ToolFault | NeedsTap:
        try:
            return act(arguments, context)
        except StagingFault as fault:
            return ToolFault(message=str(fault), may_retry=fault.may_retry)

    return Tool(
        name=name,
        description=description,
        parameters=load_schema(f"{name}.parameters"),
        response=load_schema(f"{name}.response"),
        run=run,
        is_reading=is_reading,
        stages=not is_reading,
        is_plain=is_plain,
        revision=revision,
    )
