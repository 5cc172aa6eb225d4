"""A process that is killed two hundred times while it works: nothing that it was told to be durable is lost, nothing is done twice."""

import subprocess
import sys
from collections import defaultdict
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from shared.adapters.sqlite import Database, SqliteEventQueue, SqliteObjectStore
from shared.clock import SystemClock
from tests.e2e.killed_store import COUNTER, marker

ROOT = Path(__file__).parents[2]
KILLS = 200
A_RUN = 1_000_000
"""The numbers of a run begin at a multiple of this."""


class Told:
    """What the runs have printed, by kind."""

    def __init__(self) -> None:
        self.numbers: dict[str, list[int]] = defaultdict(list)

    def run(self, folder: Path, first: int, lines: int) -> None:
        """Run until it has printed so many lines, then kill it; keep all that it had printed."""
        command = [sys.executable, "-m", "tests.e2e.killed_store", str(folder), str(first)]
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            for number, line in enumerate(process.stdout):
                self._add(line)
                if number == lines:
                    process.kill()  # and go on: the pipe holds what was printed until then

    def _add(self, line: str) -> None:
        what, _, number = line.partition(" ")
        if line.endswith("\n") and what != "ready":
            self.numbers[what].append(int(number))


def check(folder: Path, told: Told, first: int) -> None:
    """What the last run was told is so; what was forgotten is in no file."""
    forgotten = [number for number in told.numbers["forgot"] if number >= first]
    for path in folder.rglob("*"):
        data = path.read_bytes() if path.is_file() else b""
        assert [number for number in forgotten if marker(number).encode() in data] == [], path
    with closing(Database(folder)) as database:  # which empties the log, so the files were searched before
        assert database.read(lambda db: db.execute("PRAGMA integrity_check").fetchall()) == [("ok",)]
        waiting = {
            int(data) for (data,) in database.read(lambda db: db.execute("SELECT data FROM messages").fetchall())
        }
        store = SqliteObjectStore(database)
        done = {int(listed.name.removeprefix("done/")) for listed in store.list("done/")}
        counter = store.read(COUNTER)
    published, did = ({number for number in told.numbers[what] if number >= first} for what in ("published", "did"))
    assert published - waiting - done == set()
    assert did - done == set()
    assert max(told.numbers["counted"], default=0) <= int(counter.data if counter is not None else b"0")


@pytest.mark.load
def test_two_hundred_kills_under_load_lose_nothing_and_do_nothing_twice(tmp_path: Path) -> None:
    chance = Random(1)
    told = Told()

    for run in range(KILLS):
        first = run * A_RUN
        told.run(tmp_path, first, chance.randint(1, 400))
        check(tmp_path, told, first)

    with closing(Database(tmp_path)) as database:
        queue = SqliteEventQueue(database, clock=SystemClock())
        store = SqliteObjectStore(database)
        while messages := queue.take(100):
            for message in messages:
                number = int(message.data)
                if store.create(f"done/{number}", b"") is not None:
                    told.numbers["did"].append(number)
                queue.acknowledge(message)
        done = {int(listed.name.removeprefix("done/")) for listed in store.list("done/")}
    assert {*told.numbers["published"]} - done == set()
    for what, numbers in told.numbers.items():
        assert len(numbers) == len(set(numbers)), what
    print({what: len(numbers) for what, numbers in told.numbers.items()})  # noqa: T201 - `make load-test` shows it
