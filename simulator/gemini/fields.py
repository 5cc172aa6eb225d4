"""JSON fields by protobuf's rules: camelCase or snake_case names, null for absent, and errors that name the field.

Independent of Gemini's messages.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from simulator.gemini.errors import invalid_argument, invalid_field

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_DEPTH = 100
_SURROGATE_ESCAPE = re.compile(rb"\\u[dD][89a-fA-F]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fields:
    """A message of a request with a path, for example `contents[0].parts[1]`.

    A lookup by `parametersJsonSchema` also finds `parameters_json_schema`: the Python client sends both spellings in one body.
    Source: google-genai 3.4.0, seen on the wire; protobuf's JSON mapping accepts both.
    """

    values: Mapping[str, object]
    path: str

    def get(self, name: str) -> object | None:
        """Return the value under either spelling; None if absent or null."""
        value = self.values.get(name)
        return self.values.get(_snake(name)) if value is None else value

    def has(self, name: str) -> bool:
        """Whether the field is set."""
        return self.get(name) is not None

    def text(self, name: str) -> str | None:
        """Return a string."""
        value = self.get(name)
        if value is None or isinstance(value, str):
            return value
        raise self._type_error(name, "TYPE_STRING")

    def number(self, name: str) -> float | None:
        """Return a number; `true`, for example, is not a number."""
        value = self.get(name)
        if value is None or (isinstance(value, int | float) and not isinstance(value, bool)):
            return value
        raise self._type_error(name, "TYPE_DOUBLE")

    def flag(self, name: str) -> bool:
        """Return a boolean; False if absent."""
        value = self.get(name)
        if value is None or isinstance(value, bool):
            return bool(value)
        raise self._type_error(name, "TYPE_BOOL")

    def struct(self, name: str) -> Mapping[str, object] | None:
        """Return an object of any form, with its key names unchanged."""
        value = self.get(name)
        if value is None or isinstance(value, dict):
            return value
        raise self._type_error(name, "google.protobuf.Struct")

    def message(self, name: str) -> Fields:
        """Return a message; an empty message if absent."""
        return Fields(values=self.struct(name) or {}, path=self._at(name))

    def messages(self, name: str) -> tuple[Fields, ...]:
        """Return a repeated message; a single message counts as a list with one element, as in Google's parser."""
        value = self.get(name)
        if value is None:
            return ()
        items = value if isinstance(value, list) else [value]
        read: list[Fields] = []
        for index, item in enumerate(items):
            path = f"{self._at(name)}[{index}]"
            if not isinstance(item, dict):
                raise invalid_field(path, f"Invalid value at '{path}' (message)")
            read.append(Fields(values=item, path=path))
        return tuple(read)

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a repeated string."""
        value = self.get(name)
        if value is None:
            return ()
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            return tuple(value)
        raise self._type_error(name, "repeated TYPE_STRING")

    def _at(self, name: str) -> str:
        return f"{self.path}.{_snake(name)}" if self.path else _snake(name)

    def _type_error(self, name: str, expected_type: str) -> Exception:
        path = self._at(name)
        return invalid_field(path, f"Invalid value at '{path}' ({expected_type})")


def parse_object(raw: bytes) -> dict[str, object]:
    """Return the JSON object of a request's body: `parse_object(b'{"contents": []}')` is `{"contents": []}`.

    Raises: RefusedError, if the body is not JSON, not an object, nested too deep for protobuf, or contains a lone surrogate.
    """
    try:
        parsed: object = json.loads(raw.decode("utf-8"), parse_constant=_refuse_constant, parse_float=_finite)
    except (ValueError, RecursionError):
        raise invalid_argument("Invalid JSON payload received. Unexpected token.") from None
    if not isinstance(parsed, dict):
        raise invalid_argument("Invalid JSON payload received. The root must be an object.")
    if _is_too_deep(parsed):
        raise invalid_argument(
            f"Invalid JSON payload received. Message too deep. Max recursion depth reached: {MAX_DEPTH}."
        )
    if _SURROGATE_ESCAPE.search(raw) and not _is_unicode(parsed):
        raise invalid_argument("Invalid JSON payload received. Encountered non UTF-8 code points.")
    return parsed


def _refuse_constant(name: str) -> float:
    raise ValueError(name)


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(digits)
    return number


def _is_too_deep(root: object) -> bool:
    level = [root]
    for _ in range(MAX_DEPTH):
        inside: list[object] = []
        for value in level:
            if isinstance(value, dict):
                inside.extend(value.values())
            elif isinstance(value, list):
                inside.extend(value)
        if not inside:
            return False
        level = inside
    return True


def _is_unicode(parsed: object) -> bool:
    try:
        json.dumps(parsed, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


@cache
def _snake(name: str) -> str:
    return re.sub(r"[A-Z]", lambda letter: "_" + letter[0].lower(), name)
