"""A tool server whose SDK is imported at the first listing or call: the import takes half a second, and most turns call no tool server."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from shared.agent.model import Json
from shared.clock import Deadline
from shared.tools.mcp.port import Listing, ServedResult, ToolServer


@dataclass(slots=True, kw_only=True)
class McpOnDemand:
    """A ToolServer at `url`; safe to share between threads."""

    url: str
    headers: Callable[[], Mapping[str, str]] = field(default=dict, repr=False)
    _server: ToolServer | None = field(default=None, init=False, repr=False)
    _making: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)

    def list_tools(self, deadline: Deadline) -> Listing:
        return self._get().list_tools(deadline)

    def call(self, tool: str, arguments: Json, deadline: Deadline) -> ServedResult:
        return self._get().call(tool, arguments, deadline)

    def _get(self) -> ToolServer:
        with self._making:
            if self._server is None:
                from shared.adapters.mcp_client import McpServer  # noqa: PLC0415 - see above

                self._server = McpServer(url=self.url, headers=self.headers)
            return self._server
