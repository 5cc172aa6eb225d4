"""Bots and frameworks that registries carry, unmodified: `make foreign-bots` installs them, drives them and prints a table."""

import json
import shutil
import subprocess
import sys
import venv
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from simulator.line.testing import Line, Person
from simulator.line.testing.bot_process import free_port
from tests.contract.simulator.line.running_bots import NAMESPACES, running
from tests.contract.simulator.line.test_package import run

FOREIGN: Final = Path(__file__).parent / "foreign"
BOTTENDER_CONFIG: Final = """\
module.exports = {
  channels: {
    line: {
      enabled: true,
      path: "/callback",
      sendMethod: "reply",
      accessToken: process.env.LINE_CHANNEL_ACCESS_TOKEN,
      channelSecret: process.env.LINE_CHANNEL_SECRET,
    },
  },
};
"""
BOTTENDER_APP: Final = """\
module.exports = async function App(context) {
  if (context.event.isText) await context.sendText(context.event.text);
};
"""
_OK: Final = 200
pytestmark = pytest.mark.foreign


@pytest.fixture(scope="module")
def table() -> Iterator[list[str]]:
    rows = ["| bot or framework | answers | calls of LINE's API, by status |", "|---|---|---|"]
    yield rows
    print("\n" + "\n".join(rows))  # noqa: T201 - shown by `make foreign-bots`


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("python")
    venv.create(folder, with_pip=True)
    run(folder / "bin" / "python", "-m", "pip", "install", "line-bot-sdk", "flask", "fastapi", "uvicorn", cwd=folder)
    return str(folder / "bin" / "python")


def node_folder(tmp_path: Path, *packages: str) -> Path:
    npm = shutil.which("npm")
    if npm is None:
        pytest.fail("the foreign bots need Node.js and npm: on Debian, apt-get install nodejs npm")
    # Scripts of packages fetch programs from elsewhere.
    run(npm, "install", "--no-audit", "--no-fund", "--ignore-scripts", *packages, cwd=tmp_path)
    return tmp_path


def statuses(line: Line) -> str:
    found: dict[int, int] = {}
    for request in line.get("requests")["requests"]:
        found[request["status"]] = found.get(request["status"], 0) + 1
    return ", ".join(f"{count} × {status}" for status, count in sorted(found.items()))


def talk(name: str, command: list[str], table: list[str]) -> None:
    """Let a person speak with the bot in a chat and a group, twice each.

    No call may be refused, but those for ids of members: 403, as for every account that is not verified.
    """
    with running(command, NAMESPACES) as bot:
        group = bot.line.group("Lunch", bot.alice, bot.line.person("Bob"))
        for text in ("hello", "こんにちは"):
            bot.alice.say(text)
            bot.alice.expect_reply(text, within_s=15)
            bot.alice.say(text, to=group)
            group.expect_reply(text, within_s=15)
        table.append(f"| {name} | 4 of 4 | {statuses(bot.line)} |")
        refused = [call for call in bot.line.get("requests")["requests"] if call["status"] != _OK]
        assert [call for call in refused if not call["path"].endswith("/members/ids")] == []


@pytest.mark.parametrize(
    ("name", "bot"),
    [
        ("line-bot-sdk (Python, v3) on Flask", "sdk_flask.py"),
        ("line-bot-sdk (Python, v2) on Flask", "sdk_v2_flask.py"),
        ("line-bot-sdk (Python, async) on FastAPI", "sdk_fastapi.py"),
    ],
)
def test_a_bot_of_lines_python_sdk(name: str, bot: str, python: str, table: list[str]) -> None:
    talk(name, [python, str(FOREIGN / bot), "{port}"], table)


def test_a_bot_of_lines_node_sdk_on_express(tmp_path: Path, table: list[str]) -> None:
    folder = node_folder(tmp_path, "@line/bot-sdk", "express")
    shutil.copy(FOREIGN / "sdk_express.mjs", folder)

    talk("@line/bot-sdk (Node.js) on Express", ["node", str(folder / "sdk_express.mjs"), "{port}"], table)


def test_a_bot_of_bottender(tmp_path: Path, table: list[str]) -> None:
    folder = node_folder(tmp_path, "bottender")
    (folder / "bottender.config.js").write_text(BOTTENDER_CONFIG, encoding="utf-8")
    (folder / "index.js").write_text(BOTTENDER_APP, encoding="utf-8")
    start = f"cd {folder} && exec node_modules/.bin/bottender start --port {{port}}"

    talk("bottender (Node.js)", ["sh", "-c", start], table)


def test_lines_own_server_of_tools(tmp_path: Path, table: list[str]) -> None:
    """The tools of LINE's MCP server, called over stdio.  Source: modelcontextprotocol.io, "Lifecycle", "Tools"."""
    folder = node_folder(tmp_path, "@line/line-bot-mcp-server")
    port = free_port()
    program = [str(folder / "node_modules" / ".bin" / "line-bot-mcp-server")]
    command = [sys.executable, "-m", "simulator.line", "run", "--port", str(port), "--", *program]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    line = Line(f"http://127.0.0.1:{port}")
    try:
        assert _ask(process, 0, "initialize", _CLIENT)["serverInfo"]["name"] == "line-bot"
        alice = Person(line, line.get("state")["people"][0]["user_id"], "Hanako")
        text = {"userId": alice.user_id, "message": {"type": "text", "text": "news"}}
        calls = [
            ("push_text_message", text),
            ("get_profile", {"userId": alice.user_id}),
            ("broadcast_text_message", {"message": {"type": "text", "text": "to all"}}),
            ("get_message_quota", {}),
            ("get_rich_menu_list", {}),
        ]
        for number, (name, arguments) in enumerate(calls, start=1):
            told = _ask(process, number, "tools/call", {"name": name, "arguments": arguments})
            assert not told.get("isError"), told
        assert [message.text for message in alice.bot_messages(2, within_s=5)] == ["news", "to all"]
        table.append(f"| @line/line-bot-mcp-server | {len(calls)} of {len(calls)} tools | {statuses(line)} |")
    finally:
        process.terminate()
        process.communicate(timeout=30)


_CLIENT: Final = {"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}


def _ask(process: subprocess.Popen[str], number: int, method: str, parameters: dict[str, Any]) -> dict[str, Any]:
    assert process.stdin is not None
    assert process.stdout is not None
    request = {"jsonrpc": "2.0", "id": number, "method": method, "params": parameters}
    process.stdin.write(json.dumps(request) + "\n")
    process.stdin.flush()
    for told in process.stdout:
        answer: dict[str, Any] = json.loads(told)
        if answer.get("id") == number:
            return dict(answer["result"])
    raise AssertionError("the server ended")
