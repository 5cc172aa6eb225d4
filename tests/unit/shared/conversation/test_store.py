import pytest

from shared.conversation.store import Conversations


@pytest.mark.parametrize(("kind", "expected"), [("U", True), ("C", False), ("R", False)])
def test_a_chat_of_one_person_is_one_on_one(conversations: Conversations, kind: str, *, expected: bool) -> None:
    assert conversations.of(kind + "1" * 32).is_one_on_one is expected
