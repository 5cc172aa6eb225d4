from shared.agent.tools import TurnContext
from shared.tools.core import core_tools

CONTEXT = TurnContext(conversation_id="U" + "1" * 32)


def test_reply_and_skip_decide_and_send_nothing_themselves() -> None:
    reply, skip = core_tools()

    assert reply.is_final
    assert skip.is_final
    assert reply.run({"message": "hi"}, CONTEXT).message == "hi"  # type: ignore[union-attr]
    assert skip.run({"reason": "bye"}, CONTEXT).skip_reason == "bye"  # type: ignore[union-attr]


def test_half_a_character_of_the_model_becomes_one_that_every_wire_takes() -> None:
    reply, _ = core_tools()

    assert reply.run({"message": "a\ud83d"}, CONTEXT).message == "a\N{REPLACEMENT CHARACTER}"  # type: ignore[union-attr]
