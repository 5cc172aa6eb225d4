"""Follows the functions' log files: what they append is read a few times a second, line by line."""

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
    """A file that grows by lines of JSON. What stands in it already when it is first looked at is of an earlier run."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._rest = b""
        try:
            found = path.stat()
        except OSError:
            self._inode, self._offset = 0, 0
        else:
            self._inode, self._offset = found.st_ino, found.st_size

    def new_lines(self) -> Iterator[Mapping[str, object]]:
        """The objects that were appended since, at most `READ_BYTES` of them at once.

        A line that is unfinished comes once it is finished, one that holds no object never. A file that is not there has no
        lines; one that was emptied or replaced is read from its beginning.
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
            found = self._path.stat()
            if found.st_ino != self._inode or found.st_size < self._offset:
                self._inode, self._offset, self._rest = found.st_ino, 0, b""
            if found.st_size == self._offset:
                return []
            with self._path.open("rb") as file:
                file.seek(self._offset)
                appended = file.read(READ_BYTES)
        except OSError:
            return []
        self._offset += len(appended)
        *lines, self._rest = (self._rest + appended).split(b"\n")
        if len(self._rest) > LINE_BYTES:
            self._rest = b""  # no fact of ours is that long; what follows of the line is no JSON and passed over
        return lines


class LogFollower:
    """Reads several log files for as long as it runs; `heard` is told of each line and must not raise."""

    def __init__(
        self, paths: Mapping[Part, Path], heard: Callable[[Part, Mapping[str, object]], None], *, poll_s: float = POLL_S
    ) -> None:
        self._files = {part: LogFile(path) for part, path in paths.items()}
        self._heard = heard
        self._poll_s = poll_s
        self._following: asyncio.Task[None] | None = None

    def read(self) -> None:
        """Everything that was appended since was told."""
        for part, file in self._files.items():
            for line in file.new_lines():
                self._heard(part, line)

    def start(self) -> None:
        """What is appended is told soon, from here on. Needs the running loop."""
        self._following = asyncio.get_running_loop().create_task(self._follow())

    async def stop(self) -> None:
        """Nothing more is told.  Repeated: does nothing."""
        following, self._following = self._following, None
        if following is not None:
            following.cancel()
            await asyncio.wait({following})

    async def _follow(self) -> None:
        while True:
            self.read()
            await asyncio.sleep(self._poll_s)
