import json
import re
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from operations.amendment_restoration import EventKey, event_key, unfolded
from operations.conversations import Forget, exported
from operations.restoration import MOST_DAYS, RestorationRefusedError, check_date, date_line, restore
from shared.adapters.memory import FixedClock, MemoryObjectStore
from shared.adapters.memory.scripted_model import calling
from shared.conversation.amendment_events import withdrawal_of as withdrawn
from shared.conversation.amendment_records import Amendment, EditedWords, Watermark
from shared.conversation.amendments import Amendments, Plan
from shared.conversation.member_mark import mark_id
from shared.conversation.records import MessageRecord
from shared.conversation.store import Conversation
from shared.conversation.turn import TurnRecord
from shared.errors import StorageUnavailableError
from shared.handlers.unsend import withdrawal_of
from shared.reminders.store import ReminderStore
from shared.storage.codec import encode
from shared.storage.object_names import AmendedName
from tests.infra.offline import ROOT
from tests.support import recorded
from tests.support.archives import archive_of, put_segment, segments_in
from tests.support.chats import conversations_on, fold_amendments
from tests.support.inline import InlineExecutor
from tests.support.people import Person
from tests.support.pushed import PushedWorker
from tests.unit.operations.conftest import SECRET_WORDS, Bucket, message
from tests.unit.operations.test_conversations import CHAT, NAMES, OTHER, FoldingStore, fill

REPLY = calling(("reply", {"message": "はい"}))
NOW_MS = 1_763_700_000_000
DAY_MS = 86_400_000
WITHDRAWAL = Amendment(line_message_id="1", timestamp_ms=1)
EVENT = encode(withdrawn(["1"], timestamp_ms=1))
UNREADABLE = [b"changed by hand", b"[" * 100_000]


class SlowStore(MemoryObjectStore):
    """A bucket in which a create takes some time: `seconds`, and after that none."""

    def __init__(self, clock: FixedClock, *, seconds: Sequence[float]) -> None:
        super().__init__()
        self._clock = clock
        self._seconds = [*seconds]

    def create(self, name: str, data: bytes) -> int | None:
        if self._seconds:
            self._clock.move(self._seconds.pop(0))
        return super().create(name, data)


class WatchedStore(MemoryObjectStore):
    """A bucket of a chat that a worker looks at before and after every create."""

    def __init__(self) -> None:
        super().__init__()
        self.watcher: Conversation | None = None
        self.seen: list[Amendments] = []

    def create(self, name: str, data: bytes) -> int | None:
        self._look()
        generation = super().create(name, data)
        self._look()
        return generation

    def _look(self) -> None:
        if self.watcher is not None:
            self.seen.append(self.watcher.amendments.look())


def objects_of(store: MemoryObjectStore) -> dict[str, bytes]:
    stored = {listed.name: store.read(listed.name) for listed in store.list("")}
    return {name: one.data for name, one in stored.items() if one is not None}


def test_a_lost_chat_comes_back_whole(bucket: Bucket) -> None:
    fill(bucket)
    lines = list(exported(bucket.store, CHAT))
    lost = MemoryObjectStore()

    restored = restore(lost, lines, clock=bucket.clock)

    assert (restored.created, restored.present) == (len(lines), 0)
    assert list(exported(lost, CHAT)) == lines


def test_a_restored_reminder_is_due_again(bucket: Bucket) -> None:
    fill(bucket)
    lost = MemoryObjectStore()

    restore(lost, exported(bucket.store, CHAT), clock=bucket.clock)

    assert [one.name for one in lost.list("due/")] == [f"due/20260101T0000/reminder.{CHAT}.r0000000001"]


def test_a_newcomer_of_a_restored_chat_is_known_as_one(bucket: Bucket) -> None:
    bucket.chat.members.record_joining([recorded.USER], at_ms=5)
    lost = MemoryObjectStore()

    restore(lost, exported(bucket.store, CHAT), clock=bucket.clock)

    assert conversations_on(lost, InlineExecutor()).of(CHAT).members.joined_ms([recorded.USER]) == 5


def test_restoring_twice_changes_nothing(bucket: Bucket) -> None:
    fill(bucket)
    lines = list(exported(bucket.store, CHAT))
    restore(bucket.store, lines, clock=bucket.clock)  # makes the marker of the reminder
    before = objects_of(bucket.store)

    assert restore(bucket.store, lines, clock=bucket.clock).created == 0

    assert objects_of(bucket.store) == before


