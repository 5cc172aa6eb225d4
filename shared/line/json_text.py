"""JSON from outside, read so that an odd value costs no more than itself.

The parser of the standard library fails for the whole text where a value nests too deep or an integer has too many digits. It reads
`1e400` as an infinity, which is no JSON.  Source: Python, "Integer string conversion length limitation".
"""

import json
import math
import re
from collections.abc import Iterable, Iterator
from itertools import accumulate
from typing import Final, NoReturn

MAX_DEPTH: Final = 64
"""How deep values may nest; events of LINE nest to eight."""
_MAX_DIGITS: Final = 300  # no more than a double holds
_MAX_BITS: Final = 1_024
_STRING: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_BRACKET: Final = re.compile(_STRING.pattern + rb"|[\[\]{}]", re.DOTALL)
_NO_BRACKETS: Final = bytes(sorted(set(range(256)) - set(b"[]{}")))
_STEPS: Final = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}


def parse_json(text: bytes) -> object:
    """Read JSON in UTF-8.  Values that nest deeper than MAX_DEPTH, and numbers that no double holds, are None.

    Raises: ValueError, if the text is no JSON.
    """
    shallow = text if _is_shallow(text) else b"".join(_shallow_pieces(text))
    try:
        return _DECODER.decode(shallow.decode(json.detect_encoding(shallow), "surrogatepass"))
    except (ValueError, RecursionError) as cause:  # the latter in another encoding than UTF-8
        raise ValueError("the text is no JSON") from cause


def is_ordinary(value: object) -> bool:
    """Whether the value nests no deeper than MAX_DEPTH and holds only numbers that a double holds."""
    level: list[object] = [value]
    for _ in range(MAX_DEPTH + 1):
        if not all(map(_is_ordinary_number, level)):
            return False
        level = [member for container in level for member in _members(container)]
        if not level:
            return True
    return False


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


def _is_shallow(text: bytes) -> bool:
    """Whether no value nests deeper than MAX_DEPTH.  A text with so few brackets, as almost every one, needs no look at its strings."""
    return text.count(b"[") + text.count(b"{") <= MAX_DEPTH or _depth(text) <= MAX_DEPTH


def _depth(text: bytes) -> int:
    brackets = _STRING.sub(b"", text).translate(None, _NO_BRACKETS)
    return max(accumulate(map(_STEPS.__getitem__, brackets)), default=0)


def _shallow_pieces(text: bytes) -> Iterator[bytes]:
    """Yield the text with `null` for each value that begins deeper than MAX_DEPTH."""
    depth, kept_from = 0, 0
    for found in _BRACKET.finditer(text):
        step = _STEPS.get(text[found.start()], 0)
        depth += step
        if step > 0 and depth == MAX_DEPTH + 1:
            yield text[kept_from : found.start()] + b"null"
            kept_from = len(text)
        elif step < 0 and depth == MAX_DEPTH:
            kept_from = found.end()
    yield text[kept_from:]


def _integer(digits: str) -> int | None:
    return int(digits) if len(digits) <= _MAX_DIGITS else None


def _float(digits: str) -> float | None:
    number = float(digits)
    return number if math.isfinite(number) else None


def _refuse_constant(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


_DECODER: Final = json.JSONDecoder(parse_int=_integer, parse_float=_float, parse_constant=_refuse_constant)
