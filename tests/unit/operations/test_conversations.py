import json
from dataclasses import replace

import pytest

from operations.conversations import Forget, exported, names_of
from shared.conversation.names import message_name, turn_name
from shared.conversation.records import (
    OutcomeKind,
    Recap,
    SnapshotRecord,
    Watermark,
    decode,
    encode,
    outcome_covering,
)
from shared.conversation.turn import Route, TurnRecord
from shared.errors import UnusableIdError
from tests.support import recorded
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
        list(exported(bucket.store, odd))
    assert bucket.holds("4711")
