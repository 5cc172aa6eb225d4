"""Reduces the input schema of a server's tool to what Gemini takes and to what this system can validate safely.

A server's schema may hold patterns that never end, references to the network, or instructions. So keywords are taken one by one, names are
plain, descriptions are short, and what a reduced schema cannot say makes a parameter, or the whole tool, unusable.
Source: google-genai 3.4.0, types.py, the documented keywords of `response_json_schema`; there is no published list for parameters.
"""

import json
import re
from collections.abc import Mapping
from typing import Final

from shared.agent.model import Json
from shared.line.graphemes import short_line
from shared.tools.mcp.port import SCHEMA_LIMIT

NOTHING: Final = "nothing"
"""The parameter of a tool that has none: calling mode ANY refuses a function without parameters (python-genai #981)."""
MOST_PARAMETERS: Final = 24
_MOST_DEPTH: Final = 5
_MOST_PARTS: Final = 400
"""Parts of one reduced schema: definitions that name each other would otherwise grow with every level."""
_MOST_CHOICES: Final = 40
_LONGEST_CHOICE: Final = 100
_DESCRIPTION_GRAPHEMES: Final = 160
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")
_TYPES: Final = frozenset({"string", "number", "integer", "boolean", "array", "object"})
_BOUNDS: Final = ("minimum", "maximum", "minItems", "maxItems")
_LARGEST_BOUND: Final = 10**15


class UnusableSchemaError(ValueError):
    """A schema cannot be reduced; the text names the reason, for example "a parameter has no type"."""


def reduced_parameters(schema: Json) -> Json:
    """Return the parameters to declare and to validate.  Raises: UnusableSchemaError.

    For example, of `{"type": "object", "properties": {"city": {"type": "string", "pattern": "^(a+)+$"}}}` the pattern is left out. A tool
    without parameters gets one, NOTHING.
    """
    try:
        is_long = len(json.dumps(schema)) > SCHEMA_LIMIT
    except (ValueError, RecursionError) as cause:
        raise UnusableSchemaError("the schema is no plain JSON") from cause
    if is_long:
        raise UnusableSchemaError("the schema is too long")
    definitions = {**_mapping(schema.get("definitions")), **_mapping(schema.get("$defs"))}
    parameters = _Reduction(definitions=definitions).object_of(schema, depth=0)
    if not parameters["properties"]:
        return {"type": "object", "properties": {NOTHING: {"type": "string", "description": "Leave it out."}}}
    return parameters


class _Reduction:
    def __init__(self, *, definitions: Mapping[str, object]) -> None:
        self._definitions = definitions
        self._parts = 0

    def object_of(self, schema: Mapping[str, object], *, depth: int) -> dict[str, object]:
        """Return an object's schema with its usable properties.  Raises: UnusableSchemaError, if a required property is unusable."""
        required = [name for name in _list(schema.get("required")) if isinstance(name, str)]
        properties: dict[str, object] = {}
        for name, declared in _mapping(schema.get("properties")).items():
            if not _NAME.fullmatch(name) or len(properties) >= MOST_PARAMETERS:
                continue
            try:
                properties[name] = self._schema_of(declared, depth=depth + 1)
            except UnusableSchemaError:
                if name in required:
                    raise
        if not set(required) <= properties.keys():
            raise UnusableSchemaError("a required parameter has no plain name, is not declared, or is one of too many")
        reduced: dict[str, object] = {"type": "object", "properties": properties}
        if required:
            reduced["required"] = required
        return reduced

    def _schema_of(self, declared: object, *, depth: int) -> dict[str, object]:
        self._parts += 1
        if depth > _MOST_DEPTH or self._parts > _MOST_PARTS:
            raise UnusableSchemaError("the schema nests too deep, or repeats itself")
        schema = self._resolved(declared, depth=depth)
        choices = _list(schema.get("anyOf")) or _list(schema.get("oneOf"))
        if choices:
            return self._with_description(schema, self._any_of(choices, depth=depth))
        kind = _type_of(schema)
        if kind == "object":
            reduced = self.object_of(schema, depth=depth)
        elif kind == "array":
            reduced = {"type": "array", "items": self._schema_of(schema.get("items"), depth=depth + 1)}
        else:
            reduced = {"type": kind, **_enum_of(schema, kind)}
        reduced |= {bound: schema[bound] for bound in _BOUNDS if _is_bound(schema.get(bound))}
        return self._with_description(schema, reduced)

    def _any_of(self, choices: list[object], *, depth: int) -> dict[str, object]:
        """Return the choice, if null is the only other one; else a schema with all choices."""
        usable = [choice for choice in choices if not (isinstance(choice, Mapping) and choice.get("type") == "null")]
        if not usable or len(usable) > _MOST_CHOICES:
            raise UnusableSchemaError("a parameter has no usable choice, or too many")
        reduced = [self._schema_of(choice, depth=depth + 1) for choice in usable]
        return reduced[0] if len(reduced) == 1 else {"anyOf": reduced}

    def _resolved(self, declared: object, *, depth: int) -> Mapping[str, object]:
        """Return the schema with a reference into its own definitions replaced; no other reference is followed."""
        schema = _mapping(declared)
        for _ in range(_MOST_DEPTH - depth + 1):
            reference = schema.get("$ref")
            parts = _list(schema.get("allOf"))
            if isinstance(reference, str):
                schema = _mapping(self._definitions.get(reference.rpartition("/")[2])) if reference[:1] == "#" else {}
            elif len(parts) == 1:
                schema = {**_mapping(parts[0]), **{key: value for key, value in schema.items() if key != "allOf"}}
            else:
                return schema
        raise UnusableSchemaError("a reference leads nowhere")

    @staticmethod
    def _with_description(schema: Mapping[str, object], reduced: dict[str, object]) -> dict[str, object]:
        description = schema.get("description")
        if isinstance(description, str) and description.strip():
            reduced = {**reduced, "description": short_line(description, limit=_DESCRIPTION_GRAPHEMES)}
        return reduced


def _type_of(schema: Mapping[str, object]) -> str:
    """Return the type; of several types, such as `["string", "null"]`, the only one that is not null."""
    declared = schema.get("type")
    kinds = [kind for kind in (declared if isinstance(declared, list) else [declared]) if kind != "null"]
    if declared is None and (schema.get("enum") or "const" in schema):
        kinds = ["string"]
    if len(kinds) != 1 or not isinstance(kinds[0], str) or kinds[0] not in _TYPES:
        raise UnusableSchemaError("a parameter has no type")
    return kinds[0]


def _enum_of(schema: Mapping[str, object], kind: str) -> dict[str, object]:
    """Return the allowed values of a text, as `{"enum": [...]}`; nothing without them.  Raises: UnusableSchemaError."""
    values = [schema["const"]] if "const" in schema else _list(schema.get("enum"))
    if kind != "string" or not values:
        return {}
    texts = [value for value in values if isinstance(value, str) and 0 < len(value) <= _LONGEST_CHOICE]
    if not texts or len(texts) > _MOST_CHOICES:
        raise UnusableSchemaError("a parameter has no usable choice, or too many")
    return {"enum": texts}


def _is_bound(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= _LARGEST_BOUND


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, Mapping) else {}


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []
