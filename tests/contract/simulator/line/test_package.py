"""The package of the LINE platform, built and installed where nothing else is, drives bots in Python and in Node.js."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import venv
import zipfile
from email import message_from_bytes
from pathlib import Path
from typing import Final

import pytest
import yaml

from simulator.functions import REPOSITORY
from simulator.line.testing import Line
from simulator.line.testing.bot_process import free_port
from simulator.line.version import __version__
from tests.contract.simulator.line.running_bots import BOTS, MODES, running

PACKAGE: Final = REPOSITORY / "simulator" / "line"
NPM: Final = REPOSITORY / "simulator" / "npm"
LIMIT_S: Final = 600


def run(*command: str | Path, cwd: Path, env: dict[str, str] | None = None) -> str:
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=env,
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", folder, REPOSITORY / "simulator", cwd=folder)
    [built] = folder.glob("line_bot_simulator-*.whl")
    return built


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory, wheel: Path) -> Path:
    """An environment with the wheel, LINE's SDK and pytest."""
    folder = tmp_path_factory.mktemp("empty")
    venv.create(folder, with_pip=True)
    run(folder / "bin" / "python", "-m", "pip", "install", wheel, "line-bot-sdk", "pytest", cwd=folder)
    return folder


def relative_links(markdown: str) -> list[str]:
    links = re.findall(r'(?:\]\(|src=")([^)"#]+)', markdown)
    return [link for link in links if not link.startswith("https://")]


def test_every_link_of_the_readme_lies_in_the_package() -> None:
    readme = (PACKAGE / "README.md").read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)#]+)\)", readme)

    assert len(links) > 2
    assert [link for link in links if not link.startswith("https://") and not (PACKAGE / link).is_file()] == []


def test_both_packages_have_the_version_of_the_changelog() -> None:
    changelog = (PACKAGE / "CHANGELOG.md").read_text(encoding="utf-8")
    npm = json.loads((NPM / "package.json").read_text(encoding="utf-8"))

    assert re.findall(r"^## (\S+)", changelog, re.MULTILINE)[0] == __version__ == npm["version"]


