"""Bodies off the wire: limited in size and depth, and JSON without unwritable values."""

import json
import re
from typing import Any, Final, NoReturn

from starlette.requests import Request

DEPTH: Final = 64
_INT_DIGITS: Final = 19
_LONE_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_REPLACEMENT: Final = "\ufffd"


class MalformedJsonError(ValueError):
    """The body is not JSON, or JSON with an unwritable value; `line` and `column` if known."""

    def __init__(self, reason: str, *, line: int | None = None, column: int | None = None) -> None:
        super().__init__(reason)
        self.line = line
        self.column = column


class DuplicateFieldError(MalformedJsonError):
    """An object has a property twice: `name`, in the object at `path`, e.g. `messages[1]`; for the body itself, `path` is ""."""

    def __init__(self, name: str, path: str) -> None:
        super().__init__(f"duplicate field {name!r} at {path!r}")
        self.name = name
        self.path = path


class _Duplicated(dict[str, Any]):
    """An object with a repeated property in the text."""

    duplicate = ""


def parse_json(body: bytes) -> Any:  # noqa: ANN401 - any JSON
    """Return the value. Half of a surrogate pair becomes U+FFFD, because no UTF-8 text can contain half a pair.

    Raises: MalformedJsonError, also for `NaN`, numbers beyond floats, repeated properties, and more than `DEPTH` levels.
    For example, `parse_json(b'{"a": 1, "a": 2}')` raises DuplicateFieldError.
    """
    try:
        text = body.decode()
        value = json.loads(
            text,
            parse_constant=_refuse_constant,
            parse_float=_finite,
            parse_int=_bounded_int,
            object_pairs_hook=_object_of,
        )
    except json.JSONDecodeError as error:
        raise MalformedJsonError(error.msg, line=error.lineno, column=error.colno) from error
    except (UnicodeDecodeError, RecursionError, ValueError) as error:
        raise MalformedJsonError("no JSON in UTF-8 that can be read") from error
    return _clean(value, DEPTH, "")


async def read_body(request: Request, *, most_bytes: int) -> bytes:
    """Return the first `most_bytes` of the body. The rest is read and dropped, so that the sender receives the answer."""
    parts: list[bytes] = []
    room = most_bytes
    async for part in request.stream():
        parts.append(part[:room])
        room -= len(parts[-1])
    return b"".join(parts)


def _object_of(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) == len(pairs):
        return fields
    names = [name for name, _ in pairs]
    marked = _Duplicated(fields)
    marked.duplicate = next(name for index, name in enumerate(names) if name in names[:index])
    return marked


def _clean(value: Any, depth: int, path: str) -> Any:  # noqa: ANN401 - any JSON
    if depth == 0:
        raise MalformedJsonError(f"more than {DEPTH} levels")
    if isinstance(value, str):
        return _without_lone(value)
    if isinstance(value, list):
        return [_clean(item, depth - 1, f"{path}[{index}]") for index, item in enumerate(value)]
    if isinstance(value, _Duplicated):
        raise DuplicateFieldError(_without_lone(value.duplicate), _without_lone(path))
    if isinstance(value, dict):
        return {
            _without_lone(name): _clean(item, depth - 1, f"{path}.{name}".lstrip(".")) for name, item in value.items()
        }
    return value


def _without_lone(text: str) -> str:
    return _LONE_SURROGATE.sub(_REPLACEMENT, text)


def _refuse_constant(name: str) -> NoReturn:
    raise MalformedJsonError(f"{name} is no JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    if number in {float("inf"), float("-inf")}:
        raise MalformedJsonError("a number is too large")
    return number


def _bounded_int(digits: str) -> int:
    if len(digits) > _INT_DIGITS:
        raise MalformedJsonError("a number is too large")
    return int(digits)
