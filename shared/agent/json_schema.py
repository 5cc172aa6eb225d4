"""Validation against JSON Schemas; the library is imported at the first validation, because the import adds 40 ms to a cold start."""

from typing import TYPE_CHECKING

from shared.agent.model import Json

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator


def validator_of(schema: Json) -> "Draft202012Validator":
    """Return a validator for the schema; the schema itself is not validated."""
    from jsonschema import Draft202012Validator  # noqa: PLC0415 - see above

    return Draft202012Validator(schema)
