"""The object store on SQLite: small objects in the file, media as files in a folder next to it."""

import os
import secrets
import sqlite3
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Final, TypeVar

from shared.adapters.sqlite.database import Database
from shared.clock import Clock, SystemClock
from shared.errors import StorageUnavailableError
from shared.storage.object_store import ListedObject, StoredObject

MEDIA_FOLDER: Final = "media"
_MEDIA: Final = "media/"
_PART: Final = ".part"
_SURROGATES: Final = (0xD800, 0xDFFF)
_LAST: Final = 0x10FFFF
_Result = TypeVar("_Result")


class SqliteObjectStore:
    """The objects of a database; safe to share between threads.  Names sort by their UTF-8 bytes, as SQLite's `BINARY` does."""

    def __init__(self, database: Database, *, clock: Clock | None = None) -> None:
        """Delete media files without an object: a killed process has left them."""
        self._database = database
        self._clock = clock or SystemClock()
        self._media = database.folder / MEDIA_FOLDER
        _with_translated_errors(lambda: self._media.mkdir(exist_ok=True, mode=0o700))
        rows = database.read(lambda db: db.execute("SELECT file FROM objects WHERE file IS NOT NULL").fetchall())
        owned = {file for (file,) in rows}
        self._unlink([path.name for path in self._media.iterdir() if path.name not in owned])

    def read(self, name: str) -> StoredObject | None:
        return self._read(name, cached=None)

    def read_again(self, name: str, cached: StoredObject) -> StoredObject | None:
        return self._read(name, cached=cached)

    def create(self, name: str, data: bytes) -> int | None:
        return self._write(name, [data], generation=0)

    def create_from(self, name: str, pieces: Iterable[bytes]) -> bool:
        return self._write(name, pieces, generation=0) is not None

    def replace(self, name: str, data: bytes, *, generation: int) -> int | None:
        return self._write(name, [data], generation=generation)

    def delete(self, name: str, *, generation: int | None = None) -> bool:
        def remove(db: sqlite3.Connection) -> tuple[bool, str | None]:
            row = db.execute("SELECT generation, file FROM objects WHERE name = ?", (name,)).fetchone()
            if row is None:
                return True, None
            if generation not in {None, row[0]}:
                return False, None
            db.execute("DELETE FROM objects WHERE generation = ?", (row[0],))
            return True, row[1]

        if generation is None and self._generation_of(name) == 0:
            return True  # costs no commit
        is_gone, file = self._database.write(remove)
        if file is not None:
            self._unlink([file])
        return is_gone

    def list(self, prefix: str, *, since: str | None = None, before: str | None = None) -> tuple[ListedObject, ...]:
        first = prefix if since is None else max(prefix, since)
        ends = [end for end in (before, _behind(prefix)) if end is not None]
        query, values = "SELECT name, generation FROM objects WHERE name >= ?", [first]
        if ends:
            query, values = f"{query} AND name < ?", [first, min(ends)]
        rows = self._database.read(lambda db: db.execute(f"{query} ORDER BY name", values).fetchall())
        return tuple(ListedObject(name=name, generation=generation) for name, generation in rows)

    def drop_older(self, prefix: str, written_ms: int) -> int:
        """Delete the objects with this prefix and a last write before `written_ms`; return their number.

        Costs no commit without such objects.  Raises: StorageUnavailableError. Example: `store.drop_older("media/", now_ms - 7 * DAY_MS)`.
        """
        values = (prefix, _behind(prefix), written_ms)
        old = "SELECT generation FROM objects WHERE name >= ? AND name < ? AND written_ms < ?"
        if self._database.read(lambda db: db.execute(f"{old} LIMIT 1", values).fetchone()) is None:
            return 0
        delete = f"DELETE FROM objects WHERE generation IN ({old}) RETURNING file"  # noqa: S608 - constants
        rows = self._database.write(lambda db: db.execute(delete, values).fetchall())
        self._unlink([file for (file,) in rows if file is not None])
        return len(rows)

    def _read(self, name: str, *, cached: StoredObject | None) -> StoredObject | None:
        while True:
            row = self._database.read(
                lambda db: db.execute(
                    "SELECT generation, CASE generation WHEN ? THEN NULL ELSE data END, file FROM objects WHERE name = ?",
                    (cached.generation if cached is not None else 0, name),
                ).fetchone()
            )
            if row is None:
                return None
            generation, data, file = row
            if cached is not None and cached.generation == generation:
                return cached
            if file is None:
                return StoredObject(data=data, generation=generation)
            with suppress(FileNotFoundError):  # replaced or deleted since its row was read
                return StoredObject(data=(self._media / file).read_bytes(), generation=generation)
            if self._generation_of(name) == generation:
                raise StorageUnavailableError("the file of a medium is missing")

    def _generation_of(self, name: str) -> int:
        """Return the object's generation; 0: no object."""
        row = self._database.read(
            lambda db: db.execute("SELECT generation FROM objects WHERE name = ?", (name,)).fetchone()
        )
        return row[0] if row is not None else 0

    def _write(self, name: str, pieces: Iterable[bytes], *, generation: int) -> int | None:
        """Write the object if `generation` is stored (0: if no object exists); return the new generation."""
        if not name.startswith(_MEDIA):
            return self._swap(name, b"".join(pieces), None, generation=generation)
        file = self._write_file(pieces)
        written: int | None = None
        try:
            written = self._swap(name, None, file, generation=generation)
        finally:
            if written is None:
                self._unlink([file])
        return written

    def _swap(self, name: str, data: bytes | None, file: str | None, *, generation: int) -> int | None:
        now_ms = self._clock.now_ms()

        def swap(db: sqlite3.Connection) -> tuple[int | None, str | None]:
            row = db.execute("SELECT generation, file FROM objects WHERE name = ?", (name,)).fetchone()
            if (row[0] if row is not None else 0) != generation:
                return None, None
            if row is not None:  # a new row has a new, larger generation, also after deletions
                db.execute("DELETE FROM objects WHERE generation = ?", (generation,))
            added = db.execute(
                "INSERT INTO objects (name, data, file, written_ms) VALUES (?, ?, ?, ?)", (name, data, file, now_ms)
            )
            return added.lastrowid, row[1] if row is not None else None

        if self._generation_of(name) != generation:
            return None  # another writer has won, which costs no commit
        written, replaced_file = self._database.write(swap)
        if replaced_file is not None:
            self._unlink([replaced_file])
        return written

    def _write_file(self, pieces: Iterable[bytes]) -> str:
        """Write a new file to the disk, before any object names it; return the file's name.

        Raises: StorageUnavailableError; the errors of `pieces`; then no file remains.
        """
        file = secrets.token_hex(16)
        part = self._media / (file + _PART)
        try:
            with _with_translated_errors(lambda: part.open("xb")) as written:
                for piece in pieces:
                    _with_translated_errors(partial(written.write, piece))
                _with_translated_errors(written.flush)
                _with_translated_errors(lambda: os.fsync(written.fileno()))
            _with_translated_errors(lambda: part.rename(self._media / file))
            _with_translated_errors(lambda: sync_folder(self._media))
        except BaseException:
            part.unlink(missing_ok=True)
            raise
        return file

    def _unlink(self, files: Iterable[str]) -> None:
        """Delete the files, so that they stay deleted after a loss of power."""
        files = list(files)

        def unlink() -> None:
            for file in files:
                (self._media / file).unlink(missing_ok=True)
            sync_folder(self._media)

        if files:
            _with_translated_errors(unlink)


def _with_translated_errors(act: Callable[[], _Result]) -> _Result:
    try:
        return act()
    except OSError as cause:
        raise StorageUnavailableError(f"a file of a medium cannot be written ({cause.strerror})") from cause


def sync_folder(folder: Path) -> None:
    """Make renamings and deletions in the folder last after a loss of power.  Raises: OSError."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _behind(prefix: str) -> str | None:
    """Return the first name behind all names with this prefix; None, if every later name has the prefix.

    Example: "due0" for "due/".
    """
    while prefix and ord(prefix[-1]) == _LAST:
        prefix = prefix[:-1]
    if not prefix:
        return None
    following = ord(prefix[-1]) + 1
    if _SURROGATES[0] <= following <= _SURROGATES[1]:  # UTF-8 has no surrogates
        following = _SURROGATES[1] + 1
    return prefix[:-1] + chr(following)
