"""The server's rules for schemas: the documented part of JSON Schema, and the OpenAPI dialect of the older fields.

Source: google-genai 3.4.0, `GenerateContentConfig.response_json_schema` for the keywords of JSON Schema. Google documents no list for
`parameters_json_schema`; the stand-in applies the same list.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from simulator.gemini.errors import invalid_argument, invalid_field

if TYPE_CHECKING:
    from simulator.gemini.request import Backend

JSON_SCHEMA_KEYWORDS = frozenset({
    "$id", "$defs", "$ref", "$anchor", "type", "format", "title", "description", "enum", "items", "prefixItems",
    "minItems", "maxItems", "minimum", "maximum", "anyOf", "oneOf", "properties", "additionalProperties", "required",
    "propertyOrdering",
})  # fmt: skip
JSON_SCHEMA_TYPES = frozenset({"string", "number", "integer", "boolean", "array", "object", "null"})
OPENAPI_KEYWORDS = frozenset({
    "type", "format", "title", "description", "nullable", "default", "example", "enum", "items", "minItems", "maxItems",
    "minimum", "maximum", "minLength", "maxLength", "pattern", "minProperties", "maxProperties", "properties",
    "propertyOrdering", "required", "anyOf", "any_of", "property_ordering", "min_items", "max_items", "min_length",
    "max_length", "min_properties", "max_properties",
})  # fmt: skip
VERTEX_KEYWORDS = frozenset({"additionalProperties", "additional_properties", "ref", "defs"})


def refuse_bad_json_schema(schema: Mapping[str, object], path: str) -> None:
    """Check every keyword, type and reference of the schema against Gemini's documentation: `{"minLength": 1}` is refused, for example.

    Raises: RefusedError, naming the keyword.
    """
    _refuse_bad_subschema(schema, path, _definitions(schema))


def refuse_bad_openapi_schema(schema: Mapping[str, object], path: str, *, backend: Backend) -> None:
    """Check every keyword against the fields of Google's Schema message, in either spelling.

    Raises: RefusedError, with protobuf's text for an unknown name.  Source: BerriAI/litellm#14330.
    """
    allowed_keywords = OPENAPI_KEYWORDS | VERTEX_KEYWORDS if backend == "vertex" else OPENAPI_KEYWORDS
    for keyword in schema:
        if keyword not in allowed_keywords:
            raise invalid_field(
                path, f"Invalid JSON payload received. Unknown name \"{keyword}\" at '{path}': Cannot find field."
            )
    declared = schema.get("type", "OBJECT")
    if not isinstance(declared, str) or declared.lower() not in JSON_SCHEMA_TYPES:
        raise invalid_field(f"{path}.type", f"Invalid value at '{path}.type' (google.ai.Type), {declared!r}")
    for subpath, below in _subschemas(schema, path, maps=("properties",), single=("items",), lists=("anyOf", "any_of")):
        refuse_bad_openapi_schema(below, subpath, backend=backend)


def _refuse_bad_subschema(schema: Mapping[str, object], path: str, definitions: frozenset[str]) -> None:
    unknown = sorted(schema.keys() - JSON_SCHEMA_KEYWORDS)
    if unknown:
        raise invalid_argument(f"* {path}: JSON Schema keyword '{unknown[0]}' is not supported.")
    reference = schema.get("$ref")
    if reference is not None:
        if any(not keyword.startswith("$") for keyword in schema):
            raise invalid_argument(
                f"* {path}: a schema with $ref may set no other property, except those starting with $."
            )
        if reference not in definitions:
            raise invalid_argument(f"* {path}: $ref {reference!r} does not resolve.")
    declared = schema.get("type", "object")
    types = declared if isinstance(declared, list) else [declared]
    if not types or not all(isinstance(name, str) and name.lower() in JSON_SCHEMA_TYPES for name in types):
        raise invalid_argument(f"* {path}.type: {declared!r} is no type.")
    choices = schema.get("enum", [])
    if not isinstance(choices, list) or not all(
        isinstance(choice, str | int | float) and not isinstance(choice, bool) for choice in choices
    ):
        raise invalid_argument(f"* {path}.enum: only strings and numbers are supported.")
    parts = _subschemas(
        schema,
        path,
        maps=("properties", "$defs"),
        single=("items", "additionalProperties"),
        lists=("prefixItems", "anyOf", "oneOf"),
    )
    for subpath, below in parts:
        _refuse_bad_subschema(below, subpath, definitions)


def _subschemas(
    schema: Mapping[str, object], path: str, *, maps: tuple[str, ...], single: tuple[str, ...], lists: tuple[str, ...]
) -> list[tuple[str, Mapping[str, object]]]:
    """Return the schemas directly inside `schema`, each with a path, such as `("root.properties[city]", {"type": "string"})`."""
    subschemas: list[tuple[str, object]] = []
    for keyword in maps:
        inside = schema.get(keyword, {})
        if not isinstance(inside, Mapping):
            raise invalid_argument(f"* {path}.{keyword}: an object is expected.")
        subschemas.extend((f"{path}.{keyword}[{name}]", value) for name, value in inside.items())
    for keyword in single:
        inside = schema.get(keyword, True)
        if not isinstance(inside, bool):
            subschemas.append((f"{path}.{keyword}", inside))
    for keyword in lists:
        inside = schema.get(keyword, [])
        if not isinstance(inside, list):
            raise invalid_argument(f"* {path}.{keyword}: a list is expected.")
        subschemas.extend((f"{path}.{keyword}[{index}]", value) for index, value in enumerate(inside))
    for subpath, value in subschemas:
        if not isinstance(value, Mapping):
            raise invalid_argument(f"* {subpath}: a schema is expected.")
    return [(subpath, value) for subpath, value in subschemas if isinstance(value, Mapping)]


def _definitions(schema: Mapping[str, object]) -> frozenset[str]:
    definitions = schema.get("$defs")
    names = definitions.keys() if isinstance(definitions, Mapping) else ()
    return frozenset({"#", *(f"#/$defs/{name}" for name in names)})
