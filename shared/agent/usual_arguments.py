"""Arguments as models usually write them: what says nothing is left out before validation, so that it costs no further request."""

from collections.abc import Mapping
from typing import Final

from shared.agent.model import Json

_NO_SCHEMA: Final[Json] = {}


def without_empty_arguments(schema: Json, arguments: Json) -> Json:
    """Return the arguments without unknown names, and without optional arguments that are null, or "" where the schema takes no "".

    For example, `{"text": "薬", "rule": "", "priority": "high"}` becomes `{"text": "薬"}` for a schema with `text` and an optional `rule`.
    """
    properties, required = _mapping(schema.get("properties")), schema.get("required", ())
    named_arguments = {
        name: value
        for name, value in arguments.items()
        if name in properties or schema.get("additionalProperties", True)
    }
    names = frozenset(required) if isinstance(required, list | tuple) else frozenset()
    return {
        name: value
        for name, value in named_arguments.items()
        if name in names or not _is_empty(value, _mapping(properties.get(name)))
    }


def _is_empty(value: object, schema: Json) -> bool:
    """Whether the value stands for an absent argument."""
    if value is None:
        types = schema.get("type", "null")
        return types != "null" and not (isinstance(types, list | tuple) and "null" in types)
    if value != "":
        return False
    least = schema.get("minLength", 0)
    return "enum" in schema or (isinstance(least, int) and least > 0)


def _mapping(value: object) -> Json:
    return value if isinstance(value, Mapping) else _NO_SCHEMA
