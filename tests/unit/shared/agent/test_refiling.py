from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from shared.adapters.memory import FixedClock, MemoryObjectStore
from shared.agent.refiling import PostponedNotices
from shared.conversation.history import History
from shared.conversation.records import Offer, OfferedTranslation, OutcomeKind, ProposedCall
from shared.line.bubbles import longest_answer
from shared.line.messaging import MESSAGES_A_CALL
from shared.turns.lease import open_turn
from tests.support.chats import answer, conversations_on

CHANGE = ProposedCall(tool="delete_entry", arguments="{}", name="lunch")
NOTICE = replace(answer(1, "the notice"), kind=OutcomeKind.UNDELIVERED, offer=Offer(is_postponed=True))


@pytest.mark.parametrize(
    ("offer", "questions"),
    [
        (Offer(), 1),  # of the notice's own words, which a button may file
        (Offer(proposes=(CHANGE,)), 1),
        (Offer(proposes=(CHANGE,), translation=OfferedTranslation()), 2),
        (Offer(proposes=(CHANGE,), forgets=("m1",)), 2),
    ],
)
@pytest.mark.parametrize("left", [0, -1])
def test_a_notice_is_told_where_the_answer_has_room_for_all_of_it(offer: Offer, questions: int, left: int) -> None:
    room = longest_answer(at_most=MESSAGES_A_CALL - questions)
    told = replace(answer(2, "あ" * (room - len("\n\nthe notice") - left)), offer=offer)
    with ThreadPoolExecutor(4) as threads:
        chat = conversations_on(MemoryObjectStore(), threads, FixedClock()).of("C" + "1" * 32)
        lease = open_turn(chat, chat.turn.read())
        assert lease is not None

        added = PostponedNotices(locale="en").begin(lease)(told, History(outcomes=(NOTICE,)))

    assert (added.answers == (NOTICE.id,)) is (left == 0)
