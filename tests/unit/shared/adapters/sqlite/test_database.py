"""What the database does beyond the port: one process, one commit for many, and nothing left of what was deleted."""

import os
import sqlite3
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from shared.adapters.memory import FixedClock
from shared.adapters.sqlite import Database, DatabaseRefusedError, SqliteObjectStore
from shared.adapters.sqlite.database import file_system_of, other_owner, refusal_of
from shared.adapters.sqlite.schema import SCHEMA, Schema
from shared.errors import StorageUnavailableError

SECRET = b"swordfish"
NAME = "journal/U1/1.json"
MOUNTS = """\
22 1 254:0 / / rw,relatime - ext4 /dev/vda rw
40 22 0:50 / /mnt/shop rw - nfs4 server:/export rw
41 22 0:51 / /mnt/my\\040disk rw - btrfs /dev/sda rw
"""


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with closing(Database(tmp_path)) as opened:
        yield opened


def files_with(folder: Path, data: bytes) -> list[str]:
    return [path.name for path in folder.rglob("*") if path.is_file() and data in path.read_bytes()]


def test_a_second_process_is_refused(database: Database) -> None:
    with pytest.raises(DatabaseRefusedError, match="another process"):
        Database(database.folder)


def test_a_folder_is_free_again_after_closing(tmp_path: Path) -> None:
    Database(tmp_path).close()

    Database(tmp_path).close()


def test_the_file_of_a_newer_release_is_refused(tmp_path: Path) -> None:
    Database(tmp_path).close()
    with closing(sqlite3.connect(tmp_path / "aizuchi.db")) as newer:
        newer.execute("PRAGMA user_version=999")

    for _ in range(2):  # a refusal holds nothing
        with pytest.raises(DatabaseRefusedError, match="newer release"):
            Database(tmp_path)


NEXT = Schema(
    version=2,
    tables=SCHEMA.tables,
    steps={1: "ALTER TABLE objects ADD COLUMN kind TEXT; UPDATE objects SET kind = substr(name, 1, 7)"},
)


def test_the_file_of_an_older_release_is_changed_after_a_copy(tmp_path: Path) -> None:
    with closing(Database(tmp_path)) as older:
        SqliteObjectStore(older).create(NAME, SECRET)

    for _ in range(2):
        with closing(Database(tmp_path, schema=NEXT)) as newer:
            assert newer.read(lambda db: db.execute("SELECT kind FROM objects").fetchall()) == [("journal",)]

    copy = tmp_path / "aizuchi.db.before-2"
    assert copy.stat().st_mode & 0o077 == 0
    copy.rename(tmp_path / "aizuchi.db")  # as a person would who goes back to the older release
    with closing(Database(tmp_path)) as older:
        read = SqliteObjectStore(older).read(NAME)
    assert read is not None
    assert read.data == SECRET


def test_a_change_that_fails_leaves_the_file_of_the_older_release(tmp_path: Path) -> None:
    with closing(Database(tmp_path)) as older:
        SqliteObjectStore(older).create(NAME, SECRET)
    broken = Schema(version=2, tables=SCHEMA.tables, steps={1: "DELETE FROM objects; ALTER TABLE nothing ADD COLUMN a"})

    with pytest.raises(DatabaseRefusedError, match="cannot be used"):
        Database(tmp_path, schema=broken)

    with closing(Database(tmp_path)) as older:
        assert SqliteObjectStore(older).read(NAME) is not None


def test_a_withdrawal_deletes_the_copy_of_an_upgrade(tmp_path: Path) -> None:
    with closing(Database(tmp_path)) as older:
        SqliteObjectStore(older).create(NAME, SECRET)
    with closing(Database(tmp_path, schema=NEXT)) as newer:
        SqliteObjectStore(newer).delete(NAME)
        newer.drop_copies()
        newer.truncate_log()

        assert files_with(tmp_path, SECRET) == []


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "aizuchi.db").write_bytes(b"no database" * 1_000)

    with pytest.raises(DatabaseRefusedError, match="cannot be used"):
        Database(tmp_path)


@pytest.mark.parametrize("file", ["aizuchi.db", "lock"])
def test_a_file_that_cannot_be_opened_is_refused_in_one_sentence(file: str, tmp_path: Path) -> None:
    (tmp_path / file).mkdir()

    with pytest.raises(DatabaseRefusedError, match=rf"/{file} cannot be used: Is a directory; set DATA to another"):
        Database(tmp_path)


def test_a_folder_that_cannot_be_made_is_refused_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "disk").write_bytes(b"")

    with pytest.raises(DatabaseRefusedError, match="/disk/data cannot be used: Not a directory; set DATA to another"):
        Database(tmp_path / "disk" / "data")


def test_root_does_not_use_the_database_of_another_user(tmp_path: Path) -> None:
    Database(tmp_path).close()
    file = tmp_path / "aizuchi.db"
    if os.geteuid() == 0:
        os.chown(file, 12_345, 12_345)
        with pytest.raises(DatabaseRefusedError, match="belongs to #12345; run this as that user: sudo -u #12345"):
            Database(tmp_path)

    assert other_owner(file, user_id=0) is not None
    assert other_owner(file, user_id=file.stat().st_uid) is None
    assert other_owner(tmp_path / "none", user_id=0) is None


