"""The validators of the project's JSON Schemas."""

import json

from jsonschema import Draft202012Validator

from shared.agent.tools import SCHEMAS


def validator(name: str) -> Draft202012Validator:
    """Return the validator of a schema such as `records/message`."""
    return Draft202012Validator(json.loads((SCHEMAS / f"{name}.json").read_text(encoding="utf-8")))
