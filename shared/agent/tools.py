"""The tool protocol, and the registry that lists tools, finds them and validates their arguments and results.

To add a tool: two schema files in schemas/tools/, a Tool in a module of shared/tools/, and the tool in that module's toolset.
"""

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Final, Protocol

from jsonschema import Draft202012Validator

from shared.agent.model import FunctionDeclaration, Json
from shared.agent.receipts import Deed, OutsideDeeds
from shared.agent.retellings import Retelling, retellings_in_prompt
from shared.agent.taint import Readings, is_named
from shared.clock import Deadline, SystemClock
from shared.conversation.records import MessageRecord, StagedWrite
from shared.conversation.store import Conversation
from shared.turns.question import Question

UNKNOWN_TOOL: Final = "unknown"
SCHEMAS: Final = Path(__file__).parents[2] / "schemas"
_NAME: Final = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]{0,63}")
_NEVER: Final = Deadline(clock=SystemClock(), at_s=math.inf)


class EntryPlacement(Protocol):
    """The path that an entry was filed at or moved to, and the confidence of its classification."""

    @property
    def path(self) -> str:
        """The path below `entries/{conversation_id}/`."""
        ...

    @property
    def confidence(self) -> float:
        """The confidence, from 0 to 1."""
        ...


class StagedEntries(Protocol):
    """The entries that a turn read and its staged writes; the knowledge toolset uses the full implementation."""

    @property
    def placement(self) -> EntryPlacement | None:
        """The last placement of this turn."""
        ...

    @property
    def read_source_ids(self) -> frozenset[str]:
        """The sources of every entry that the model read or changed."""
        ...

    def mark_shown(self, source_ids: Iterable[str]) -> None:
        """The model is shown something that came from these messages; they count among `read_source_ids`."""
        ...

    @property
    def filed_paths(self) -> tuple[str, ...]:
        """The paths of the entries that this turn filed or moved."""
        ...

    @property
    def deeds(self) -> tuple[Deed, ...]:
        """What the staged writes do, against what is in the bucket."""
        ...

    def changes(self) -> tuple[StagedWrite, ...]:
        """Return the staged writes, to be applied after the commit; no write is staged after this call."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnContext:
    """The chat and turn that a tool works for; none of it comes from the model.

    `seen_message_ids` are what its prompt holds, messages, answers and recaps by their own ids. The executor waits for a tool until
    `deadline`. `sequence` is the number of the turn's commit. `to_answer` are the messages that the turn answers, `earlier` the others that
    its prompt shows or quotes. `entries` holds the staged writes of this attempt at the turn, `outside` what it wrote elsewhere.
    `readings` is what the model was shown beside the chat.
    """

    conversation: Conversation
    seen_message_ids: frozenset[str] = frozenset()
    deadline: Deadline = field(default=_NEVER, compare=False, repr=False)
    sequence: int = 0
    now_ms: int = 0
    to_answer: tuple[MessageRecord, ...] = field(default=(), repr=False)
    earlier: tuple[MessageRecord, ...] = field(default=(), repr=False)
    entries: StagedEntries | None = field(default=None, repr=False)
    question: Question | None = field(default=None, repr=False)
    outside: OutsideDeeds = field(default_factory=OutsideDeeds, compare=False, repr=False)
    readings: Readings = field(default_factory=Readings, compare=False, repr=False)

    @property
    def is_overheard(self) -> bool:
        """Whether nobody addressed the bot: the turn has `reply`, `skip` and reading tools, and stages nothing."""
        return self.question is not None and self.question.is_overheard

    @property
    def deeds(self) -> tuple[Deed, ...]:
        """What the turn did so far, to entries and outside."""
        return (*(self.entries.deeds if self.entries is not None else ()), *self.outside.done)

    @property
    def said(self) -> tuple[str, ...]:
        """The words of the messages that the turn answers."""
        return tuple(one.text for one in self.to_answer)

    def may_touch(self, name: str) -> bool:
        """Whether something of this name may be deleted or written: after a reading from outside, only what the person names."""
        return not self.readings.is_tainted or is_named(name, self.said)

    @property
    def asked_ids(self) -> tuple[str, ...]:
        """The messages that the turn answers, oldest first."""
        return tuple(one.line_message_id for one in self.to_answer)

    @property
    def retellings(self) -> tuple[Retelling, ...]:
        """The recaps and answers of the bot in the prompt; compared only where something is filed."""
        return () if self.question is None else retellings_in_prompt(self.question.history, self.question.asked)

    @property
    def since_ms(self) -> int | None:
        """LINE's timestamp of the oldest thing in the prompt; None where there is no prompt."""
        return self.question.basis.prompt.since_ms if self.question is not None else None

    @property
    def read_message_ids(self) -> frozenset[str]:
        """Every message whose words the model may have read by now, in the prompt or in what tools returned."""
        return self.seen_message_ids | self._read_source_ids

    def check_amendments(self) -> None:
        """Check the amendments before a request to the model.  Raises: PromptAmendedError."""
        if self.question is not None:
            self.question.check_amendments(self._read_source_ids)

    @property
    def _read_source_ids(self) -> frozenset[str]:
        return self.entries.read_source_ids if self.entries is not None else frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolFault:
    """A failure that the model reads: one plain sentence, and whether another call can succeed."""

    message: str
    may_retry: bool


