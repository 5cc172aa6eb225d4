import pytest

from shared.adapters.memory import MemoryObjectStore
from shared.conversation.records import Amendment, MessageRecord
from shared.conversation.store import Memory
from shared.errors import UnusableIdError
from shared.storage.codec import decode
from shared.storage.object_names import message_name, outcome_name
from tests.support.chats import answer, everything_in, message

CHAT = "U" + "1" * 32


def kept(store: MemoryObjectStore, number: int) -> MessageRecord:
    stored = store.read(message_name(CHAT, f"m{number}"))
    assert stored is not None
    return decode(MessageRecord, stored.data)


def test_recording_twice_changes_nothing(memory: Memory, store: MemoryObjectStore) -> None:
    memory.journal.record(CHAT, message(1, "first"))
    before = store.list("")

    assert memory.journal.record(CHAT, message(1, "second"))
    assert store.list("") == before


def test_a_message_that_was_taken_back_before_it_came_does_not_stand(memory: Memory, store: MemoryObjectStore) -> None:
    memory.amendments.amend(CHAT, Amendment(line_message_id="m1", timestamp_ms=9))

    assert not memory.journal.record(CHAT, message(1, "my pin is 4711"))
    assert "4711" not in everything_in(store)


def test_a_message_that_was_erased_before_it_came_does_not_stand(memory: Memory, store: MemoryObjectStore) -> None:
    memory.amendments.erase(CHAT, 1)

    assert not memory.journal.record(CHAT, message(1, "my pin is 4711"))
    assert memory.journal.record(CHAT, message(2))
    assert "4711" not in everything_in(store)


def test_a_message_that_was_edited_before_it_came_is_kept_with_its_newest_words(
    memory: Memory, store: MemoryObjectStore
) -> None:
    memory.amendments.amend(CHAT, Amendment(line_message_id="m1", timestamp_ms=9, text="my pin is a secret"))

    assert memory.journal.record(CHAT, message(1, "my pin is 4711"))
    assert kept(store, 1).text == "my pin is a secret"


def test_an_older_edit_never_overwrites_a_newer_one(memory: Memory, store: MemoryObjectStore) -> None:
    memory.journal.record(CHAT, message(1, "first"))
    for timestamp_ms, text in ((9, "newest"), (5, "older")):
        memory.amendments.amend(CHAT, Amendment(line_message_id="m1", timestamp_ms=timestamp_ms, text=text))
        memory.journal.bring_up_to_date(CHAT, "m1")

    assert kept(store, 1).text == "newest"


def test_an_answer_that_is_recorded_after_the_unsend_loses_its_text(memory: Memory, store: MemoryObjectStore) -> None:
    memory.amendments.amend(CHAT, Amendment(line_message_id="m1", timestamp_ms=9))

    assert memory.journal.record_outcome(CHAT, answer(2, "I noted 4711", saw=(1,)))

    assert "4711" not in everything_in(store)
    outcome = memory.journal.outcome_of(CHAT, "e2")
    assert outcome is not None
    assert outcome.covers == ("m2",)


def test_an_answer_that_saw_nothing_that_was_taken_back_keeps_its_text(memory: Memory) -> None:
    memory.amendments.amend(CHAT, Amendment(line_message_id="m1", timestamp_ms=9))

    assert not memory.journal.record_outcome(CHAT, answer(2))
    assert memory.journal.outcome_of(CHAT, "e2") == answer(2)


def test_taking_words_out_of_what_is_gone_does_nothing(memory: Memory) -> None:
    memory.journal.take_words_out(outcome_name(CHAT, "e1"))

    assert memory.journal.outcome_of(CHAT, "e1") is None


@pytest.mark.parametrize("chat", ["", "..", f"{CHAT}/..", "U1"])
def test_no_odd_id_becomes_a_path(memory: Memory, chat: str) -> None:
    with pytest.raises(UnusableIdError, match="no LINE id"):
        memory.journal.keep(chat, message(1))