@pytest.mark.parametrize(
    ("name", "data"),
    [
        (f"amended/{CHAT}/000000000000007.withdrawal.1.0a1b2c3d.json", EVENT),
        (f"amended/{CHAT}/000000000000007.withdrawal.1.0a1b2c3d.json", b"changed by hand"),
        (f"amended/{CHAT}/000000000000007.fresh.1.0a1b2c3d.json", b'{"version":2}'),
        (f"amended/{CHAT}/~fold.json", b"changed by hand"),
        (f"edited/{CHAT}/1.json", encode(EditedWords(timestamp_ms=1))),
        (f"edited/{CHAT}/1.json", b"changed by hand"),
        (f"erased/{CHAT}.json", encode(Watermark(timestamp_ms=9))),
    ],
)
def test_words_that_were_taken_back_since_the_export_stay_away(bucket: Bucket, name: str, data: bytes) -> None:
    fill(bucket)
    lines = list(exported(bucket.store, CHAT))
    after = MemoryObjectStore()
    after.create(name, data)

    with pytest.raises(RestorationRefusedError, match="would come back"):
        restore(after, lines, clock=bucket.clock)

    assert objects_of(after) == {name: data}


def test_a_withdrawal_that_was_folded_since_the_export_refuses_it_too(bucket: Bucket) -> None:
    fill(bucket)
    lines = list(exported(bucket.store, CHAT))
    bucket.chat.amendments.amend(WITHDRAWAL)
    fold_amendments(bucket.chat.amendments)

    with pytest.raises(RestorationRefusedError, match="would come back"):
        restore(bucket.store, lines, clock=bucket.clock)


def test_a_withdrawal_that_is_folded_while_the_restoration_reads_refuses_the_export(bucket: Bucket) -> None:
    fill(bucket)
    lines, after = list(exported(bucket.store, CHAT)), FoldingStore()
    conversations_on(after, InlineExecutor()).of(CHAT).amendments.withdraw({"1"}, timestamp_ms=1)
    after.delete(NAMES.edited("1"))  # so that only the event tells
    after.is_due = True

    with pytest.raises(RestorationRefusedError, match="would come back"):
        restore(after, lines, clock=bucket.clock)

    assert not after.is_due


def test_a_newer_edit_refuses_the_export_even_without_its_event(bucket: Bucket) -> None:
    """A kill between the words of an edit and its event; LINE's redelivery is still to come."""
    bucket.chat.amendments.amend(Amendment(line_message_id="1", timestamp_ms=1, text="see you at seven"))
    lines = list(exported(bucket.store, CHAT))
    bucket.chat.amendments.edits.put(Amendment(line_message_id="1", timestamp_ms=2, text="see you at eight"))

    with pytest.raises(RestorationRefusedError, match="would come back"):
        restore(bucket.store, lines, clock=bucket.clock)


def test_words_of_an_edit_that_were_withdrawn_since_the_export_stay_away(bucket: Bucket) -> None:
    bucket.chat.amendments.amend(Amendment(line_message_id="1", timestamp_ms=1, text=SECRET_WORDS))
    lines = list(exported(bucket.store, CHAT))
    bucket.chat.amendments.edits.drop(["1"])

    with pytest.raises(RestorationRefusedError, match="would come back"):
        restore(bucket.store, lines, clock=bucket.clock)

    assert not bucket.holds("4711")


@pytest.mark.parametrize("stored", UNREADABLE)
def test_an_event_that_was_changed_since_the_export_refuses_it(bucket: Bucket, stored: bytes) -> None:
    name = NAMES.amended(AmendedName(written_ms=7, kind="withdrawal", id="2", digest="0a1b2c3d"))
    bucket.store.create(name, encode(withdrawn(["1", "2"], timestamp_ms=1)))
    lines = list(exported(bucket.store, CHAT))
    after = MemoryObjectStore()
    after.create(name, stored)

    with pytest.raises(RestorationRefusedError, match="would come back"):
        restore(after, lines, clock=bucket.clock)

    assert restore(after, exported(after, CHAT), clock=bucket.clock).present == 1


BOTH_EDITS = {"1": "see you at seven", "4": "see you at eight"}  # of a folded one no words are read


