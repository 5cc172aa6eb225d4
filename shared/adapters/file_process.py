"""Reads files in a separate process: a file that exhausts its reader, for example a zip bomb, exhausts only the separate process.

Source: Python, `subprocess`: a process begins without a copy of its parent's memory, and `communicate` ends it by `kill` on a timeout.
"""

import os
import sys
import threading
import zoneinfo
from collections.abc import Mapping
from dataclasses import field
from typing import Final

from shared import logs
from shared.agent.file_parts import READ_S
from shared.clock import Clock, SystemClock
from shared.files.document import Document, Unread, decode_document
from shared.frozen import frozen

_MODULE: Final = "shared.files.reading_process"
_AT_ONCE: Final = 1  # each may take half the memory of an instance
_OF_THE_LOADER: Final = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "PYTHONHOME")


def loader_environment() -> Mapping[str, str]:
    """Return the variables by which a process finds Python and this package, and no others, because the environment holds secrets."""
    loader = {name: os.environ[name] for name in _OF_THE_LOADER if name in os.environ}  # noqa: TID251 - no setting of ours
    return {**loader, "PYTHONPATH": os.pathsep.join(path or os.curdir for path in sys.path)}


def _one_at_once() -> threading.Semaphore:
    return threading.Semaphore(_AT_ONCE)


@frozen
class FileProcess:
    """A FileReader; safe to share between threads."""

    locale: str
    time_zone: zoneinfo.ZoneInfo
    clock: Clock = field(default_factory=SystemClock, repr=False)
    environment: Mapping[str, str] = field(default_factory=loader_environment, repr=False)
    _turn: threading.Semaphore = field(default_factory=_one_at_once, repr=False)

    def read(self, data: bytes, content_type: str, *, seconds: float) -> Document | Unread | None:
        seconds = max(0.0, min(seconds, READ_S))
        if not self._turn.acquire(timeout=seconds):
            logs.warning("file_not_read", reason="busy", content_type=content_type, size_bytes=len(data))
            return None
        try:
            read = self._read(data, content_type, seconds)
        finally:
            self._turn.release()
        if isinstance(read, Document):
            logs.info("file_read", content_type=content_type, size_bytes=len(data), characters=len(read.text))
        else:
            reason = "late" if read is None else read.value
            logs.info("file_not_read", reason=reason, content_type=content_type, size_bytes=len(data))
        return read

    def _read(self, data: bytes, content_type: str, seconds: float) -> Document | Unread | None:
        import subprocess  # noqa: PLC0415 - only for a file; the process runs a module of this package

        # Without site's start-up, because PYTHONPATH holds its result already, and without written bytecode
        options = ("-B", "-P", "-S", "-X", "utf8", "-m", _MODULE)
        try:
            done = subprocess.run(  # noqa: S603 - no word of a person stands in the command
                (sys.executable, *options, content_type, self.locale, self.time_zone.key, str(self.clock.now_ms())),
                input=data,
                capture_output=True,
                timeout=seconds,
                check=False,
                env=self.environment,
            )
        except subprocess.TimeoutExpired:
            return Unread.TOO_LARGE if seconds >= READ_S else None
        if done.returncode < 0:  # ended by a signal, because memory or time was used up
            return Unread.TOO_LARGE
        return _answer_of(done.stdout)


def _answer_of(output: bytes) -> Document | Unread:
    """Return the document or the reason in a process's output; without either, the file was damaged."""
    try:
        return decode_document(output)
    except (ValueError, TypeError, KeyError):
        word = output.decode("ascii", errors="replace")
        return Unread(word) if word in set(Unread) else Unread.DAMAGED
