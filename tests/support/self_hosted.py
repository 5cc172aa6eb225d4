"""A machine with `python -m selfhost`, and people on the LINE platform."""

import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from shared.adapters.sqlite import Database, SqliteObjectStore
from simulator.line.messages import DeliveryState
from simulator.line.platform import LinePlatform
from tests.support.loop import LoopThread
from tests.support.message_words import words_of
from tests.support.stacks import BASE_ENV

ROOT = Path(__file__).parents[2]
PATIENCE_S = 180.0


def environment(
    *, secret: str, token: str, line_url: str, gemini_url: str, ports: tuple[int, int], public_url: str
) -> dict[str, str]:
    """Return the environment of a process that anybody may write to; `ports` are PORT and ADMIN_PORT."""
    return {
        **BASE_ENV,
        "PYTHONPATH": str(ROOT),
        "LINE_CHANNEL_SECRET": secret,
        "LINE_CHANNEL_ACCESS_TOKEN": token,
        "LINE_API_BASE_URL": line_url,
        "GEMINI_API_KEY": "key",
        "GEMINI_BASE_URL": gemini_url,
        "ACCESS": "open",
        "PORT": str(ports[0]),
        "ADMIN_PORT": str(ports[1]),
        "PUBLIC_URL": public_url,
    }


def ended_process(folder: Path, env: Mapping[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `python -m selfhost` to its end."""
    return subprocess.run(
        [sys.executable, "-m", "selfhost", *arguments],
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )


@dataclass(slots=True)
class SelfHosted:
    """A machine with the process, and people on LINE."""

    loop: LoopThread
    line: LinePlatform
    folder: Path
    env: dict[str, str]
    port: int
    admin_port: int
    process: subprocess.Popen[bytes] | None = None
    printed: Path = field(init=False)

    def __post_init__(self) -> None:
        self.printed = self.folder / "printed"

    @property
    def data(self) -> Path:
        return self.folder / "data"

    def starts(self) -> int:
        return self.printed.read_text(encoding="utf-8").count("The webhook listens on") if self.printed.exists() else 0

    def start(self, *arguments: str) -> None:
        before = self.starts()
        with self.printed.open("ab") as out, (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "selfhost", *arguments], cwd=self.folder, env=self.env, stdout=out, stderr=log
            )
        self.wait_until(lambda: self.starts() > before)

    def command(self, *arguments: str, status: int = 0) -> str:
        ended = ended_process(self.folder, self.env, *arguments)
        assert ended.returncode == status, ended.stdout + ended.stderr
        return ended.stdout

    def end(self, wanted: signal.Signals = signal.SIGTERM) -> int:
        assert self.process is not None
        self.process.send_signal(wanted)
        return self.process.wait(PATIENCE_S)

    def kill(self) -> None:
        """The process has ended.  Repeated: does nothing."""
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait(PATIENCE_S)

    def wait_until(self, holds: Callable[[], bool]) -> None:
        until_s = time.monotonic() + PATIENCE_S
        while time.monotonic() < until_s:
            if holds():
                return
            assert self.process is None or self.process.poll() is None, (self.folder / "log").read_text("utf-8")
            time.sleep(0.02)
        raise AssertionError((self.folder / "log").read_text(encoding="utf-8")[-3_000:])

    def hears(self, person: str) -> list[str]:
        async def said() -> list[str]:
            messages = self.line.chat(person).messages
            return [words_of(one.content) for one in messages if one.sender_id != person]

        return self.loop.run(said())

    def accepted(self, person: str) -> list[str]:
        """Return what the person said, as far as the process answered 200 to LINE; LINE does not redeliver here."""

        async def said() -> list[str]:
            messages = self.line.chat(person).messages
            delivered = [one for one in messages if one.delivery is DeliveryState.DELIVERED]
            return [words_of(one.content) for one in delivered if one.sender_id == person]

        return self.loop.run(said())

    def says(self, person: str, text: str) -> str:
        async def say() -> str:
            return str(self.line.say(person, person, text).line_message_id)

        return self.loop.run(say())

    def presses_newest(self, person: str) -> None:
        """Press the button that confirms in the bot's newest message."""

        async def press() -> None:
            newest = [one for one in self.line.chat(person).messages if one.sender_id != person][-1]
            (data, *_) = re.findall(r"confirm:[0-9A-Za-z_-]+", json.dumps(newest.content))
            self.line.press(person, person, data)

        self.loop.run(press())

    def unsends(self, person: str, line_message_id: str) -> None:
        async def unsend() -> None:
            self.line.unsend(person, line_message_id)

        self.loop.run(unsend())

    def add_person(self, name: str) -> str:
        async def add() -> str:
            return self.line.add_person(name).user_id

        return self.loop.run(add())

    def logged(self, event: str) -> list[dict[str, Any]]:
        """Return the lines of this event in the process's log; its last line may be under way."""
        lines = (self.folder / "log").read_text(encoding="utf-8").split("\n")[:-1]
        return [fields for line in lines if line.startswith("{") and (fields := json.loads(line))["message"] == event]

    @contextmanager
    def stored(self) -> Iterator[SqliteObjectStore]:
        """The objects, while no process runs."""
        with closing(Database(self.data)) as database:
            yield SqliteObjectStore(database)

    def files_with(self, word: bytes) -> list[str]:
        files = [path for path in self.data.rglob("*") if path.is_file()]
        return [path.name for path in files if path.exists() and word in path.read_bytes()]
