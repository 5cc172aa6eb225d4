import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from operations.conversations import Forget, exported, names_of
from shared.adapters.memory import FixedClock, MemoryObjectStore
from shared.conversation.amendment_events import AmendmentKind
from shared.conversation.amendment_records import Amendment, EditedWords, Watermark
from shared.conversation.members import MembersRecord
from shared.conversation.provenance import Provenance, Source
from shared.conversation.records import OutcomeKind, outcome_of
from shared.conversation.snapshot_records import Recap, Segment, SnapshotRecord
from shared.conversation.turn import Route, TurnRecord
from shared.errors import UnusableIdError
from shared.handlers.unsend import withdrawal_of
from shared.knowledge.tombstone import encoded_tombstone
from shared.reminders.reminder import Reminder
from shared.storage.codec import decode, encode
from shared.storage.due_marker import DueMarker
from shared.storage.object_names import ObjectNames
from shared.storage.object_store import ListedObject
from shared.turns.lease import open_turn
from tests.support import recorded
from tests.support.chats import basis_of, conversations_on, edited_words, fold_amendments, made_of
from tests.support.inline import InlineExecutor
from tests.unit.operations.conftest import SECRET_WORDS, Bucket, message

CHAT = recorded.USER
DUE_MS = 1_767_225_600_000
NAMES = ObjectNames(CHAT)
OTHER = recorded.GROUP
ELSEWHERE = {
    f"snapshots/{CHAT}.json": encode(
        SnapshotRecord(
            recaps=(
                Recap(
                    id="r0",
                    text="my pin is 4711",
                    timestamp_ms=0,
                    summed_up_ids=("0",),
                    provenance=made_of("0", since_ms=0, until_ms=0),
                ),
            )
        )
    ),
    f"media/{CHAT}/9": b"\xff my pin is 4711",
    f"archive/{CHAT}/000000000000000-000000000000000-1-0123456789abcdef.json": encode(
        Segment(messages=(message(text="my pin is 4711"),))
    ),
    f"entries/{CHAT}/ideas/pin.md": b"# my pin is 4711",
    f"calls/{CHAT}/k.json": b'{"title": "my pin is 4711"}',
    f"erased/{CHAT}.json": encode(Watermark(timestamp_ms=0)),
    f"reminders/{CHAT}/r0000000001.json": encode(
        Reminder(
            id="r0000000001",
            text="my pin is 4711",
            provenance=Provenance.of_sources((Source(line_message_id="1", timestamp_ms=0),)),
            start="2026-01-01T09:00",
            zone="Asia/Tokyo",
            due_ms=DUE_MS,
        )
    ),
    f"members/{CHAT}.json": encode(MembersRecord(joined_ms={recorded.USER: 5})),
    f"reminders/{CHAT}/pushes.json": b'{"version":1,"day":"2026-01-01","count":1}',
}


def forget(bucket: Bucket) -> Forget:
    return Forget(conversations=bucket.conversations, withdrawal=withdrawal_of(bucket.clock), clock=bucket.clock)


def marker_of(conversation_id: str) -> str:
    return DueMarker.at(DUE_MS, kind="reminder", conversation_id=conversation_id, id="r0000000001").name


def fill(bucket: Bucket, conversation_id: str = CHAT) -> None:
    journal = bucket.conversations.of(conversation_id).journal
    journal.record(message())
    answer = replace(outcome_of([message()], OutcomeKind.REPLIED), text=f"so {SECRET_WORDS}")
    journal.record_outcome(answer)
    for name, data in ELSEWHERE.items():
        bucket.store.create(name.replace(CHAT, conversation_id), data)


def test_forgetting_a_chat_leaves_none_of_its_text(bucket: Bucket) -> None:
    fill(bucket)

    count = forget(bucket)(CHAT)

    assert count > 0
    assert not bucket.holds("4711")


def test_forgetting_leaves_other_chats_unchanged(bucket: Bucket) -> None:
    fill(bucket)
    fill(bucket, OTHER)
    before = {name: bucket.store.read(name) for name in names_of(bucket.store, OTHER)}

    forget(bucket)(CHAT)

    assert {name: bucket.store.read(name) for name in names_of(bucket.store, OTHER)} == before


