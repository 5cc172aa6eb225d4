from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.adapters.memory import MemoryObjectStore
from shared.conversation.journal import MESSAGES_READ, Journal
from shared.conversation.records import MessageRecord, OutcomeKind, OutcomeRecord
from shared.errors import UnknownRecordVersionError, UnusableIdError
from tests.support.chats import journal_on

CHAT = "U" + "1" * 32
OTHER_CHAT = "U" + "2" * 32


@pytest.fixture(scope="module")
def reads() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(4) as pool:
        yield pool


@pytest.fixture
def store() -> MemoryObjectStore:
    return MemoryObjectStore()


@pytest.fixture
def journal(store: MemoryObjectStore, reads: ThreadPoolExecutor) -> Journal:
    return journal_on(store, reads)


def message(number: int, text: str = "hi") -> MessageRecord:
    return MessageRecord(
        line_message_id=f"m{number}",
        webhook_event_id=f"e{number}",
        timestamp_ms=number,
        type="text",
        addressed=True,
        text=text,
    )


def answer(number: int, text: str | None = "hello", *, saw: tuple[str, ...] = ()) -> OutcomeRecord:
    return OutcomeRecord(
        webhook_event_id=f"e{number}",
        timestamp_ms=number,
        kind=OutcomeKind.REPLIED,
        covers=(f"m{number}",),
        saw=saw,
        text=text,
    )


def everything_in(store: MemoryObjectStore) -> str:
    stored = (store.read(listed.name) for listed in store.list(""))
    return " ".join(one.data.decode() for one in stored if one)


def test_what_was_recorded_is_read_in_the_order_in_which_it_was_said(journal: Journal) -> None:
    for number in (3, 1, 2):
        journal.record(CHAT, message(number))
    journal.record_outcome(CHAT, answer(1))

    history = journal.read(CHAT)

    assert [one.line_message_id for one in history.messages] == ["m1", "m2", "m3"]
    assert history.outcomes == (answer(1),)


def test_recording_twice_changes_nothing(journal: Journal, store: MemoryObjectStore) -> None:
    journal.record(CHAT, message(1, "first"))
    before = store.list("")

    assert journal.record(CHAT, message(1, "second"))
    assert store.list("") == before


def test_a_chat_sees_only_itself(journal: Journal) -> None:
    journal.record(CHAT, message(1))

    assert journal.read(OTHER_CHAT).messages == ()


def test_what_is_read_does_not_grow_with_the_chat(journal: Journal) -> None:
    for number in range(1, 2 * MESSAGES_READ):
        journal.record(CHAT, message(number))

    assert [one.timestamp_ms for one in journal.read(CHAT).messages] == list(range(MESSAGES_READ, 2 * MESSAGES_READ))


def test_a_withdrawn_message_is_in_no_object(journal: Journal, store: MemoryObjectStore) -> None:
    journal.record(CHAT, message(1, "my pin is 4711"))
    journal.record(CHAT, message(2, "and it is sunny"))
    journal.record_outcome(CHAT, answer(1, "your pin is 4711"))
    journal.record_outcome(CHAT, answer(2, "I noted 4711", saw=("m1",)))

    journal.withdraw(CHAT, "m1", timestamp_ms=9)

    assert "4711" not in everything_in(store)
    assert [one.line_message_id for one in journal.read(CHAT).messages] == ["m2"]


def test_an_unsend_that_comes_first_keeps_the_message_out(journal: Journal, store: MemoryObjectStore) -> None:
    journal.withdraw(CHAT, "m1", timestamp_ms=9)

    assert not journal.record(CHAT, message(1, "my pin is 4711"))
    assert "4711" not in everything_in(store)


def test_an_answer_that_is_recorded_after_the_unsend_loses_its_text(journal: Journal, store: MemoryObjectStore) -> None:
    journal.withdraw(CHAT, "m1", timestamp_ms=9)

    journal.record_outcome(CHAT, answer(2, "I noted 4711", saw=("m1",)))

    assert "4711" not in everything_in(store)
    assert journal.outcome_of(CHAT, "e2") is not None


def test_an_unsend_leaves_other_chats_alone(journal: Journal) -> None:
    journal.record(OTHER_CHAT, message(1))

    journal.withdraw(CHAT, "m1", timestamp_ms=9)

    assert len(journal.read(OTHER_CHAT).messages) == 1


@given(steps=st.permutations(["record", "record", "answer", "unsend", "unsend"]))
def test_message_answer_and_unsend_commute(steps: list[str]) -> None:
    store = MemoryObjectStore()
    with ThreadPoolExecutor(2) as reads:
        journal = journal_on(store, reads)
        for step in steps:
            match step:
                case "record":
                    journal.record(CHAT, message(1, "my pin is 4711"))
                case "answer":
                    journal.record_outcome(CHAT, answer(1, "your pin is 4711"))
                case "unsend":
                    journal.withdraw(CHAT, "m1", timestamp_ms=9)

        assert "4711" not in everything_in(store)
        assert journal.read(CHAT).messages == ()


def test_one_unreadable_record_does_not_silence_the_chat(journal: Journal, store: MemoryObjectStore) -> None:
    store.create(f"journal/{CHAT}/broken.json", b"{")
    journal.record(CHAT, message(1))

    assert len(journal.read(CHAT).messages) == 1


def test_a_record_of_a_newer_release_is_an_error(journal: Journal, store: MemoryObjectStore) -> None:
    store.create(f"journal/{CHAT}/newer.json", b'{"version": 99}')

    with pytest.raises(UnknownRecordVersionError, match="version 99"):
        journal.read(CHAT)


@pytest.mark.parametrize("chat", ["", "..", f"{CHAT}/..", "U1"])
def test_no_odd_id_becomes_a_path(journal: Journal, chat: str) -> None:
    with pytest.raises(UnusableIdError, match="no LINE id"):
        journal.read(chat)
    with pytest.raises(UnusableIdError, match="no LINE id"):
        journal.withdraw(CHAT, f"../{OTHER_CHAT}/m1", timestamp_ms=1)
