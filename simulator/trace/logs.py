"""The functions' log files: appended lines are read a few times a second."""

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final

from simulator.trace.steps import Part

POLL_S: Final = 0.2
READ_BYTES: Final = 1024 * 1024
LINE_BYTES: Final = 256 * 1024


class LogFile:
    """A growing file of JSON lines. Content from before the creation of the `LogFile` belongs to an earlier run and is skipped."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._rest = b""
        try:
            file_status = path.stat()
        except OSError:
            self._inode, self._offset = 0, 0
        else:
            self._inode, self._offset = file_status.st_ino, file_status.st_size

    def new_lines(self) -> Iterator[Mapping[str, object]]:
        r"""Return the objects appended since the last call, from at most `READ_BYTES`.

        An unfinished line is returned after its end; a line without an object is skipped. A missing file has no lines; a truncated or
        replaced file is read from the beginning. For example, after `{"a": 1}\n{"b"` the call returns `[{"a": 1}]`.
        """
        for line in self._whole_lines():
            try:
                read = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(read, dict):
                yield read

    def _whole_lines(self) -> list[bytes]:
        try:
            file_status = self._path.stat()
            if file_status.st_ino != self._inode or file_status.st_size < self._offset:
                self._inode, self._offset, self._rest = file_status.st_ino, 0, b""
            if file_status.st_size == self._offset:
                return []
            with self._path.open("rb") as file:
                file.seek(self._offset)
                appended = file.read(READ_BYTES)
        except OSError:
            return []
        self._offset += len(appended)
        *lines, self._rest = (self._rest + appended).split(b"\n")
        if len(self._rest) > LINE_BYTES:
            self._rest = b""  # no log line of the functions is so long; the rest of the line is not JSON and is skipped
        return lines


class LogFollower:
    """Reads several log files; `on_line` is called with each line and must not raise."""

    def __init__(
        self,
        paths: Mapping[Part, Path],
        on_line: Callable[[Part, Mapping[str, object]], None],
        *,
        poll_s: float = POLL_S,
    ) -> None:
        self._files = {part: LogFile(path) for part, path in paths.items()}
        self._on_line = on_line
        self._poll_s = poll_s
        self._task: asyncio.Task[None] | None = None

    def read(self) -> None:
        """Report all lines appended since the last call."""
        for part, file in self._files.items():
            for line in file.new_lines():
                self._on_line(part, line)

    def start(self) -> None:
        """Start reporting appended lines. Needs the running loop."""
        self._task = asyncio.get_running_loop().create_task(self._follow())

    async def stop(self) -> None:
        """Stop reporting lines.  Repeated: does nothing."""
        following, self._task = self._task, None
        if following is not None:
            following.cancel()
            await asyncio.wait({following})

    async def _follow(self) -> None:
        while True:
            self.read()
            await asyncio.sleep(self._poll_s)