def amended_chat(bucket: Bucket) -> Conversation:
    """Return the chat with one amendment of each kind; the older half of them is folded."""
    log = bucket.chat.amendments
    log.amend(Amendment(line_message_id="1", timestamp_ms=9, text="see you at seven"))
    log.withdraw({"2", "3"}, timestamp_ms=2)
    log.add_plan("3", Plan(redacted_ids=frozenset({"answer-1"}), cleared_ids=frozenset({"answer-2"})))
    fold_amendments(log)
    log.amend(Amendment(line_message_id="4", timestamp_ms=4, text="see you at eight"))
    log.amend(Amendment(line_message_id="5", timestamp_ms=5))
    log.forget_member(recorded.USER, until_ms=6)
    log.erase(1, spares_entries=True)
    log.erase(0)
    return bucket.chat


def event_keys(lines: Iterable[str]) -> list[EventKey]:
    objects = {one["name"]: json.dumps(one.get("json")).encode() for one in map(json.loads, lines)}
    return sorted(event_key(NAMES, name) for name in unfolded(NAMES, objects) if name.startswith("amended/"))


def look_anew(store: MemoryObjectStore, clock: FixedClock) -> Amendments:
    return conversations_on(store, InlineExecutor(), clock).of(CHAT).amendments.look()


def test_amendments_come_back_with_everything_that_they_say_under_the_present_time(bucket: Bucket) -> None:
    before = amended_chat(bucket).amendments.look()
    lines, lost = list(exported(bucket.store, CHAT)), MemoryObjectStore()
    bucket.clock.move(20 * DAY_MS / 1_000)

    restore(lost, lines, clock=bucket.clock)

    assert look_anew(lost, bucket.clock) == replace(before, edits=BOTH_EDITS)
    assert event_keys(exported(lost, CHAT)) == event_keys(lines)
    assert len({*event_keys(lines)}) == len(event_keys(lines)) == 8
    names = [NAMES.amended_name_in(one.name) for one in lost.list(NAMES.amended_prefix)]  # so there is no fold
    assert {one.written_ms for one in names} == {bucket.clock.now_ms()}
    edited = {one for one in objects_of(bucket.store).items() if one[0].startswith(("edited/", "erased/"))}
    assert edited <= objects_of(lost).items()


def test_amendments_that_are_restored_twice_are_appended_once(bucket: Bucket) -> None:
    amended_chat(bucket)
    lines, lost = list(exported(bucket.store, CHAT)), MemoryObjectStore()
    created = restore(lost, lines, clock=bucket.clock).created
    before = objects_of(lost)
    bucket.clock.move(60)

    again = restore(lost, lines, clock=bucket.clock)

    assert (again.created, again.present) == (0, created)
    assert objects_of(lost) == before
    fold_amendments(conversations_on(lost, InlineExecutor(), bucket.clock).of(CHAT).amendments)
    assert restore(lost, lines, clock=bucket.clock).created == 0


def test_an_event_that_was_written_twice_is_appended_once(bucket: Bucket) -> None:
    for written_ms in (7, 8):
        name = NAMES.amended(AmendedName(written_ms=written_ms, kind="withdrawal", id="1", digest="0a1b2c3d"))
        bucket.store.create(name, EVENT)
    lost = MemoryObjectStore()

    restored = restore(lost, exported(bucket.store, CHAT), clock=bucket.clock)

    assert (restored.created, restored.present) == (1, 1)


def test_a_restoration_that_stopped_half_way_is_ended_by_the_next(bucket: Bucket) -> None:
    amended_chat(bucket)
    lines, lost = list(exported(bucket.store, CHAT)), MemoryObjectStore()
    restore(lost, lines, clock=bucket.clock)
    for event in lost.list(NAMES.amended_prefix)[3:]:
        lost.delete(event.name)
    bucket.clock.move(60)

    restore(lost, lines, clock=bucket.clock)

    assert event_keys(exported(lost, CHAT)) == event_keys(lines)


def test_a_worker_that_has_looked_at_the_lost_chat_finds_what_was_restored(bucket: Bucket) -> None:
    amended_chat(bucket)
    wanted = look_anew(bucket.store, bucket.clock)
    lines, lost = list(exported(bucket.store, CHAT)), MemoryObjectStore()
    bucket.clock.move(3 * 3_600)
    warm = conversations_on(lost, InlineExecutor(), bucket.clock).of(CHAT)
    assert warm.amendments.look() == Amendments()
    bucket.clock.move(60)

    restore(lost, lines, clock=bucket.clock)

    assert warm.amendments.look() == replace(wanted, edits=BOTH_EDITS)
    assert wanted.withdrawn == {"2", "3", "5"}


