import io
import json

import pytest

from shared.access.admission import Access, Admissions
from shared.access.unadmitted_chats import UnadmittedChats
from shared.adapters.memory import FixedClock, MemoryObjectStore
from shared.bus.endpoint import PushEndpoint
from shared.conversation.external_calls import CallRecord, ExternalCalls
from shared.conversation.records import MessageRecord
from shared.conversation.store import Conversations
from shared.handlers.traces import Traces
from shared.handlers.unsend import UnsendHandler, withdrawal_of
from tests.support import push, recorded
from tests.support.chats import conversations_on, everything_in, made_of
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
def conversations(store: MemoryObjectStore) -> Conversations:
    return conversations_on(store, InlineExecutor())


def deliver(conversations: Conversations, event: dict[str, object]) -> int:
    return push_to_unsend(conversations, push.envelope(event))


def push_to_unsend(conversations: Conversations, body: bytes, *, access: Access = Access.OPEN) -> int:
    clock = FixedClock()
    admissions = Admissions(store=conversations.objects.store, clock=clock)
    traces = Traces(access=access, admissions=admissions, unadmitted=UnadmittedChats(clock=clock))
    handler = UnsendHandler(conversations=conversations, withdrawal=withdrawal_of(clock), traces=traces)
    endpoint = PushEndpoint(handle=handler, clock=clock)
    return endpoint("POST", body)[1]


def test_redelivered_unsend_removes_the_message_once(conversations: Conversations, store: MemoryObjectStore) -> None:
    conversations.of(recorded.USER).journal.record(SECRET)

    assert [deliver(conversations, recorded.event("unsend")) for _ in range(2)] == [204, 204]

    amendment, marker, edited = (listed.name for listed in store.list(""))
    assert amendment.startswith(f"amended/{recorded.USER}/")
    assert f".withdrawal.{SECRET.line_message_id}." in amendment
    assert edited == f"edited/{recorded.USER}/{SECRET.line_message_id}.json"
    assert marker.startswith("due/")
    assert marker.endswith(f"/withdrawal.{recorded.USER}.{SECRET.line_message_id}")
    assert "4711" not in everything_in(store)


def test_unsend_removes_the_words_of_external_calls(conversations: Conversations, store: MemoryObjectStore) -> None:
    call = CallRecord(
        tool="create_page",
        arguments={"title": "my pin is 4711"},
        started_ms=1,
        provenance=made_of(SECRET.line_message_id),
    )
    ExternalCalls(conversations.of(recorded.USER)).begin("key", call)

    assert deliver(conversations, recorded.event("unsend")) == 204

    kept = store.read(f"calls/{recorded.USER}/key.json")
    assert kept is not None
    assert b"4711" not in kept.data


def test_unsend_that_arrives_first_keeps_the_message_out(conversations: Conversations) -> None:
    assert deliver(conversations, recorded.event("unsend")) == 204

    assert not conversations.of(recorded.USER).journal.record(SECRET)


@pytest.mark.parametrize("changes", [{"unsend": {"messageId": "../x"}}, {"unsend": None}, {"source": None}])
def test_unsend_without_a_usable_message_id_or_chat_is_acknowledged(
    conversations: Conversations, store: MemoryObjectStore, changes: dict[str, object]
) -> None:
    assert deliver(conversations, recorded.event("unsend", **changes)) == 204
    assert store.list("") == ()


def test_event_of_another_type_waits_for_an_operator(conversations: Conversations, store: MemoryObjectStore) -> None:
    assert deliver(conversations, recorded.event("message-text")) == 500
    assert store.list("") == ()


def test_a_tick_is_no_unsend(conversations: Conversations, store: MemoryObjectStore, lines: io.StringIO) -> None:
    assert push_to_unsend(conversations, push.tick()) == 500
    assert store.list("") == ()
    assert "MisroutedEventError" in lines.getvalue()


@pytest.mark.parametrize("name", [f"snapshots/{recorded.USER}.json", f"turns/{recorded.USER}.json"])
@pytest.mark.parametrize("data", [b"no json", b'{"version": 99}'])
def test_unsend_in_a_chat_that_cannot_be_read_waits_for_an_operator(
    conversations: Conversations, store: MemoryObjectStore, name: str, data: bytes
) -> None:
    conversations.of(recorded.USER).journal.record(SECRET)
    store.create(name, data)

    assert deliver(conversations, recorded.event("unsend")) == 500

    store.delete(name)
    assert deliver(conversations, recorded.event("unsend")) == 204
    assert "4711" not in everything_in(store)


def test_what_came_of_an_unsend_is_logged(conversations: Conversations, lines: io.StringIO) -> None:
    deliver(conversations, recorded.event("unsend"))
    conversations.of(recorded.USER).journal.keep(SECRET)
    deliver(conversations, recorded.event("unsend"))
    deliver(conversations, recorded.event("unsend", unsend=None))

    handled = [line for line in map(json.loads, lines.getvalue().splitlines()) if line["message"] == "event_handled"]
    assert [line["outcome"] for line in handled] == ["unknown", "withdrawn", "ignored"]
