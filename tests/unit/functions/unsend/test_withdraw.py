import pytest

from functions.unsend.withdraw import Withdraw
from shared.adapters.memory import FixedClock, MemoryObjectStore
from shared.bus.endpoint import PushEndpoint
from shared.conversation.external_calls import CallRecord, Calls
from shared.conversation.records import MessageRecord
from shared.conversation.store import Memory
from tests.support import push, recorded
from tests.support.chats import everything_in, memory_on
from tests.support.inline import InlineExecutor

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
def memory(store: MemoryObjectStore) -> Memory:
    return memory_on(store, InlineExecutor())


def deliver(memory: Memory, event: dict[str, object]) -> int:
    endpoint = PushEndpoint(handle=Withdraw(withdrawal=memory.withdrawal), clock=FixedClock())
    return endpoint("POST", push.envelope(event))[1]


def test_an_unsend_removes_the_message_and_may_come_twice(memory: Memory, store: MemoryObjectStore) -> None:
    memory.journal.record(recorded.USER, SECRET)

    assert [deliver(memory, recorded.event("unsend")) for _ in range(2)] == [204, 204]

    assert [listed.name for listed in store.list("")] == [
        f"amended/{recorded.USER}/{SECRET.line_message_id}.json",
        f"snapshots/{recorded.USER}.json",
        f"turns/{recorded.USER}.json",
    ]
    assert "4711" not in everything_in(store)


def test_an_unsend_takes_the_words_out_of_what_was_written_elsewhere(memory: Memory, store: MemoryObjectStore) -> None:
    call = CallRecord(
        tool="create_page",
        arguments={"title": "my pin is 4711"},
        line_message_ids=(SECRET.line_message_id,),
        started_ms=1,
    )
    Calls(store=store).begin(recorded.USER, "key", call)

    assert deliver(memory, recorded.event("unsend")) == 204

    kept = store.read(f"calls/{recorded.USER}/key.json")
    assert kept is not None
    assert b"4711" not in kept.data


def test_an_unsend_may_come_before_its_message(memory: Memory) -> None:
    assert deliver(memory, recorded.event("unsend")) == 204

    assert not memory.journal.record(recorded.USER, SECRET)


@pytest.mark.parametrize("changes", [{"unsend": {"messageId": "../x"}}, {"unsend": None}, {"source": None}])
def test_an_unsend_that_names_nothing_is_acknowledged(
    memory: Memory, store: MemoryObjectStore, changes: dict[str, object]
) -> None:
    assert deliver(memory, recorded.event("unsend", **changes)) == 204
    assert store.list("") == ()


def test_any_other_event_is_acknowledged(memory: Memory, store: MemoryObjectStore) -> None:
    assert deliver(memory, recorded.event("message-text")) == 204
    assert store.list("") == ()
