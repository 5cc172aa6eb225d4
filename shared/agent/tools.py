"""The protocol of a tool, and the registry that lists, finds and validates.

How to add a tool: two schema files in schemas/tools/, a Tool in a module of shared/tools/, its name in that module's toolset.
"""

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Protocol

from jsonschema import Draft202012Validator

from shared.agent.model import FunctionDeclaration, Json
from shared.clock import Deadline, SystemClock
from shared.conversation.records import MessageRecord, StagedWrite
from shared.conversation.store import Conversation
from shared.turns.question import Question

SCHEMAS: Final = Path(__file__).parents[2] / "schemas"
_NAME: Final = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]{0,63}")
_NEVER: Final = Deadline(clock=SystemClock(), at_s=math.inf)


class EntryPlacement(Protocol):
    """Where an entry was filed or moved to, and how sure its classification was."""

    @property
    def path(self) -> str:
        """Below `entries/{conversation_id}/`."""
        ...

    @property
    def confidence(self) -> float:
        """From 0 to 1."""
        ...


class StagedEntries(Protocol):
    """What a turn read and staged of the chat's entries; the tools of the knowledge toolset know the whole of it."""

    @property
    def placement(self) -> EntryPlacement | None:
        """The last placement of this turn."""
        ...

    @property
    def read_source_ids(self) -> frozenset[str]:
        """The messages behind everything that the model was shown of the entries, or changed in them."""
        ...

    def changes(self) -> tuple[StagedWrite, ...]:
        """Return what is to be written once the turn is committed; nothing is staged after this."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnContext:
    """What a tool knows of the chat that it works for; it never comes from the model.

    `first_line_message_id` is the oldest message that the turn answers, `seen_message_ids` all whose words its prompt can hold. A tool is
    waited for until `deadline`. `sequence` is the number of the commit that the turn works towards. `to_answer` are the messages that it
    answers, `earlier` the others in its prompt. `entries` holds the staged writes of this attempt at the turn.
    """

    conversation: Conversation
    first_line_message_id: str = ""
    seen_message_ids: frozenset[str] = frozenset()
    deadline: Deadline = field(default=_NEVER, compare=False, repr=False)
    sequence: int = 0
    now_ms: int = 0
    to_answer: tuple[MessageRecord, ...] = field(default=(), repr=False)
    earlier: tuple[MessageRecord, ...] = field(default=(), repr=False)
    entries: StagedEntries | None = field(default=None, repr=False)
    question: Question | None = field(default=None, repr=False)

    def check_amendments(self) -> None:
        """Look at the amendments before a request to the model.  Raises: PromptAmendedError."""
        if self.question is not None:
            read_ids = self.entries.read_source_ids if self.entries is not None else frozenset[str]()
            self.question.check_amendments(read_ids)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolFault:
    """A failure that the model reads: one plain sentence, and whether calling again can help."""

    message: str
    may_retry: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """How a turn ends: with a `message` to send, or with silence and the reason for it.

    `result` is what the deciding tool answers once the decision is carried out.
    """

    result: Json
    message: str | None = field(default=None, repr=False)
    skip_reason: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cited:
    """Data that matches `response`, and a `footnote` that the reply has to carry as it is, whatever the model makes of the data."""

    result: Json = field(repr=False)
    footnote: str = field(repr=False)


ToolResult = Json | Cited | ToolFault | Decision


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """Something that the model may call.

    `run` gets arguments that match `parameters` and returns data that matches `response`, a fault, or, if `is_final`, the decision that
    ends the turn. It may be run in parallel with others, and again when a turn is thought again. `only_in` are the chats in which there
    is such a tool; None: in all. `declared` is what the model is told of the parameters, where more is taken than it should know of.
    """

    name: str
    description: str
    parameters: Json = field(repr=False)
    response: Json = field(repr=False)
    run: Callable[[Json, TurnContext], ToolResult] = field(repr=False)
    is_final: bool = False
    only_in: frozenset[str] | None = field(default=None, repr=False)
    declared: Json | None = field(default=None, repr=False)

    def is_offered_in(self, conversation: Conversation) -> bool:
        """Whether there is such a tool in this chat."""
        return self.only_in is None or conversation.id in self.only_in

    @property
    def declaration(self) -> FunctionDeclaration:
        """What the model is told of it."""
        parameters = self.parameters if self.declared is None else self.declared
        return FunctionDeclaration(name=self.name, description=self.description, parameters=parameters)


class Registry:
    """The tools of a deployment, by name, in the order in which they are declared."""

    def __init__(self, tools: Sequence[Tool]) -> None:
        """Check every tool, and take its schemas as they are: tests check the files, because that takes a cold start a tenth of a second.

        Raises: ValueError, where one cannot be declared to a model.
        """
        self._tools: dict[str, Tool] = {}
        self._parameters: dict[str, Draft202012Validator] = {}
        self._responses: dict[str, Draft202012Validator] = {}
        for tool in tools:
            self._add(tool)
        if not any(tool.is_final for tool in tools):
            raise ValueError("no tool ends a turn")

    def __iter__(self) -> Iterator[Tool]:
        return iter(self._tools.values())

    def offered_in(self, conversation: Conversation) -> tuple[Tool, ...]:
        """Return the tools that there are in a chat."""
        return tuple(tool for tool in self if tool.is_offered_in(conversation))

    def find(self, name: str, conversation: Conversation) -> Tool | None:
        """Return the tool, or None where the model made the name up, or where there is none such in the chat."""
        return next((tool for tool in self.offered_in(conversation) if tool.name == name), None)

    def declarations(self, conversation: Conversation) -> tuple[FunctionDeclaration, ...]:
        """What the model is told, byte-stable for a deployment and a chat."""
        return tuple(tool.declaration for tool in self.offered_in(conversation))

    @property
    def final_names(self) -> tuple[str, ...]:
        """The tools that end a turn."""
        return tuple(tool.name for tool in self if tool.is_final)

    def faults_of_arguments(self, tool: Tool, arguments: Json) -> str | None:
        """Return what is wrong with the arguments, in a sentence for the model, or None."""
        return _first_fault(self._parameters[tool.name], arguments)

    def faults_of_response(self, tool: Tool, response: Json) -> str | None:
        """Return what is wrong with the response, for our log, or None."""
        return _first_fault(self._responses[tool.name], response)

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
        self._parameters[tool.name] = Draft202012Validator(tool.parameters)
        self._responses[tool.name] = Draft202012Validator(tool.response)


def load_schema(name: str) -> Json:
    """Return a schema of schemas/tools/, such as `reply.parameters`."""
    schema: Mapping[str, object] = json.loads((SCHEMAS / "tools" / f"{name}.json").read_text(encoding="utf-8"))
    return schema


def _first_fault(validator: Draft202012Validator, instance: Json) -> str | None:
    fault = next(iter(validator.iter_errors(instance)), None)
    if fault is None:
        return None
    where = "/".join(str(step) for step in fault.absolute_path)
    rule = f"{fault.validator}: {json.dumps(fault.validator_value, ensure_ascii=False)}"
    return f"{where or 'the arguments'} must satisfy {rule}"
