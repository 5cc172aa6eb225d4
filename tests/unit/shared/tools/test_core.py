from shared.agent.tools import TurnContext
from shared.tools.core import core_tools

CONTEXT = TurnContext(conversation_id="U" + "1" * 32)


def test_reply_and_skip_decide_and_send_nothing_themselves() -> None:
    reply, skip = core_tools()

    assert reply.is_final
    assert skip.is_final
    assert reply.run({"message": "hi"}, CONTEXT).message == "hi"  # type: ignore[union-attr]
    assert skip.run({"reason": "bye"}, CONTEXT).skip_reason == "bye"  # type: ignore[union-attr]
