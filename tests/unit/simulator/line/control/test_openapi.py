import json

from simulator.line.control.catalog import ACTIONS
from simulator.line.control.openapi import FILE, document
from simulator.line.harness import LineHarness
from tests.unit.simulator.line.page.requests import ask


def test_the_file_is_what_the_actions_say() -> None:
    assert json.loads(FILE.read_text(encoding="utf-8")) == document(), (
        "write it anew: python -m simulator.line.control.openapi"
    )


def test_the_server_serves_the_document(line: LineHarness) -> None:
    assert ask(line, "GET", "/simulator/openapi.json").json() == document()


def test_every_action_has_a_summary_and_its_fields() -> None:
    for name, action in ACTIONS.items():
        posted = document()["paths"][f"/simulator/{name}"]["post"]
        schema = posted["requestBody"]["content"]["application/json"]["schema"]
        assert posted["summary"].endswith(".")
        assert schema["properties"].keys() == action.fields.keys()
        required = [
            name for name in action.required if "user_id" not in action.required or name not in {"user_id", "chat_id"}
        ]
        assert schema.get("required", []) == required


def test_every_described_path_exists(line: LineHarness) -> None:
    for path, methods in document()["paths"].items():
        for method in methods:
            assert ask(line, method.upper(), path, json={}).status_code != 404
