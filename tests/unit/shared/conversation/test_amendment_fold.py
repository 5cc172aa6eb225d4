from collections.abc import Callable

import pytest

from shared.adapters.memory import MemoryObjectStore
from shared.conversation.amendment_events import AmendmentEvent, edit_of, withdrawal_of
from shared.conversation.amendment_fold import AmendmentFold, fold_events, fold_in
from shared.conversation.amendment_records import Amendment
from shared.conversation.store import Conversation
from shared.storage.codec import decode, encode
from shared.storage.object_store import ListedObject, StoredObject
from tests.support.chats import conversations_on
from tests.support.inline import InlineExecutor

CHAT = "U" + "1" * 32
DAY_MS = 86_400_000


class OvertakenStore(MemoryObjectStore):
    """A bucket in which another worker does something right after the next listing, or right before the next swap."""

    overtake: Callable[[], object] | None = None
    overtake_listing: Callable[[], object] | None = None

    def __init__(self) -> None:
        super().__init__()
        self.reads: list[str] = []

    def read(self, name: str) -> StoredObject | None:
        self.reads.append(name)
        return super().read(name)

    def list(self, prefix: str, *, since: str | None = None, before: str | None = None) -> tuple[ListedObject, ...]:
        listed = super().list(prefix, since=since, before=before)
        overtake, self.overtake_listing = self.overtake_listing, None
        if overtake is not None:
            overtake()
        return listed

    def replace(self, name: str, data: bytes, *, generation: int) -> int | None:
        overtake, self.overtake = self.overtake, None
        if overtake is not None:
            overtake()
        return super().replace(name, data, generation=generation)


@pytest.fixture
def bucket() -> OvertakenStore:
    return OvertakenStore()


@pytest.fixture
def talk(bucket: OvertakenStore) -> Conversation:
    return conversations_on(bucket, InlineExecutor()).of(CHAT)


def write(talk: Conversation, an_id: str, *, written_ms: int) -> AmendmentEvent:
    event = withdrawal_of([an_id], timestamp_ms=1)
    talk.objects.store.create(event.name(talk.names, written_ms=written_ms), encode(event))
    return event


def edit(talk: Conversation, an_id: str, *, written_ms: int) -> None:
    event = edit_of(Amendment(line_message_id=an_id, timestamp_ms=5, text="words"))
    talk.objects.store.create(event.name(talk.names, written_ms=written_ms), encode(event))


def fold(talk: Conversation, *, before_ms: int = 100, retained_since_ms: int = 0) -> None:
    fold_events(talk.objects, talk.names, before_ms=before_ms, retained_since_ms=retained_since_ms)


def folded_ids(talk: Conversation) -> list[str]:
    fold = fold_in(talk.objects.store.read(talk.names.amended_fold))
    return [*sorted(fold.withdrawn_ids), *(folded.event.id for folded in fold.events)]


def listed_ids(talk: Conversation) -> list[str]:
    names = (one.name for one in talk.objects.store.list(talk.names.amended_prefix))
    return [talk.names.amended_name_in(name).id for name in names if name != talk.names.amended_fold]


def test_what_is_old_enough_is_folded_and_the_rest_stays_where_it_is(talk: Conversation) -> None:
    for number in (3, 99, 100):
        write(talk, f"m{number}", written_ms=number)

    fold(talk, before_ms=100)

    assert folded_ids(talk) == ["m3", "m99"]
    assert listed_ids(talk) == ["m100"]


def test_messages_that_were_withdrawn_one_by_one_cost_a_fold_ten_bytes_each(
    talk: Conversation, bucket: OvertakenStore
) -> None:
    ids = {str(444_573_844_083_572_737 + number * 7_531_902_468_013) for number in range(1_000)}
    for an_id in ids:
        write(talk, an_id, written_ms=1)
    together = withdrawal_of(["1", "2"], timestamp_ms=1)
    bucket.create(together.name(talk.names, written_ms=2), encode(together))

    fold(talk)
    fold(talk)

    stored = bucket.read(talk.names.amended_fold)
    assert stored is not None
    assert len(stored.data) < 10_500
    assert fold_in(stored).withdrawn_ids == ids
    assert [folded.event for folded in fold_in(stored).events] == [together]


def test_a_later_fold_adds_to_the_first_in_the_order_of_time(talk: Conversation) -> None:
    write(talk, "m2", written_ms=2)
    fold(talk)
    write(talk, "m3", written_ms=3)
    write(talk, "m1", written_ms=1)

    fold(talk)

    assert folded_ids(talk) == ["m1", "m2", "m3"]
    assert listed_ids(talk) == []


def test_a_fold_holds_each_event_as_it_was_with_its_name(talk: Conversation, bucket: OvertakenStore) -> None:
    event = edit_of(Amendment(line_message_id="m1", timestamp_ms=5, text="words", by="member-1"))
    name = event.name(talk.names, written_ms=1)
    bucket.create(name, encode(event))

    fold(talk)

    stored = bucket.read(talk.names.amended_fold)
    assert stored is not None
    assert [(one.name, one.event) for one in decode(AmendmentFold, stored.data).events] == [(name, event)]


