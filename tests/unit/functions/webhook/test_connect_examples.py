"""The examples of docs/connect.md do what the page says, pasted as they stand: notices by shell, Python and cron, and the tool servers."""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import pytest

from selfhost.env_file import parse_env
from shared.hooks.token import new_address, token_of
from shared.settings.reader import EnvironmentReader
from shared.settings.tool_servers import tool_server_settings
from shared.tools.mcp.port import ToolUse
from tests.support.hooks import KEY
from tests.support.notify import Notify

PAGE: Final = (Path(__file__).parents[4] / "docs" / "connect.md").read_text(encoding="utf-8")
BLOCKS: Final = re.findall(r"^```(\w*)\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
TOKEN: Final = token_of(new_address(KEY, conversation_id="C" + "1" * 32, seed="event1"), KEY)
PATIENCE_S: Final = 120


def example(language: str, *, naming: str) -> str:
    """Return the only block of the page in the language that holds the words."""
    (text,) = [text for written_in, text in BLOCKS if written_in == language and naming in text]
    return str(text)


@pytest.fixture
def notify() -> Notify:
    return Notify()


@pytest.fixture
def url(notify: Notify) -> Iterator[str]:
    with notify.served() as address:
        yield f"{address}/hooks/notify"


def run(command: list[str], env: Mapping[str, str]) -> None:
    subprocess.run(command, env={"PATH": "/usr/bin:/bin", **env}, capture_output=True, timeout=PATIENCE_S, check=True)


def shell(text: str, **env: str) -> None:
    if shutil.which("curl") is None:
        pytest.skip("curl is not installed")
    run(["/bin/sh", "-ec", text], env)


def test_the_shell_example_sends_a_notice(notify: Notify, url: str) -> None:
    shell(example("sh", naming="curl"), URL=url, TOKEN=TOKEN)

    assert [notice.text for notice in notify.notices] == ["The backup is done"]


def test_the_python_example_sends_a_notice(notify: Notify, url: str) -> None:
    script = f"URL, TOKEN = {url!r}, {TOKEN!r}\n{example('python', naming='requests')}"

    run([sys.executable, "-c", script], {"PYTHONPATH": ":".join(sys.path)})

    assert [notice.text for notice in notify.notices] == ["The backup is done"]


def test_the_line_of_a_crontab_sends_a_notice_after_the_backup(notify: Notify, url: str) -> None:
    line = example("", naming="0 3 * * *").strip()
    command = line.split(maxsplit=5)[5].replace("/usr/local/bin/backup", "true")

    shell(command.replace("TOKEN", TOKEN).replace("URL", url))

    (notice,) = notify.notices
    assert notice.text.startswith("Backup: ")


def test_the_example_of_tool_servers_is_read_from_an_env_file() -> None:
    reader = EnvironmentReader(parse_env(example("", naming="MCP_SERVERS="), ".env"))

    (weather,) = tool_server_settings(reader)

    assert reader.faults == []
    assert weather.uses == {"get-forecast": ToolUse.READS, "order-umbrella": ToolUse.ACTS}
    assert weather.conversations is None
    assert weather.headers() == {"Authorization": "Bearer ..."}
