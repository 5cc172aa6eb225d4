import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.adapters.memory import MemoryObjectStore
from shared.conversation.amendments import Amendments
from shared.conversation.external_calls import CallRecord, CallWords, ExternalCalls, KnownCall, call_key
from shared.conversation.provenance import Provenance, Source
from shared.conversation.store import Conversation, Conversations
from shared.errors import StorageUnavailableError, UnknownRecordVersionError, UnusableIdError
from shared.storage.object_store import StoredObject
from tests.support.chats import conversations_on, made_of
from tests.support.inline import InlineExecutor
from tests.support.schemas import validator

CHAT = "U" + "1" * 32
OTHER_CHAT = "U" + "2" * 32
KEY = call_key("create_page", {"title": "牛乳"}, first_line_message_id="m1")


@pytest.fixture
def calls(chat: Conversation) -> ExternalCalls:
    return ExternalCalls(chat)


def record(title: str = "牛乳", *ids: str) -> CallRecord:
    return CallRecord(tool="create_page", arguments={"title": title}, started_ms=5, provenance=made_of(*ids or ("m1",)))


def bucket(store: MemoryObjectStore) -> dict[str, str]:
    found = ((listed.name, store.read(listed.name)) for listed in store.list(""))
    return {name: one.data.decode() for name, one in found if one is not None}


def test_an_intent_and_its_result_match_their_schemas(calls: ExternalCalls, store: MemoryObjectStore) -> None:
    assert calls.begin(KEY, record()) is None
    calls.finish(KEY, {"status": "success", "page_id": "x" * 36, "blocks": 3})

    intent, result = (json.loads(data) for data in bucket(store).values())
    assert list(bucket(store)) == [f"calls/{CHAT}/{KEY}.json", f"calls/{CHAT}/{KEY}.result.json"]
    validator("records/call").validate(intent)
    validator("records/call-result").validate(result)


def test_a_call_that_was_begun_is_known_with_its_result(calls: ExternalCalls) -> None:
    calls.begin(KEY, record())

    assert calls.begin(KEY, record()) == KnownCall(record=record())
    calls.finish(KEY, {"page_id": "a"})
    calls.finish(KEY, {"page_id": "b"})
    assert calls.begin(KEY, record()) == KnownCall(record=record(), result={"page_id": "a"})


def test_a_dropped_call_is_unknown(calls: ExternalCalls) -> None:
    calls.begin(KEY, record())

    calls.drop(KEY)
    calls.drop(KEY)

    assert calls.begin(KEY, record()) is None


def test_the_calls_of_a_turn_come_oldest_first_without_others(conversations: Conversations) -> None:
    calls = ExternalCalls(conversations.of(CHAT))
    for number, (chat, first) in enumerate([(CHAT, "m1"), (CHAT, "m1"), (CHAT, "m2"), (OTHER_CHAT, "m1")]):
        title = str(number)
        key = call_key("create_page", {"title": title}, first_line_message_id=first)
        ExternalCalls(conversations.of(chat)).begin(key, record(title))
        ExternalCalls(conversations.of(chat)).finish(key, {"page_id": title})

    known = calls.of_turn(["m1"])

    assert [one.result for one in known] == [{"page_id": "0"}, {"page_id": "1"}]
    assert [result["page_id"] for result in calls.results()] != []
    assert {result["page_id"] for result in calls.results()} == {"0", "1", "2"}


@given(st.dictionaries(st.text(max_size=5), st.integers() | st.text(max_size=5), max_size=4))
def test_a_key_does_not_depend_on_the_order_of_arguments(arguments: dict[str, object]) -> None:
    key = call_key("t", arguments, first_line_message_id="m")

    assert key == call_key("t", dict(reversed(arguments.items())), first_line_message_id="m")
    assert key != call_key("t", {**arguments, "more": 1}, first_line_message_id="m")
    assert key != call_key("u", arguments, first_line_message_id="m")
    assert key != call_key("t", arguments, first_line_message_id="n")
    assert len(key) <= 64


