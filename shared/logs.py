"""One JSON line per event on stdout, as Cloud Logging reads it.

The message is a constant event name in the past tense; facts are fields. People's texts, tokens, signatures and bodies never become
fields. An exception is logged by its types and stack frames, never by its message, because messages quote their input.
Example: `logs.info("tick_handled", done=3)` writes `{"severity": "INFO", "message": "tick_handled", "version": "0.1.0", "time": "…",
"done": 3}`.  No field is named like one of these four.
Source: Cloud Logging, "Structured logging" (`severity`, `message`, `time`, `logging.googleapis.com/trace`).

The project's lines are written straight to the stream, because the logging module costs the webhook tenths of a millisecond; only log
records of libraries pass through the logging module.
"""

import contextlib
import contextvars
import datetime as dt
import hashlib
import json
import logging
import os
import re
import sys
import time
import traceback
from collections.abc import Callable, Mapping
from functools import lru_cache
from types import TracebackType
from typing import Final, TextIO

from shared.version import version

_BOUND: Final[contextvars.ContextVar[Mapping[str, object]]] = contextvars.ContextVar("log_fields")
_NOTHING: Final[Mapping[str, object]] = {}
_ENCODE: Final = json.JSONEncoder(ensure_ascii=False, default=str).encode
_TRACEPARENT: Final = re.compile(r"[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}")
_TRACE: Final = "logging.googleapis.com/trace"
_CHAIN_LENGTH: Final = 5
_PLACES: Final = 8


@lru_cache(maxsize=1_024)
def _head(severity: str, message: str) -> str:
    """Return a line up to its time: `{"severity": "INFO", "message": "tick_handled", "version": "0.1.0", "time": `."""
    return f'{_ENCODE({"severity": severity, "message": message, "version": version()})[:-1]}, "time": '


class Moments:
    """Writes moments, the date and the hour once a second: `2026-11-26T20:35:01.250+00:00`.  Safe to share between threads."""

    def __init__(self) -> None:
        self._newest = (-1, "")

    def written(self, moment_ms: int) -> str:
        second_s, thousandths = divmod(moment_ms, 1_000)
        newest = self._newest  # another thread may replace the pair meanwhile
        if newest[0] != second_s:
            date_and_hour = dt.datetime.fromtimestamp(second_s, tz=dt.UTC).isoformat().partition("+")[0]
            self._newest = newest = (second_s, date_and_hour)
        return f"{newest[1]}.{thousandths:03}+00:00"


