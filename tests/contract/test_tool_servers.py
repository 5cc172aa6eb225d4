"""One suite for tool servers: in memory, and by the official SDK on the wire to a server of the SDK's own; and faults of a server."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import pytest
from mcp.server import MCPServer
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from shared.adapters.mcp_client import ANSWER_LIMIT_BYTES, McpServer
from shared.adapters.mcp_on_demand import McpOnDemand
from shared.adapters.memory import MemoryToolServer
from shared.clock import Deadline, SystemClock
from shared.tools.mcp.port import ServedResult, ToolServer, ToolServerRefusedError, ToolServerUnavailableError
from tests.support.serving import Served, served

CLOCK = SystemClock()
LONG_S = 9.0


def soon() -> Deadline:
    return Deadline.after(CLOCK, LONG_S)


def greet(name: str) -> str:
    """Greets somebody."""
    return f"こんにちは、{name}"


@contextmanager
def in_memory() -> Iterator[ToolServer]:
    server = MemoryToolServer()
    schema = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
    server.add("greet", lambda arguments: greet(str(arguments["name"])), description="Greets somebody.", schema=schema)
    yield server


@contextmanager
def on_the_wire() -> Iterator[ToolServer]:
    with served(sdk_server(), has_lifespan=True) as running:
        yield McpOnDemand(url=f"{running.url}/mcp")


def sdk_server() -> Starlette:
    """Return a server made with the SDK's own class; the requests of one client do not depend on each other."""
    server = MCPServer("greeter")
    server.tool()(greet)

    @server.tool()
    def fail() -> str:
        raise ValueError("the greeter is ill")

    return server.streamable_http_app(stateless_http=True, json_response=True)


@pytest.fixture(params=[in_memory, on_the_wire])
def server(request: pytest.FixtureRequest) -> Iterator[ToolServer]:
    open_server: Callable[[], AbstractContextManager[ToolServer]] = request.param
    with open_server() as opened:
        yield opened


def test_a_listing_names_tools_with_their_descriptions_and_schemas(server: ToolServer) -> None:
    tool = server.list_tools(soon()).tools[0]

    assert (tool.name, tool.description) == ("greet", "Greets somebody.")
    assert tool.input_schema["required"] == ["name"]


def test_a_call_returns_the_text_of_the_result_in_any_script(server: ToolServer) -> None:
    assert server.call("greet", {"name": "ゆき"}, soon()) == ServedResult(text="こんにちは、ゆき")


def test_a_tool_that_does_not_exist_is_refused_or_an_error_with_words_for_the_model(server: ToolServer) -> None:
    assert "nobody" in words_of_refusal(server)


def words_of_refusal(server: ToolServer) -> str:
    """Return what the server says of a call of `nobody`: as a refusal, or as an error of the tool."""
    try:
        result = server.call("nobody", {}, soon())
    except ToolServerRefusedError as refused:
        return refused.explanation
    return result.text if result.is_error else ""


def test_nobody_is_asked_when_no_time_is_left(server: ToolServer) -> None:
    with pytest.raises(ToolServerUnavailableError) as raised:
        server.call("greet", {"name": "ゆき"}, Deadline.after(CLOCK, 0))
    assert not raised.value.may_have_effect


def test_an_error_of_the_tool_is_a_result_of_its_own() -> None:
    with on_the_wire() as server:
        result = server.call("fail", {}, soon())

    assert result.is_error
    assert "fail" in result.text


def test_headers_carry_the_secrets_as_they_are_now() -> None:
    seen: list[str | None] = []

    def refuse(request: Request) -> Response:
        seen.append(request.headers.get("authorization"))
        return Response("no", 500)

    with answering(refuse) as running:
        server = McpServer(url=running.url, headers=lambda: {"Authorization": "Bearer secret"})
        with pytest.raises((ToolServerUnavailableError, ToolServerRefusedError)):
            server.list_tools(soon())

    assert set(seen) == {"Bearer secret"}


@contextmanager
def answering(answer: Callable[[Request], Response]) -> Iterator[Served]:
    """Serve these answers to whatever is posted."""

    async def endpoint(request: Request) -> Response:
        return answer(request)

    with served(Starlette(routes=[Route("/", endpoint, methods=["POST", "GET", "DELETE"])])) as running:
        yield running


def flood(_: Request) -> Response:
    """Answer with JSON that never ends."""

    def pieces() -> Iterator[bytes]:
        yield b'{"jsonrpc": "2.0", "id": 1, "result": "'
        for _ in range(40 * ANSWER_LIMIT_BYTES // 10_000):
            yield b"x" * 10_000

    return StreamingResponse(pieces(), media_type="application/json")


@pytest.mark.parametrize(
    "answer",
    [
        lambda _: Response("not JSON", media_type="application/json"),
        lambda _: Response("<html>", media_type="text/html"),
        lambda _: Response("", 503),
        lambda _: Response("", 401),
        lambda _: Response(
            json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"tools": 7}}), media_type="application/json"
        ),
        lambda _: Response(b"x", headers={"content-encoding": "gzip", "content-type": "application/json"}),
        lambda _: Response("", 307, headers={"location": "http://127.0.0.1:9/"}),
        flood,
    ],
)
def test_a_lying_server_is_an_error_of_the_port_and_nothing_else(answer: Callable[[Request], Response]) -> None:
    with answering(answer) as running:
        server = McpServer(url=f"{running.url}/")
        for ask in (lambda: server.list_tools(soon()), lambda: server.call("greet", {}, soon())):
            with pytest.raises((ToolServerUnavailableError, ToolServerRefusedError)):
                ask()


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_server_leads_no_call_to_another_address_and_no_secret_there(status: int) -> None:
    called: list[str] = []

    def note(request: Request) -> Response:
        called.append(request.headers.get("authorization", ""))
        return Response(json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"tools": []}}), media_type="application/json")

    with answering(note) as internal:
        redirect = Response("", status, headers={"location": f"{internal.url}/"})
        with answering(lambda _: redirect) as running:
            server = McpServer(url=f"{running.url}/", headers=lambda: {"Authorization": "Bearer secret"})
            for ask in (lambda: server.list_tools(soon()), lambda: server.call("greet", {}, soon())):
                with pytest.raises((ToolServerUnavailableError, ToolServerRefusedError)):
                    ask()
        assert called == []

        with pytest.raises(
            (ToolServerUnavailableError, ToolServerRefusedError)
        ):  # the other server notes whoever calls
            McpServer(url=f"{internal.url}/").list_tools(soon())
        assert called


def test_a_slow_server_is_left_when_the_time_is_over() -> None:
    over = threading.Event()

    def pieces() -> Iterator[bytes]:
        yield b"{"
        over.wait(30)

    with answering(lambda _: StreamingResponse(pieces(), media_type="application/json")) as running:
        try:
            with pytest.raises(ToolServerUnavailableError):
                McpServer(url=f"{running.url}/").call("greet", {}, Deadline.after(CLOCK, 0.2))
        finally:
            over.set()


def test_a_server_that_is_gone_is_unavailable_and_nothing_was_done() -> None:
    with served(sdk_server(), has_lifespan=True) as running:
        url = running.url
    with pytest.raises(ToolServerUnavailableError) as raised:
        McpServer(url=f"{url}/mcp").call("greet", {"name": "ゆき"}, soon())
    assert not raised.value.may_have_effect