def test_a_release_finds_the_calls_of_an_earlier_one() -> None:
    key = call_key("create_page", {"title": "牛乳"}, first_line_message_id="m1")

    assert key == "ca0df2c95aa144c1-64a0ee582920aaf69145a1de60cacbef"


def test_the_key_of_a_call_is_that_of_its_oldest_message_or_of_an_earlier_attempt(calls: ExternalCalls) -> None:
    arguments: dict[str, object] = {"title": "牛乳"}
    of_third = call_key("create_page", arguments, first_line_message_id="m3")

    assert calls.key_for("create_page", arguments, ["m1", "m3"]) == KEY
    assert calls.key_for("create_page", arguments, []) == call_key("create_page", arguments, first_line_message_id="")
    calls.begin(of_third, record())
    assert calls.key_for("create_page", arguments, ["m1", "m3"]) == of_third
    assert calls.key_for("create_page", {"title": "卵"}, ["m3"]) != of_third
    assert calls.key_for("create_page", arguments, ["m1", "m2"]) == KEY
    assert [one.record for one in calls.of_turn(["m1", "m3"])] == [record()]


def test_a_call_is_found_by_every_message_that_its_turn_was_to_answer(calls: ExternalCalls) -> None:
    calls.begin(KEY, replace(record(), asked=("m1", "m2")))

    assert calls.key_for("create_page", {"title": "牛乳"}, ["m2", "m5"]) == KEY
    assert len(calls.of_turn(["m2"])) == 1
    assert calls.of_turn(["m5"]) == ()


def test_a_withdrawal_removes_a_calls_words_and_keeps_its_result(
    chat: Conversation, calls: ExternalCalls, store: MemoryObjectStore
) -> None:
    calls.begin(KEY, record("秘密", "m1", "m2"))
    calls.finish(KEY, {"page_id": "a"})
    other = call_key("create_page", {"title": "卵"}, first_line_message_id="m3")
    calls.begin(other, record("卵", "m3"))

    CallWords().remove_withdrawn(chat, Amendments(withdrawn=frozenset({"m2"})))
    CallWords().remove_withdrawn(chat, Amendments(withdrawn=frozenset({"m2"})))

    everything = " ".join(bucket(store).values())
    assert "秘密" not in everything
    assert "卵" in everything
    (known,) = calls.of_turn(["m1"])
    assert known.record.arguments is None
    assert known.result == {"page_id": "a"}
    validator("records/call").validate(json.loads(bucket(store)[f"calls/{CHAT}/{KEY}.json"]))


def test_a_call_loses_its_words_with_an_answer_that_its_prompt_held(
    chat: Conversation, calls: ExternalCalls, store: MemoryObjectStore
) -> None:
    calls.begin(KEY, record("秘密", "m1", "e0"))

    CallWords().remove_withdrawn(chat, Amendments(withdrawn=frozenset({"m0"}), redacted={"e0": frozenset()}))

    assert "秘密" not in " ".join(bucket(store).values())


def test_a_withdrawal_deletes_a_call_that_cannot_be_read(chat: Conversation, store: MemoryObjectStore) -> None:
    store.create(f"calls/{CHAT}/{KEY}.json", b'{"version": 1, "arguments": "half')

    CallWords().remove_withdrawn(chat, Amendments(withdrawn=frozenset({"m1"})))

    assert bucket(store) == {}


def test_a_call_of_a_newer_release_is_an_error_and_never_lost(chat: Conversation, store: MemoryObjectStore) -> None:
    store.create(f"calls/{CHAT}/{KEY}.json", b'{"version": 99}')

    with pytest.raises(UnknownRecordVersionError):
        CallWords().remove_withdrawn(chat, Amendments(withdrawn=frozenset({"m1"})))

    assert len(bucket(store)) == 1