class _Sink:
    """The output stream; every line is written whole, from any thread, or is lost if the stream refuses it."""

    def __init__(self) -> None:
        self._put: Callable[[str], object] = sys.stdout.write
        self._moments = Moments()

    def point_at(self, stream: TextIO) -> None:
        """Write to `stream`; past the buffer of a stream with a file descriptor, because one system call per line needs no lock."""
        try:
            descriptor = stream.fileno()
        except (OSError, ValueError):  # a stream in memory
            self._put = stream.write
        else:
            self._put = lambda line: os.write(descriptor, line.encode())

    def write(self, severity: str, message: str, fields: Mapping[str, object]) -> None:
        moment = self._moments.written(time.time_ns() // 1_000_000)
        bound_fields = _BOUND.get(_NOTHING)
        encoded = _ENCODE({**bound_fields, **fields} if bound_fields else fields)
        rest = f", {encoded[1:]}" if len(encoded) > len("{}") else "}"
        # A full disk, or a reader that ended: the work that the line tells of goes on
        with contextlib.suppress(OSError):
            self._put(f'{_head(severity, message)}"{moment}"{rest}\n')


_SINK: Final = _Sink()


def configure(stream: TextIO = sys.stdout) -> None:
    """Send every line of the process, and libraries' records from WARNING on, to `stream`.

    Repeated: replaces the earlier configuration.
    """
    _SINK.point_at(stream)
    root = logging.getLogger()
    root.handlers[:] = [_LibraryHandler()]
    root.setLevel(logging.WARNING)


def info(event: str, **fields: object) -> None:
    """Log an event."""
    _SINK.write("INFO", event, fields)


def warning(event: str, **fields: object) -> None:
    """Log an event that may interest an operator."""
    _SINK.write("WARNING", event, fields)


def error(event: str, *, cause: BaseException | None = None, **fields: object) -> None:
    """Log an event that needs an operator; of `cause` only the types and stack frames are logged."""
    _SINK.write("ERROR", event, {**fields, **(_error_fields(cause) if cause else {})})


def bound(**fields: object) -> contextlib.AbstractContextManager[None]:
    """Add `fields` to every line logged in the block."""
    return _Bound(fields) if fields else _UNBOUND


class _Bound:
    """The block of `bound`.  Not a generator's context manager, because the webhook enters a block for each request."""

    __slots__ = ("_fields", "_token")

    def __init__(self, fields: Mapping[str, object]) -> None:
        self._fields = fields

    def __enter__(self) -> None:
        self._token = _BOUND.set({**_BOUND.get(_NOTHING), **self._fields})

    def __exit__(self, *_: object) -> None:
        _BOUND.reset(self._token)


_UNBOUND: Final = contextlib.nullcontext()


class _Key:
    """The key of pseudonyms: random, until the process has a secret of its deployment."""

    value: bytes = os.urandom(32)


def key_pseudonyms(secret: str) -> None:
    """Key all further pseudonyms with this secret, so that all processes of the deployment use the same pseudonyms."""
    _Key.value = hashlib.sha256(b"aizuchi pseudonyms " + secret.encode()).digest()


def pseudonym(conversation_id: str) -> str:
    """Return a pseudonym for a conversation, for example `3f9a0c51d2b7`: a keyed hash.

    A reader of the logs with a conversation id cannot look up its pseudonym.
    """
    return hashlib.blake2b(conversation_id.encode(), key=_Key.value, digest_size=6).hexdigest()


def is_traceparent(value: object) -> bool:
    """Whether the value names a trace.  Source: W3C Trace Context, "traceparent header"."""
    return isinstance(value, str) and _TRACEPARENT.fullmatch(value) is not None


def trace_fields(traceparent: str | None) -> dict[str, object]:
    """Return the field that groups lines by trace; empty without a valid `traceparent`.

    Source: W3C Trace Context; Cloud Logging takes the bare trace id, because trace and log belong to one project.
    """
    match = _TRACEPARENT.fullmatch(traceparent) if traceparent else None
    return {_TRACE: match[1]} if match else {}


def trace_id() -> str | None:
    """Return the trace of this context's log lines; None outside of a trace."""
    trace = _BOUND.get(_NOTHING).get(_TRACE)
    return trace if isinstance(trace, str) else None


class _LibraryHandler(logging.Handler):
    """Logs the origin of libraries' records, never their text, because the text may quote bodies."""

    def emit(self, record: logging.LogRecord) -> None:
        cause = record.exc_info[1] if record.exc_info else None
        origin = {"library": record.name, "place": f"{record.module}:{record.lineno}"}
        _SINK.write(record.levelname, "library_complained", {**origin, **(_error_fields(cause) if cause else {})})


def _error_fields(cause: BaseException) -> dict[str, object]:
    types: list[str] = []
    link: BaseException | None = cause
    while link is not None and len(types) < _CHAIN_LENGTH:
        types.append(type(link).__name__)
        link = link.__cause__ or link.__context__
    return {"error_type": " < ".join(types), "places": _places(cause.__traceback__)}


def _places(trace: TracebackType | None) -> list[str]:
    places = [*traceback.walk_tb(trace)][-_PLACES:]
    return [f"{frame.f_code.co_filename.rsplit('/', 2)[-1]}:{line} {frame.f_code.co_name}" for frame, line in places]
