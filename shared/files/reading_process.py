"""The process that reads a file: `python -m shared.files.reading_process TYPE LOCALE TIME_ZONE NOW_MS`, with the file on standard input.

Standard output is the document as JSON, or a word for the reason why the file cannot be read, for example `damaged`. Memory and time are
limited before the first byte is read. The process writes no file, and its environment holds no secret.
"""

import contextlib
import resource
import sys
import zoneinfo
from pathlib import Path
from typing import Final

from shared.files.document import Unread, UnreadableFileError, encode_document
from shared.files.reading import read_document

MEMORY_BYTES: Final = 512 * 1024 * 1024
CPU_S: Final = 10
_OOM_SCORE: Final = Path("/proc/self/oom_score_adj")
"""Source: proc(5)."""


def main() -> None:
    """Read the file, within the limits."""
    limit_resources()
    content_type, locale, zone, now_ms = sys.argv[1:]
    try:
        document = read_document(
            sys.stdin.buffer.read(),
            content_type,
            locale=locale,
            time_zone=zoneinfo.ZoneInfo(zone),
            now_ms=int(now_ms),
        )
        answer = encode_document(document)
    except UnreadableFileError as cause:
        answer = cause.reason.value.encode()
    except (MemoryError, RecursionError):
        answer = Unread.TOO_LARGE.value.encode()
    sys.stdout.buffer.write(answer)


def limit_resources() -> None:
    """Lower the limits of memory, time and files of the process.  Repeated: changes nothing."""
    with contextlib.suppress(OSError):  # where the instance itself runs out of memory, this process goes first
        _OOM_SCORE.write_text("1000")
    _limit(resource.RLIMIT_AS, MEMORY_BYTES)
    _limit(resource.RLIMIT_CPU, CPU_S)
    _limit(resource.RLIMIT_FSIZE, 0)
    _limit(resource.RLIMIT_CORE, 0)


def _limit(which: int, most: int) -> None:
    """Lower the limit.  On a system without such a limit, such as macOS for memory, nothing changes."""
    with contextlib.suppress(ValueError, OSError):
        _, hard = resource.getrlimit(which)
        limit = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(which, (limit, limit))


if __name__ == "__main__":
    main()