@pytest.mark.package
def test_the_wheel_holds_page_pictures_and_both_example_bots(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()

    for name in (
        *("README.md", "CHANGELOG.md", "page/static/index.html", "control/openapi.json", "pictures/first-screen.png"),
        *("example_bots/python/echo_bot.py", "example_bots/python/pytest.ini", "example_bots/node/echo_bot.mjs"),
        *("example_bots/ci.yml", "testing/plugin.py"),
    ):
        assert f"line_simulator/{name}" in names
    assert not [name for name in names if "__pycache__" in name or name.startswith(("gemini", "simulator"))]


@pytest.mark.package
def test_the_description_of_the_wheel_has_no_relative_link(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        [name] = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        metadata = message_from_bytes(archive.read(name))

    assert metadata["Description-Content-Type"] == "text/markdown"
    description = str(metadata.get_payload())
    assert "## Three commands" in description
    assert relative_links(description) == []
    assert relative_links((PACKAGE / "README.md").read_text(encoding="utf-8")) != []
    assert relative_links((NPM / "README.md").read_text(encoding="utf-8")) == []


@pytest.mark.package
def test_a_foreign_bot_is_tested_from_an_empty_environment(empty: Path, tmp_path: Path) -> None:
    bots = tmp_path / "bots"
    run(empty / "bin" / "line-simulator", "examples", bots, cwd=tmp_path)

    installed = run(empty / "bin" / "python", "-m", "pip", "list", "--format", "freeze", cwd=tmp_path).lower()
    told = run(empty / "bin" / "python", "-m", "pytest", "-q", cwd=bots / "python")
    version = run(empty / "bin" / "line-simulator", "--version", cwd=tmp_path)

    assert "7 passed" in told
    assert version == f"line-simulator {__version__}\n"
    assert not [name for name in ("google", "grpc", "flask", "notion", "playwright") if name in installed]


@pytest.mark.package
def test_a_foreign_bot_in_node_is_tested_from_an_empty_folder(empty: Path, tmp_path: Path) -> None:
    npm, node = shutil.which("npm"), shutil.which("node")
    if npm is None or node is None:
        pytest.fail("the helper for Node.js needs Node.js and npm: on Debian, apt-get install nodejs npm")
    bots = tmp_path / "bots"
    run(empty / "bin" / "line-simulator", "examples", bots, cwd=tmp_path)
    packed = json.loads(run(npm, "pack", "--json", "--pack-destination", tmp_path, NPM, cwd=tmp_path))[0]
    run(npm, "install", "--no-audit", "--no-fund", tmp_path / packed["filename"], "@line/bot-sdk", cwd=bots / "node")
    env = {"PATH": f"{empty / 'bin'}:{Path(node).parent}:/usr/bin:/bin", "HOME": str(tmp_path)}

    told = run(node, "--test", "echo_bot.test.mjs", cwd=bots / "node", env=env)

    assert {entry["path"] for entry in packed["files"]} == {"index.js", "index.d.ts", "package.json", "README.md"}
    assert "# pass 4" in told


@pytest.mark.package
def test_the_github_action_starts_the_simulator(tmp_path: Path) -> None:
    action = yaml.safe_load((REPOSITORY / "simulator" / "action.yml").read_text(encoding="utf-8"))
    port = str(free_port())
    env = {"RUNNER_TEMP": str(tmp_path), "ACTION": str(REPOSITORY / "simulator"), "OPTIONS": "--verified --people 3"}
    variables = {**os.environ, **env, "PORT": port, "WEBHOOK": "http://127.0.0.1:9/callback"}  # noqa: TID251 - for a process

    run("bash", "-euo", "pipefail", "-c", action["runs"]["steps"][0]["run"], cwd=tmp_path, env=variables)
    try:
        line = Line(f"http://127.0.0.1:{port}")
        assert line.get("setup")["webhook_url"] == "http://127.0.0.1:9/callback"
        assert len(line.get("state")["people"]) == 3
    finally:
        os.kill(int((tmp_path / "line-simulator.pid").read_text(encoding="utf-8")), signal.SIGTERM)


NODE_BOT: Final = """\
import { createServer } from "node:http";
import { messagingApi, validateSignature } from "@line/bot-sdk";

const { LINE_CHANNEL_SECRET, LINE_CHANNEL_ACCESS_TOKEN } = process.env;
const client = new messagingApi.MessagingApiClient({ channelAccessToken: LINE_CHANNEL_ACCESS_TOKEN });

createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray());
  if (!validateSignature(body, LINE_CHANNEL_SECRET, request.headers["x-line-signature"])) return response.writeHead(401).end();
  for (const { replyToken, message } of JSON.parse(body).events) {
    await client.replyMessage({ replyToken, messages: [{ type: "text", text: message.text }] });
  }
  response.writeHead(200).end();
}).listen(Number(process.argv[2]), "127.0.0.1");
"""


@pytest.mark.package
@pytest.mark.parametrize("mode", MODES)
def test_an_unmodified_bot_of_lines_node_sdk_answers(empty: Path, tmp_path: Path, mode: str) -> None:
    npm, node = shutil.which("npm"), shutil.which("node")
    if npm is None or node is None:
        pytest.fail("the unmodified bots need Node.js and npm: on Debian, apt-get install nodejs npm")
    run(npm, "install", "--no-audit", "--no-fund", "@line/bot-sdk", cwd=tmp_path)
    bot = tmp_path / "bot.mjs"
    bot.write_text(NODE_BOT, encoding="utf-8")

    with running([node, str(bot), "{port}"], mode, program=[str(empty / "bin" / "line-simulator")]) as run_bot:
        assert run_bot.answer_to("hello") == "hello"


@pytest.mark.package
@pytest.mark.parametrize("mode", MODES)
def test_an_unmodified_bot_in_go_answers(empty: Path, tmp_path: Path, mode: str) -> None:
    go = shutil.which("go")
    if go is None:
        pytest.skip("no Go on this machine; on Debian: apt-get install golang-go")
    env = {**os.environ, "GOCACHE": str(tmp_path / "cache"), "GO111MODULE": "off"}  # noqa: TID251 - for a process
    run(go, "build", "-o", tmp_path / "bot", BOTS / "standard.go", cwd=tmp_path, env=env)

    with running([str(tmp_path / "bot"), "{port}"], mode, program=[str(empty / "bin" / "line-simulator")]) as run_bot:
        assert run_bot.answer_to("hello") == "hello"
        assert run_bot.answer_to("wrong host") == "404"
        assert not run_bot.answer_to("leave https://example.com/").isdecimal()
