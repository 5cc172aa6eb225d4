import pytest

from shared.agent.outcomes import having_read
from shared.agent.turn_context import TurnContext
from shared.conversation.store import Conversation
from tests.support.chats import answer, made_of, made_with


@pytest.mark.parametrize(
    ("shown_since_ms", "told_since_ms", "reaches_back_to"), [((9, 4), (2, 6), (2, 4)), ((2, 6), (9, 4), (2, 4))]
)
def test_an_answer_reaches_back_to_the_oldest_of_its_prompt_and_of_what_was_looked_up(
    chat: Conversation,
    shown_since_ms: tuple[int, int],
    told_since_ms: tuple[int, int],
    reaches_back_to: tuple[int, int],
) -> None:
    context = TurnContext(conversation=chat, prompt=made_of("m8"))
    context.recalled.retell(made_of("m2", since_ms=told_since_ms[0], entries_since_ms=told_since_ms[1]))
    shown = made_with(answer(9), since_ms=shown_since_ms[0], entries_since_ms=shown_since_ms[1])

    outcome = having_read(shown, context)

    assert outcome.provenance.ids == {"m2", "m8", "m9"}
    assert (outcome.provenance.since_ms, outcome.provenance.entries_since_ms) == reaches_back_to
