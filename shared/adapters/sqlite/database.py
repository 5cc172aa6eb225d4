"""One SQLite file, used by one process through one connection behind one lock; simultaneous writes are committed together.

SQLite before 3.51.3 (3.50.7, 3.44.6) can lose or corrupt a write-ahead log that two connections use at the same time, and Python's own is
often older. The process therefore has one connection, nothing else may open the file (`locking_mode=EXCLUSIVE`, and `flock` on a file of
its own, because closing a second descriptor of the database would drop SQLite's own locks), and backups use the same connection.

Source: SQLite, "Write-Ahead Logging" (9. "The WAL-reset bug"; 8. "Use of WAL without shared memory"), "PRAGMA secure_delete", "PRAGMA
wal_checkpoint", "PRAGMA fullfsync", "How To Corrupt An SQLite Database File" (2.2 "POSIX advisory locks canceled by a separate thread
doing close()").
"""

import fcntl
import os
import sqlite3
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

from shared.adapters.sqlite.schema import (
    SCHEMA,
    DatabaseInUseError,
    DatabaseRefusedError,
    Schema,
    copies,
    copy_to,
    prepare,
)
from shared.errors import StorageUnavailableError

FILE: Final = "aizuchi.db"
LOCK_FILE: Final = "lock"
_MOUNTS: Final = Path("/proc/self/mountinfo")
_NETWORK: Final = frozenset(
    {"9p", "afs", "beegfs", "ceph", "cifs", "davfs", "gfs2", "lustre", "nfs", "nfs4", "ocfs2", "smb3", "smbfs"}
)
_NETWORK_FUSE: Final = ("fuse.davfs", "fuse.gcsfuse", "fuse.glusterfs", "fuse.rclone", "fuse.s3fs", "fuse.sshfs")
_PRAGMAS: Final = (
    "locking_mode=EXCLUSIVE",  # before the journal mode: then the index of the log is in memory, and there is no -shm file
    "secure_delete=ON",  # deleted data are overwritten with zeros
    "temp_store=MEMORY",  # no temporary file holds words
    "journal_mode=WAL",
    "synchronous=FULL",  # a commit returns after its fsync
    "fullfsync=ON",  # and on macOS, whose fsync leaves data in the disk's own memory, after F_FULLFSYNC
)
_Result = TypeVar("_Result")


@dataclass(slots=True)
class _Write(Generic[_Result]):
    change: Callable[[sqlite3.Connection], _Result]
    result: _Result | None = None
    failure: Exception | None = None
    is_done: bool = field(default=False)


def _connect(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=0)


class Database:
    """The file in `folder`; safe to share between threads.  `commits` counts the durable transactions."""

    def __init__(
        self, folder: Path, *, schema: Schema = SCHEMA, connect: Callable[[Path], sqlite3.Connection] = _connect
    ) -> None:
        """Open the file, or create it; an older release's file is copied, and upgraded.

        Only tests name another schema, or connect in another way. Raises: DatabaseRefusedError.
        """
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as cause:
            raise DatabaseRefusedError(refusal_of(folder, cause)) from cause
        if owner := other_owner(folder / FILE, user_id=os.geteuid()):
            raise DatabaseRefusedError(f"{folder} belongs to {owner}; run this as that user: sudo -u {owner} ...")
        _refuse_network(folder)
        self.folder = folder
        self.commits = 0
        self._lock = threading.Lock()
        self._waiting: list[_Write[Any]] = []
        self._waiting_lock = threading.Lock()
        self._held = _lock_file(folder / LOCK_FILE)
        try:
            self._connection = _open_file(folder / FILE, schema, connect)
            self.truncate_log()  # a killed process may have left pages in the log
        except StorageUnavailableError as cause:
            os.close(self._held)
            raise DatabaseRefusedError(f"{folder / FILE} cannot be used: {cause.__cause__}") from cause
        except BaseException:
            os.close(self._held)
            raise

    def read(self, query: Callable[[sqlite3.Connection], _Result]) -> _Result:
        """Return the query's result on the committed state.  Raises: StorageUnavailableError."""
        with self._lock:
            try:
                return query(self._connection)
            except (sqlite3.Error, OSError) as cause:
                raise _unavailable(cause) from cause

    def write(self, change: Callable[[sqlite3.Connection], _Result]) -> _Result:
        """Return the result of the change after its commit.  Changes that wait at the same time share one commit.

        A change with an error leaves nothing behind, and does not touch the others.  Raises: StorageUnavailableError; the change's own
        errors. Example: `database.write(lambda db: db.execute("DELETE FROM messages WHERE id = ?", (7,)))`.
        """
        write = _Write(change)
        with self._waiting_lock:
            self._waiting.append(write)
        with self._lock:
            if not write.is_done:  # else an earlier holder of the lock has committed it
                with self._waiting_lock:
                    batch, self._waiting = self._waiting, []
                self._commit(batch)
        if isinstance(write.failure, (sqlite3.Error, OSError)):
            raise _unavailable(write.failure) from write.failure
        if write.failure is not None:
            raise write.failure
        return write.result  # type: ignore[return-value]  # set, as there is no failure

    def truncate_log(self) -> None:
        """Empty the write-ahead log: its pages move to the database, and no deleted data remain in the log."""
        self.read(lambda connection: connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall())

    def drop_copies(self) -> None:
        """Delete the copies of an upgrade: no withdrawal reaches a copy.  Raises: StorageUnavailableError."""
        try:
            for path in copies(self.folder / FILE):
                path.unlink(missing_ok=True)
        except OSError as cause:
            raise StorageUnavailableError("the copy of an upgrade cannot be deleted") from cause

    def back_up(self, target: Path) -> None:
        """Copy the committed state into a file, on this connection.  Raises: StorageUnavailableError."""
        self.read(lambda connection: copy_to(connection, target))

    def close(self) -> None:
        """Empty the log, and let another process open the file.  Repeated: does nothing."""
        with self._lock:
            if self._held >= 0:
                self._connection.close()
                os.close(self._held)
                self._held = -1

    def _commit(self, batch: list[_Write[Any]]) -> None:
        connection = self._connection
        try:
            connection.execute("BEGIN IMMEDIATE")
            for write in batch:
                _carry_out(connection, write)
            connection.execute("COMMIT")
            self.commits += 1
        except Exception as cause:  # noqa: BLE001 - raised where the changes were asked for: none of them is durable
            for write in batch:
                write.failure = write.failure or cause
            with suppress(sqlite3.Error):  # SQLite has ended the transaction itself, or the connection is closed
                connection.execute("ROLLBACK")
        finally:
            for write in batch:
                write.is_done = True


