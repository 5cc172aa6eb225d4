"""Arguments that say nothing cost no further request."""

import pytest

from shared.agent.model import Json
from shared.agent.tools import load_schema
from shared.agent.usual_arguments import without_empty_arguments

CREATE: Json = load_schema("create_reminder.parameters")
CHANGE: Json = load_schema("change_reminder.parameters")
GOOD: Json = {"text": "薬", "at": "2026-11-26T09:00"}


@pytest.mark.parametrize(
    "extra", [{"rule": ""}, {"rule": None}, {"digest": ""}, {"digest": None}, {"priority": "high"}, {"note": None}]
)
def test_an_empty_or_unknown_argument_is_left_out(extra: Json) -> None:
    assert without_empty_arguments(CREATE, {**GOOD, **extra}) == GOOD


@pytest.mark.parametrize("tool", ["recall", "forget_messages"])
def test_an_empty_time_is_no_time(tool: str) -> None:
    schema = load_schema(f"{tool}.parameters")

    assert without_empty_arguments(schema, {"query": "薬", "since": "", "until": ""}) == {"query": "薬"}


def test_an_empty_text_that_means_something_stays() -> None:
    arguments = {"id": "r0123456789", "rule": ""}

    assert without_empty_arguments(CHANGE, arguments) == arguments


def test_a_required_argument_stays_empty_for_the_fault() -> None:
    assert without_empty_arguments(CREATE, {"text": "", "at": None}) == {"text": "", "at": None}


def test_a_schema_that_takes_any_name_loses_none() -> None:
    assert without_empty_arguments({"properties": {}}, {"anything": 1}) == {"anything": 1}
