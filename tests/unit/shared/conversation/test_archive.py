import io
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from shared.adapters.memory import FixedClock, MemoryObjectStore
from shared.conversation.amendment_records import Amendment
from shared.conversation.archive import SEGMENTS_READ
from shared.conversation.records import OutcomeKind
from shared.conversation.segments import archived_answer, encode_segment, name_of
from shared.conversation.snapshot_records import Segment, SnapshotRecord
from shared.conversation.store import Conversation
from shared.errors import StorageUnavailableError
from shared.storage.object_store import ListedObject, StoredObject
from tests.support.archives import put_segment
from tests.support.chats import answer, conversations_on, fold_amendments, message
from tests.support.inline import InlineExecutor

CHAT = "C" + "7" * 32
DAY_MS = 24 * 3_600_000


@pytest.fixture
def store() -> "RacingStore":
    return RacingStore()


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(now_ms=1_000)


@pytest.fixture
def chat(store: "RacingStore", clock: FixedClock) -> Conversation:
    return conversations_on(store, InlineExecutor(), clock).of(CHAT)


class RacingStore(MemoryObjectStore):
    """A bucket in which `before_read` happens before an object whose name begins so is read, once each."""

    before_read: dict[str, Callable[[], object]]

    def __init__(self) -> None:
        super().__init__()
        self.before_read = {}
        self.reads: list[str] = []
        self.was_listed = threading.Event()

    def read(self, name: str) -> StoredObject | None:
        for prefix in [one for one in self.before_read if name.startswith(one)]:
            self.before_read.pop(prefix)()
        self.reads.append(name)
        return super().read(name)

    def list(self, prefix: str, *, since: str | None = None, before: str | None = None) -> tuple[ListedObject, ...]:
        found = super().list(prefix, since=since, before=before)
        if prefix.startswith("archive/"):
            self.was_listed.set()
        return found


def ids_in(chat: Conversation, **span: int) -> list[str]:
    return [one.line_message_id for one in chat.archive.read(**span).messages]


def test_a_chat_without_an_archive_has_an_empty_one(chat: Conversation, store: RacingStore) -> None:
    span = chat.archive.read()

    assert (span.messages, span.answers, span.left_out) == ((), (), False)
    assert store.reads.count(chat.names.snapshot) == 1


def test_segments_and_what_waits_for_one_are_read_in_the_order_of_time(chat: Conversation) -> None:
    put_segment(chat, [message(3), message(1)], [answer(3, "three", saw=(1,))])
    put_segment(chat, [message(5)])
    seen = chat.snapshot.read()
    waiting = Segment(messages=(message(7),), answers=(archived_answer(answer(7, "seven", saw=(5, 3))),))
    chat.snapshot.swap(seen, replace(seen.record, leaving=waiting))

    span = chat.archive.read()

    assert [one.line_message_id for one in span.messages] == ["m1", "m3", "m5", "m7"]
    assert [(one.text, set(one.provenance.ids)) for one in span.answers] == [
        ("three", {"m1", "m3"}),
        ("seven", {"m3", "m5", "m7"}),
    ]
    assert span.messages[0].reply_token is None


def test_a_message_in_two_places_is_read_once_with_its_newest_words(chat: Conversation) -> None:
    put_segment(chat, [message(1, "old")], [answer(1)])
    put_segment(chat, [replace(message(1, "new"), edited_ms=9)], [answer(1)])

    span = chat.archive.read()

    assert [one.text for one in span.messages] == ["new"]
    assert len(span.answers) == 1


def test_a_span_holds_its_ends(chat: Conversation) -> None:
    put_segment(chat, [message(number) for number in range(1, 6)])
    put_segment(chat, [message(number) for number in range(6, 9)])

    assert ids_in(chat, since_ms=2, until_ms=4) == ["m2", "m3", "m4"]
    assert ids_in(chat, since_ms=8) == ["m8"]
    assert ids_in(chat, until_ms=1) == ["m1"]


def test_segments_outside_of_the_span_are_not_read(chat: Conversation, store: RacingStore) -> None:
    put_segment(chat, [message(1), message(2)])
    wanted = put_segment(chat, [message(5), message(6)])
    put_segment(chat, [message(8)])
    store.reads.clear()

    chat.archive.read(since_ms=3, until_ms=7)

    assert [one for one in store.reads if one.startswith("archive/")] == [wanted]


def test_a_warm_segment_is_not_read_again(chat: Conversation, store: RacingStore) -> None:
    put_segment(chat, [message(1)])
    chat.archive.read()
    store.reads.clear()

    assert ids_in(chat) == ["m1"]
    assert not [one for one in store.reads if one.startswith("archive/")]


def test_the_newest_hundred_segments_are_read_and_the_reader_says_that_there_are_more(chat: Conversation) -> None:
    for number in range(1, SEGMENTS_READ + 3):
        put_segment(chat, [message(number)])

    span = chat.archive.read()

    assert span.left_out
    assert [one.timestamp_ms for one in span.messages] == list(range(3, SEGMENTS_READ + 3))
    assert not chat.archive.read(since_ms=50).left_out


