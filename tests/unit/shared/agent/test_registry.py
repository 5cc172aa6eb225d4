from dataclasses import replace

import pytest

from shared.agent.registry import Registry
from shared.agent.tools import load_schema
from shared.agent.turn_context import TurnContext
from shared.conversation.store import Conversation
from shared.tools.core import core_tools

REPLY, SKIP = core_tools()


def test_tools_are_declared_in_a_stable_order(chat: Conversation) -> None:
    registry = Registry(core_tools())

    assert [one.name for one in registry.declarations(TurnContext(conversation=chat))] == ["reply", "skip"]
    assert registry.final_names == ("reply", "skip")
    assert registry.find("reply", TurnContext(conversation=chat)) == REPLY
    assert registry.find("nothing", TurnContext(conversation=chat)) is None


@pytest.mark.parametrize("name", ["", "1st", "with space", "a" * 65, "日本"])
def test_a_name_that_the_model_cannot_call_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="is no name for a function"):
        Registry([replace(REPLY, name=name)])


def test_two_tools_of_one_name_are_refused() -> None:
    with pytest.raises(ValueError, match="two tools are called reply"):
        Registry([REPLY, REPLY])


def test_a_tool_without_parameters_is_refused() -> None:
    with pytest.raises(ValueError, match="skip has no parameter"):
        Registry([REPLY, replace(SKIP, parameters={"type": "object", "properties": {}})])


def test_tools_without_one_that_ends_a_turn_are_refused() -> None:
    with pytest.raises(ValueError, match="no tool ends a turn"):
        Registry([replace(REPLY, is_final=False)])


def test_the_schemas_of_reply_are_as_specified() -> None:
    parameters, response = load_schema("reply.parameters"), load_schema("reply.response")

    assert parameters["required"] == ["message"]
    assert parameters["additionalProperties"] is False
    assert isinstance(parameters["properties"], dict)
    assert {"minLength": 1, "maxLength": 5000}.items() <= parameters["properties"]["message"].items()
    assert response["properties"] == {
        "status": {"type": "string", "enum": ["sent"], "description": "The status of the reply"}
    }