def test_forgetting_twice_changes_nothing_more(bucket: Bucket) -> None:
    fill(bucket)
    forget(bucket)(CHAT)
    before = names_of(bucket.store, CHAT)

    assert forget(bucket)(CHAT) == 0

    assert {*before} <= {*names_of(bucket.store, CHAT)}
    (erasure,) = {*names_of(bucket.store, CHAT)} - {*before}
    assert NAMES.amended_name_in(erasure).kind == AmendmentKind.ERASURE


def test_redelivered_message_of_a_forgotten_chat_is_not_recorded(bucket: Bucket) -> None:
    fill(bucket)
    forget(bucket)(CHAT)

    assert not bucket.chat.journal.record(message())
    assert not bucket.holds("4711")


def test_answer_in_progress_is_not_committed_after_forgetting(bucket: Bucket) -> None:
    bucket.chat.journal.record(message())
    lease = open_turn(bucket.chat, bucket.chat.turn.read())
    assert lease is not None
    basis = basis_of(lease, "1", since_ms=1)
    forget(bucket)(CHAT)

    outcome = replace(outcome_of([message()], OutcomeKind.REPLIED), text=SECRET_WORDS)

    assert not lease.commit(outcome, Route(), basis=basis)
    assert not bucket.holds("4711")


def test_committed_answer_to_erased_messages_loses_its_text(bucket: Bucket) -> None:
    outcome = replace(outcome_of([message("long-gone")], OutcomeKind.REPLIED), text=SECRET_WORDS)
    bucket.store.create(NAMES.turn, encode(TurnRecord(state="committed", outcome=outcome)))

    forget(bucket)(CHAT)

    stored = bucket.store.read(NAMES.turn)
    assert stored is not None
    assert decode(TurnRecord, stored.data).state == "committed"
    assert not bucket.holds("4711")


def test_edit_of_a_compacted_message_is_forgotten(bucket: Bucket) -> None:
    bucket.chat.amendments.amend(Amendment(line_message_id="7", timestamp_ms=1, text=SECRET_WORDS))
    assert bucket.holds("4711")

    forget(bucket)(CHAT)

    assert not bucket.holds("4711")


def test_edits_and_withdrawals_outlast_a_forgetting_without_words(bucket: Bucket) -> None:
    bucket.chat.amendments.amend(Amendment(line_message_id="7", timestamp_ms=1, text=SECRET_WORDS))
    bucket.chat.amendments.amend(Amendment(line_message_id="8", timestamp_ms=1))
    fold_amendments(bucket.chat.amendments)
    bucket.chat.amendments.amend(Amendment(line_message_id="9", timestamp_ms=1))
    before = {name for name in names_of(bucket.store, CHAT) if name.startswith(("amended/", "edited/"))}

    forget(bucket)(CHAT)

    assert before <= {*names_of(bucket.store, CHAT)}
    assert {NAMES.edited("7"), NAMES.edited("8"), NAMES.edited("9"), NAMES.amended_fold} <= before
    fresh = conversations_on(bucket.store, InlineExecutor(), bucket.clock).of(CHAT)
    assert fresh.amendments.look().withdrawn >= {"8", "9"}
    assert edited_words(fresh, "7") == EditedWords(timestamp_ms=1)


def test_a_fold_of_ids_that_cannot_be_unpacked_is_forgotten(bucket: Bucket) -> None:
    bucket.store.create(f"amended/{CHAT}/~fold.json", b'{"version": 1, "withdrawn": {"2026-11-22": "my pin: 4711"}}')

    forget(bucket)(CHAT)

    assert not bucket.holds("4711")


