from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from functions.unsend.withdraw import Withdraw
from shared.adapters.memory import FixedClock, MemoryObjectStore
from shared.bus.endpoint import PushEndpoint
from shared.conversation.calls import CallRecord, Calls
from shared.conversation.journal import Journal
from shared.conversation.records import MessageRecord
from tests.support import push, recorded
from tests.support.chats import journal_on

SECRET = MessageRecord(
    line_message_id="573000000000000001",
    webhook_event_id="e1",
    timestamp_ms=1,
    type="text",
    addressed=True,
    text="my pin is 4711",
)


@pytest.fixture
def store() -> MemoryObjectStore:
    return MemoryObjectStore()


@pytest.fixture
def journal(store: MemoryObjectStore) -> Iterator[Journal]:
    with ThreadPoolExecutor(2) as reads:
        yield journal_on(store, reads)


def deliver(journal: Journal, event: dict[str, object]) -> int:
    endpoint = PushEndpoint(handle=Withdraw(journal=journal), clock=FixedClock())
    return endpoint("POST", push.envelope(event))[1]


def test_an_unsend_removes_the_message_and_may_come_twice(journal: Journal, store: MemoryObjectStore) -> None:
    journal.record(recorded.USER, SECRET)

    assert [deliver(journal, recorded.event("unsend")) for _ in range(2)] == [204, 204]

    assert [listed.name for listed in store.list("")] == [
        f"amended/{recorded.USER}/{SECRET.line_message_id}.json",
        f"turns/{recorded.USER}.json",
    ]


def test_an_unsend_takes_the_words_out_of_what_was_written_elsewhere(
    journal: Journal, store: MemoryObjectStore
) -> None:
    call = CallRecord(
        tool="create_page",
        arguments={"title": "my pin is 4711"},
        line_message_ids=(SECRET.line_message_id,),
        started_ms=1,
    )
    Calls(store=store).begin(recorded.USER, "key", call)

    assert deliver(journal, recorded.event("unsend")) == 204

    kept = store.read(f"calls/{recorded.USER}/key.json")
    assert kept is not None
    assert b"4711" not in kept.data


def test_an_unsend_may_come_before_its_message(journal: Journal) -> None:
    assert deliver(journal, recorded.event("unsend")) == 204

    assert not journal.record(recorded.USER, SECRET)


@pytest.mark.parametrize("changes", [{"unsend": {"messageId": "../x"}}, {"unsend": None}, {"source": None}])
def test_an_unsend_that_names_nothing_is_acknowledged(
    journal: Journal, store: MemoryObjectStore, changes: dict[str, object]
) -> None:
    assert deliver(journal, recorded.event("unsend", **changes)) == 204
    assert store.list("") == ()


def test_any_other_event_is_acknowledged(journal: Journal, store: MemoryObjectStore) -> None:
    assert deliver(journal, recorded.event("message-text")) == 204
    assert store.list("") == ()
