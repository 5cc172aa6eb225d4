"""Power is cut at ten thousand moments of a database's work: after each it shows what was durable, or the change that was under way."""

from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from shared.adapters.memory import FixedClock
from shared.adapters.sqlite import Database, SqliteEventQueue, SqliteObjectStore
from shared.bus.messages import BusMessage
from tests.e2e.power import Operation, RecordingVfs, cuts

CUTS = 10_300
STEPS = 150
State = tuple[tuple[object, ...], ...]


def state_of(database: Database) -> State:
    """Return everything that the database holds, but for when a message is due, which a new process sets anew."""
    return tuple(
        database.read(
            lambda db: (
                *db.execute("SELECT name, data, generation FROM objects ORDER BY name").fetchall(),
                *db.execute("SELECT id, data, attempts, dead_ms FROM messages ORDER BY id").fetchall(),
            )
        )
    )


def work(folder: Path, vfs: RecordingVfs) -> None:
    """Publish, take, store, swap, acknowledge, withdraw; after each step the state is recorded as durable."""
    chance, clock = Random(2), FixedClock()
    with closing(Database(folder, connect=vfs.connect)) as database:
        store, queue = SqliteObjectStore(database, clock=clock), SqliteEventQueue(database, clock=clock)
        for step in range(STEPS):
            match chance.randrange(5):
                case 0 | 1:
                    pair = [f"{step}-{number}".encode() * chance.randint(1, 400) for number in range(2)]
                    queue.publish([BusMessage(data=data, attributes={}) for data in pair])
                case 2:
                    for message in queue.take(1):
                        mark_durable(vfs, database)
                        store.create(f"done/{message.id}", message.data)
                        mark_durable(vfs, database)
                        queue.acknowledge(message)
                case 3:
                    listed = store.list("done/")[:1]
                    for stored in listed:
                        store.replace(stored.name, b"swapped" * chance.randint(1, 300), generation=stored.generation)
                case _:
                    for stored in store.list("done/")[:1]:
                        store.delete(stored.name)
                    mark_durable(vfs, database)
                    database.truncate_log()
            mark_durable(vfs, database)


def mark_durable(vfs: RecordingVfs, database: Database) -> None:
    """What the database shows now is durable."""
    vfs.operations.append(Operation(state=state_of(database)))


@pytest.mark.load
def test_no_cut_of_power_loses_or_halves_what_was_durable(tmp_path: Path) -> None:
    vfs = RecordingVfs("recording")
    written, cut = tmp_path / "written", tmp_path / "cut"
    work(written, vfs)
    cut.mkdir()
    shown: dict[bool, int] = {True: 0, False: 0}

    for files, (durable, *following) in cuts(vfs.operations, Random(1), CUTS):
        for path in cut.iterdir():
            path.unlink() if path.is_file() else path.rmdir()
        for name, content in files.items():
            (cut / name).write_bytes(content)
        with closing(Database(cut)) as database:
            state = state_of(database)
            assert database.read(lambda db: db.execute("PRAGMA integrity_check").fetchall()) == [("ok",)]
        assert state in (durable, *following)
        shown[state == durable] += 1

    assert sum(shown.values()) >= 10_000  # none is made before the first state is durable
    assert min(shown.values()) > 0  # some cuts show the change that was under way
    print(f"{sum(shown.values())} cuts at {len(vfs.operations)} operations: {shown}")  # noqa: T201 - `make load-test` shows it
