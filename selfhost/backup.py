"""Backups of the database and the media: folders named by their start in UTC, for example `data-backups/20261126T011200Z`.

A withdrawal does not reach a backup. So backups stand outside the data folder and are deleted after some days; a restoration repeats all
withdrawals since the backup (selfhost/restoration.py).
"""

import datetime as dt
import os
import shutil
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from shared import logs
from shared.adapters.sqlite import Database, SqliteObjectStore
from shared.adapters.sqlite.database import FILE, LOCK_FILE
from shared.adapters.sqlite.object_store import MEDIA_FOLDER, sync_folder
from shared.clock import Clock
from shared.errors import PermanentError, StorageUnavailableError

DAY_MS: Final = 86_400_000
_NAME: Final = "%Y%m%dT%H%M%SZ"
_PART: Final = ".part"


class BackupRefusedError(PermanentError):
    """A backup cannot be made or restored; nothing was changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Backups:
    """The backups in `folder`; each backup is deleted after `days`."""

    folder: Path
    days: int
    clock: Clock

    def make(self, database: Database) -> Path:
        """Return a complete new backup of all committed data, synced to disk.  Raises: BackupRefusedError, StorageUnavailableError."""
        if self.folder.resolve().is_relative_to(database.folder.resolve()):
            raise BackupRefusedError(f"{self.folder} is inside {database.folder}; a withdrawal does not reach a backup")
        target = self.folder / name_of(self.clock.now_ms())
        part = target.with_name(target.name + _PART)
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            if target.exists():
                raise BackupRefusedError(f"{target} was made in this second")
            shutil.rmtree(part, ignore_errors=True)  # left by a process that was killed
            part.mkdir(mode=0o700)
            database.back_up(part / FILE)
            _copy_media(database.folder / MEDIA_FOLDER, part)
            sync_folder(part)
            part.rename(target)
            sync_folder(self.folder)
        except OSError as cause:
            raise StorageUnavailableError(f"the backup cannot be written: {reason_of(cause)}") from cause
        except StorageUnavailableError as cause:
            raise StorageUnavailableError(f"the backup cannot be written: {cause}") from cause
        finally:
            shutil.rmtree(part, ignore_errors=True)  # on a full disk, half a backup would keep the bot from writing
        return target

    def drop_old(self) -> None:
        """Delete the backups older than `days`, and the unfinished backups older than a day.  Raises: StorageUnavailableError."""
        now_ms = self.clock.now_ms()
        try:
            for path in self.folder.iterdir() if self.folder.is_dir() else ():
                made_ms = made_ms_of(path)
                days = 1 if path.name.endswith(_PART) else self.days
                if made_ms is not None and now_ms - made_ms > days * DAY_MS:
                    shutil.rmtree(path)
                    logs.info("backup_expired")
        except OSError as cause:
            raise StorageUnavailableError("an old backup cannot be deleted") from cause


def name_of(now_ms: int) -> str:
    """Return the name of a backup: `name_of(1_795_655_520_000) -> "20261126T011200Z"`."""
    return dt.datetime.fromtimestamp(now_ms / 1_000, dt.UTC).strftime(_NAME)


def made_ms_of(path: Path) -> int | None:
    """Return the time in a backup's name: `made_ms_of(Path("a/20261126T011200Z")) -> 1_795_655_520_000`; None for other names."""
    with suppress(ValueError):
        start = dt.datetime.strptime(path.name.removesuffix(_PART), _NAME).replace(tzinfo=dt.UTC)
        return round(start.timestamp()) * 1_000
    return None


def reason_of(cause: OSError) -> str:
    """Return the first reason of a copy's failure: `reason_of(OSError(28, "No space left on device")) -> "No space left on device"`."""
    if (
        isinstance(cause, shutil.Error) and cause.args and cause.args[0]
    ):  # of a tree: (source, target, reason) of each file
        return str(cause.args[0][0][2])
    return cause.strerror or type(cause).__name__


def _copy_media(media: Path, backup: Path) -> None:
    """Copy the media that the backup's database names.  A medium withdrawn meanwhile is removed from the database instead."""
    with closing(Database(backup)) as copied:
        store = SqliteObjectStore(copied)
        for name, file in copied.read(
            lambda db: db.execute("SELECT name, file FROM objects WHERE file IS NOT NULL").fetchall()
        ):
            try:
                _copy_file(media / file, backup / MEDIA_FOLDER / file)
            except FileNotFoundError:
                store.delete(name)
        sync_folder(backup / MEDIA_FOLDER)
    (backup / LOCK_FILE).unlink()


def _copy_file(source: Path, target: Path) -> None:
    with source.open("rb") as read, target.open("xb") as written:
        shutil.copyfileobj(read, written)
        written.flush()
        os.fsync(written.fileno())
