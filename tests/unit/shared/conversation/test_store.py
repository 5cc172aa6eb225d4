import datetime as dt

import pytest

from shared.adapters.memory import FixedClock, MemoryObjectStore
from shared.conversation.spending import Ledger
from shared.conversation.store import Conversations
from shared.conversation.turn import TurnRecord
from tests.support.inline import InlineExecutor


@pytest.mark.parametrize(("kind", "expected"), [("U", True), ("C", False), ("R", False)])
def test_a_chat_of_one_person_is_one_on_one(conversations: Conversations, kind: str, *, expected: bool) -> None:
    assert conversations.of(kind + "1" * 32).is_one_on_one is expected


def test_every_write_of_a_turn_has_a_writer_of_its_own() -> None:
    conversations = Conversations.on(MemoryObjectStore(), reads=InlineExecutor(), clock=FixedClock(), lease_s=25.0)
    turn = conversations.of("U" + "1" * 32).turn
    writers = []
    for _ in range(2):
        written = turn.swap(turn.read(), TurnRecord())
        assert written is not None
        writers.append(written.record.writer)

    assert all(writers)
    assert len(set(writers)) == 2


def test_chats_charge_the_ledger_that_they_are_given() -> None:
    ledger = Ledger(time_zone=dt.UTC)
    store, clock = MemoryObjectStore(), FixedClock()

    given = Conversations.on(store, reads=InlineExecutor(), clock=clock, lease_s=25.0, ledger=ledger)
    own = Conversations.on(store, reads=InlineExecutor(), clock=clock, lease_s=25.0)

    assert given.of("U" + "1" * 32).turn.ledger is ledger
    assert own.of("U" + "1" * 32).turn.ledger is own.ledger
    assert isinstance(own.ledger, Ledger)
