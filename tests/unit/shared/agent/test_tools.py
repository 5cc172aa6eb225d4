"""What the model is told of a tool."""

import pytest

from shared.agent.model import Json
from shared.agent.tools import Tool

ANY: Json = {"type": "object", "properties": {"a": {"type": "string"}}}
LESS: Json = {"type": "object"}


@pytest.mark.parametrize(
    ("found", "description"), [(None, "Looks up."), ("", "Looks up."), ("There are: a.", "Looks up. There are: a.")]
)
def test_what_is_known_at_run_time_ends_the_description(found: str | None, description: str) -> None:
    find = None if found is None else lambda: found
    tool = Tool(
        name="look_up",
        description="Looks up.",
        parameters=ANY,
        response=ANY,
        run=lambda _, __: {},
        description_end=find,
    )

    assert tool.declaration.description == description
    assert tool.declaration.parameters == ANY


def test_the_model_is_told_of_the_declared_parameters_only() -> None:
    tool = Tool(name="look_up", description="", parameters=ANY, response=ANY, run=lambda _, __: {}, declared=LESS)

    assert tool.declaration.parameters == LESS