def test_withdrawn_messages_and_answers_that_saw_them_are_hidden(chat: Conversation) -> None:
    put_segment(chat, [message(1), message(2), message(3)], [answer(2, saw=(1,)), answer(3)])
    chat.amendments.amend(Amendment(line_message_id="m1", timestamp_ms=9))
    chat.amendments.amend(Amendment(line_message_id="m3", timestamp_ms=9, text="edited"))

    span = chat.archive.read()

    assert [(one.line_message_id, one.text) for one in span.messages] == [("m2", "hi"), ("m3", "edited")]
    assert [one.webhook_event_id for one in span.answers] == ["e3"]


def test_an_answer_is_hidden_however_old_the_withdrawal_of_what_it_names(chat: Conversation) -> None:
    put_segment(chat, [message(2)], [answer(2, saw=(1,)), answer(3)])
    chat.amendments.amend(Amendment(line_message_id="m1", timestamp_ms=9))
    fold_amendments(chat.amendments)

    assert [one.webhook_event_id for one in chat.archive.read().answers] == ["e3"]


def test_answers_that_went_with_a_withdrawal_are_hidden_in_every_copy(chat: Conversation) -> None:
    put_segment(chat, [message(1)], [answer(1)])
    put_segment(chat, [message(1)], [answer(1, None)])

    assert chat.archive.read().answers == ()


def test_nothing_up_to_the_watermark_is_read(chat: Conversation) -> None:
    put_segment(chat, [message(1), message(2), message(3)], [answer(1), answer(3, saw=(2,)), answer(4, saw=(3,))])
    chat.amendments.erase(2, spares_entries=True)

    span = chat.archive.read()

    assert [one.line_message_id for one in span.messages] == ["m3"]
    assert [one.webhook_event_id for one in span.answers] == ["e4"]


def test_what_was_never_sent_is_not_read(chat: Conversation) -> None:
    kinds = {kind: replace(answer(number), kind=kind) for number, kind in enumerate(OutcomeKind, start=1)}
    put_segment(chat, [], kinds.values())

    assert {one.kind for one in chat.archive.read().answers} == {OutcomeKind.REPLIED, OutcomeKind.UNKNOWN}


def test_what_is_older_than_the_archive_reaches_back_is_hidden(store: RacingStore) -> None:
    clock = FixedClock(now_ms=100 * DAY_MS)
    chats = conversations_on(store, InlineExecutor(), clock)
    put_segment(chats.of(CHAT), [message(1, timestamp_ms=10 * DAY_MS - 1), message(2, timestamp_ms=10 * DAY_MS)])

    assert ids_in(replace(chats, archive_days=90).of(CHAT)) == ["m2"]
    assert ids_in(replace(chats, archive_days=90).of(CHAT), since_ms=0) == ["m2"]


def test_without_an_archive_the_bucket_is_not_asked_for_one(chat: Conversation, store: RacingStore) -> None:
    put_segment(chat, [message(1, timestamp_ms=2_000)])
    without = replace(chat.archive, days=0)
    store.was_listed.clear()

    assert without.read().messages == ()
    assert not store.was_listed.is_set()


def test_a_snapshot_in_which_no_segment_is_full_is_cut_without_a_listing(
    chat: Conversation, store: RacingStore
) -> None:
    waiting = SnapshotRecord(leaving=Segment(messages=(message(1),)))

    assert chat.archive.cut(waiting).record == waiting
    assert not store.was_listed.is_set()


@pytest.mark.parametrize(("late_ms", "is_kept"), [(0, True), (1, False)])
def test_a_segment_is_removed_when_all_of_it_is_older_than_the_archive_reaches_back(
    store: RacingStore, late_ms: int, *, is_kept: bool
) -> None:
    chats = conversations_on(store, InlineExecutor(), FixedClock(now_ms=100 * DAY_MS + late_ms))
    chat = replace(chats, archive_days=90).of(CHAT)
    put_segment(chat, [message(1), message(2, timestamp_ms=10 * DAY_MS)])

    chat.archive.remove_needless()

    assert bool(chat.archive.list_segments()) == is_kept


def test_segments_beside_those_that_a_snapshot_names_are_removed_and_newer_ones_stay(
    chat: Conversation, store: RacingStore
) -> None:
    for number in (1, 2, 3):
        put_segment(chat, [message(number)])
    named = chat.snapshot.read().record
    lost = Segment(messages=(message(9),))
    for number in (1, 2, 3, 4):
        name = name_of(lost, encode_segment(lost), number=number)
        store.create(chat.names.segment(name), encode_segment(lost))

    chat.archive.remove_needless()

    left = [one.name for one in chat.archive.list_segments()]
    assert [record.number for record in sorted(left, key=lambda record: record.number)] == [1, 2, 3, 4]
    assert {one.file for one in left} > set(named.segments)


