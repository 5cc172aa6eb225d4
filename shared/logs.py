"""One JSON line per fact on stdout, as Cloud Logging reads it.

The message is a constant event name in the past tense; facts are fields. Text of people, tokens, signatures and bodies never become
fields, and an exception is logged by its type and the places that it passed, never by its message: those quote their input.
Source: Cloud Logging, "Structured logging" (`severity`, `message`, `time`, `logging.googleapis.com/trace`).
"""

import contextlib
import contextvars
import datetime as dt
import hashlib
import json
import logging
import re
import sys
import traceback
from collections.abc import Iterator
from types import TracebackType
from typing import Final, TextIO

_BOUND: Final[contextvars.ContextVar[dict[str, object]]] = contextvars.ContextVar("log_fields")
_FIELDS: Final = "aizuchi_fields"
_TRACEPARENT: Final = re.compile(r"[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}")
_LOGGER: Final = logging.getLogger("aizuchi")


def configure(stream: TextIO = sys.stdout, *, level: int = logging.INFO) -> None:
    """Send every log record of the process to `stream` as JSON.  Repeated: replaces what was configured before."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(_JsonFormatter())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)  # libraries speak only when something is wrong
    _LOGGER.setLevel(level)


def debug(event: str, **fields: object) -> None:
    """Log a fact that only a developer wants."""
    _LOGGER.debug(event, extra={_FIELDS: fields})


def info(event: str, **fields: object) -> None:
    """Log a fact."""
    _LOGGER.info(event, extra={_FIELDS: fields})


def warning(event: str, **fields: object) -> None:
    """Log a fact that somebody may want to look at."""
    _LOGGER.warning(event, extra={_FIELDS: fields})


def error(event: str, *, cause: BaseException | None = None, **fields: object) -> None:
    """Log a fact that somebody has to look at; of `cause` its types and places are told, not its words."""
    _LOGGER.error(event, extra={_FIELDS: {**fields, **(_told(cause) if cause else {})}})


@contextlib.contextmanager
def bound(**fields: object) -> Iterator[None]:
    """Add `fields` to every line that is logged inside."""
    token = _BOUND.set({**_BOUND.get({}), **fields})
    try:
        yield
    finally:
        _BOUND.reset(token)


def pseudonym(conversation_id: str) -> str:
    """Return a name for a conversation that tells lines apart and tells nobody who it is."""
    return hashlib.sha256(conversation_id.encode()).hexdigest()[:12]


def trace_fields(traceparent: str | None) -> dict[str, object]:
    """Return the field that ties a request's lines together, from its `traceparent` header; empty without one.

    Source: W3C Trace Context; Cloud Logging takes the bare trace id since the project is that of the log.
    """
    found = _TRACEPARENT.fullmatch(traceparent or "")
    return {"logging.googleapis.com/trace": found[1]} if found else {}


class _JsonFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        moment = dt.datetime.fromtimestamp(record.created, tz=dt.UTC).isoformat(timespec="milliseconds")
        line: dict[str, object] = {"severity": record.levelname, "message": record.msg, "time": moment}
        if record.name != _LOGGER.name:  # a library's line: its text may quote bodies, so only its origin is told
            line["message"] = "library_complained"
            line["library"] = record.name
            line["place"] = f"{record.module}:{record.lineno}"
            if record.exc_info and record.exc_info[1]:
                line |= _told(record.exc_info[1])
        line |= _BOUND.get({}) | getattr(record, _FIELDS, {})
        return json.dumps(line, ensure_ascii=False, default=str)


def _told(cause: BaseException) -> dict[str, object]:
    types: list[str] = []
    link: BaseException | None = cause
    while link is not None and len(types) < 5:  # noqa: PLR2004 - a longer chain tells nothing more
        types.append(type(link).__name__)
        link = link.__cause__ or link.__context__
    return {"error_type": " < ".join(types), "places": _places(cause.__traceback__)}


def _places(trace: TracebackType | None) -> list[str]:
    frames = traceback.extract_tb(trace)[-8:]
    return [f"{frame.filename.rsplit('/', 2)[-1]}:{frame.lineno} {frame.name}" for frame in frames]