@pytest.mark.parametrize(
    "name",
    [
        f"amended/{CHAT}/1.json",
        f"amended/{CHAT}/000000000000007.edit.1.0a1b2c3d.json",
        f"amended/{CHAT}/000000000000007.plan.1.0a1b2c3d.json",
        f"amended/{CHAT}/000000000000007.withdrawal.1.0a1b2c3d.json",
        f"amended/{CHAT}/~fold.json",
        f"calls/{CHAT}/k.json",
        f"edited/{CHAT}/1.json",
        f"entries/{CHAT}/ideas/pin.md",
        f"entries/{CHAT}/search.json",
        f"entries/{CHAT}/undo.json",
        f"erased/{CHAT}.json",
        f"journal/{CHAT}/1.json",
        f"journal/{CHAT}/event-1.outcome.json",
        f"members/{CHAT}.json",
        f"reminders/{CHAT}/r0000000002.json",
        f"snapshots/{CHAT}.json",
        f"turns/{CHAT}.json",
    ],
)
@pytest.mark.parametrize("data", [b"my pin is 4711 {", b'{"version": 99, "text": "my pin is 4711"}'])
def test_unreadable_object_is_forgotten(bucket: Bucket, name: str, data: bytes) -> None:
    bucket.store.create(name, data)

    forget(bucket)(CHAT)

    assert not bucket.holds("4711")
    assert not bucket.chat.journal.record(message())


def test_markers_of_forgotten_reminders_are_gone(bucket: Bucket) -> None:
    fill(bucket)
    fill(bucket, OTHER)
    for chat in (CHAT, OTHER):
        bucket.store.create(marker_of(chat), b"")

    forget(bucket)(CHAT)

    reminders = [one.name for one in bucket.store.list("due/") if "/reminder." in one.name]
    assert reminders == [marker_of(OTHER)]


@pytest.mark.parametrize("data", [b"{", b'{"version": 99}'])
def test_marker_of_an_unreadable_reminder_is_gone_with_it(bucket: Bucket, data: bytes) -> None:
    bucket.store.create(f"reminders/{CHAT}/r0000000001.json", data)
    for name in (marker_of(CHAT), marker_of(OTHER), f"due/20260101T0000/edit.{CHAT}.1", "due/of a hand"):
        bucket.store.create(name, b"")

    forget(bucket)(CHAT)

    left = {one.name for one in bucket.store.list("due/")}
    assert marker_of(CHAT) not in left
    assert {marker_of(OTHER), f"due/20260101T0000/edit.{CHAT}.1", "due/of a hand"} <= left


def test_forgetting_leaves_no_joining_of_a_member(bucket: Bucket) -> None:
    fill(bucket)
    late_ms = bucket.clock.now_ms() + 1
    bucket.chat.members.record_joining(["U" + "1" * 32], at_ms=late_ms)

    forget(bucket)(CHAT)

    assert bucket.chat.members.joined_ms([recorded.USER]) is None
    assert bucket.chat.members.joined_ms(["U" + "1" * 32]) == late_ms


def test_message_recorded_during_forgetting_stays(bucket: Bucket) -> None:
    fill(bucket)
    late = replace(message("2", text="a new beginning", event="event-2"), timestamp_ms=bucket.clock.now_ms() + 1)
    clock = InterruptedClock(lambda: bucket.chat.journal.record(late))
    conversations = conversations_on(bucket.store, InlineExecutor(), clock)

    Forget(conversations=conversations, withdrawal=withdrawal_of(clock), clock=clock)(CHAT)

    assert bucket.holds("a new beginning")
    assert not bucket.holds("4711")


def test_commit_sequence_continues_after_forgetting(bucket: Bucket) -> None:
    bucket.store.create(NAMES.turn, encode(TurnRecord(sequence=57)))

    forget(bucket)(CHAT)

    assert bucket.chat.turn.read().record.sequence == 57


class InterruptedClock(FixedClock):
    """A clock that calls a function during every sleep."""

    def __init__(self, interrupt: Callable[[], object]) -> None:
        super().__init__()
        self._interrupt = interrupt

    def sleep(self, seconds: float) -> None:
        super().sleep(seconds)
        self._interrupt()


class CompactedStore(MemoryObjectStore):
    """A bucket whose journal is folded into the snapshot right after each listing."""

    def list(self, prefix: str, *, since: str | None = None, before: str | None = None) -> tuple[ListedObject, ...]:
        listed = super().list(prefix, since=since, before=before)
        for listed_object in listed if prefix.startswith("journal/") else ():
            super().create(f"snapshots/{CHAT}.json", encode(SnapshotRecord(messages=(message(),))))
            super().delete(listed_object.name)
        return listed


