"""The tools of the protocol's own reference server, from its package on npm: what it lists, what it answers, what it asks for."""

import os
import re
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from shared.adapters.mcp_client import McpServer
from shared.clock import Deadline, SystemClock
from shared.tools.mcp.schemas import reduced_parameters
from simulator.tool_servers.servers import reference_command
from tests.support.npm import install_reference_server

START_S: Final = 60
_LISTENS: Final = "0A"  # the state in /proc/net/tcp

pytestmark = pytest.mark.package


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory) -> Iterator[McpServer]:
    installed = install_reference_server(tmp_path_factory.mktemp("everything"))
    running = subprocess.Popen(
        reference_command(installed),
        env={**os.environ, "PORT": "0"},  # noqa: TID251 - for a process
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield McpServer(url=f"http://127.0.0.1:{_port_of(running)}/mcp")
    finally:
        running.kill()
        running.wait()


def _port_of(running: "subprocess.Popen[bytes]") -> int:
    """Return the port that the process listens on, as soon as it does."""
    last_s = time.monotonic() + START_S
    while running.poll() is None and time.monotonic() < last_s:
        held = map(_target, Path(f"/proc/{running.pid}/fd").iterdir())
        inodes = {found[1] for target in held if (found := re.fullmatch(r"socket:\[(\d+)\]", target))}
        for table in ("tcp", "tcp6"):
            for line in Path(f"/proc/{running.pid}/net/{table}").read_text(encoding="utf-8").splitlines()[1:]:
                _, local, _, state, *_, inode = line.split()[:10]
                if state == _LISTENS and inode in inodes:
                    return int(local.rpartition(":")[2], 16)
        time.sleep(0.05)
    raise AssertionError("the reference server does not listen")


def _target(link: Path) -> str:
    try:
        return str(link.readlink())
    except FileNotFoundError:  # closed meanwhile
        return ""


def soon() -> Deadline:
    return Deadline.after(SystemClock(), 10)


def test_every_tool_of_the_reference_server_can_be_declared(everything: McpServer) -> None:
    tools = {tool.name: reduced_parameters(tool.input_schema) for tool in everything.list_tools(soon()).tools}

    assert {"echo", "get-sum", "get-tiny-image", "get-structured-content"} <= tools.keys()
    assert tools["get-sum"]["required"] == ["a", "b"]


def test_text_is_passed_on_and_a_picture_is_named(everything: McpServer) -> None:
    assert "こんにちは" in everything.call("echo", {"message": "こんにちは"}, soon()).text
    assert "42" in everything.call("get-sum", {"a": 40, "b": 2}, soon()).text
    assert "[image not passed on]" in everything.call("get-tiny-image", {}, soon()).text


@pytest.mark.parametrize(("tool", "arguments"), [("nobody", {}), ("get-sum", {"a": "forty"})])
def test_a_wrong_call_is_an_error_with_words_for_the_model(
    everything: McpServer, tool: str, arguments: dict[str, object]
) -> None:
    result = everything.call(tool, arguments, soon())

    assert result.is_error
    assert result.text
