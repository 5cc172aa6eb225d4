"""The smallest valid arguments for a function without a rule."""

from __future__ import annotations

import math
from collections.abc import Mapping

SAMPLE_TEXT = "stand-in"
_MAX_ITEMS = 8
_CONSTANTS = {"string": SAMPLE_TEXT, "boolean": False}

Schema = Mapping[str, object]


def sample(schema: Schema) -> object:
    """Return a minimal value: required properties only, the first choice of an enum, numbers as near to zero as allowed."""
    enum = schema.get("enum")
    if isinstance(enum, list) and enum:
        return enum[0]
    match _type_of(schema):
        case "object":
            return sample_object(schema)
        case "array":
            return _array(schema)
        case "integer" | "number" as type_:
            return _number(schema, is_whole=type_ == "integer")
        case type_:
            return _CONSTANTS.get(type_)


def sample_object(schema: Schema) -> dict[str, object]:
    """Return the minimal arguments for a function with the given schema of parameters.

    For example, a required string gives `{"query": "stand-in"}`.
    """
    properties, required = schema.get("properties"), schema.get("required")
    if not isinstance(properties, Mapping) or not isinstance(required, list):
        return {}
    below = ((name, properties.get(name)) for name in required if isinstance(name, str))
    return {name: sample(value) for name, value in below if isinstance(value, Mapping)}


def _type_of(schema: Schema) -> str:
    declared = schema.get("type")
    first = declared[0] if isinstance(declared, list) and declared else declared
    if isinstance(first, str):
        return first.lower()
    return "object" if "properties" in schema else "string"


def _array(schema: Schema) -> list[object]:
    least = schema.get("minItems", schema.get("min_items", 0))
    count = int(min(least, _MAX_ITEMS)) if isinstance(least, int | float) else 0
    items = schema.get("items")
    return [sample(items) if isinstance(items, Mapping) else SAMPLE_TEXT for _ in range(count)]


def _number(schema: Schema, *, is_whole: bool) -> float:
    least, most = schema.get("minimum"), schema.get("maximum")
    number: float = 0
    if isinstance(least, int | float):
        number = max(number, least)
    if isinstance(most, int | float):
        number = min(number, most)
    return math.ceil(number) if is_whole else number
