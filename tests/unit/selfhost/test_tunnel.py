"""The program cloudflared, here a script of this name: its address, its end, and that it ends with the process."""

import json
import os
import stat
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from selfhost.tunnel import Tunnel
from shared.settings.reader import SettingsError

PATIENCE_S = 120.0
ADDRESS = "https://four-random-words-here.trycloudflare.com"
HEAD = """\
import json, os, pathlib, sys, time
folder = pathlib.Path(__file__).parent
started = len(list(folder.glob("started-*")))
(folder / f"started-{started}").write_text(json.dumps([sys.argv[1:], dict(os.environ), os.getpid()]))
def say(text):
    print(text, file=sys.stderr, flush=True)
"""

Install = Callable[[str], Path]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    def written(body: str) -> Path:
        program = tmp_path / "cloudflared"
        program.write_text(f"#!{sys.executable}\n{HEAD}{body}\n", encoding="utf-8")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setenv("PATH", str(tmp_path))
        return tmp_path

    return written


class Addresses:
    """The addresses that the tunnel got."""

    def __init__(self) -> None:
        self.all: list[str] = []
        self.changed = threading.Condition()

    def add(self, address: str) -> None:
        with self.changed:
            self.all.append(address)
            self.changed.notify_all()

    def wait_for(self, count: int) -> None:
        with self.changed:
            assert self.changed.wait_for(lambda: len(self.all) >= count, timeout=PATIENCE_S), self.all


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_the_address_is_read_from_what_the_program_prints(install: Install) -> None:
    folder = install(f"""say("INF see https://www.cloudflare.com/website-terms/ and https://api.trycloudflare.com")
say("INF |  {ADDRESS}                |")
say("INF again {ADDRESS}")
time.sleep(600)""")
    addresses = Addresses()
    tunnel = Tunnel(8080, addresses.add, report=lambda _: None)

    tunnel.start()
    addresses.wait_for(1)
    arguments, env, pid = json.loads((folder / "started-0").read_text(encoding="utf-8"))
    assert is_running(pid)
    tunnel.stop()

    assert addresses.all == [ADDRESS]
    assert arguments[-2:] == ["--url", "http://127.0.0.1:8080"]
    assert not is_running(pid)
    assert not [name for name in env if name.startswith(("LINE_", "GEMINI_"))]


def test_a_program_that_ends_is_started_again(install: Install) -> None:
    folder = install("""say(f"https://a-{started}.trycloudflare.com")
time.sleep(600 if started else 0)""")
    addresses = Addresses()
    reports: list[str] = []
    tunnel = Tunnel(8080, addresses.add, report=reports.append, pauses_s=(0.0,))

    tunnel.start()
    addresses.wait_for(2)
    tunnel.stop()

    assert addresses.all == ["https://a-0.trycloudflare.com", "https://a-1.trycloudflare.com"]
    assert reports == ["cloudflared has ended; it is started again in 0 s"]
    assert len(list(folder.glob("started-*"))) == 2


def test_a_program_that_is_not_installed_ends_the_start(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(SettingsError, match="cloudflared is not installed; https://"):
        Tunnel(8080, lambda _: None, report=lambda _: None)
