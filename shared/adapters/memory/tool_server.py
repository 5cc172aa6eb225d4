"""A tool server in memory: declared tools, the calls that reached it, and the faults of a dead or slow server."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from shared.agent.model import Json
from shared.clock import Deadline
from shared.tools.mcp.port import Listing, ServedResult, ServedTool, ToolServerRefusedError, ToolServerUnavailableError


@dataclass(slots=True, kw_only=True)
class MemoryToolServer:
    """A ToolServer whose tools are functions of their arguments; `is_down`: it answers nobody.

    `loses_answer`: the next call takes effect, and its answer is lost. For example, after `server.add("echo", str, schema={})` each call of
    `echo` is answered with its arguments as text.
    """

    tools: dict[str, tuple[ServedTool, Callable[[Json], str]]] = field(default_factory=dict)
    ttl_ms: int | None = None
    is_down: bool = False
    loses_answer: bool = False
    listed: int = 0
    called: list[tuple[str, Json]] = field(default_factory=list, repr=False)

    def add(
        self, name: str, answer: Callable[[Json], str], *, description: str = "", schema: Mapping[str, object]
    ) -> None:
        """Offer a tool; one of the same name is replaced."""
        self.tools[name] = ServedTool(name=name, description=description, input_schema=schema), answer

    def list_tools(self, deadline: Deadline) -> Listing:
        self._check(deadline)
        self.listed += 1
        return Listing(tools=tuple(served for served, _ in self.tools.values()), ttl_ms=self.ttl_ms)

    def call(self, tool: str, arguments: Json, deadline: Deadline) -> ServedResult:
        self._check(deadline)
        if tool not in self.tools:
            raise ToolServerRefusedError("there is no such tool", explanation=f"Unknown tool: {tool}")
        self.called.append((tool, dict(arguments)))
        if self.loses_answer:
            self.loses_answer = False
            raise ToolServerUnavailableError("the answer was lost", may_have_effect=True)
        return ServedResult(text=self.tools[tool][1](arguments))

    def _check(self, deadline: Deadline) -> None:
        if self.is_down or deadline.left_s <= 0:
            raise ToolServerUnavailableError("the server is down")
