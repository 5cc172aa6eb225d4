"""The processes of the two tool servers, and what the bot is told of them."""

import json
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from simulator.functions import REPOSITORY
from simulator.processes import Child, StackError, free_port

INSTALLED: Final = REPOSITORY / ".tool-servers"
"""Where `make run ARGS=--mcp` puts the reference server."""
_SCRIPT: Final = Path("node_modules/@modelcontextprotocol/server-everything/dist/index.js")
_LOOPBACK: Final = Path(__file__).with_name("loopback.cjs")
_TOOLS: Final = {
    "everything": {"echo": "reads", "get-sum": "reads"},
    "buses": {"next_bus": "reads", "book_seat": "acts"},
}


def tool_servers(*, log_folder: Path, env: Mapping[str, str]) -> dict[str, Child]:
    """Return both servers by their names in MCP_SERVERS, not started.

    `env` is the environment of every process on the machine.  Raises: StackError, if Node.js or the reference server is missing.
    """
    return {
        "everything": reference_server(log_folder=log_folder, env=env),
        "buses": bus_server(log_folder=log_folder, env=env),
    }


def reference_command(installed: Path) -> list[str]:
    """Return the command of the reference server, which listens on PORT.  Raises: StackError, if Node.js or the server is missing."""
    node, script = shutil.which("node"), installed / _SCRIPT
    if node is None:
        raise StackError("--mcp needs Node.js and npm: on Debian, apt-get install nodejs npm")
    if not script.exists():
        raise StackError("the reference server is not installed; start with: make run ARGS=--mcp")
    return [node, "--require", str(_LOOPBACK), str(script), "streamableHttp"]


def mcp_servers(children: Mapping[str, Child]) -> str:
    """Return MCP_SERVERS for the running servers: every chat has their tools."""
    servers = (
        {"name": name, "url": f"{child.url}/mcp", "tools": _TOOLS[name], "chats": "*"}
        for name, child in children.items()
    )
    return json.dumps(list(servers))


def reference_server(*, log_folder: Path, env: Mapping[str, str], installed: Path = INSTALLED) -> Child:
    """Return the protocol's own server, not started.  Raises: StackError, if Node.js or the server is missing."""
    port = free_port()
    return Child(
        name="the reference tool server",
        command=reference_command(installed),
        port=port,
        log_path=log_folder / "everything.log",
        env={**env, "PORT": str(port)},
    )


def bus_server(*, log_folder: Path, env: Mapping[str, str]) -> Child:
    """Return the bus company's server, not started."""
    port = free_port()
    return Child(
        name="the bus company's tool server",
        command=[sys.executable, "-m", "simulator.tool_servers.buses", str(port)],
        port=port,
        log_path=log_folder / "buses.log",
        env={**env, "PYTHONPATH": str(REPOSITORY)},
        cwd=REPOSITORY,
    )