def test_a_fold_forgets_what_is_too_old_with_its_next_writing(talk: Conversation) -> None:
    for day in (1, 5, 6):
        write(talk, f"m{day}", written_ms=day * DAY_MS)
        edit(talk, f"e{day}", written_ms=day * DAY_MS)
    fold(talk, before_ms=9 * DAY_MS)
    write(talk, "m4", written_ms=5 * DAY_MS - 1)
    edit(talk, "e4", written_ms=5 * DAY_MS - 1)

    fold(talk, before_ms=9 * DAY_MS, retained_since_ms=5 * DAY_MS)

    assert folded_ids(talk) == ["m5", "m6", "e5", "e6"]
    assert listed_ids(talk) == []


def test_a_fold_without_anything_old_writes_nothing(talk: Conversation, bucket: OvertakenStore) -> None:
    fold(talk)
    write(talk, "m1", written_ms=100)
    fold(talk)

    assert bucket.read(talk.names.amended_fold) is None


def test_a_fold_that_loses_its_swap_deletes_nothing(talk: Conversation, bucket: OvertakenStore) -> None:
    write(talk, "m1", written_ms=1)
    winner = conversations_on(bucket, InlineExecutor()).of(CHAT)

    def overtake() -> None:
        fold(winner)
        write(talk, "m1", written_ms=1)  # as if its deletion were still under way
        write(talk, "m2", written_ms=2)

    bucket.overtake = overtake
    fold(talk)

    assert folded_ids(talk) == ["m1"]
    assert listed_ids(talk) == ["m1", "m2"]


def test_an_event_that_is_folded_elsewhere_before_it_is_read_is_left_out(
    talk: Conversation, bucket: OvertakenStore
) -> None:
    gone, event = write(talk, "m1", written_ms=1), write(talk, "m2", written_ms=2)
    bucket.overtake_listing = lambda: bucket.delete(gone.name(talk.names, written_ms=1))

    fold(talk)

    assert folded_ids(talk) == [event.id]
    assert listed_ids(talk) == []


@pytest.mark.parametrize("data", [b"changed by hand", b"[" * 100_000, b'{"version":1,"withdrawn":{"2026-11-22":"?"}}'])
def test_a_fold_that_cannot_be_read_is_written_anew(talk: Conversation, bucket: OvertakenStore, data: bytes) -> None:
    bucket.create(talk.names.amended_fold, data)
    write(talk, "m1", written_ms=1)
    assert folded_ids(talk) == []

    fold(talk)

    assert folded_ids(talk) == ["m1"]


def test_a_thousand_events_are_folded_at_once(talk: Conversation) -> None:
    for number in range(1_001):
        write(talk, f"m{number}", written_ms=number)

    fold(talk, before_ms=2_000)

    assert len(folded_ids(talk)) == 1_000
    assert listed_ids(talk) == ["m1000"]


def test_a_second_pass_folds_what_is_older_than_an_hour_and_forgets_what_is_older_than_a_month(
    talk: Conversation,
) -> None:
    now_ms, hour_ms = talk.amendments.clock.now_ms(), 3_600_000
    ages_ms = {
        "month": 31 * 24 * hour_ms,
        "days": 30 * 24 * hour_ms,
        "hour": hour_ms + 1,
        "minutes": hour_ms,
        "fresh": 0,
    }
    for name, age_ms in ages_ms.items():
        write(talk, name, written_ms=now_ms - age_ms)

    talk.amendments.fold()

    assert folded_ids(talk) == ["days", "hour"]
    assert listed_ids(talk) == ["minutes", "fresh"]


def test_an_instance_that_had_to_read_old_events_one_by_one_folds_them_once(
    talk: Conversation, bucket: OvertakenStore
) -> None:
    now_ms, hour_ms = talk.amendments.clock.now_ms(), 3_600_000
    write(talk, "old", written_ms=now_ms - hour_ms - 1)
    write(talk, "new", written_ms=now_ms - hour_ms)
    talk.amendments.fold_if_due()
    assert listed_ids(talk) == ["old", "new"]
    talk.amendments.look()
    talk.amendments.look()

    talk.amendments.fold_if_due()

    assert folded_ids(talk) == ["old"]
    assert listed_ids(talk) == ["new"]
    bucket.reads.clear()
    talk.amendments.look()
    talk.amendments.fold_if_due()
    assert bucket.reads == []


def test_nothing_is_folded_by_an_instance_that_found_no_old_event(talk: Conversation, bucket: OvertakenStore) -> None:
    write(talk, "new", written_ms=talk.amendments.clock.now_ms() - 3_600_000)
    talk.amendments.look()
    bucket.reads.clear()

    talk.amendments.fold_if_due()

    assert bucket.reads == []
    assert listed_ids(talk) == ["new"]


def test_only_an_instance_that_has_not_looked_reads_the_fold(talk: Conversation, bucket: OvertakenStore) -> None:
    now_ms = talk.amendments.clock.now_ms()
    write(talk, "m1", written_ms=now_ms - 1)
    assert talk.amendments.look().withdrawn == {"m1"}
    fold(talk, before_ms=now_ms)
    write(talk, "m2", written_ms=now_ms)
    bucket.reads.clear()

    warm = talk.amendments.look()

    assert talk.names.amended_fold not in bucket.reads
    cold = conversations_on(bucket, InlineExecutor()).of(CHAT).amendments.look()
    assert warm.withdrawn == cold.withdrawn == {"m1", "m2"}
    assert bucket.reads.count(talk.names.amended_fold) == 1
