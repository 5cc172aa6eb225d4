"""JSON from outside, read with None for each value that cannot be represented: `{"a": 1e400, "b": [1]}` -> `{"a": None, "b": [1]}`.

The parser of the standard library fails for the whole text if a value nests too deep or an integer has too many digits, and reads `1e400`
as an infinity, although JSON has no infinity.  Source: Python, "Integer string conversion length limitation".
"""

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NoReturn

from shared.line.utf16 import without_lone_surrogates

MAX_DEPTH: Final = 64
"""How deep values may nest; events of LINE nest to eight."""
_MAX_DIGITS: Final = 300  # no more than a double holds
_MAX_BITS: Final = 1_024
# A string without an end reaches to the end of the text, so that no quote within it is tried again.
_BRACKET: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)|[\[\]{}]', re.DOTALL)
_STEPS: Final = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}


def parse_json(text: bytes) -> object:
    """Read JSON in UTF-8.  Values nested deeper than MAX_DEPTH, and numbers beyond the range of a double, are None.

    Raises: ValueError, if the text is no JSON.
    """
    shallow = b"".join(_shallow_pieces(text)) if may_be_deep(text) else text
    try:
        return _DECODER.decode(shallow.decode(json.detect_encoding(shallow), "surrogatepass"))
    except (ValueError, RecursionError) as cause:  # the latter in another encoding than UTF-8
        raise ValueError("the text is no JSON") from cause


def may_be_deep(text: bytes) -> bool:
    """Whether the text has brackets enough to nest deeper than MAX_DEPTH.  A search for depth costs more than the reading itself."""
    return text.count(b"[") + text.count(b"{") > MAX_DEPTH


def parse_json_at(text: str, start: int) -> tuple[object, int]:
    """Read the value that begins at `start` of a text that cannot be deep; return the value, and the place after it.

    Numbers beyond the range of a double are None. Raises: ValueError, if no JSON begins there.
    Example: `parse_json_at("[{},7]", 1)` returns `({}, 3)`.
    """
    return _DECODER.raw_decode(text, start)


def is_ordinary(value: object) -> bool:
    """Whether the value nests no deeper than MAX_DEPTH and holds only numbers within the range of a double."""
    level: list[object] = [value]
    for _ in range(MAX_DEPTH + 1):
        if not all(map(_is_ordinary_number, level)):
            return False
        level = [member for container in level for member in _members(container)]
        if not level:
            return True
    return False


def encodable(data: Mapping[str, object]) -> dict[str, object]:
    """Return the object without lone surrogates in any key or text, because UTF-8 cannot encode a surrogate."""
    plain: dict[str, object] = json.loads(without_lone_surrogates(json.dumps(data, ensure_ascii=False)))
    return plain


def _members(value: object) -> Iterable[object]:
    match value:
        case dict():
            return value.values()
        case list() | tuple():
            return value
        case _:
            return ()


def _is_ordinary_number(value: object) -> bool:
    match value:
        case int():
            return value.bit_length() <= _MAX_BITS
        case float():
            return math.isfinite(value)
        case _:
            return True


def _shallow_pieces(text: bytes) -> Iterator[bytes]:
    """Yield the text with `null` for each value that begins deeper than MAX_DEPTH."""
    depth, piece_start = 0, 0
    for bracket in _BRACKET.finditer(text):
        step = _STEPS.get(text[bracket.start()], 0)
        depth += step
        if step > 0 and depth == MAX_DEPTH + 1:
            yield text[piece_start : bracket.start()] + b"null"
            piece_start = len(text)
        elif step < 0 and depth == MAX_DEPTH:
            piece_start = bracket.end()
    yield text[piece_start:]


def _integer(digits: str) -> int | None:
    return int(digits) if len(digits) <= _MAX_DIGITS else None


def _float(digits: str) -> float | None:
    number = float(digits)
    return number if math.isfinite(number) else None


def _refuse_constant(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


_DECODER: Final = json.JSONDecoder(parse_int=_integer, parse_float=_float, parse_constant=_refuse_constant)
