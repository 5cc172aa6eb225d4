import json
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from operations.conversations import Forget, exported
from operations.restoration import MOST_DAYS, RestorationRefusedError, check_date, date_line, restore
from shared.adapters.memory import MemoryObjectStore
from shared.adapters.memory.scripted_model import calling
from shared.conversation.records import Amendment, MessageRecord, Watermark
from shared.conversation.turn import TurnRecord
from shared.handlers.unsend import withdrawal_of
from shared.reminders.store import ReminderStore
from shared.storage.codec import encode
from shared.storage.object_names import is_amended_note
from tests.infra.offline import ROOT
from tests.support import recorded
from tests.support.archives import archive_of, put_segment, segments_in
from tests.support.chats import conversations_on
from tests.support.inline import InlineExecutor
from tests.support.people import Person
from tests.support.pushed import PushedWorker
from tests.unit.operations.conftest import Bucket, message
from tests.unit.operations.test_conversations import CHAT, NAMES, OTHER, fill

REPLY = calling(("reply", {"message": "はい"}))
NOW_MS = 1_763_700_000_000
DAY_MS = 86_400_000
TOMBSTONE = encode(Amendment(line_message_id="1", timestamp_ms=1, text=None))


def objects_of(store: MemoryObjectStore) -> dict[str, bytes]:
    stored = {listed.name: store.read(listed.name) for listed in store.list("")}
    return {name: one.data for name, one in stored.items() if one is not None}


def test_a_lost_chat_comes_back_whole(bucket: Bucket) -> None:
    fill(bucket)
    lines = list(exported(bucket.store, CHAT))
    lost = MemoryObjectStore()

    restored = restore(lost, lines)

    assert (restored.created, restored.present) == (len(lines), 0)
    assert list(exported(lost, CHAT)) == lines


def test_a_restored_reminder_is_due_again(bucket: Bucket) -> None:
    fill(bucket)
    lost = MemoryObjectStore()

    restore(lost, exported(bucket.store, CHAT))

    assert [one.name for one in lost.list("due/")] == [f"due/20260101T0000/reminder.{CHAT}.r0000000001"]


def test_a_newcomer_of_a_restored_chat_is_known_as_one(bucket: Bucket) -> None:
    bucket.chat.members.note_joined([recorded.USER], at_ms=5)
    lost = MemoryObjectStore()

    restore(lost, exported(bucket.store, CHAT))

    assert conversations_on(lost, InlineExecutor()).of(CHAT).members.joined_ms([recorded.USER]) == 5


def test_restoring_twice_changes_nothing(bucket: Bucket) -> None:
    fill(bucket)
    lines = list(exported(bucket.store, CHAT))
    restore(bucket.store, lines)  # makes the marker of the reminder
    before = objects_of(bucket.store)

    assert restore(bucket.store, lines).created == 0

    assert objects_of(bucket.store) == before


@pytest.mark.parametrize(
    ("name", "data"),
    [(f"amended/{CHAT}/1.json", TOMBSTONE), (f"erased/{CHAT}.json", encode(Watermark(timestamp_ms=9)))],
)
def test_words_that_were_taken_back_since_the_export_stay_away(bucket: Bucket, name: str, data: bytes) -> None:
    fill(bucket)
    lines = list(exported(bucket.store, CHAT))
    after = MemoryObjectStore()
    after.create(name, data)

    with pytest.raises(RestorationRefusedError, match="would come back"):
        restore(after, lines)

    assert objects_of(after) == {name: data}


@pytest.mark.parametrize("stored", [b"changed by hand", b"[" * 100_000])
def test_an_amendment_that_is_no_json_refuses_the_restoration(bucket: Bucket, stored: bytes) -> None:
    bucket.store.create(f"amended/{CHAT}/1.json", TOMBSTONE)
    lines = list(exported(bucket.store, CHAT))
    after = MemoryObjectStore()
    after.create(f"amended/{CHAT}/1.json", stored)

    with pytest.raises(RestorationRefusedError, match="would come back"):
        restore(after, lines)

    assert restore(after, exported(after, CHAT)).present == 1


def test_a_reminder_of_a_newer_release_refuses_the_restoration(bucket: Bucket) -> None:
    fill(bucket)
    newer = f"reminders/{CHAT}/r0000000000.json"
    bucket.store.create(newer, b'{"version":2}')
    lines, lost = list(exported(bucket.store, CHAT)), MemoryObjectStore()

    with pytest.raises(RestorationRefusedError, match="newer release"):
        restore(lost, lines)

    assert objects_of(lost) == {}


def test_a_newer_reminder_in_the_bucket_keeps_no_other_from_being_due(bucket: Bucket) -> None:
    fill(bucket)
    newer = f"reminders/{CHAT}/r0000000000.json"
    lines, after = list(exported(bucket.store, CHAT)), MemoryObjectStore()
    after.create(newer, b'{"version":2}')

    restore(after, [*lines, json.dumps({"name": newer, "json": {}})])

    assert [one.name for one in after.list("due/")] == [f"due/20260101T0000/reminder.{CHAT}.r0000000001"]


def test_a_note_of_an_amendment_is_neither_exported_nor_in_the_way(bucket: Bucket) -> None:
    fill(bucket)
    bucket.chat.amendments.amend(Amendment(line_message_id="1", timestamp_ms=1))
    lines = list(exported(bucket.store, CHAT))
    assert any(is_amended_note(one.name) for one in bucket.store.list("amended/"))

    assert not any(is_amended_note(json.loads(line)["name"]) for line in lines)
    assert restore(bucket.store, lines).created == 0


