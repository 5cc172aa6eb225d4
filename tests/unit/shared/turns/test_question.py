"""What a responder is asked."""

import pytest

from shared.clock import Deadline
from shared.conversation.amendment_records import Amendment
from shared.conversation.history import History
from shared.conversation.records import OutcomeKind, outcome_of
from shared.conversation.store import Conversation
from shared.errors import PromptAmendedError
from shared.turns.lease import open_turn
from shared.turns.question import Question
from tests.support.chats import basis_of, made_of, message


def test_a_question_is_checked_with_what_tools_have_shown(chat: Conversation) -> None:
    lease = open_turn(chat, chat.turn.read())
    assert lease is not None
    question = Question(
        conversation=chat,
        history=History(),
        asked=(message(1),),
        draft=outcome_of([message(1)], OutcomeKind.SKIPPED),
        basis=basis_of(lease, "m1"),
        deadline=Deadline.after(chat.turn.clock, 40),
        sequence=1,
    )
    chat.amendments.amend(Amendment(line_message_id="m9", timestamp_ms=1))

    question.check_amendments(made_of("m8"))
    with pytest.raises(PromptAmendedError, match="edited or withdrawn"):
        question.check_amendments(made_of("m9"))
