"""An export as a file: complete or absent, and readable only by the owner."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from shared.errors import PermanentError

DATE_BEGINS: Final = '{"exported_ms"'
"""The beginning of an export's first line, and of no other line."""
_OWNER_ONLY: Final = 0o600


class ExportFileError(PermanentError):
    """The file cannot be written or read."""


class NothingStoredError(PermanentError):
    """There is nothing to export."""


def require_lines(lines: Iterable[str], *, of: str) -> Iterator[str]:
    """Yield the lines.  Raises: NothingStoredError, if there are no lines; `of` ends the error, for example "this chat"."""
    is_empty = True
    for line in lines:
        is_empty = False
        yield line
    if is_empty:
        raise NothingStoredError(f"nothing is stored of {of}")


def write_export(file: Path, lines: Iterable[str]) -> None:
    """Write every line to a new file.

    After an error or an interruption there is no file: a part of an export must not pass for the whole.
    Raises: ExportFileError, also if the file exists; any error of `lines`.
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


def read_lines(file: Path) -> Iterator[str]:
    """Yield the lines of a file of exports.  Raises: ExportFileError."""
    try:
        with file.open(encoding="utf-8") as opened:
            yield from opened
    except OSError as cause:
        raise ExportFileError(f"cannot read {file}: {cause.strerror}") from cause
    except UnicodeDecodeError as cause:
        raise ExportFileError(f"{file} is no export") from cause


def exports_in(lines: Iterable[str]) -> Iterator[list[str]]:
    """Yield the lines of each export among the lines of a file.

    The first line holds the date, for example `{"exported_ms": 1795655520000}`; every further line holds an object.
    """
    export: list[str] = []
    for line in lines:
        if export and line.startswith(DATE_BEGINS):
            yield export
            export = []
        export.append(line)
    yield export or [""]