def test_a_file_of_another_user_names_the_remedy() -> None:
    refusal = refusal_of(Path("data/lock"), PermissionError(13, "Permission denied"))

    assert refusal == (
        "data/lock cannot be used: Permission denied; run this as the user to whom it belongs, or set DATA to another folder"
    )


@pytest.mark.parametrize(
    ("folder", "kind"),
    [("/srv/data", "ext4"), ("/mnt/shop/data", "nfs4"), ("/mnt/shopping", "ext4"), ("/mnt/my disk/data", "btrfs")],
)
def test_the_file_system_of_a_folder_is_that_of_its_mount(folder: str, kind: str) -> None:
    assert file_system_of(Path(folder), MOUNTS) == kind


def test_nothing_of_a_deleted_object_is_left_after_a_truncation(database: Database) -> None:
    store = SqliteObjectStore(database)
    store.create(NAME, SECRET * 2_000)
    store.create("media/U1/1", SECRET * 2_000)
    generation = store.create("entries/U1/a.md", SECRET)
    assert generation is not None
    assert files_with(database.folder, SECRET)

    store.delete(NAME)
    store.delete("media/U1/1")
    store.replace("entries/U1/a.md", b"", generation=generation)
    database.truncate_log()

    assert files_with(database.folder, SECRET) == []


def test_writes_that_wait_share_a_commit(database: Database) -> None:
    store = SqliteObjectStore(database)
    began, go_on = threading.Event(), threading.Event()

    def hold(_: sqlite3.Connection) -> None:
        began.set()
        go_on.wait(30)

    with ThreadPoolExecutor(9) as threads:
        holding = threads.submit(database.write, hold)
        began.wait(30)
        writes = [threads.submit(database.write, insertion(f"n/{number}")) for number in range(8)]
        while len(database._waiting) < 8:  # noqa: SLF001 - what waits is nowhere else to be seen
            pass
        go_on.set()
        for write in (holding, *writes):
            write.result(30)

    assert len(store.list("n/")) == 8
    assert database.commits == 2


def insertion(name: str):  # type: ignore[no-untyped-def]  # noqa: ANN201 - a change
    def insert(db: sqlite3.Connection) -> None:
        db.execute("INSERT INTO objects (name, data, written_ms) VALUES (?, '', 0)", (name,))

    return insert


def test_a_change_that_fails_leaves_nothing_behind(database: Database) -> None:
    store = SqliteObjectStore(database)

    def insert_twice(db: sqlite3.Connection) -> None:
        insertion("a")(db)
        insertion("a")(db)

    with pytest.raises(StorageUnavailableError):
        database.write(insert_twice)

    assert store.list("") == ()


def test_the_file_of_a_medium_without_an_object_is_deleted_at_the_start(tmp_path: Path) -> None:
    with closing(Database(tmp_path)) as database:
        SqliteObjectStore(database).create("media/U1/1", b"kept")
    (tmp_path / "media" / "0123").write_bytes(SECRET)
    (tmp_path / "media" / "4567.part").write_bytes(SECRET)

    with closing(Database(tmp_path)) as database:
        read = SqliteObjectStore(database).read("media/U1/1")

    assert read is not None
    assert read.data == b"kept"
    assert files_with(tmp_path, SECRET) == []


def test_what_is_older_than_its_retention_is_deleted(database: Database) -> None:
    clock = FixedClock()
    store = SqliteObjectStore(database, clock=clock)
    for name in ("media/U1/1", "media/U1/2", "calls/U1/1", "medium"):
        store.create(name, SECRET)
    clock.move(10)
    store.replace("media/U1/2", b"later", generation=store.list("media/U1/2")[0].generation)

    assert store.drop_older("media/", clock.now_ms()) == 1
    database.truncate_log()

    assert [listed.name for listed in store.list("")] == ["calls/U1/1", "media/U1/2", "medium"]
    assert len(list((database.folder / "media").iterdir())) == 1


def test_a_medium_whose_file_is_missing_is_an_error(database: Database) -> None:
    store = SqliteObjectStore(database)
    store.create("media/U1/1", SECRET)
    for path in (database.folder / "media").iterdir():
        path.unlink()

    with pytest.raises(StorageUnavailableError, match="missing"):
        store.read("media/U1/1")


def test_a_backup_holds_what_was_committed(database: Database, tmp_path: Path) -> None:
    SqliteObjectStore(database).create(NAME, SECRET)
    target = tmp_path / "backup"
    target.mkdir()

    database.back_up(target / "aizuchi.db")

    with closing(Database(target)) as restored:
        read = SqliteObjectStore(restored).read(NAME)
    assert read is not None
    assert read.data == SECRET


def test_only_the_owner_reads_the_files(database: Database) -> None:
    files = [database.folder / name for name in ("aizuchi.db", "aizuchi.db-wal", "lock")]

    assert [path.stat().st_mode & 0o077 for path in files] == [0, 0, 0]
