"""Every schema file is a JSON Schema: the functions take them as they are, because checking them costs a cold start."""

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from shared.agent.tools import SCHEMAS


@pytest.mark.parametrize("path", sorted(SCHEMAS.rglob("*.json")), ids=lambda path: path.relative_to(SCHEMAS).as_posix())
def test_a_schema_file_is_a_json_schema(path: Path) -> None:
    Draft202012Validator.check_schema(json.loads(path.read_text(encoding="utf-8")))
