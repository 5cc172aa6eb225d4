from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.adapters.memory import FixedClock, MemoryObjectStore
from shared.conversation.amendment_log import AmendmentLog
from shared.conversation.amendment_notes import (
    BESIDES_READ,
    KEPT_S,
    NAMES_KEPT,
    NEWEST_READ,
    REACH_S,
    AmendedObjects,
    AmendmentNotes,
)
from shared.conversation.member_mark import mark_id
from shared.conversation.records import Amendment
from shared.errors import StorageUnavailableError, UnusableIdError
from shared.storage.object_names import ObjectNames, is_amended_note
from shared.storage.object_store import ListedObject, StoredObject
from tests.support.chats import conversations_on
from tests.support.inline import InlineExecutor

if TYPE_CHECKING:
    from collections.abc import Callable

CHAT = "C" + "1" * 32
ANNA = "U" + "a" * 32


class CountingStore(MemoryObjectStore):
    """A bucket that counts what its listings return and what is read, and does something before the next create of a note.

    The object `loses_once` is not there when it is read for the first time.
    """

    def __init__(self) -> None:
        super().__init__()
        self.listed: list[int] = []
        self.reads = 0
        self.before_note: Callable[[], object] | None = None
        self.loses_once: str | None = None

    def list(self, prefix: str, *, since: str | None = None, before: str | None = None) -> tuple[ListedObject, ...]:
        found = super().list(prefix, since=since, before=before)
        self.listed.append(len(found))
        return found

    def read(self, name: str) -> StoredObject | None:
        self.reads += 1
        if name == self.loses_once:
            self.loses_once = None
            return None
        return super().read(name)

    def create(self, name: str, data: bytes) -> int | None:
        if is_amended_note(name) and self.before_note is not None:
            before, self.before_note = self.before_note, None
            before()
        return super().create(name, data)


@pytest.fixture
def store() -> CountingStore:
    return CountingStore()


def log_on(store: MemoryObjectStore, clock: FixedClock) -> AmendmentLog:
    """Return the amendments as an instance of its own sees them."""
    return conversations_on(store, InlineExecutor(), clock).of(CHAT).amendments


def unsend(number: int) -> Amendment:
    return Amendment(line_message_id=f"m{number}", timestamp_ms=number)


def test_looks_list_what_was_written_since_and_read_nothing_again(store: CountingStore, clock: FixedClock) -> None:
    amendments, others = log_on(store, clock), log_on(store, clock)
    for number in range(1_000):
        others.amend(unsend(number))
    clock.move(2 * REACH_S)
    amendments.look()
    amendments.look()
    store.listed, store.reads = [], 0

    found = amendments.look(besides={"m999"})

    assert (store.listed, store.reads, len(found.withdrawn)) == ([0], 0, 200)
    assert amendments.look(besides={"m7"}).withdrawn == {"m7", *found.withdrawn}


def test_what_was_read_is_not_decoded_again_until_something_is_amended(store: CountingStore, clock: FixedClock) -> None:
    amendments = log_on(store, clock)
    amendments.amend(unsend(1))
    first = amendments.look()

    assert amendments.look().withdrawn is first.withdrawn
    amendments.amend(unsend(2))
    assert amendments.look().withdrawn == {"m1", "m2"}
    assert amendments.look(besides={"m1"}).withdrawn == {"m1", "m2"}


def test_a_look_that_missed_an_object_is_not_relied_on(store: CountingStore, clock: FixedClock) -> None:
    amendments = log_on(store, clock)
    log_on(store, clock).amend(unsend(1))
    store.loses_once = ObjectNames(CHAT).amended("m1")

    assert amendments.look().withdrawn == set()
    assert amendments.look().withdrawn == {"m1"}


def test_older_amendments_are_read_besides_in_the_order_in_which_they_were_written() -> None:
    listed = [ListedObject(name=f"m{number}", generation=number) for number in range(1, NEWEST_READ + 4)]
    objects = AmendedObjects.of({one.name: one for one in listed})

    assert objects.besides({"m3", "m1", "m2", "m4", "m0"}) == tuple(listed[:3])


@pytest.mark.parametrize(("count", "has_older"), [(0, False), (NEWEST_READ, False), (NEWEST_READ + 1, True)])
def test_a_chat_of_few_amendments_has_none_that_a_look_leaves_out(count: int, *, has_older: bool) -> None:
    listed = (ListedObject(name=f"m{number}", generation=number) for number in range(1, count + 1))

    assert AmendedObjects.of({one.name: one for one in listed}).has_older is has_older


def test_of_very_many_older_amendments_the_newest_are_read_besides() -> None:
    count = BESIDES_READ + 1 + NEWEST_READ
    objects = AmendedObjects.of(
        {f"m{number}": ListedObject(name=f"m{number}", generation=number) for number in range(1, count + 1)}
    )

    besides = objects.besides(objects.by_id.keys())

    assert [one.name for one in besides] == [f"m{number}" for number in range(2, BESIDES_READ + 2)]


def test_what_is_only_named_leaves_nothing_else_out_of_a_look() -> None:
    count = BESIDES_READ + 2 + NEWEST_READ
    listed = [ListedObject(name=f"m{number}", generation=number) for number in range(1, count + 1)]
    objects = AmendedObjects.of({one.name: one for one in listed})

    besides = objects.besides({"m1", "m3"}, objects.by_id.keys())

    assert besides == (listed[0], *listed[2 : BESIDES_READ + 2])


