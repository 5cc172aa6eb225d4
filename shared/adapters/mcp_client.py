"""A tool server over streamable HTTP, by the official SDK.  Imported only where MCP_SERVERS names a server.

Each call opens its own connection on an event loop of its own: calls are rare, and nothing is left open between two turns. The negotiated
protocol is remembered, so that only the first call of a process asks for it.
Source: mcp 2.3.0, `mcp.client.Client` (mode "auto": `server/discover`, or the handshake of servers of 2025).
"""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Final, TypeVar

import anyio
import httpx2
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, TextContent
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from shared.agent.model import Json
from shared.clock import Deadline
from shared.tools.mcp.port import (
    MOST_TOOLS,
    Listing,
    ServedResult,
    ServedTool,
    ToolServerRefusedError,
    ToolServerUnavailableError,
)

CALL_S: Final = 10.0
"""Seconds for one call or listing, within the caller's deadline."""
ANSWER_LIMIT_BYTES: Final = 1_000_000
_PAGES: Final = 8
_EXPLANATION_LIMIT: Final = 2_000
_FAILURES: Final = (
    ExceptionGroup,
    MCPError,
    OSError,
    TimeoutError,
    ValueError,
    httpx2.HTTPError,
    anyio.ClosedResourceError,
    anyio.EndOfStream,
    anyio.BrokenResourceError,
)
"""How a dead, slow or lying server shows itself; the SDK's task groups wrap most of it."""
_Result = TypeVar("_Result")


@dataclass(slots=True, kw_only=True)
class McpServer:
    """A ToolServer at `url`; safe to share between threads, each call on a loop of its own.  `headers` returns those of a request."""

    url: str
    headers: Callable[[], Mapping[str, str]] = field(default=dict, repr=False)
    _mode: str = field(default="auto", init=False)

    def list_tools(self, deadline: Deadline) -> Listing:
        """Return the server's tools, at most MOST_TOOLS, of at most eight pages."""
        return self._ask(_list_tools, deadline, may_have_effect=False)

    def call(self, tool: str, arguments: Json, deadline: Deadline) -> ServedResult:
        """Call a tool; text is passed on, everything else is named.  A server that asks for more input has refused."""

        async def call(client: Client) -> ServedResult:
            return _result_of(await client.call_tool(tool, dict(arguments)))

        return self._ask(call, deadline, may_have_effect=True)

    def _ask(
        self, ask: Callable[[Client], Awaitable[_Result]], deadline: Deadline, *, may_have_effect: bool
    ) -> _Result:
        left_s = min(deadline.left_s, CALL_S)
        if left_s <= 0:
            raise ToolServerUnavailableError("no time is left for the tool server")
        is_sent = False

        async def session() -> _Result:
            nonlocal is_sent
            with anyio.fail_after(left_s):
                async with self._connected(left_s) as client:
                    self._mode = (
                        client.protocol_version if client.protocol_version in MODERN_PROTOCOL_VERSIONS else "legacy"
                    )
                    is_sent = True
                    return await ask(client)

        try:
            return asyncio.run(session())
        except _FAILURES as failure:
            cause = _first(failure)
            self._mode = "auto"  # a server may have been replaced by one of another revision
            if isinstance(cause, MCPError):
                explanation = str(cause)[:_EXPLANATION_LIMIT]
                raise ToolServerRefusedError("a tool server refused", explanation=explanation) from failure
            raise ToolServerUnavailableError(
                f"a tool server did not answer ({type(cause).__name__})", may_have_effect=may_have_effect and is_sent
            ) from failure

    @asynccontextmanager
    async def _connected(self, timeout_s: float) -> AsyncIterator[Client]:
        async with httpx2.AsyncClient(
            headers={**self.headers(), "accept-encoding": "identity"},
            timeout=timeout_s,
            trust_env=False,
            transport=_BoundedTransport(httpx2.AsyncHTTPTransport(trust_env=False)),
        ) as http:
            transport = streamable_http_client(self.url, http_client=http, max_sse_event_size=ANSWER_LIMIT_BYTES)
            async with Client(transport, mode=self._mode, cache=None, read_timeout_seconds=timeout_s) as client:
                yield client


async def _list_tools(client: Client) -> Listing:
    tools: list[ServedTool] = []
    cursor: str | None = None
    ttl_ms: int | None = None
    for _ in range(_PAGES):
        page = await client.list_tools(cursor=cursor)
        ttl_ms = ttl_ms or page.ttl_ms or None  # 0: the server does not say; servers of 2025 never do
        tools += (
            ServedTool(name=tool.name, description=tool.description or "", input_schema=tool.input_schema)
            for tool in page.tools
        )
        cursor = page.next_cursor
        if cursor is None or len(tools) >= MOST_TOOLS:
            break
    return Listing(tools=tuple(tools[:MOST_TOOLS]), ttl_ms=ttl_ms)


def _result_of(result: CallToolResult) -> ServedResult:
    """Return the texts, one a line; of a result without text, its structured content as JSON."""
    parts = [
        block.text if isinstance(block, TextContent) else f"[{block.type} not passed on]" for block in result.content
    ]
    if not parts and result.structured_content is not None:
        parts = [json.dumps(result.structured_content, ensure_ascii=False)]
    return ServedResult(text="\n".join(parts), is_error=result.is_error)


def _first(failure: BaseException) -> BaseException:
    """Return the error itself, or the first one in a group, however deep."""
    while isinstance(failure, BaseExceptionGroup):
        failure = failure.exceptions[0]
    return failure


class _BoundedTransport(httpx2.AsyncBaseTransport):
    """Ends a response after ANSWER_LIMIT_BYTES, and refuses a compressed one, which could be any size."""

    def __init__(self, inner: httpx2.AsyncBaseTransport) -> None:
        self._inner = inner

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        response = await self._inner.handle_async_request(request)
        if response.headers.get("content-encoding", "identity") != "identity":
            await response.aclose()
            raise httpx2.DecodingError("a tool server compressed its answer", request=request)
        if isinstance(response.stream, httpx2.AsyncByteStream):
            response.stream = _BoundedStream(response.stream)
        return response

    async def aclose(self) -> None:
        await self._inner.aclose()


class _BoundedStream(httpx2.AsyncByteStream):
    def __init__(self, inner: httpx2.AsyncByteStream) -> None:
        self._inner = inner

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left_bytes = ANSWER_LIMIT_BYTES
        async for chunk in self._inner:
            left_bytes -= len(chunk)
            if left_bytes < 0:
                raise httpx2.ReadError("a tool server's answer is too long")
            yield chunk

    async def aclose(self) -> None:
        await self._inner.aclose()