def test_a_worker_that_looks_during_a_restoration_takes_no_edited_message_for_withdrawn(bucket: Bucket) -> None:
    for number in range(1, 4):
        bucket.chat.amendments.amend(Amendment(line_message_id=f"m{number}", timestamp_ms=9, text="see you at eight"))
    lines, lost = list(exported(bucket.store, CHAT)), WatchedStore()
    lost.watcher = conversations_on(lost, InlineExecutor(), bucket.clock).of(CHAT)

    restore(lost, lines, clock=bucket.clock)

    assert len(lost.seen) > 6
    assert {name for one in lost.seen for name in one.withdrawn} == set()
    assert {*lost.seen[-1].edits} == {"m1", "m2", "m3"}


def test_an_event_whose_restoration_takes_minutes_is_appended_again(bucket: Bucket) -> None:
    """A worker that looks while it is being written begins its next listing ten minutes before that."""
    bucket.chat.amendments.amend(WITHDRAWAL)
    lines = list(exported(bucket.store, CHAT))
    lost = SlowStore(bucket.clock, seconds=[1, 700])  # the words of the edit, and the event

    restore(lost, lines, clock=bucket.clock)

    written = [NAMES.amended_name_in(one.name).written_ms for one in lost.list(NAMES.amended_prefix)]
    assert written == [bucket.clock.now_ms() - 700_000, bucket.clock.now_ms()]


def test_an_event_that_always_takes_minutes_ends_the_restoration(bucket: Bucket) -> None:
    bucket.chat.amendments.amend(WITHDRAWAL)
    lines = list(exported(bucket.store, CHAT))

    with pytest.raises(StorageUnavailableError, match="too long"):
        restore(SlowStore(bucket.clock, seconds=[700] * 9), lines, clock=bucket.clock)


def test_many_words_of_edits_do_not_make_the_time_of_their_events_old(bucket: Bucket) -> None:
    bucket.chat.amendments.withdraw({f"m{number}" for number in range(9)}, timestamp_ms=1)
    lines = list(exported(bucket.store, CHAT))
    lost = SlowStore(bucket.clock, seconds=[100] * 9)
    end_ms = bucket.clock.now_ms() + 900_000

    restore(lost, lines, clock=bucket.clock)

    assert [NAMES.amended_name_in(one.name).written_ms for one in lost.list(NAMES.amended_prefix)] == [end_ms]


@pytest.mark.parametrize("data", UNREADABLE)
@pytest.mark.parametrize("is_folded", [False, True])
def test_an_event_that_cannot_be_read_comes_back_as_what_its_name_says(
    bucket: Bucket, data: bytes, *, is_folded: bool
) -> None:
    mark = mark_id(recorded.USER)
    for name in ("withdrawal.1", f"member.{mark}", "reset.5"):
        bucket.store.create(f"{NAMES.amended_since(7)}.{name}.0a1b2c3d.json", data)
    raw = list(exported(bucket.store, CHAT))
    if is_folded:
        fold_amendments(bucket.chat.amendments)
    lines, lost = list(exported(bucket.store, CHAT)), MemoryObjectStore()

    restore(lost, lines, clock=bucket.clock)

    wanted = Amendments(withdrawn=frozenset({"1"}), members={mark: 7}, erased_ms=5)
    assert look_anew(lost, bucket.clock) == look_anew(bucket.store, bucket.clock) == wanted
    assert restore(lost, lines, clock=bucket.clock).created == 0
    assert restore(lost, raw, clock=bucket.clock).created == 0


@pytest.mark.parametrize("data", UNREADABLE)
def test_a_fold_that_cannot_be_read_stops_no_restoration(bucket: Bucket, data: bytes) -> None:
    bucket.chat.amendments.amend(WITHDRAWAL)
    bucket.store.create(NAMES.amended_fold, data)
    lines, lost = list(exported(bucket.store, CHAT)), MemoryObjectStore()

    restore(lost, lines, clock=bucket.clock)

    assert look_anew(lost, bucket.clock).withdrawn == {"1"}
    assert restore(lost, lines, clock=bucket.clock).created == 0


