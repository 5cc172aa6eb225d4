"""The smallest value that a schema accepts, for either dialect: JSON Schema or Google's OpenAPI subset."""

from __future__ import annotations

import math
from collections.abc import Mapping

SAMPLE_TEXT = "stand-in"
_MAX_ITEMS = 8
_TEXTS_BY_FORMAT = {
    "date": "2026-11-21",
    "date-time": "2026-11-21T22:46:00Z",
    "time": "22:46:00Z",
    "email": "somebody@example.com",
    "uri": "https://example.com/",
    "uuid": "00000000-0000-4000-8000-000000000000",
}

Schema = Mapping[str, object]


def sample(schema: Schema) -> object:
    """A minimal value: required properties only, the first choice of an enum, numbers as near to zero as allowed."""
    return _sample(schema, schema, frozenset())


def sample_object(schema: Schema) -> dict[str, object]:
    """The same where an object is wanted, as for a function's arguments."""
    value = sample(schema)
    return value if isinstance(value, dict) else {}


def _sample(schema: Schema, root: Schema, entered: frozenset[str]) -> object:
    """`entered` are the references that lead here: a cycle through required properties ends in None."""
    reference = schema.get("$ref")
    if isinstance(reference, str):
        return None if reference in entered else _sample(_target(reference, root), root, entered | {reference})
    for keyword in ("anyOf", "oneOf", "any_of"):
        choices = schema.get(keyword)
        if isinstance(choices, list) and choices and isinstance(choices[0], Mapping):
            return _sample(choices[0], root, entered)
    enum = schema.get("enum")
    return enum[0] if isinstance(enum, list) and enum else _of_type(schema, root, entered)


def _target(reference: str, root: Schema) -> Schema:
    definitions = root.get("$defs")
    target = definitions.get(reference.removeprefix("#/$defs/")) if isinstance(definitions, Mapping) else None
    return target if isinstance(target, Mapping) else root


def _of_type(schema: Schema, root: Schema, entered: frozenset[str]) -> object:
    value: object = None
    match _type_of(schema):
        case "object":
            value = _object(schema, root, entered)
        case "array":
            value = _array(schema, root, entered)
        case "string":
            value = _text(schema)
        case "integer":
            value = math.ceil(_number(schema))
        case "number":
            value = _number(schema)
        case "boolean":
            value = False
        case _:
            pass
    return value


def _type_of(schema: Schema) -> str:
    declared = schema.get("type")
    first = declared[0] if isinstance(declared, list) and declared else declared
    if isinstance(first, str):
        return first.lower()
    return "object" if "properties" in schema else "string"


def _object(schema: Schema, root: Schema, entered: frozenset[str]) -> dict[str, object]:
    properties, required = schema.get("properties"), schema.get("required")
    if not isinstance(properties, Mapping) or not isinstance(required, list):
        return {}
    known = ((name, properties.get(name)) for name in required if isinstance(name, str))
    return {name: _sample(below, root, entered) for name, below in known if isinstance(below, Mapping)}


def _array(schema: Schema, root: Schema, entered: frozenset[str]) -> list[object]:
    least = schema.get("minItems", schema.get("min_items", 0))
    count = int(min(least, _MAX_ITEMS)) if isinstance(least, int | float) else 0
    items = schema.get("items")
    return [_sample(items, root, entered) if isinstance(items, Mapping) else SAMPLE_TEXT for _ in range(count)]


def _text(schema: Schema) -> str:
    named = schema.get("format")
    text = _TEXTS_BY_FORMAT.get(named, SAMPLE_TEXT) if isinstance(named, str) else SAMPLE_TEXT
    longest = schema.get("maxLength", schema.get("max_length"))
    return text[:longest] if isinstance(longest, int) else text


def _number(schema: Schema) -> float:
    least, most = schema.get("minimum"), schema.get("maximum")
    number: float = 0
    if isinstance(least, int | float):
        number = max(number, least)
    if isinstance(most, int | float):
        number = min(number, most)
    return number
