"""Tool servers as the toolset sees them: a listing of tools, and calls.  Everything that a server says is hostile.

Source: Model Context Protocol, revision 2026-07-28, "Tools": `tools/list` and `tools/call`.
"""

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from typing import Final, Protocol

from shared.agent.model import Json
from shared.clock import Deadline
from shared.errors import AizuchiError
from shared.frozen import frozen

MOST_TOOLS: Final = 64
"""Tools of one server that are stored; a listing may have more."""
SCHEMA_LIMIT: Final = 16_000
"""Characters of one input schema as JSON."""


class ToolUse(StrEnum):
    """What a tool may do, by the operator's word: a server's own annotations, such as `readOnlyHint`, count for nothing."""

    READS = "reads"
    ACTS = "acts"


class ToolServerUnavailableError(AizuchiError):
    """The server did not answer in time, or its answer is no answer of the protocol; `may_have_effect`: the call had been sent."""

    http_status = 503

    def __init__(self, message: str, *, may_have_effect: bool = False) -> None:
        super().__init__(message)
        self.may_have_effect = may_have_effect


class ToolServerRefusedError(AizuchiError):
    """The server answered with an error; `explanation` holds the server's own words, for the model only."""

    http_status = 503

    def __init__(self, message: str, *, explanation: str) -> None:
        super().__init__(message)
        self.explanation = explanation


@frozen
class ServedTool:
    """A tool as its server describes it: `ServedTool(name="forecast", description="...", input_schema={"type": "object"})`."""

    name: str
    description: str = field(default="", repr=False)
    input_schema: Json = field(default_factory=dict, repr=False)


@frozen
class Listing:
    """The tools of a server, and for how long the listing is good by the server's `ttlMs`; None: the server does not say."""

    tools: tuple[ServedTool, ...]
    ttl_ms: int | None = None


@frozen
class ServedResult:
    r"""The result of a call as text; `is_error`: the tool itself failed.  Pictures and sounds are named, not passed on.

    For example, `ServedResult(text="Rain until noon.\n[image not passed on]")`.
    """

    text: str = field(repr=False)
    is_error: bool = False


class ToolServer(Protocol):
    """A connection to one server."""

    def list_tools(self, deadline: Deadline) -> Listing:
        """Return the server's tools, at most MOST_TOOLS.  Raises: ToolServerUnavailableError, ToolServerRefusedError."""
        ...

    def call(self, tool: str, arguments: Json, deadline: Deadline) -> ServedResult:
        """Call a tool by the server's name for it.  Raises: ToolServerUnavailableError, ToolServerRefusedError."""
        ...


@frozen
class ConnectedServer:
    """A server that the operator connected, the uses of its allowed tools, and the chats with access (None: all).

    For example, with `name="weather"` and `uses={"forecast": ToolUse.READS}` the model is offered `mcp_weather_forecast`.
    """

    name: str
    server: ToolServer = field(repr=False)
    uses: Mapping[str, ToolUse]
    conversations: frozenset[str] | None = field(repr=False)
