import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.adapters.memory import MemoryObjectStore
from shared.conversation.amendments import Amendments
from shared.conversation.external_calls import CallCopies, CallRecord, Calls, KnownCall, call_key
from shared.errors import StorageUnavailableError, UnknownRecordVersionError, UnusableIdError
from shared.storage.object_store import StoredObject
from tests.support.schemas import validator

CHAT = "U" + "1" * 32
OTHER = "U" + "2" * 32
KEY = call_key("create_page", {"title": "牛乳"}, first_line_message_id="m1")


def record(title: str = "牛乳", *ids: str) -> CallRecord:
    return CallRecord(tool="create_page", arguments={"title": title}, line_message_ids=ids or ("m1",), started_ms=5)


def bucket(store: MemoryObjectStore) -> dict[str, str]:
    found = ((listed.name, store.read(listed.name)) for listed in store.list(""))
    return {name: one.data.decode() for name, one in found if one is not None}


def test_an_intent_and_its_result_are_what_their_schemas_say() -> None:
    store = MemoryObjectStore()
    calls = Calls(store=store)

    assert calls.begin(CHAT, KEY, record()) is None
    calls.finish(CHAT, KEY, {"status": "success", "page_id": "x" * 36, "blocks": 3})

    intent, result = (json.loads(data) for data in bucket(store).values())
    assert list(bucket(store)) == [f"calls/{CHAT}/{KEY}.json", f"calls/{CHAT}/{KEY}.result.json"]
    validator("records/call").validate(intent)
    validator("records/call-result").validate(result)


def test_a_call_that_was_begun_is_known_with_its_result() -> None:
    calls = Calls(store=MemoryObjectStore())
    calls.begin(CHAT, KEY, record())

    assert calls.begin(CHAT, KEY, record()) == KnownCall(record=record())
    calls.finish(CHAT, KEY, {"page_id": "a"})
    calls.finish(CHAT, KEY, {"page_id": "b"})
    assert calls.begin(CHAT, KEY, record()) == KnownCall(record=record(), result={"page_id": "a"})


def test_a_dropped_call_was_never_made() -> None:
    calls = Calls(store=MemoryObjectStore())
    calls.begin(CHAT, KEY, record())

    calls.drop(CHAT, KEY)
    calls.drop(CHAT, KEY)

    assert calls.begin(CHAT, KEY, record()) is None


def test_the_calls_of_a_turn_are_told_oldest_first_and_no_others() -> None:
    calls = Calls(store=MemoryObjectStore())
    for number, (chat, first) in enumerate([(CHAT, "m1"), (CHAT, "m1"), (CHAT, "m2"), (OTHER, "m1")]):
        title = str(number)
        key = call_key("create_page", {"title": title}, first_line_message_id=first)
        calls.begin(chat, key, record(title))
        calls.finish(chat, key, {"page_id": title})

    known = calls.of_turn(CHAT, first_line_message_id="m1")

    assert [one.result for one in known] == [{"page_id": "0"}, {"page_id": "1"}]
    assert [result["page_id"] for result in calls.results(CHAT)] != []
    assert {result["page_id"] for result in calls.results(CHAT)} == {"0", "1", "2"}


@given(st.dictionaries(st.text(max_size=5), st.integers() | st.text(max_size=5), max_size=4))
def test_a_key_depends_on_what_is_called_and_not_on_the_order_of_arguments(arguments: dict[str, object]) -> None:
    key = call_key("t", arguments, first_line_message_id="m")

    assert key == call_key("t", dict(reversed(arguments.items())), first_line_message_id="m")
    assert key != call_key("t", {**arguments, "more": 1}, first_line_message_id="m")
    assert key != call_key("u", arguments, first_line_message_id="m")
    assert key != call_key("t", arguments, first_line_message_id="n")
    assert len(key) <= 64


def test_words_of_a_withdrawn_message_leave_and_what_was_done_stays_known() -> None:
    store = MemoryObjectStore()
    calls = Calls(store=store)
    calls.begin(CHAT, KEY, record("秘密", "m1", "m2"))
    calls.finish(CHAT, KEY, {"page_id": "a"})
    other = call_key("create_page", {"title": "卵"}, first_line_message_id="m3")
    calls.begin(CHAT, other, record("卵", "m3"))

    CallCopies(store=store).take_out(CHAT, Amendments(withdrawn=frozenset({"m2"})))
    CallCopies(store=store).take_out(CHAT, Amendments(withdrawn=frozenset({"m2"})))

    everything = " ".join(bucket(store).values())
    assert "秘密" not in everything
    assert "卵" in everything
    (known,) = calls.of_turn(CHAT, first_line_message_id="m1")
    assert known.record.arguments is None
    assert known.result == {"page_id": "a"}
    validator("records/call").validate(json.loads(bucket(store)[f"calls/{CHAT}/{KEY}.json"]))


def test_a_call_that_nobody_can_read_goes_with_the_withdrawal() -> None:
    store = MemoryObjectStore()
    store.create(f"calls/{CHAT}/{KEY}.json", b'{"version": 1, "arguments": "half')

    CallCopies(store=store).take_out(CHAT, Amendments(withdrawn=frozenset({"m1"})))

    assert bucket(store) == {}


def test_a_call_of_a_newer_release_is_an_error_and_never_lost() -> None:
    store = MemoryObjectStore()
    store.create(f"calls/{CHAT}/{KEY}.json", b'{"version": 99}')

    with pytest.raises(UnknownRecordVersionError):
        CallCopies(store=store).take_out(CHAT, Amendments(withdrawn=frozenset({"m1"})))

    assert len(bucket(store)) == 1


class RacingStore(MemoryObjectStore):
    """Somebody else rewrites every object between a read and a replace."""

    def read(self, name: str) -> StoredObject | None:
        stored = super().read(name)
        if stored is not None:
            super().replace(name, stored.data, generation=stored.generation)
        return stored


def test_a_withdrawal_that_never_wins_is_told() -> None:
    store = RacingStore()
    Calls(store=store).begin(CHAT, KEY, record())

    with pytest.raises(StorageUnavailableError, match="kept changing"):
        CallCopies(store=store).take_out(CHAT, Amendments(withdrawn=frozenset({"m1"})))


def test_an_id_that_is_none_never_becomes_a_path() -> None:
    with pytest.raises(UnusableIdError):
        Calls(store=MemoryObjectStore()).begin("../x", KEY, record())


def test_a_call_that_nobody_can_read_silences_no_turn() -> None:
    store = MemoryObjectStore()
    calls = Calls(store=store)
    store.create(f"calls/{CHAT}/{KEY}.json", b"half")
    store.create(f"calls/{CHAT}/{KEY}.result.json", b"half")

    assert calls.of_turn(CHAT, first_line_message_id="m1") == ()
    assert calls.results(CHAT) == ()
    assert calls.begin(CHAT, KEY, record()) == KnownCall(record=record())


def test_an_erasure_takes_the_words_of_what_was_begun_before_it() -> None:
    store = MemoryObjectStore()
    for number, started_ms in enumerate((10_000, 30_000)):
        record = CallRecord(tool="t", arguments={"title": "4711"}, line_message_ids=("m1",), started_ms=started_ms)
        Calls(store=store).begin(CHAT, f"k{number}", record)

    CallCopies(store=store).take_out(CHAT, Amendments(erased_ms=20_000))

    kept = [store.read(one.name) for one in store.list("")]
    assert [b"4711" in one.data for one in kept if one] == [False, True]