def test_notes_of_what_is_known_change_nothing() -> None:
    known = ListedObject(name="m1", generation=5)
    objects = AmendedObjects.of({"m1": known})
    older, newer = (ListedObject(name="m1", generation=generation) for generation in (4, 6))

    assert objects.with_written({}) is objects
    assert objects.with_written({"m1": known}) is objects
    assert objects.with_written({"m1": older}) is objects
    assert objects.with_written({"m1": newer}).usual == (newer,)


def test_a_note_that_was_half_as_late_as_a_listing_reaches_is_not_written_again(
    store: CountingStore, clock: FixedClock
) -> None:
    store.before_note = lambda: clock.move(REACH_S / 2)
    log_on(store, clock).amend(unsend(1))

    assert len([one for one in store.list("amended/") if is_amended_note(one.name)]) == 1


def test_notes_that_are_late_each_time_end_the_amendment(store: CountingStore, clock: FixedClock) -> None:
    def be_late() -> None:
        clock.move(REACH_S)
        store.before_note = be_late

    be_late()

    with pytest.raises(StorageUnavailableError, match="took too long"):
        log_on(store, clock).amend(unsend(1))


def test_a_chat_of_more_amendments_than_an_instance_keeps_is_listed_each_time(
    store: CountingStore, clock: FixedClock
) -> None:
    names, notes = ObjectNames(CHAT), AmendmentNotes()
    for number in range(NAMES_KEPT):
        store.create(names.amended(f"m{number}"), b"")

    for _ in range(2):
        assert len(notes.list(store, names, clock).by_id) == NAMES_KEPT

    assert store.listed == [NAMES_KEPT] * 2


@given(
    st.lists(
        st.tuples(st.sampled_from(["look", "amend", "edit", "mark", "move"]), st.integers(0, 5), st.integers(0, 700)),
        max_size=25,
    )
)
def test_an_instance_that_listed_before_finds_what_a_new_one_finds(steps: list[tuple[str, int, int]]) -> None:
    store, clock = MemoryObjectStore(), FixedClock()
    warm, other = log_on(store, clock), log_on(store, clock)
    for what, number, amount in steps:
        match what:
            case "look":
                warm.look()
            case "amend":
                other.amend(unsend(number))
            case "edit":
                other.amend(Amendment(line_message_id=f"m{number}", timestamp_ms=amount, text=f"at {amount}"))
            case "mark":
                other.forget_member(ANNA, until_ms=amount)
            case _:
                clock.move(amount)

    assert warm.look() == log_on(store, clock).look()


def test_a_note_that_came_too_late_is_written_again(store: CountingStore, clock: FixedClock) -> None:
    amendments, other = log_on(store, clock), log_on(store, clock)
    amendments.look()

    def oversleep() -> None:
        clock.move(2 * REACH_S)
        amendments.look()  # the next listing begins after the time in the note's name

    store.before_note = oversleep
    other.amend(unsend(1))

    assert amendments.look().withdrawn == {"m1"}


def test_a_repeated_withdrawal_makes_up_for_a_note_that_its_dead_worker_did_not_write(
    store: CountingStore, clock: FixedClock
) -> None:
    amendments, other = log_on(store, clock), log_on(store, clock)
    amendments.look()
    other.amend(unsend(1))
    for note in filter(is_amended_note, [one.name for one in store.list("amended/")]):
        store.delete(note)
    assert amendments.look().withdrawn == set()

    other.amend(unsend(1))

    assert amendments.look().withdrawn == {"m1"}


def test_everything_is_listed_again_after_an_hour_and_where_the_clock_went_back(
    store: CountingStore, clock: FixedClock
) -> None:
    for seconds in (KEPT_S, -60.0):
        amendments = log_on(store, clock)
        amendments.look()
        log_on(store, clock).amend(unsend(round(seconds)))
        for note in filter(is_amended_note, [one.name for one in store.list("amended/")]):
            store.delete(note)
        assert f"m{round(seconds)}" not in amendments.look().withdrawn

        clock.move(seconds)

        assert f"m{round(seconds)}" in amendments.look().withdrawn


def test_what_is_no_note_is_passed_over(store: CountingStore, clock: FixedClock) -> None:
    amendments = log_on(store, clock)
    amendments.look()
    prefix = f"amended/{CHAT}/~{clock.now_ms():015d}"
    for name in (f"{prefix}.x.m1", f"{prefix}.5", f"{prefix}.5.m 1", f"{prefix}.5.m1.json"):
        store.create(name, b"")
    log_on(store, clock).amend(unsend(2))

    assert amendments.look().withdrawn == {"m2"}


def test_a_note_names_its_amendment() -> None:
    names = ObjectNames(CHAT)
    note = names.amended_note("m1", generation=1_763_700_000_000_001, written_ms=1_763_700_000_000)

    assert note == f"amended/{CHAT}/~001763700000000.1763700000000001.m1"
    assert names.amended_by(note) == ("m1", 1_763_700_000_000_001)
    assert is_amended_note(note)
    assert not is_amended_note(names.amended("m1"))
    assert names.amended("z" * 64) < names.amended_end < note
    assert names.amended_notes_since(1_763_700_000_000) <= note < names.amended_notes_since(1_763_700_000_001)
    with pytest.raises(UnusableIdError):
        names.amended_note("../m1", generation=1, written_ms=1)


def test_marks_of_members_are_read_once(store: CountingStore, clock: FixedClock) -> None:
    amendments = log_on(store, clock)
    amendments.forget_member(ANNA, until_ms=9)
    for number in range(300):
        amendments.amend(unsend(number))

    found = amendments.look(besides={mark_id(ANNA), "m1"})

    assert found.members == {mark_id(ANNA): 9}
    assert "m1" in found.withdrawn