def test_export_during_a_compaction_loses_no_message() -> None:
    store = CompactedStore()
    store.create(NAMES.message("1"), encode(message()))

    assert SECRET_WORDS in "".join(exported(store, CHAT))


class FoldingStore(MemoryObjectStore):
    """A bucket in which all amendments are folded for the first time while an export reads them: once they are listed."""

    is_due = False

    def list(self, prefix: str, *, since: str | None = None, before: str | None = None) -> tuple[ListedObject, ...]:
        listed = super().list(prefix, since=since, before=before)
        if self.is_due and prefix.startswith("amended/"):
            self.is_due = False
            fold_amendments(conversations_on(self, InlineExecutor()).of(CHAT).amendments)
        return listed


def test_export_during_the_first_fold_of_a_chat_loses_no_amendment() -> None:
    store = FoldingStore()
    conversations_on(store, InlineExecutor()).of(CHAT).amendments.amend(Amendment(line_message_id="1", timestamp_ms=1))
    store.is_due = True

    lines = {json.loads(line)["name"]: json.loads(line) for line in exported(store, CHAT)}

    assert not store.is_due
    assert [*lines[NAMES.amended_fold]["json"]["withdrawn"].values()] == ["1"]


def test_export_names_each_object_once(bucket: Bucket) -> None:
    fill(bucket)
    bucket.chat.amendments.amend(Amendment(line_message_id="8", timestamp_ms=1))
    fold_amendments(bucket.chat.amendments)

    names = [json.loads(line)["name"] for line in exported(bucket.store, CHAT)]

    assert names == list(names_of(bucket.store, CHAT))
    assert len({*names}) == len(names)
    assert NAMES.amended_fold in names


def test_export_holds_every_object_of_its_chat_only(bucket: Bucket) -> None:
    fill(bucket)
    fill(bucket, OTHER)

    lines = [json.loads(line) for line in exported(bucket.store, CHAT)]

    assert [line["name"] for line in lines] == list(names_of(bucket.store, CHAT))
    assert {*ELSEWHERE, NAMES.message("1")} <= {line["name"] for line in lines}
    assert not any(OTHER in line["name"] for line in lines)


def test_export_distinguishes_json_text_and_bytes(bucket: Bucket) -> None:
    fill(bucket)

    by_name = {json.loads(line)["name"]: json.loads(line) for line in exported(bucket.store, CHAT)}

    assert by_name[NAMES.message("1")]["json"]["text"] == SECRET_WORDS
    assert by_name[f"entries/{CHAT}/ideas/pin.md"]["text"] == "# my pin is 4711"
    assert by_name[f"media/{CHAT}/9"]["base64"] == "/yBteSBwaW4gaXMgNDcxMQ=="


def test_an_export_leaves_out_tombstones_of_entries(bucket: Bucket) -> None:
    fill(bucket)
    before = list(exported(bucket.store, CHAT))
    entry = bucket.store.read(f"entries/{CHAT}/ideas/pin.md")
    assert entry is not None
    bucket.store.create(
        f"entries/{CHAT}/ideas/gone.md", encoded_tombstone("ideas/gone.md", entry.data, key=(1, 0), deleted_ms=1)
    )

    assert list(exported(bucket.store, CHAT)) == before


def test_each_object_of_an_export_is_one_line(bucket: Bucket) -> None:
    bucket.chat.journal.record(message(text="two\nlines\u2028and more"))

    assert all(line.count("\n") == 0 for line in exported(bucket.store, CHAT))


@pytest.mark.parametrize("malformed_id", ["", "U123", "../secrets", CHAT.upper(), f"{CHAT}/", f"{CHAT}\n"])
def test_malformed_chat_id_is_refused(bucket: Bucket, malformed_id: str) -> None:
    fill(bucket)

    with pytest.raises(UnusableIdError, match="no LINE id"):
        forget(bucket)(malformed_id)
    with pytest.raises(UnusableIdError, match="no LINE id"):
        exported(bucket.store, malformed_id)
    assert bucket.holds("4711")