@pytest.mark.parametrize("data", [b"", b"{", b'{"version":1,"messages":[{}]}', b'{"version":99}'])
def test_an_unreadable_segment_is_left_out_and_logged(
    chat: Conversation, store: RacingStore, lines: io.StringIO, data: bytes
) -> None:
    broken = put_segment(chat, [message(1)])
    put_segment(chat, [message(2)])
    store.replace(broken, data, generation=store.list(broken)[0].generation)

    span = chat.archive.read()

    assert [one.line_message_id for one in span.messages] == ["m2"]
    assert span.left_out
    assert lines.getvalue().count('"severity": "ERROR", "message": "record_unreadable"') == 1


def test_a_segment_that_the_bucket_does_not_give_is_left_out(chat: Conversation, store: RacingStore) -> None:
    def fail() -> None:
        raise StorageUnavailableError("the bucket does not answer")

    broken = put_segment(chat, [message(1)])
    put_segment(chat, [message(2)])
    store.before_read[broken] = fail

    span = chat.archive.read()

    assert ([one.line_message_id for one in span.messages], span.left_out) == (["m2"], True)


def test_an_object_of_another_name_is_left_alone(chat: Conversation, store: RacingStore, lines: io.StringIO) -> None:
    put_segment(chat, [message(1)])
    store.create(f"archive/{CHAT}/notes.json", b"{}")

    assert ids_in(chat) == ["m1"]
    assert "record_unreadable" in lines.getvalue()


def test_a_segment_that_moves_while_it_is_read_is_found_where_it_went(chat: Conversation, store: RacingStore) -> None:
    older = put_segment(chat, [message(1)])

    def move() -> None:
        put_segment(chat, [message(1), message(2)])
        store.delete(older)

    store.before_read[older] = move

    assert ids_in(chat) == ["m1", "m2"]


@pytest.mark.parametrize(("span", "ids"), [({}, ["m1", "m2"]), ({"since_ms": 2}, ["m2"])])
def test_what_leaves_the_snapshot_between_listing_and_reading_is_not_missed(
    store: RacingStore, clock: FixedClock, reads: ThreadPoolExecutor, span: dict[str, int], ids: list[str]
) -> None:
    chat = conversations_on(store, reads, clock).of(CHAT)
    put_segment(chat, [message(1)])
    seen = chat.snapshot.read()
    chat.snapshot.swap(seen, replace(seen.record, leaving=Segment(messages=(message(2),))))
    store.was_listed.clear()

    def move() -> None:
        assert store.was_listed.wait(30)
        put_segment(chat, [message(2)])
        now = chat.snapshot.read()
        chat.snapshot.swap(now, replace(now.record, leaving=Segment()))

    store.before_read["snapshots/"] = move

    assert ids_in(chat, **span) == ids


def test_a_listing_between_two_segments_of_one_compaction_misses_neither(
    store: RacingStore, clock: FixedClock, reads: ThreadPoolExecutor
) -> None:
    chat = conversations_on(store, reads, clock).of(CHAT)
    seen = chat.snapshot.read()
    older, newer = Segment(messages=(message(1),)), Segment(messages=(message(2),))
    chat.snapshot.swap(seen, replace(seen.record, leaving=Segment(messages=(message(1), message(2)))))
    written = [
        (name_of(segment, data := encode_segment(segment), number=number), data)
        for number, segment in enumerate((older, newer), start=1)
    ]
    store.create(chat.names.segment(written[1][0]), written[1][1])  # the two are written in parallel
    store.was_listed.clear()

    def move() -> None:
        assert store.was_listed.wait(30)
        store.create(chat.names.segment(written[0][0]), written[0][1])
        now = chat.snapshot.read()
        names = tuple(name.file for name, _ in written)
        chat.snapshot.swap(now, replace(now.record, leaving=Segment(), segments=names))

    store.before_read["snapshots/"] = move

    assert ids_in(chat) == ["m1", "m2"]


def test_a_named_segment_outside_of_the_span_is_not_waited_for(chat: Conversation, store: RacingStore) -> None:
    store.delete(put_segment(chat, [message(5)]))
    put_segment(chat, [message(9)])
    store.reads.clear()

    assert ids_in(chat, since_ms=6) == ["m9"]
    assert ids_in(chat, until_ms=4) == []
    assert len([one for one in store.reads if one.startswith("snapshots/")]) == 2


def test_a_last_segment_that_was_erased_is_not_waited_for(chat: Conversation, store: RacingStore) -> None:
    last = put_segment(chat, [message(1)])
    store.delete(last)
    store.reads.clear()

    assert ids_in(chat) == []
    assert len([one for one in store.reads if one.startswith("snapshots/")]) <= 3


def test_a_snapshot_of_an_earlier_release_has_no_archive(chat: Conversation, store: RacingStore) -> None:
    store.create(chat.names.snapshot, b'{"version":1,"messages":[],"outcomes":[],"recaps":[]}')

    assert chat.snapshot.read().record == SnapshotRecord()
    assert ids_in(chat) == []