def _unavailable(cause: sqlite3.Error | OSError) -> StorageUnavailableError:
    """Return the error with SQLite's name of the cause, such as SQLITE_FULL; SQLite's text may quote a name."""
    name = getattr(cause, "sqlite_errorname", type(cause).__name__)
    return StorageUnavailableError(f"the database did not do what it was asked ({name})")


def _carry_out(connection: sqlite3.Connection, write: _Write[Any]) -> None:
    connection.execute("SAVEPOINT change")
    try:
        write.result = write.change(connection)
    except Exception as cause:  # raised again where the change was asked for
        write.failure = cause
        if not connection.in_transaction:  # a full disk ends the transaction, and with it all of the batch
            raise
        connection.execute("ROLLBACK TO change")
    connection.execute("RELEASE change")


def _open_file(path: Path, schema: Schema, connect: Callable[[Path], sqlite3.Connection]) -> sqlite3.Connection:
    os.close(_open_own(path))  # before SQLite has it open
    connection = connect(path)
    try:
        for pragma in _PRAGMAS:
            connection.execute(f"PRAGMA {pragma}").fetchall()
        prepare(connection, path, schema)
    except (sqlite3.Error, OSError) as cause:
        connection.close()
        raise DatabaseRefusedError(f"{path} cannot be used: {cause}") from cause
    except BaseException:
        connection.close()
        raise
    return connection


def _open_own(path: Path) -> int:
    """Open the file, or create it.  Raises: DatabaseRefusedError."""
    try:
        return os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
    except OSError as cause:
        raise DatabaseRefusedError(refusal_of(path, cause)) from cause


def refusal_of(path: Path, cause: OSError) -> str:
    """Return the sentence about a folder or file that cannot be opened: "data/lock cannot be used: Read-only file system; …"."""
    remedy = (
        "run this as the user to whom it belongs, or set DATA" if isinstance(cause, PermissionError) else "set DATA"
    )
    return f"{path} cannot be used: {cause.strerror}; {remedy} to another folder"


def other_owner(file: Path, *, user_id: int) -> str | None:
    """Return the name of the file's owner if root, user 0, asks and is another: what root writes beside the file locks the owner out.

    Example: `other_owner(Path("/var/lib/aizuchi/data/aizuchi.db"), user_id=0) -> "aizuchi"`; None without a file.
    """
    if user_id != 0 or not file.exists() or file.stat().st_uid == 0:
        return None
    try:
        return file.owner()
    except KeyError:  # of a container, for example
        return f"#{file.stat().st_uid}"


def _lock_file(path: Path) -> int:
    descriptor = _open_own(path)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as cause:
        os.close(descriptor)
        raise DatabaseInUseError(f"another process uses {path.parent}; end it first") from cause
    return descriptor


def _refuse_network(folder: Path) -> None:
    """Raises: DatabaseRefusedError, if the folder is on a network file system, whose locks and flushes are unreliable."""
    if _MOUNTS.exists():
        kind = file_system_of(folder.resolve(), _MOUNTS.read_text(encoding="utf-8", errors="replace"))
        if kind in _NETWORK or kind.startswith(_NETWORK_FUSE):
            raise DatabaseRefusedError(f"{folder} is on a network file system ({kind}); take a folder of this machine")


def file_system_of(folder: Path, mounts: str) -> str:
    """Return the type of the folder's file system, for example "ext4"; "" if no mount holds the folder.

    Source: proc(5), "/proc/pid/mountinfo": `36 35 98:0 /root /mount/point options ... - type source options`.
    """
    longest, kind = -1, ""
    for line in mounts.splitlines():
        before, _, after = line.partition(" - ")
        fields = before.split()
        if len(fields) > 4 and after:  # noqa: PLR2004 - the fifth field is the mount point
            point = Path(fields[4].replace("\\040", " "))
            if folder.is_relative_to(point) and len(point.parts) >= longest:
                longest, kind = len(point.parts), after.split()[0]
    return kind