def test_a_chat_that_was_forgotten_is_not_restored(bucket: Bucket) -> None:
    fill(bucket)
    lines = list(exported(bucket.store, CHAT))
    Forget(conversations=bucket.conversations, withdrawal=withdrawal_of(bucket.clock), clock=bucket.clock)(CHAT)

    with pytest.raises(RestorationRefusedError, match="would come back"):
        restore(bucket.store, lines)

    assert not bucket.holds("4711")


@pytest.mark.parametrize(
    "line",
    [
        "no JSON",
        "[]",
        "{}",
        '{"name": "usage/2026-01-01/x.json", "json": {}}',
        '{"name": "journal/nobody/1.json", "json": {}}',
        '{"name": "journal", "json": {}}',
        json.dumps({"name": f"media/{CHAT}/1", "base64": "?"}),
        json.dumps({"name": f"media/{CHAT}/1"}),
    ],
)
def test_what_is_no_export_is_refused(line: str) -> None:
    store = MemoryObjectStore()

    with pytest.raises(RestorationRefusedError):
        restore(store, [json.dumps({"name": f"calls/{CHAT}/k.json", "json": {}}), line])

    assert objects_of(store) == {}


def test_two_chats_in_one_file_are_refused(bucket: Bucket) -> None:
    fill(bucket)
    fill(bucket, OTHER)
    lines = [*exported(bucket.store, CHAT), *exported(bucket.store, OTHER)]

    with pytest.raises(RestorationRefusedError, match="several"):
        restore(MemoryObjectStore(), lines)


def test_a_message_after_the_loss_keeps_its_record(bucket: Bucket) -> None:
    fill(bucket)
    lines = list(exported(bucket.store, CHAT))
    after = MemoryObjectStore()
    conversations_on(after, InlineExecutor(), bucket.clock).of(CHAT).journal.record(message())
    before = objects_of(after)

    restored = restore(after, lines)

    assert restored.present == 1
    assert before.items() <= objects_of(after).items()


def test_a_chat_that_went_on_after_the_loss_can_change_what_was_restored() -> None:
    """Its turn began anew, and numbers its writes from 1; without care a cancellation is told and not carried out."""
    with ThreadPoolExecutor(4) as pool:
        worker = PushedWorker(pool)
        friend = Person(worker, is_in_group=False)
        chat = worker.conversations.of(friend.events.chat_id)
        for number, text in enumerate(["薬", "散歩", "電話"]):
            reminder = {"text": text, "at": f"2025-11-22T0{number}:00"}
            friend.says(text, calling(("create_reminder", reminder)), REPLY)
        lines = list(exported(worker.store, chat.id))
        for listed in worker.store.list(""):
            worker.store.delete(listed.name)
        friend.says("もしもし", REPLY)

        restore(worker.store, lines)
        for one in sorted(ReminderStore(chat).read_all(), key=lambda one: one.created, reverse=True):
            friend.says("もういい", calling(("cancel_reminder", {"id": one.id})), REPLY)

        assert [one.is_open for one in ReminderStore(chat).read_all()] == [False, False, False]


def test_a_chat_that_went_on_after_the_loss_keeps_the_archive_that_was_restored(bucket: Bucket) -> None:
    """Its archive began anew, too, and a compaction removes segments whose numbers lie between those that its snapshot names."""

    def said(line_message_id: str) -> MessageRecord:
        return replace(message(line_message_id), timestamp_ms=bucket.clock.now_ms())

    for number in range(1, 4):
        put_segment(bucket.chat, [said(f"old{number}")])
    lines = list(exported(bucket.store, CHAT))
    after = MemoryObjectStore()
    chat = conversations_on(after, InlineExecutor(), bucket.clock).of(CHAT)
    for number in range(1, 3):
        put_segment(chat, [said(f"new{number}")])

    restore(after, lines)
    put_segment(chat, [said("newest")])
    chat.archive.remove_needless()

    held = sorted(archive_of(*segments_in(chat)).message_ids)
    assert held == ["new1", "new2", "newest", "old1", "old2", "old3"]


def test_a_turn_that_is_ahead_of_the_export_or_cannot_be_read_stays(bucket: Bucket) -> None:
    bucket.store.create(NAMES.turn, encode(TurnRecord(sequence=3)))
    lines = list(exported(bucket.store, CHAT))

    for there in (encode(TurnRecord(sequence=4)), b"changed by hand"):
        after = MemoryObjectStore()
        after.create(NAMES.turn, there)
        restore(after, lines)
        assert objects_of(after) == {NAMES.turn: there}


def test_an_export_tells_when_it_was_made_and_may_be_restored_for_a_month() -> None:
    line = date_line(NOW_MS)

    check_date(line, now_ms=NOW_MS)
    check_date(line, now_ms=NOW_MS + MOST_DAYS * DAY_MS)


@pytest.mark.parametrize(
    ("line", "now_ms"),
    [
        (date_line(NOW_MS), NOW_MS + MOST_DAYS * DAY_MS + 1),
        (date_line(NOW_MS), NOW_MS - 1),
        ('{"name": "journal/U/1.json", "json": {}}', NOW_MS),
        ("[]", NOW_MS),
        ("", NOW_MS),
    ],
)
def test_an_export_without_a_date_or_too_old_is_refused(line: str, now_ms: int) -> None:
    with pytest.raises(RestorationRefusedError, match=r"date|older"):
        check_date(line, now_ms=now_ms)


def test_withdrawals_outlast_every_export_that_may_be_restored() -> None:
    kept = re.search(r'"amended/" = (\d+)', (ROOT / "infra" / "terraform" / "history.tf").read_text(encoding="utf-8"))

    assert kept is not None
    assert int(kept[1]) > MOST_DAYS
