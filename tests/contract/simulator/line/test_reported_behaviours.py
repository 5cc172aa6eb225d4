"""The answers that LINE was reported or is documented to give; `docs/line-simulator/behaviours.md` is the same as a table."""

import json
from pathlib import Path
from typing import Any, Final

import pytest

from simulator.functions import REPOSITORY
from simulator.line.harness import LineHarness
from tests.contract.simulator.line.reported_behaviours import BEHAVIOURS, Behaviour

TABLE: Final = REPOSITORY / "docs" / "line-simulator" / "behaviours.md"


def table() -> str:
    rows = [
        f"| {behaviour.what} | `{behaviour.request}` | {behaviour.status} | {shown(behaviour)} | {link(behaviour.source)} |"
        for behaviour in BEHAVIOURS
    ]
    head = "What LINE was reported or is documented to answer, and this simulator answers. Each row is a test."
    names = "| what | request | status | answer | source |\n|---|---|---|---|---|"
    return "\n".join([f"# {len(BEHAVIOURS)} answers of LINE", "", head, "", names, *rows]) + "\n"


def shown(behaviour: Behaviour) -> str:
    parts = [
        behaviour.message or "",
        *(f"{message} at `{path}`" if path else message for message, path in behaviour.details or ()),
    ]
    return "; ".join(part for part in parts if part)


def link(source: str) -> str:
    return f"[{source.removeprefix('developers.line.biz/en/').removeprefix('github.com/')}](https://{source})"


def test_the_table_is_that_of_the_tests() -> None:
    assert TABLE.read_text(encoding="utf-8") == table(), (
        "python -m tests.contract.simulator.line.test_reported_behaviours"
    )


def test_no_two_rows_tell_the_same() -> None:
    asked = [
        json.dumps(
            [
                behaviour.request,
                behaviour.body,
                behaviour.content,
                behaviour.headers,
                behaviour.status,
                shown(behaviour),
            ],
            sort_keys=True,
        )
        for behaviour in BEHAVIOURS
    ]

    assert [behaviour.what for behaviour, key in zip(BEHAVIOURS, asked, strict=True) if asked.count(key) > 1] == []
    assert len({behaviour.what for behaviour in BEHAVIOURS}) == len(BEHAVIOURS)


@pytest.mark.parametrize("behaviour", BEHAVIOURS, ids=lambda behaviour: behaviour.what)
def test_the_simulator_answers_as_line_does(line: LineHarness, behaviour: Behaviour) -> None:
    group = line.platform.create_group("Lunch", (line.user_id,))
    line.do(lambda: line.platform.join(group.chat_id))

    def filled(value: str) -> str:
        return value.replace("{user}", line.user_id).replace("{group}", group.chat_id)

    method, path = filled(behaviour.request).split(" ")
    request: dict[str, Any] = {"headers": behaviour.headers}
    if behaviour.content is not None:
        request |= {
            "content": behaviour.content,
            "headers": {"Content-Type": "application/json"} | behaviour.headers,
        }
    elif behaviour.body is not None:
        request["json"] = json.loads(filled(json.dumps(behaviour.body)))
    answer = line.call(method, path, **request)

    assert answer.status_code == behaviour.status, answer.text
    if behaviour.message is not None:
        assert answer.json()["message"] == behaviour.message
    if behaviour.details is not None:
        told = [(detail["message"], detail.get("property", "")) for detail in answer.json()["details"]]
        assert told == behaviour.details


if __name__ == "__main__":
    Path(TABLE).write_text(table(), encoding="utf-8")
