"""Backups: whole, outside the folder, and gone after their days."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from selfhost.backup import BackupRefusedError, Backups, made_ms_of, name_of
from shared.adapters.memory import FixedClock
from shared.adapters.sqlite import Database, SqliteObjectStore
from shared.errors import StorageUnavailableError

DAY_S = 86_400


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with closing(Database(tmp_path / "data")) as opened:
        yield opened


@pytest.fixture
def backups(tmp_path: Path, clock: FixedClock) -> Backups:
    return Backups(folder=tmp_path / "data-backups", days=14, clock=clock)


def test_a_backup_holds_objects_and_media_while_the_database_is_in_use(database: Database, backups: Backups) -> None:
    store = SqliteObjectStore(database)
    store.create("journal/U1/1.json", b"words")
    store.create("media/U1/1", b"picture")

    made = backups.make(database)
    store.create("journal/U1/2.json", b"later")

    assert sorted(path.name for path in made.iterdir()) == ["aizuchi.db", "media"]
    assert made.stat().st_mode & 0o077 == 0
    with closing(Database(made)) as copied:
        copy = SqliteObjectStore(copied)
        read = [copy.read(listed.name) for listed in copy.list("")]
    assert [stored and stored.data for stored in read] == [b"words", b"picture"]


def test_a_medium_that_is_deleted_while_the_backup_is_made_is_not_in_it(database: Database, backups: Backups) -> None:
    store = SqliteObjectStore(database)
    store.create("media/U1/1", b"picture")
    store.create("media/U1/2", b"another")
    (file,) = [path for path in (database.folder / "media").iterdir() if path.read_bytes() == b"picture"]
    file.unlink()  # as a withdrawal does, after the database was copied

    with closing(Database(backups.make(database))) as copied:
        assert [listed.name for listed in SqliteObjectStore(copied).list("")] == ["media/U1/2"]


def test_a_backup_within_the_folder_is_refused(database: Database, clock: FixedClock) -> None:
    with pytest.raises(BackupRefusedError, match="a withdrawal does not reach a backup"):
        Backups(folder=database.folder / "backups", days=14, clock=clock).make(database)


def test_a_second_backup_within_a_second_is_refused(database: Database, backups: Backups) -> None:
    backups.make(database)

    with pytest.raises(BackupRefusedError, match="in this second"):
        backups.make(database)


def test_an_unfinished_backup_is_made_anew(database: Database, backups: Backups, clock: FixedClock) -> None:
    part = backups.folder / f"{name_of(clock.now_ms())}.part"
    part.mkdir(parents=True)
    (part / "aizuchi.db").write_bytes(b"half")

    made = backups.make(database)

    assert list(backups.folder.iterdir()) == [made]


def test_half_a_backup_does_not_stay_on_a_full_disk(database: Database, backups: Backups) -> None:
    SqliteObjectStore(database).create("media/U1/1", b"picture")
    (file,) = (database.folder / "media").iterdir()
    file.unlink()
    file.mkdir()  # cannot be copied, as on a full disk

    with pytest.raises(StorageUnavailableError, match=r"^the backup cannot be written: Is a directory$"):
        backups.make(database)

    assert list(backups.folder.iterdir()) == []


def test_a_copy_that_sqlite_cannot_write_is_refused_with_the_reason(database: Database, backups: Backups) -> None:
    database.close()

    with pytest.raises(StorageUnavailableError, match=r"^the backup cannot be written: .* \(ProgrammingError\)$"):
        backups.make(database)

    assert list(backups.folder.iterdir()) == []


def test_backups_are_deleted_after_their_days(database: Database, backups: Backups, clock: FixedClock) -> None:
    made = [backups.make(database)]
    other = backups.folder / "notes"
    other.mkdir()
    clock.move(10 * DAY_S)
    made.append(backups.make(database))
    clock.move(4 * DAY_S)

    backups.drop_old()
    assert {*backups.folder.iterdir()} == {*made, other}
    clock.move(1)
    backups.drop_old()

    assert {*backups.folder.iterdir()} == {made[1], other}


def test_where_there_are_no_backups_none_is_deleted(backups: Backups) -> None:
    backups.drop_old()


def test_a_name_is_a_time() -> None:
    assert name_of(1_795_655_520_000) == "20261126T011200Z"
    assert made_ms_of(Path("a/20261126T011200Z")) == 1_795_655_520_000
    assert made_ms_of(Path("a/20261126")) is None
