"""The fields of the control API's bodies: JSON Schemas for the check of a body and for the OpenAPI file."""

from collections.abc import Mapping
from typing import Any, Final

from ..messages import JsonObject
from ..problems import is_number

USER_ID: Final[JsonObject] = {
    "type": "string",
    "description": "Id of a person, `U` and 32 hex digits.",
    "maxLength": 64,
}
CHAT_ID: Final[JsonObject] = {
    "type": "string",
    "description": "Id of a chat: the person's id for a 1:1 chat, else `C` or `R` and 32 hex digits.",
    "maxLength": 64,
}
MESSAGE_ID: Final[JsonObject] = {"type": "string", "description": "Id of a message.", "maxLength": 64}
TEXT: Final[JsonObject] = {"type": "string", "maxLength": 10_000}
NAME: Final[JsonObject] = {"type": "string", "minLength": 1, "maxLength": 100}
FLAG: Final[JsonObject] = {"type": "boolean"}
OBJECT: Final[JsonObject] = {"type": "object"}
BYTES: Final[JsonObject] = {"type": "string", "description": "Base64.", "maxLength": 14_000_000}

_TYPES: Final = {"string": str, "boolean": bool, "object": dict, "array": list}


class MalformedBodyError(ValueError):
    """The body has an unknown field, lacks a field, or has a field of another type or size; the message names the field."""


def string(description: str = "", *, least: int = 0, most: int = 2_000) -> JsonObject:
    """A string of so many characters."""
    return {"type": "string", "description": description, "minLength": least, "maxLength": most}


def choice(*values: str) -> JsonObject:
    """One of the values: `choice("user", "all")`."""
    return {"type": "string", "enum": list(values)}


def number(description: str = "", *, least: float, most: float) -> JsonObject:
    """A number within bounds."""
    return {"type": "number", "description": description, "minimum": least, "maximum": most}


def whole(description: str = "", *, least: int, most: int) -> JsonObject:
    """A whole number within bounds."""
    return {"type": "integer", "description": description, "minimum": least, "maximum": most}


def list_of(item: JsonObject, *, least: int = 0, most: int = 500) -> JsonObject:
    """A list."""
    return {"type": "array", "items": item, "minItems": least, "maxItems": most}


def nullable(schema: JsonObject) -> JsonObject:
    """The same, or null."""
    return {**schema, "nullable": True}


def record(**properties: JsonObject) -> JsonObject:
    """An object with exactly the given properties, all required."""
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def check_body(body: Any, properties: Mapping[str, JsonObject], required: tuple[str, ...]) -> JsonObject:  # noqa: ANN401 - any JSON
    """Return a valid body.  Raises: MalformedBodyError."""
    if not isinstance(body, dict):
        raise MalformedBodyError("the body has to be an object")
    _check_object(body, properties, required, "")
    return body


def _check_object(body: JsonObject, properties: Mapping[str, JsonObject], required: tuple[str, ...], path: str) -> None:
    for name in required:
        if name not in body:
            raise MalformedBodyError(f"{path}{name} is missing")
    for name, value in body.items():
        if name not in properties:
            raise MalformedBodyError(f"there is no field {f'{path}{name}'[:80]!r}")
        _check(value, properties[name], f"{path}{name}")


def _check(value: Any, schema: JsonObject, path: str) -> None:  # noqa: ANN401 - any JSON
    if value is None and schema.get("nullable"):
        return
    kind = schema["type"]
    if kind in {"number", "integer"}:
        _check_number(value, schema, path)
    elif not isinstance(value, _TYPES[kind]):
        raise MalformedBodyError(f"{path} has to be of type {kind}")
    if kind == "string":
        _check_size(len(value), schema.get("minLength", 0), schema.get("maxLength", len(value)), path)
        if "enum" in schema and value not in schema["enum"]:
            raise MalformedBodyError(f"{path} has to be one of {', '.join(schema['enum'])}")
    elif kind == "array":
        _check_size(len(value), schema["minItems"], schema["maxItems"], path)
        for index, item in enumerate(value):
            _check(item, schema["items"], f"{path}[{index}]")
    elif kind == "object" and "properties" in schema:
        _check_object(value, schema["properties"], tuple(schema["required"]), f"{path}.")


def _check_number(value: Any, schema: JsonObject, path: str) -> None:  # noqa: ANN401 - any JSON
    is_right = is_number(value) and (schema["type"] == "number" or isinstance(value, int))
    if not is_right or not schema["minimum"] <= value <= schema["maximum"]:
        raise MalformedBodyError(
            f"{path} has to be of type {schema['type']}, from {schema['minimum']} to {schema['maximum']}"
        )


def _check_size(size: int, least: int, most: int, path: str) -> None:
    if not least <= size <= most:
        raise MalformedBodyError(f"{path} has to have a size from {least} to {most}")
