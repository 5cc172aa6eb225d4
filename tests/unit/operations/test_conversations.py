import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from operations.conversations import Forget, exported, names_of
from shared.adapters.memory import FixedClock, MemoryObjectStore
from shared.conversation.records import OutcomeKind, Recap, SnapshotRecord, Watermark, outcome_covering
from shared.conversation.turn import Route, TurnRecord
from shared.errors import UnusableIdError
from shared.storage.codec import decode, encode
from shared.storage.object_names import message_name, turn_name
from shared.storage.object_store import ListedObject
from tests.support import recorded
from tests.support.chats import memory_on
from tests.support.inline import InlineExecutor
from tests.unit.operations.conftest import SECRET_WORDS, Bucket, message

CHAT = recorded.USER
OTHER = recorded.GROUP
ELSEWHERE = {
    f"snapshots/{CHAT}.json": encode(
        SnapshotRecord(recaps=(Recap(text="my pin is 4711", covers=("0",), timestamp_ms=0, since_ms=0, until_ms=0),))
    ),
    f"media/{CHAT}/9": b"\xff my pin is 4711",
    f"entries/{CHAT}/ideas/pin.md": b"# my pin is 4711",
    f"calls/{CHAT}/k.json": b'{"title": "my pin is 4711"}',
    f"erased/{CHAT}.json": encode(Watermark(timestamp_ms=0)),
}


def forget(bucket: Bucket) -> Forget:
    return Forget(memory=bucket.memory, clock=bucket.clock)


def fill(bucket: Bucket, conversation_id: str = CHAT) -> None:
    bucket.memory.journal.record(conversation_id, message())
    answer = replace(outcome_covering([message()], OutcomeKind.REPLIED), text=f"so {SECRET_WORDS}")
    bucket.memory.journal.record_outcome(conversation_id, answer)
    for name, data in ELSEWHERE.items():
        bucket.store.create(name.replace(CHAT, conversation_id), data)


def test_a_forgotten_chat_has_left_no_words(bucket: Bucket) -> None:
    fill(bucket)

    gone = forget(bucket)(CHAT)

    assert gone > 0
    assert not bucket.holds("4711")


def test_forgetting_touches_no_other_chat(bucket: Bucket) -> None:
    fill(bucket)
    fill(bucket, OTHER)
    before = {name: bucket.store.read(name) for name in names_of(bucket.store, OTHER)}

    forget(bucket)(CHAT)

    assert {name: bucket.store.read(name) for name in names_of(bucket.store, OTHER)} == before


def test_forgetting_twice_does_nothing_new(bucket: Bucket) -> None:
    fill(bucket)
    forget(bucket)(CHAT)
    left = names_of(bucket.store, CHAT)

    assert forget(bucket)(CHAT) == 0
    assert names_of(bucket.store, CHAT) == left


def test_a_message_that_is_delivered_again_after_that_stays_out(bucket: Bucket) -> None:
    fill(bucket)
    forget(bucket)(CHAT)

    assert not bucket.memory.journal.record(CHAT, message())
    assert not bucket.holds("4711")


def test_an_answer_that_is_being_thought_of_is_never_committed(bucket: Bucket) -> None:
    bucket.memory.journal.record(CHAT, message())
    held = bucket.memory.turns.open(CHAT, bucket.memory.turns.read(CHAT))
    assert held is not None
    forget(bucket)(CHAT)

    outcome = replace(outcome_covering([message()], OutcomeKind.REPLIED), text=SECRET_WORDS)

    assert not held.commit(outcome, Route(), prompt={"1"}, since_ms=1)
    assert not bucket.holds("4711")


def test_an_answer_that_the_turn_holds_about_messages_long_gone_is_taken_out(bucket: Bucket) -> None:
    outcome = replace(outcome_covering([message("long-gone")], OutcomeKind.REPLIED), text=SECRET_WORDS)
    bucket.store.create(turn_name(CHAT), encode(TurnRecord(state="committed", outcome=outcome)))

    forget(bucket)(CHAT)

    stored = bucket.store.read(turn_name(CHAT))
    assert stored is not None
    assert decode(TurnRecord, stored.data).state == "committed"
    assert not bucket.holds("4711")


def test_an_edit_of_a_message_that_was_folded_away_is_forgotten_too(bucket: Bucket) -> None:
    edit = {"version": 1, "line_message_id": "7", "timestamp_ms": 1, "text": SECRET_WORDS}
    bucket.store.create(f"amended/{CHAT}/7.json", json.dumps(edit).encode())

    forget(bucket)(CHAT)

    assert not bucket.holds("4711")


