"""The tool protocol: a function for the model to call, and the possible results.

To add a tool: two schema files in schemas/tools/, a Tool in a module of shared/tools/, and the tool in the module's toolset.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import field
from functools import cache
from pathlib import Path
from typing import Final

from shared.agent.model import FunctionDeclaration, Json
from shared.agent.result_budget import RESULT_TOKENS
from shared.agent.turn_context import TurnContext
from shared.frozen import frozen

SCHEMAS: Final = Path(__file__).parents[2] / "schemas"


@frozen
class ToolFault:
    """A failure for the model to read: one plain sentence, and whether another call can succeed."""

    message: str
    may_retry: bool


NOT_NAMED: Final = ToolFault(
    message="Not done: the prompt holds words that were read from outside, so only what the person names in their own message may be "
    "searched for. Ask them to name it.",
    may_retry=False,
)


@frozen
class NeedsTap:
    """The call was not run: outside words were read, so the call waits for the person's tap; `name` is the target's name.

    Of `settle` and of calls on lists, `name` has a line for each target. `revision`: the state of the target, if the
    tool has no `revision` function that can return the state after the turn.
    `due_at` and `due_rule` are those of a ProposedCall. `arguments`: those to propose, where they differ from the call's, for example with
    the path that a handle names.
    """

    name: str = field(repr=False)
    revision: str = ""
    due_at: str = ""
    due_rule: str = ""
    arguments: Json | None = field(default=None, repr=False)


@frozen
class Decision:
    """The decision that ends a turn: a `message` to send, or a reason for silence, classified by `skip_kind`.

    `result` is the answer of the final tool. `suggestions`: short things that the person might say next.
    """

    result: Json
    message: str | None = field(default=None, repr=False)
    suggestions: tuple[str, ...] = field(default=(), repr=False)
    skip_reason: str | None = field(default=None, repr=False)
    skip_kind: str | None = None


@frozen
class Cited:
    """Data that match `response`, and a `footnote` that the reply must carry unchanged."""

    result: Json = field(repr=False)
    footnote: str = field(repr=False)


ToolResult = Json | Cited | ToolFault | NeedsTap | Decision


@frozen
class Tool:
    """A function for the model to call.

    `run` takes arguments that match `parameters` and returns data that match `response`, a fault, a NeedsTap, or, if `is_final`, the
    decision at the end of the turn. `run` may run in parallel with other tools, and again in a later attempt at the turn. A turn may call
    the tool `most_calls` times.
    `is_reading`: the tool changes nothing, so an interjection may call it. `stages`: the tool works on what the turn has staged for the
    chat's own store, so such calls of a round run one after another, in the model's order. `is_plain`, of a tool that only stages such
    writes: whether a result is as the arguments asked, so that `reply` may stand beside the call; None: `reply` may not.
    `prepare` does what of a staging call needs no order, in parallel with all other calls; its result is `TurnContext.prepared`.
    `outside`: the source outside the chat whose words the results
    hold, as in `Provenance`, for example "web"; empty: no such source.
    `only_in`: the ids of the chats with the tool; None: all chats. `in_groups_only`: no 1:1 chat has it.
    `declared`: the parameters shown to the model, if `parameters` accepts more. `description_end` returns the end of the description, known
    only at run time, bounded in length and time.
    `is_described_outside`: the description holds words of `outside`, so a turn that is offered the tool is tainted.
    `revision` returns, after the turn's last staged write, the state of the call's target: a tap counts only for the state shown to the
    person. None: the arguments say everything, or the tool compares the state itself.
    """

    name: str
    description: str
    parameters: Json = field(repr=False)
    response: Json = field(repr=False)
    run: Callable[[Json, TurnContext], ToolResult] = field(repr=False)
    is_final: bool = False
    is_reading: bool = False
    stages: bool = False
    is_plain: Callable[[Json, Json], bool] | None = field(default=None, repr=False)
    prepare: Callable[[Json, TurnContext], object] | None = field(default=None, repr=False)
    outside: str = ""
    is_described_outside: bool = False
    most_calls: int = 20
    result_tokens: int = RESULT_TOKENS
    only_in: frozenset[str] | None = field(default=None, repr=False)
    in_groups_only: bool = False
    declared: Json | None = field(default=None, repr=False)
    description_end: Callable[[], str] | None = field(default=None, repr=False)
    revision: Callable[[Json, TurnContext], str] | None = field(default=None, repr=False)

    @property
    def may_act_outside(self) -> bool:
        """Whether a call may have an effect before the turn is committed, for example on a page in Notion."""
        return not (self.is_final or self.is_reading or self.stages)

    def is_offered_to(self, context: TurnContext) -> bool:
        """Whether this turn has the tool."""
        if context.is_overheard and not (self.is_final or self.is_reading):
            return False
        if self.in_groups_only and context.conversation.is_one_on_one:
            return False
        return self.only_in is None or context.conversation.id in self.only_in

    @property
    def declaration(self) -> FunctionDeclaration:
        """The declaration for the model."""
        parameters = self.parameters if self.declared is None else self.declared
        more = self.description_end() if self.description_end is not None else ""
        description = f"{self.description} {more}" if more else self.description
        return FunctionDeclaration(name=self.name, description=description, parameters=parameters)


@cache
def load_schema(name: str) -> Json:
    """Return a schema of schemas/tools/, read once; callers must not change it: `load_schema("reply.parameters")`."""
    schema: Mapping[str, object] = json.loads((SCHEMAS / "tools" / f"{name}.json").read_text(encoding="utf-8"))
    return schema
