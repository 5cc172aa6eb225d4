"""The container and the service: what is in them is enough to serve, and nothing else is."""

import configparser
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from selfhost.dispatcher import AT_ONCE

ROOT = Path(__file__).parents[3]
DEPLOY = """\
import os
from selfhost import process
from selfhost.settings import serve_settings
from shared.clock import SystemClock
with process.deployed(serve_settings(os.environ), SystemClock()) as deployment:
    deployment.dispatcher.tick()
    print(os.path.realpath(process.__file__))
"""
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")


def copied_folders() -> list[str]:
    return re.findall(r"^COPY (\w+) \1$", DOCKERFILE, re.MULTILINE)


def run_in(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python in the folder, with the settings that the container is given."""
    settings = {"LINE_CHANNEL_SECRET": "s", "LINE_CHANNEL_ACCESS_TOKEN": "t", "GEMINI_API_KEY": "k"}
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={"PATH": os.defpath, "DATA": str(folder / "data"), **settings},
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )


def test_what_the_container_holds_can_serve(tmp_path: Path) -> None:
    for folder in copied_folders():
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))

    invited, served = run_in(tmp_path, "-m", "selfhost", "invite"), run_in(tmp_path, "-c", DEPLOY)

    assert invited.stdout.startswith("/start "), invited.stderr
    assert served.stdout.startswith(str(tmp_path.resolve())), served.stderr


def test_the_build_is_given_only_what_is_copied() -> None:
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()

    assert lines[0] == "*"
    assert sorted(line[1:] for line in lines if line.startswith("!")) == sorted(
        [*copied_folders(), "requirements/serve.txt"]
    )


def test_the_container_does_not_run_as_root() -> None:
    assert re.search(r"^USER aizuchi$", DOCKERFILE, re.MULTILINE)
    assert "--require-hashes" in DOCKERFILE


def test_logs_do_not_fill_the_disk() -> None:
    compose = (ROOT / "compose.yaml").read_text(encoding="utf-8")

    assert compose.count("driver: local") == compose.count("restart: unless-stopped") == 2


def test_threads_of_every_turn_are_allowed() -> None:
    (pids_limit,) = re.findall(r"pids_limit: (\d+)", (ROOT / "compose.yaml").read_text(encoding="utf-8"))
    (tasks_max,) = re.findall(r"TasksMax=(\d+)", (ROOT / "selfhost/aizuchi.service").read_text(encoding="utf-8"))

    # An event, and twice as many turns with two threads each (selfhost/process.py); and those that all turns share.
    assert min(int(pids_limit), int(tasks_max)) > 5 * AT_ONCE + 250


def test_the_service_waits_until_turns_have_ended() -> None:
    unit = configparser.ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str  # type: ignore[assignment,method-assign]  # names keep their capitals
    unit.read(ROOT / "selfhost/aizuchi.service", encoding="utf-8")
    service = unit["Service"]

    assert service["ExecStart"].endswith("-m selfhost")
    assert int(service["TimeoutStopSec"]) > 20
    assert service["OOMPolicy"] == "continue"  # else the end of a reading process would end the bot
    assert service["User"] == service["StateDirectory"] == "aizuchi"
    assert service["ProtectSystem"] == "strict"