@pytest.mark.parametrize(
    "name",
    [
        f"amended/{CHAT}/1.json",
        f"calls/{CHAT}/k.json",
        f"entries/{CHAT}/ideas/pin.md",
        f"entries/{CHAT}/search.json",
        f"entries/{CHAT}/undo.json",
        f"erased/{CHAT}.json",
        f"journal/{CHAT}/1.json",
        f"journal/{CHAT}/event-1.outcome.json",
        f"snapshots/{CHAT}.json",
        f"turns/{CHAT}.json",
    ],
)
@pytest.mark.parametrize("data", [b"my pin is 4711 {", b'{"version": 99, "text": "my pin is 4711"}'])
def test_what_cannot_be_read_is_forgotten_too(bucket: Bucket, name: str, data: bytes) -> None:
    bucket.store.create(name, data)

    forget(bucket)(CHAT)

    assert not bucket.holds("4711")
    assert not bucket.memory.journal.record(CHAT, message())


def test_what_is_written_while_a_chat_is_forgotten_stays(bucket: Bucket) -> None:
    fill(bucket)
    late = replace(message("2", text="a new beginning", event="event-2"), timestamp_ms=bucket.clock.now_ms() + 1)
    clock = Meanwhile(lambda: bucket.memory.journal.record(CHAT, late))
    memory = memory_on(bucket.store, InlineExecutor(), clock)

    Forget(memory=memory, clock=clock)(CHAT)

    assert bucket.holds("a new beginning")
    assert not bucket.holds("4711")


def test_commits_are_numbered_on_in_a_forgotten_chat(bucket: Bucket) -> None:
    bucket.store.create(turn_name(CHAT), encode(TurnRecord(sequence=57)))

    forget(bucket)(CHAT)

    assert bucket.memory.turns.read(CHAT).record.sequence == 57


class Meanwhile(FixedClock):
    """A clock on which something happens whenever somebody sleeps."""

    def __init__(self, happens: Callable[[], object]) -> None:
        super().__init__()
        self._happens = happens

    def sleep(self, seconds: float) -> None:
        super().sleep(seconds)
        self._happens()


class FoldedMeanwhile(MemoryObjectStore):
    """A bucket in which the journal is folded into the snapshot as soon as somebody has listed it."""

    def list(self, prefix: str) -> tuple[ListedObject, ...]:
        listed = super().list(prefix)
        for one in listed if prefix.startswith("journal/") else ():
            super().create(f"snapshots/{CHAT}.json", encode(SnapshotRecord(messages=(message(),))))
            super().delete(one.name)
        return listed


def test_an_export_beside_a_compaction_loses_no_message() -> None:
    store = FoldedMeanwhile()
    store.create(message_name(CHAT, "1"), encode(message()))

    assert SECRET_WORDS in "".join(exported(store, CHAT))


def test_an_export_holds_every_object_of_the_chat_and_of_no_other(bucket: Bucket) -> None:
    fill(bucket)
    fill(bucket, OTHER)

    lines = [json.loads(line) for line in exported(bucket.store, CHAT)]

    assert [line["name"] for line in lines] == list(names_of(bucket.store, CHAT))
    assert {*ELSEWHERE, message_name(CHAT, "1")} <= {line["name"] for line in lines}
    assert not any(OTHER in line["name"] for line in lines)


def test_an_export_keeps_json_text_and_bytes_apart(bucket: Bucket) -> None:
    fill(bucket)

    by_name = {json.loads(line)["name"]: json.loads(line) for line in exported(bucket.store, CHAT)}

    assert by_name[message_name(CHAT, "1")]["json"]["text"] == SECRET_WORDS
    assert by_name[f"entries/{CHAT}/ideas/pin.md"]["text"] == "# my pin is 4711"
    assert by_name[f"media/{CHAT}/9"]["base64"] == "/yBteSBwaW4gaXMgNDcxMQ=="


def test_every_line_of_an_export_is_one_line(bucket: Bucket) -> None:
    bucket.memory.journal.record(CHAT, message(text="two\nlines\u2028and more"))

    assert all(line.count("\n") == 0 for line in exported(bucket.store, CHAT))


@pytest.mark.parametrize("odd", ["", "U123", "../secrets", CHAT.upper(), f"{CHAT}/", f"{CHAT}\n"])
def test_what_is_no_id_of_a_chat_is_refused(bucket: Bucket, odd: str) -> None:
    fill(bucket)

    with pytest.raises(UnusableIdError, match="no LINE id"):
        forget(bucket)(odd)
    with pytest.raises(UnusableIdError, match="no LINE id"):
        exported(bucket.store, odd)
    assert bucket.holds("4711")
