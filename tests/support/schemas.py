"""The validators of the project's JSON Schemas."""

import json

from jsonschema import Draft202012Validator
from referencing import Registry

from shared.agent.tools import SCHEMAS


def validator(name: str) -> Draft202012Validator:
    """Return the validator of a schema such as `records/message`; what it refers to is a file of its folder."""
    schema, folder = SCHEMAS / f"{name}.json", (SCHEMAS / name).parent
    files = {path.name: json.loads(path.read_text(encoding="utf-8")) for path in folder.glob("*.json")}
    registry = Registry().with_contents(files.items())
    return Draft202012Validator(files[schema.name], registry=registry)