class RacingStore(MemoryObjectStore):
    """Another worker rewrites every object between a read and a replace."""

    def read(self, name: str) -> StoredObject | None:
        stored = super().read(name)
        if stored is not None:
            super().replace(name, stored.data, generation=stored.generation)
        return stored


def test_a_withdrawal_that_loses_every_swap_is_an_error() -> None:
    chat = conversations_on(RacingStore(), InlineExecutor()).of(CHAT)
    ExternalCalls(chat).begin(KEY, record())

    with pytest.raises(StorageUnavailableError, match="kept changing"):
        CallWords().remove_withdrawn(chat, Amendments(withdrawn=frozenset({"m1"})))


def test_a_key_that_is_no_id_never_becomes_a_path(calls: ExternalCalls) -> None:
    with pytest.raises(UnusableIdError):
        calls.begin("../x", record())


def test_a_call_that_cannot_be_read_does_not_silence_a_turn(calls: ExternalCalls, store: MemoryObjectStore) -> None:
    store.create(f"calls/{CHAT}/{KEY}.json", b"half")
    store.create(f"calls/{CHAT}/{KEY}.result.json", b"half")

    assert calls.of_turn(["m1"]) == ()
    assert calls.results() == ()
    assert calls.begin(KEY, record()) == KnownCall(record=record())


@pytest.mark.parametrize(("until_ms", "is_kept"), [(4, True), (5, False)])
def test_a_call_is_forgotten_with_a_member_of_whom_nothing_else_is_stored(
    calls: ExternalCalls, store: MemoryObjectStore, until_ms: int, *, is_kept: bool
) -> None:
    read = Provenance.of_sources([Source(line_message_id="m1", timestamp_ms=5, by="member-1")])
    calls.begin(KEY, replace(record("4711"), provenance=read))

    CallWords().remove_withdrawn(calls.conversation, Amendments(members={"member-1": until_ms}))

    assert ("4711" in "".join(bucket(store).values())) is is_kept


@pytest.mark.parametrize(("since_ms", "is_kept"), [(9, False), (10, False), (11, True)])
def test_a_call_is_erased_by_the_oldest_message_of_its_prompt(
    calls: ExternalCalls, store: MemoryObjectStore, since_ms: int, *, is_kept: bool
) -> None:
    calls.begin(KEY, replace(record("4711"), started_ms=10**12, provenance=made_of("m1", since_ms=since_ms)))

    CallWords().remove_withdrawn(calls.conversation, Amendments(erased_ms=10))

    assert ("4711" in "".join(bucket(store).values())) is is_kept


@pytest.mark.parametrize(("entries_since_ms", "is_kept"), [(9, False), (10, False), (11, True)])
def test_a_call_is_erased_with_entries_that_its_prompt_may_have_shown(
    calls: ExternalCalls, store: MemoryObjectStore, entries_since_ms: int, *, is_kept: bool
) -> None:
    calls.begin(KEY, replace(record("4711"), provenance=made_of("m1", since_ms=11, entries_since_ms=entries_since_ms)))

    CallWords().remove_withdrawn(calls.conversation, Amendments(erased_ms=10, erased_entries_ms=10))

    assert ("4711" in "".join(bucket(store).values())) is is_kept


@pytest.mark.parametrize(
    ("edited_ms", "is_kept"), [(995_000, False), (994_999, True)], ids=["this clock may be ahead", "before"]
)
def test_a_call_loses_words_that_an_edit_has_replaced(
    calls: ExternalCalls, store: MemoryObjectStore, edited_ms: int, *, is_kept: bool
) -> None:
    calls.begin(KEY, replace(record("4711", "m1", "m2"), started_ms=1_000_000))
    edits = Amendments(edits={"m1": "x", "m2": "y"}, edited_ms={"m1": edited_ms, "m2": 1})

    CallWords().remove_withdrawn(calls.conversation, edits)

    assert ("4711" in "".join(bucket(store).values())) is is_kept