@pytest.mark.parametrize(
    ("fold", "reason"),
    [
        ({"version": 2}, "newer release"),
        ({"version": 1, "events": [{"name": f"journal/{OTHER}/1.json", "event": json.loads(EVENT)}]}, "by hand"),
    ],
)
def test_a_fold_of_a_newer_release_or_of_a_hand_is_refused(bucket: Bucket, fold: object, reason: str) -> None:
    fill(bucket)
    lines = list(exported(bucket.store, CHAT))
    folded, lost = json.dumps({"name": NAMES.amended_fold, "json": fold}), MemoryObjectStore()

    with pytest.raises(RestorationRefusedError, match=reason):
        restore(lost, [*lines, folded], clock=bucket.clock)

    assert objects_of(lost) == {}
    lost.create(NAMES.amended_fold, json.dumps(fold).encode())
    with pytest.raises(RestorationRefusedError, match=reason):
        restore(lost, lines, clock=bucket.clock)


def test_an_event_of_a_newer_release_comes_back_as_it_is(bucket: Bucket) -> None:
    data = b'{"version":2,"kind":"fresh"}'
    bucket.store.create(f"{NAMES.amended_since(7)}.fresh.1.0a1b2c3d.json", data)
    lines, lost = list(exported(bucket.store, CHAT)), MemoryObjectStore()

    restore(lost, lines, clock=bucket.clock)

    now = NAMES.amended_since(bucket.clock.now_ms())
    assert objects_of(lost) == {f"{now}.fresh.1.0a1b2c3d.json": data}


def test_a_reminder_of_a_newer_release_refuses_the_restoration(bucket: Bucket) -> None:
    fill(bucket)
    newer = f"reminders/{CHAT}/r0000000000.json"
    bucket.store.create(newer, b'{"version":2}')
    lines, lost = list(exported(bucket.store, CHAT)), MemoryObjectStore()

    with pytest.raises(RestorationRefusedError, match="newer release"):
        restore(lost, lines, clock=bucket.clock)

    assert objects_of(lost) == {}


def test_a_newer_reminder_in_the_bucket_keeps_no_other_from_being_due(bucket: Bucket) -> None:
    fill(bucket)
    newer = f"reminders/{CHAT}/r0000000000.json"
    lines, after = list(exported(bucket.store, CHAT)), MemoryObjectStore()
    after.create(newer, b'{"version":2}')

    restore(after, [*lines, json.dumps({"name": newer, "json": {}})], clock=bucket.clock)

    assert [one.name for one in after.list("due/")] == [f"due/20260101T0000/reminder.{CHAT}.r0000000001"]


def test_a_chat_that_was_forgotten_is_not_restored(bucket: Bucket) -> None:
    fill(bucket)
    lines = list(exported(bucket.store, CHAT))
    Forget(conversations=bucket.conversations, withdrawal=withdrawal_of(bucket.clock), clock=bucket.clock)(CHAT)

    with pytest.raises(RestorationRefusedError, match="would come back"):
        restore(bucket.store, lines, clock=bucket.clock)

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
        restore(store, [json.dumps({"name": f"calls/{CHAT}/k.json", "json": {}}), line], clock=FixedClock())

    assert objects_of(store) == {}


def test_two_chats_in_one_file_are_refused(bucket: Bucket) -> None:
    fill(bucket)
    fill(bucket, OTHER)
    lines = [*exported(bucket.store, CHAT), *exported(bucket.store, OTHER)]

    with pytest.raises(RestorationRefusedError, match="several"):
        restore(MemoryObjectStore(), lines, clock=bucket.clock)


def test_a_message_after_the_loss_keeps_its_record(bucket: Bucket) -> None:
    fill(bucket)
    lines = list(exported(bucket.store, CHAT))
    after = MemoryObjectStore()
    conversations_on(after, InlineExecutor(), bucket.clock).of(CHAT).journal.record(message())
    before = objects_of(after)

    restored = restore(after, lines, clock=bucket.clock)

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

        restore(worker.store, lines, clock=worker.clock)
        for cancelled in sorted(ReminderStore(chat).read_all(), key=lambda reminder: reminder.created, reverse=True):
            friend.says("もういい", calling(("cancel_reminder", {"id": cancelled.id})), REPLY)

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

    restore(after, lines, clock=bucket.clock)
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
        restore(after, lines, clock=bucket.clock)
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
    retention = (ROOT / "infra" / "terraform" / "history.tf").read_text(encoding="utf-8")

    for kind in ("amended", "edited"):
        days = re.search(rf'"{kind}/" += (\d+)', retention)
        assert days is not None
        assert int(days[1]) > MOST_DAYS
