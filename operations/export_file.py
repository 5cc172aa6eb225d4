"""An export as a file: whole or not there at all, and only its owner can read it."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from shared.errors import PermanentError

DATE_BEGINS: Final = '{"exported_ms"'
"""How the first line of an export begins; no other line does."""
_OWNER_ONLY: Final = 0o600


class ExportFileError(PermanentError):
    """The file cannot be written or read."""


class NothingStoredError(PermanentError):
    """There is nothing to export."""


def with_something(lines: Iterable[str], *, of: str) -> Iterator[str]:
    """Yield the lines.  Raises: NothingStoredError, where there are none."""
    is_empty = True
    for line in lines:
        is_empty = False
        yield line
    if is_empty:
        raise NothingStoredError(f"nothing is stored of {of}: is this the right id?")


def write_export(file: Path, lines: Iterable[str]) -> None:
    """The file, which did not exist, holds every line.

    After an error, or where the process is interrupted, there is no file: a part of an export must not pass for the whole.
    Raises: ExportFileError; whatever `lines` raises.
    """
    try:
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _OWNER_ONLY)
    except OSError as cause:
        raise ExportFileError(f"cannot write {file}: {cause.strerror}") from cause
    is_whole = False
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as opened:
            opened.writelines(f"{line}\n" for line in lines)
        is_whole = True
    except OSError as cause:
        raise ExportFileError(f"cannot write {file}: {cause.strerror}") from cause
    finally:
        if not is_whole:
            file.unlink()


def read_exports(file: Path) -> Iterator[list[str]]:
    """Yield the lines of each export in the file: a line with its date, and a line for each object.  Raises: ExportFileError."""
    try:
        with file.open(encoding="utf-8") as opened:
            lines: list[str] = []
            for line in opened:
                if lines and line.startswith(DATE_BEGINS):
                    yield lines
                    lines = []
                lines.append(line)
            yield lines or [""]
    except OSError as cause:
        raise ExportFileError(f"cannot read {file}: {cause.strerror}") from cause
    except UnicodeDecodeError as cause:
        raise ExportFileError(f"{file} is no export") from cause
