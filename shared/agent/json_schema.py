"""Values checked against JSON Schemas; the library is imported when the first one is, because it adds 40 ms to a cold start."""

from typing import TYPE_CHECKING

from shared.agent.model import Json

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator


def validator_of(schema: Json) -> "Draft202012Validator":
    """Return a validator for the schema, which is not validated itself."""
    from jsonschema import Draft202012Validator  # noqa: PLC0415 - see above

    return Draft202012Validator(schema)
