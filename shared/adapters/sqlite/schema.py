"""The tables of the file, and the upgrade of an older release's file.

Source: SQLite, "PRAGMA user_version": an integer in the file's header for the application; 0 in a new file.
"""

import os
import sqlite3
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Final

from shared.frozen import frozen

_COPY: Final = ".before-"


class DatabaseRefusedError(SystemExit):
    """The folder cannot be used; the text says why.

    A SystemExit, so that the process ends with one line: `/data/aizuchi.db was written by a newer release (3); this one reads 2`.
    """


class DatabaseInUseError(DatabaseRefusedError):
    """Another process uses the folder."""


@frozen
class Schema:
    """The tables of a release.  `steps` holds, for each older version, the statements that lead to the next version."""

    version: int
    tables: str
    steps: Mapping[int, str] = field(default_factory=dict)


SCHEMA: Final = Schema(
    version=1,
    tables="""
CREATE TABLE IF NOT EXISTS objects (
    generation INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, data BLOB, file TEXT, written_ms INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT, chat TEXT NOT NULL, data BLOB NOT NULL, attributes TEXT NOT NULL,
    published_ms INTEGER NOT NULL, due_ms INTEGER NOT NULL, attempts INTEGER NOT NULL DEFAULT 0, dead_ms INTEGER
);
CREATE INDEX IF NOT EXISTS messages_by_time ON messages (dead_ms, due_ms);
""",
)


def prepare(connection: sqlite3.Connection, path: Path, schema: Schema) -> None:
    """The file has the tables.  An older release's file was copied first, for example to `aizuchi.db.before-2`, for version 2.

    A step with an error leaves the file unchanged.  Raises: DatabaseRefusedError; sqlite3.Error, OSError.
    """
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version > schema.version:
        raise DatabaseRefusedError(
            f"{path} was written by a newer release ({version}); this one reads {schema.version}"
        )
    steps = ""
    if 0 < version < schema.version:
        copy_to(connection, path.with_name(f"{path.name}{_COPY}{schema.version}"))
        steps = "".join(f"{schema.steps[older]};" for older in range(version, schema.version))
    connection.executescript(f"BEGIN IMMEDIATE; {steps} {schema.tables} PRAGMA user_version={schema.version}; COMMIT;")


def copies(path: Path) -> tuple[Path, ...]:
    """Return the copies of a file from before its upgrades."""
    return tuple(path.parent.glob(f"{path.name}{_COPY}*"))


def copy_to(connection: sqlite3.Connection, target: Path) -> None:
    """Copy the committed state into a file; afterwards it is whole and on the disk, or unchanged.  Raises: sqlite3.Error, OSError."""
    part = target.with_name(f"{target.name}.part")
    part.unlink(missing_ok=True)  # a killed process may have left a part
    os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    try:
        copied = sqlite3.connect(part)
        try:
            connection.backup(copied)
        finally:
            copied.close()
        part.rename(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    descriptor = os.open(target.parent, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
