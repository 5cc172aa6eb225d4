import json
from dataclasses import replace

import pytest

from operations.conversations import Forget
from operations.persons import ForgetPerson, chats_in, exported_person
from shared.conversation.member_mark import mark_id
from shared.conversation.provenance import Provenance, Source
from shared.conversation.records import MessageRecord, StagedWrite
from shared.conversation.snapshot_records import SnapshotRecord
from shared.conversation.undo import UNDO_FILE, UndoRecord, undo_write
from shared.errors import UnreadableRecordError, UnusableIdError
from shared.expenses.expense import Expense
from shared.expenses.store import ExpenseStore
from shared.handlers.unsend import withdrawal_of
from shared.line.messaging import ReplyToken
from shared.reminders.reminder import Reminder
from shared.storage.codec import encode
from tests.support import recorded
from tests.support.archives import put_segment
from tests.unit.operations.conftest import Bucket, message

OTHER = "U" + "2" * 32


def said(number: int, text: str, *, by: str = recorded.USER) -> MessageRecord:
    return MessageRecord(
        line_message_id=f"m{number}",
        webhook_event_id=f"e{number}",
        timestamp_ms=number,
        type="text",
        addressed=False,
        text=text,
        user_id=by,
        reply_token=ReplyToken(value="secret-token", received_ms=number),
    )


def forget_person_on(bucket: Bucket) -> ForgetPerson:
    withdrawal = withdrawal_of(bucket.clock)
    forget = Forget(conversations=bucket.conversations, withdrawal=withdrawal, clock=bucket.clock)
    return ForgetPerson(conversations=bucket.conversations, withdrawal=withdrawal, forget=forget, clock=bucket.clock)


@pytest.fixture
def filled(bucket: Bucket) -> Bucket:
    group = bucket.conversations.of(recorded.GROUP)
    for record in (said(1, "my word is swordfish"), said(2, "mine is haddock", by=OTHER), said(3, "swordfish again")):
        group.journal.record(record)
    bucket.store.create(group.names.medium("m1"), b"\xff")
    for reminder_id, source in (("r0000000001", "m1"), ("r0000000002", "m2")):
        reminder = Reminder(
            id=reminder_id,
            text=source,
            provenance=Provenance.of_sources((Source(line_message_id=source, timestamp_ms=1),)),
            start="2027-01-01T09:00",
            zone="Asia/Tokyo",
        )
        bucket.store.create(group.names.reminder(reminder_id), encode(reminder))
    bucket.chat.journal.record(message(text="swordfish, between us"))
    return bucket


def test_an_export_of_a_person_holds_their_words_and_media_and_no_others(filled: Bucket) -> None:
    group = filled.conversations.of(recorded.GROUP)

    lines = [json.loads(line) for line in exported_person(group, recorded.USER, now_ms=10)]

    assert [line["name"].rpartition("/")[2] for line in lines] == ["m1.json", "m3.json", "m1", "r0000000001.json"]
    assert lines[0]["json"]["text"] == "my word is swordfish"
    assert "haddock" not in str(lines)
    assert "secret-token" not in str(lines)


def test_forgetting_a_person_takes_their_words_back_in_every_chat(filled: Bucket) -> None:
    by_person = forget_person_on(filled)

    counts = by_person(recorded.USER)

    assert counts[recorded.GROUP] == 2
    assert not filled.holds("swordfish")
    assert filled.holds("mine is haddock")
    assert recorded.GROUP not in by_person(recorded.USER)


def test_forgetting_a_person_takes_the_display_name_out_of_what_others_told(bucket: Bucket) -> None:
    group, mark = bucket.conversations.of(recorded.GROUP), mark_id(recorded.USER)
    dinner = Expense(
        id="e0000000001",
        what="dinner",
        payer=mark_id(OTHER),
        currency="JPY",
        minor=900,
        shares={mark: 400, mark_id(OTHER): 500},
        names={mark: "Swordfish", mark_id(OTHER): "Ann"},
        provenance=Provenance.of_sources((Source(line_message_id="m2", timestamp_ms=1, by=mark_id(OTHER)),)),
        created=(1, 0),
        revision=(1, 0),
    )
    ExpenseStore(group).update(dinner.id, lambda _: dinner)

    undo = undo_write(
        [StagedWrite(path=f"expenses/{dinner.id}", text=encode(dinner).decode())], dinner.provenance, key=(2, 1)
    )
    group.objects.store.create(group.names.entry(UNDO_FILE), (undo.text or "").encode())

    forget_person_on(bucket)(recorded.USER)

    (left,) = ExpenseStore(group).read_all()
    assert left == replace(dinner, names={mark_id(OTHER): "Ann"})
    assert UndoRecord.stored(group).before[0].text == encode(left).decode()


