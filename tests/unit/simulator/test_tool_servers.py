"""The tool servers of `make run ARGS=--mcp`: what the bot is told of them, and what a newcomer without Node.js reads."""

from pathlib import Path

import pytest

from shared.settings.reader import EnvironmentReader
from shared.settings.tool_servers import tool_server_settings
from shared.tools.mcp.port import ToolUse
from simulator.processes import Child, StackError
from simulator.tool_servers.servers import bus_server, mcp_servers, reference_command


def buses(tmp_path: Path) -> Child:
    return bus_server(log_folder=tmp_path, env={})


def test_the_bot_may_read_departures_and_has_to_ask_before_it_books(tmp_path: Path) -> None:
    server = buses(tmp_path)
    reader = EnvironmentReader({"MCP_SERVERS": mcp_servers({"buses": server})})

    (settings,) = tool_server_settings(reader)

    assert reader.faults == []
    assert settings.url == f"{server.url}/mcp"
    assert settings.uses == {"next_bus": ToolUse.READS, "book_seat": ToolUse.ACTS}
    assert settings.conversations is None


def test_a_missing_reference_server_is_told_with_the_command_that_installs_it(tmp_path: Path) -> None:
    with pytest.raises(StackError, match=r"make run ARGS=--mcp|apt-get install nodejs npm"):
        reference_command(tmp_path)
