"""The tool protocol: a function that the model may call, and what it may return.

To add a tool: two schema files in schemas/tools/, a Tool in a module of shared/tools/, and the tool in that module's toolset.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Final

from shared.agent.model import FunctionDeclaration, Json
from shared.agent.result_budget import RESULT_TOKENS
from shared.agent.turn_context import TurnContext

SCHEMAS: Final = Path(__file__).parents[2] / "schemas"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolFault:
    """A failure that the model reads: one plain sentence, and whether another call can succeed."""

    message: str
    may_retry: bool


NOT_NAMED: Final = ToolFault(
    message="Not done: the prompt holds words that were read from outside, so only what the person names in their own message may be "
    "searched for. Ask them to name it.",
    may_retry=False,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class NeedsTap:
    """The call was not carried out: words from outside were read, and it waits for the person's tap; it would touch `name`.

    `revision`: the state of that thing, where the tool has no `revision` that tells it once the turn is over. `due_at` and `due_rule` are
    those of a ProposedCall.
    """

    name: str = field(repr=False)
    revision: str = ""
    due_at: str = ""
    due_rule: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """The decision that ends a turn: a `message` to send, or no message and the reason, of which `skip_kind` is the class.

    `result` is the answer of the final tool.
    """

    result: Json
    message: str | None = field(default=None, repr=False)
    skip_reason: str | None = field(default=None, repr=False)
    skip_kind: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cited:
    """Data that matches `response`, and a `footnote` that the reply has to carry unchanged."""

    result: Json = field(repr=False)
    footnote: str = field(repr=False)


ToolResult = Json | Cited | ToolFault | NeedsTap | Decision


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A function that the model may call.

    `run` takes arguments that match `parameters` and returns data that matches `response`, a fault, that it needs a tap, or, if `is_final`,
    the decision that ends the turn. It may run in parallel with other tools, and again in a later attempt at the turn. A turn may call it
    `most_calls` times.
    `is_reading`: it changes nothing, so an interjection may call it. `outside`: the source outside the chat whose words its
    results are, as in `Provenance`; empty: there is none.
    `only_in` are the ids of the chats that have the tool; None: all chats. `declared` are the parameters that the model is told of, if
    `parameters` accepts more. `found_out` returns the end of the description, which is known only at run time; it is bounded in length and
    time. `revision` tells, once the turn stages nothing more, in which state the thing is that a call with these arguments changes: a tap
    counts for the state that the person was shown; None: the arguments say all, or the tool compares the state itself.
    """

    name: str
    description: str
    parameters: Json = field(repr=False)
    response: Json = field(repr=False)
    run: Callable[[Json, TurnContext], ToolResult] = field(repr=False)
    is_final: bool = False
    is_reading: bool = False
    outside: str = ""
    most_calls: int = 20
    result_tokens: int = RESULT_TOKENS
    only_in: frozenset[str] | None = field(default=None, repr=False)
    declared: Json | None = field(default=None, repr=False)
    found_out: Callable[[], str] | None = field(default=None, repr=False)
    revision: Callable[[Json, TurnContext], str] | None = field(default=None, repr=False)

    def is_offered_to(self, context: TurnContext) -> bool:
        """Whether this turn has the tool."""
        if context.is_overheard and not (self.is_final or self.is_reading):
            return False
        return self.only_in is None or context.conversation.id in self.only_in

    @property
    def declaration(self) -> FunctionDeclaration:
        """The declaration that the model reads."""
        parameters = self.parameters if self.declared is None else self.declared
        more = self.found_out() if self.found_out is not None else ""
        description = f"{self.description} {more}" if more else self.description
        return FunctionDeclaration(name=self.name, description=description, parameters=parameters)


@cache
def load_schema(name: str) -> Json:
    """Return a schema of schemas/tools/, such as `reply.parameters`; it is read once, and callers must not change it."""
    schema: Mapping[str, object] = json.loads((SCHEMAS / "tools" / f"{name}.json").read_text(encoding="utf-8"))
    return schema
