"""A disk that loses power: a VFS of SQLite that records every write and flush, and what a disk may hold after a cut.

After a cut a file holds everything until its last flush, and of the later writes each wholly, not at all, or some of its sectors.
Source: SQLite, "Atomic Commit In SQLite" (2.0 "Hardware Assumptions"); APSW, "Virtual File System (VFS)".
"""

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Final, cast

import apsw

_SECTOR: Final = 512


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """Of a file, by its name: a write, a truncation (`size`), a flush or a deletion; of no file: a state that is durable from here on."""

    file: str = ""
    data: bytes | None = field(default=None, repr=False)
    offset: int = 0
    size: int | None = None
    is_flush: bool = False
    is_deletion: bool = False
    state: object = field(default=None, repr=False)


class RecordingVfs(apsw.VFS):
    """Passes everything on to the machine's files, and records it."""

    def __init__(self, name: str) -> None:
        super().__init__(name, "")
        self.operations: list[Operation] = []

    def xOpen(self, name: Any, flags: list[int]) -> "_RecordingFile":  # noqa: N802, ANN401 - SQLite's name and APSW's types
        return _RecordingFile(name, flags, self.operations)

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802 - likewise
        self.operations.append(Operation(file=Path(filename).name, is_deletion=True))
        super().xDelete(filename, syncdir)

    def connect(self, path: Path) -> sqlite3.Connection:
        """Return a connection that can do what the database's own connection does."""
        return cast("sqlite3.Connection", _Connection(apsw.Connection(str(path), vfs=self.vfs_name)))

    @property
    def vfs_name(self) -> str:
        """The name under which SQLite knows it."""
        return "recording"


class _RecordingFile(apsw.VFSFile):
    def __init__(self, name: Any, flags: list[int], operations: list[Operation]) -> None:  # noqa: ANN401 - APSW's type
        super().__init__("", name, flags)
        path = name if isinstance(name, str) else name.filename()
        self._file = Path(path).name
        self._operations = operations

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802 - SQLite's name, as the next two
        self._operations.append(Operation(file=self._file, data=bytes(data), offset=offset))
        super().xWrite(data, offset)

    def xTruncate(self, newsize: int) -> None:  # noqa: N802
        self._operations.append(Operation(file=self._file, size=newsize))
        super().xTruncate(newsize)

    def xSync(self, flags: int) -> None:  # noqa: N802
        super().xSync(flags)
        self._operations.append(Operation(file=self._file, is_flush=True))


class _Rows:
    def __init__(self, rows: list[Any], lastrowid: int) -> None:
        self._rows = iter(rows)
        self.lastrowid = lastrowid

    def fetchone(self) -> Any:  # noqa: ANN401 - a row
        return next(self._rows, None)

    def fetchall(self) -> list[Any]:
        return list(self._rows)


class _Connection:
    """What of `sqlite3.Connection` the database uses."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    @property
    def in_transaction(self) -> bool:
        return self._connection.in_transaction

    def execute(self, statement: str, values: Sequence[Any] = ()) -> _Rows:
        rows = list(self._connection.execute(statement, values))
        return _Rows(rows, self._connection.last_insert_rowid())

    def executescript(self, script: str) -> None:
        self._connection.execute(script)

    def close(self) -> None:
        self._connection.close()


@dataclass(slots=True)
class _DiskFile:
    """What is durable of a file, and what was written since."""

    durable: bytearray | None = None
    pending: list[Operation] = field(default_factory=list)

    def after_a_cut(self, chance: Random) -> bytearray | None:
        """Return what the disk may hold; None: no file."""
        if self.durable is None and chance.random() < 1 / 3:
            return None
        content = bytearray(self.durable or b"")
        for operation in self.pending:
            match chance.randrange(3):
                case 0:
                    _apply(content, operation)
                case 1:
                    _apply_torn(content, operation, chance)
        return content


def cuts(operations: Sequence[Operation], chance: Random, most: int) -> Iterator[tuple[dict[str, bytes], list[object]]]:
    """Yield what the disk holds after each of at most so many cuts, spread evenly over the operations, and the states that it may show.

    These are the last durable state and the next one.
    """
    files: dict[str, _DiskFile] = {}
    states = [operation.state for operation in operations if operation.state is not None]
    durable = -1
    for number, operation in enumerate(operations):
        if operation.state is not None:
            durable += 1
        else:
            _take(files.setdefault(operation.file, _DiskFile()), operation)
        count = (number + 1) * most // len(operations) - number * most // len(operations)
        for _ in range(count if durable >= 0 else 0):
            held = {name: file.after_a_cut(chance) for name, file in files.items()}
            yield (
                {name: bytes(content) for name, content in held.items() if content is not None},
                states[durable : durable + 2],
            )


def _take(file: _DiskFile, operation: Operation) -> None:
    if operation.is_flush or operation.is_deletion:
        content = bytearray(file.durable or b"")
        for pending in file.pending:
            _apply(content, pending)
        file.durable, file.pending = (None if operation.is_deletion else content), []
    else:
        file.pending.append(operation)


def _apply(content: bytearray, operation: Operation) -> None:
    if operation.size is not None:
        del content[operation.size :]
    elif operation.data is not None:
        content.extend(bytes(max(0, operation.offset - len(content))))
        content[operation.offset : operation.offset + len(operation.data)] = operation.data


def _apply_torn(content: bytearray, operation: Operation, chance: Random) -> None:
    data = operation.data or b""
    for start in range(0, len(data), _SECTOR):
        if chance.random() < 1 / 2:
            part = Operation(data=data[start : start + _SECTOR], offset=operation.offset + start)
            _apply(content, part)
