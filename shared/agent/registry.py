"""The tools of a deployment: which tools a turn has, and whether arguments and results match their schemas."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from shared.agent.json_schema import validator_of
from shared.agent.model import FunctionDeclaration, Json
from shared.agent.tools import Tool
from shared.agent.turn_context import TurnContext

UNKNOWN_TOOL: Final = "unknown"
_NAME: Final = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]{0,63}")
_NAMESPACE: Final = re.compile(r"(?:default_api|functions|tools)[.:]")
"""A namespace that models write before a name.  Source: CursorTouch/Web-Use #21, clairvoyance #1030."""


class Registry:
    """The tools of a deployment, by name, in the order of their declarations; the tools of connected servers come last."""

    _served: Callable[[], Sequence[Tool]]

    def __init__(self, tools: Sequence[Tool], *, served: Callable[[], Sequence[Tool]] = tuple) -> None:
        """Add every tool.  Schemas are not validated here but in tests, because validation would add 0.1 s to a cold start.

        `served` returns the tools of connected servers, which may change while the process runs.

        Raises: ValueError, if a tool cannot be declared to a model.
        """
        self._tools: dict[str, Tool] = {}
        self._served = served
        for tool in tools:
            self._add(tool)
        if not any(tool.is_final for tool in tools):
            raise ValueError("no tool ends a turn")

    def __iter__(self) -> Iterator[Tool]:
        yield from self._tools.values()
        yield from self._served()

    def offered_to(self, context: TurnContext) -> tuple[Tool, ...]:
        """Return the tools of a turn."""
        return tuple(tool for tool in self if tool.is_offered_to(context))

    def find(self, name: str, context: TurnContext) -> Tool | None:
        """Return the tool, or None if the turn has no tool of this name; `find("default_api.reply", context)` finds `reply`."""
        plain = self.plain_name(name)
        return next((tool for tool in self.offered_to(context) if tool.name == plain), None)

    def plain_name(self, name: str) -> str:
        """Return the name without a model's namespace: `plain_name("functions.reply")` is `reply`."""
        return _NAMESPACE.sub("", name, count=1) if _NAMESPACE.match(name) else name

    def known_name(self, name: str, context: TurnContext) -> str:
        """Return the name for records and logs; "unknown" without such a tool, because the model's name may quote people."""
        tool = self.find(name, context)
        return UNKNOWN_TOOL if tool is None else tool.name

    def declarations(self, context: TurnContext) -> tuple[FunctionDeclaration, ...]:
        """Return the declarations, byte-stable for a deployment and a chat until a listing or the result of `description_end` changes.

        The descriptions of served tools are outside words of the turn.
        """
        offered = self.offered_to(context)
        for tool in offered:
            if tool.is_described_outside:
                context.untrusted_input.record_outside(tool.outside, tool.description)
        return tuple(tool.declaration for tool in offered)

    @property
    def final_names(self) -> tuple[str, ...]:
        """The tools that end a turn."""
        return tuple(tool.name for tool in self if tool.is_final)

    def faults_of_arguments(self, tool: Tool, arguments: Json) -> str | None:
        """Return the first fault of the arguments as a sentence for the model, or None.

        For example, "limit must satisfy maximum: 50".
        """
        return _first_fault(tool.parameters, arguments)

    def faults_of_response(self, tool: Tool, response: Json) -> str | None:
        """Return the schema path of the first rule that the response breaks, for the log, or None."""
        fault = next(validator_of(tool.response).iter_errors(response), None)
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


def _first_fault(schema: Json, instance: Json) -> str | None:
    fault = next(validator_of(schema).iter_errors(instance), None)
    if fault is None:
        return None
    where = "/".join(str(step) for step in fault.absolute_path)
    rule = f"{fault.validator}: {json.dumps(fault.validator_value, ensure_ascii=False)}"
    return f"{where or 'the arguments'} must satisfy {rule}"