def test_forgetting_a_person_takes_back_an_edit_of_a_message_that_was_never_seen(bucket: Bucket) -> None:
    group, withdrawal = bucket.conversations.of(recorded.GROUP), withdrawal_of(bucket.clock)
    group.journal.record(said(2, "mine is haddock", by=OTHER))
    withdrawal.edit(group, "m1", text="my word is swordfish", timestamp_ms=3, user_id=recorded.USER)
    by_person = forget_person_on(bucket)

    assert by_person(recorded.USER)[recorded.GROUP] == 1
    assert not bucket.holds("swordfish")


def test_forgetting_a_person_takes_back_an_edit_where_the_chat_holds_nothing_else(bucket: Bucket) -> None:
    group, withdrawal = bucket.conversations.of(recorded.GROUP), withdrawal_of(bucket.clock)
    withdrawal.edit(group, "m1", text="my word is swordfish", timestamp_ms=3, user_id=recorded.USER)
    by_person = forget_person_on(bucket)

    assert by_person(recorded.USER)[recorded.GROUP] == 1
    assert not bucket.holds("swordfish")


@pytest.mark.parametrize("stray", ["journal/", "archive/notes/readme.txt", "turns/old.json"])
def test_an_object_of_no_chat_keeps_no_chat_from_forgetting_a_person(filled: Bucket, stray: str) -> None:
    filled.store.create(stray, b"")
    forget_person_on(filled)(recorded.USER)

    assert not filled.holds("swordfish")


@pytest.mark.parametrize("is_own_chat", [False, True])
def test_a_chat_that_cannot_be_read_keeps_no_other_from_forgetting_a_person(
    filled: Bucket, *, is_own_chat: bool
) -> None:
    unreadable = filled.chat if is_own_chat else filled.conversations.of("C" + "0" * 32)
    filled.store.create(unreadable.names.snapshot, b"no record")
    by_person = forget_person_on(filled)

    if is_own_chat:
        by_person(recorded.USER)
    else:
        with pytest.raises(UnreadableRecordError, match="1 chats hold a record that cannot be read"):
            by_person(recorded.USER)

    assert not filled.holds("swordfish")


def test_a_persons_archived_words_are_exported_and_taken_back(bucket: Bucket) -> None:
    group = bucket.conversations.of(recorded.GROUP)
    put_segment(group, [said(1, "my word is swordfish"), said(2, "mine is haddock", by=OTHER), said(3, "swordfish")])
    seen = group.snapshot.read()
    waiting = SnapshotRecord(messages=(said(4, "swordfish, later"),))
    group.snapshot.swap(seen, group.archive.with_waiting(waiting, seen.record))

    lines = [json.loads(line) for line in exported_person(group, recorded.USER, now_ms=10)]
    assert [line["json"]["text"] for line in lines] == ["my word is swordfish", "swordfish", "swordfish, later"]

    by_person = forget_person_on(bucket)
    assert by_person(recorded.USER)[recorded.GROUP] == 3
    assert not bucket.holds("swordfish")
    assert bucket.holds("mine is haddock")


def test_a_chat_of_which_only_an_archive_is_left_is_known(bucket: Bucket) -> None:
    group = bucket.conversations.of(recorded.GROUP)
    put_segment(group, [said(1, "hello")])
    bucket.store.delete(group.names.snapshot)

    assert chats_in(bucket.store) == (recorded.GROUP,)


def test_every_chat_of_the_bucket_is_known(filled: Bucket) -> None:
    assert chats_in(filled.store) == tuple(sorted({recorded.USER, recorded.GROUP}))


@pytest.mark.parametrize("wrong", [recorded.GROUP, "everybody", ""])
def test_only_a_person_is_a_person(filled: Bucket, wrong: str) -> None:
    with pytest.raises(UnusableIdError):
        list(exported_person(filled.conversations.of(recorded.GROUP), wrong, now_ms=10))