NOT_NAMED: Final = ToolFault(
    message="Not done: this turn has read from outside, so only what the person names in their own message may be written, deleted or "
    "searched for. Ask them to name it.",
    may_retry=False,
)


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


ToolResult = Json | Cited | ToolFault | Decision


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A function that the model may call.

    `run` takes arguments that match `parameters` and returns data that matches `response`, a fault, or, if `is_final`, the decision that
    ends the turn. It may run in parallel with other tools, and again in a later attempt at the turn. A turn may call it `most_calls` times.
    `is_reading`: it changes nothing, so a turn that nobody asked for may call it. `reads_outside`: its results are
    words of strangers.
    `only_in` are the ids of the chats that have the tool; None: all chats. `declared` are the parameters that the model is told of, if
    `parameters` accepts more.
    """

    name: str
    description: str
    parameters: Json = field(repr=False)
    response: Json = field(repr=False)
    run: Callable[[Json, TurnContext], ToolResult] = field(repr=False)
    is_final: bool = False
    is_reading: bool = False
    reads_outside: bool = False
    most_calls: int = 20
    only_in: frozenset[str] | None = field(default=None, repr=False)
    declared: Json | None = field(default=None, repr=False)

    def is_offered_to(self, context: TurnContext) -> bool:
        """Whether this turn has the tool."""
        if context.is_overheard and not (self.is_final or self.is_reading):
            return False
        return self.only_in is None or context.conversation.id in self.only_in

    @property
    def declaration(self) -> FunctionDeclaration:
        """The declaration that the model reads."""
        parameters = self.parameters if self.declared is None else self.declared
        return FunctionDeclaration(name=self.name, description=self.description, parameters=parameters)


class Registry:
    """The tools of a deployment, by name, in the order of their declarations."""

    def __init__(self, tools: Sequence[Tool]) -> None:
        """Add every tool.  Its schemas are not validated: tests do that, because it would add 0.1 s to a cold start.

        Raises: ValueError, if a tool cannot be declared to a model.
        """
        self._tools: dict[str, Tool] = {}
        for tool in tools:
            self._add(tool)
        if not any(tool.is_final for tool in tools):
            raise ValueError("no tool ends a turn")

    def __iter__(self) -> Iterator[Tool]:
        return iter(self._tools.values())

    def offered_to(self, context: TurnContext) -> tuple[Tool, ...]:
        """Return the tools of a turn."""
        return tuple(tool for tool in self if tool.is_offered_to(context))

    def find(self, name: str, context: TurnContext) -> Tool | None:
        """Return the tool, or None if the turn has no tool of that name."""
        return next((tool for tool in self.offered_to(context) if tool.name == name), None)

    def known_name(self, name: str, context: TurnContext) -> str:
        """Return the name for records and logs: of a name that the turn has no tool of, "unknown", because the model may quote people."""
        return UNKNOWN_TOOL if self.find(name, context) is None else name

    def declarations(self, context: TurnContext) -> tuple[FunctionDeclaration, ...]:
        """Return the declarations, byte-stable for a deployment and a chat."""
        return tuple(tool.declaration for tool in self.offered_to(context))

    @property
    def final_names(self) -> tuple[str, ...]:
        """The tools that end a turn."""
        return tuple(tool.name for tool in self if tool.is_final)

    def faults_of_arguments(self, tool: Tool, arguments: Json) -> str | None:
        """Return the first fault of the arguments as a sentence for the model, or None."""
        return _first_fault(Draft202012Validator(tool.parameters), arguments)

    def faults_of_response(self, tool: Tool, response: Json) -> str | None:
        """Return the rule that the response breaks, for the log, by its path in the schema; None if it breaks none."""
        fault = next(iter(Draft202012Validator(tool.response).iter_errors(response)), None)
        return None if fault is None else "/".join(map(str, fault.absolute_schema_path))

    def _add(self, tool: Tool) -> None:
        if not _NAME.fullmatch(tool.name):
            raise ValueError(f"{tool.name!r} is no name for a function of the model")
        if tool.name in self._tools:
            raise ValueError(f"two tools are called {tool.name}")
        if not tool.parameters.get(
            "properties"
        ):  # calling mode ANY refuses a function without parameters (python-genai #981)
            raise ValueError(f"{tool.name} has no parameter")
        self._tools[tool.name] = tool


@cache
def load_schema(name: str) -> Json:
    """Return a schema of schemas/tools/, such as `reply.parameters`; it is read once, and nobody changes it."""
    schema: Mapping[str, object] = json.loads((SCHEMAS / "tools" / f"{name}.json").read_text(encoding="utf-8"))
    return schema


def _first_fault(validator: Draft202012Validator, instance: Json) -> str | None:
    fault = next(iter(validator.iter_errors(instance)), None)
    if fault is None:
        return None
    where = "/".join(str(step) for step in fault.absolute_path)
    rule = f"{fault.validator}: {json.dumps(fault.validator_value, ensure_ascii=False)}"
    return f"{where or 'the arguments'} must satisfy {rule}"
