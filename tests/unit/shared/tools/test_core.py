from shared.agent.turn_context import TurnContext
from shared.tools.core import core_tools
from tests.support.knowledge import conversation_on

CONTEXT = TurnContext(conversation=conversation_on())


def test_reply_and_skip_return_decisions() -> None:
    reply, skip = core_tools()

    assert reply.is_final
    assert skip.is_final
    assert reply.run({"message": "hi"}, CONTEXT).message == "hi"  # type: ignore[union-attr]
    assert skip.run({"reason": "bye"}, CONTEXT).skip_reason == "bye"  # type: ignore[union-attr]


def test_a_lone_surrogate_in_a_reply_is_replaced() -> None:
    reply, _ = core_tools()

    assert reply.run({"message": "a\ud83d"}, CONTEXT).message == "a\N{REPLACEMENT CHARACTER}"  # type: ignore[union-attr]
