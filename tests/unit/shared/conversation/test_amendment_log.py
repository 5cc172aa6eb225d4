from collections.abc import Callable
from collections.abc import Set as AbstractSet

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.adapters.memory import FixedClock, MemoryObjectStore
from shared.conversation.amendment_records import Amendment
from shared.conversation.amendments import Amendments, Plan
from shared.conversation.member_mark import mark_id
from shared.conversation.store import Conversation
from shared.errors import StorageUnavailableError
from shared.storage.object_names import AmendedName
from shared.storage.object_store import ListedObject, StoredObject
from tests.support.chats import conversations_on, everything_in, message
from tests.support.inline import InlineExecutor

CHAT = "U" + "1" * 32
UNSEND = Amendment(line_message_id="m1", timestamp_ms=5)


ANNA, BERT = "U" + "a" * 32, "U" + "b" * 32


class SlowStore(MemoryObjectStore):
    """A bucket that takes some time for a list, as often as `seconds` says, and for a create, as often as `seconds_to_create` says."""

    def __init__(self, clock: FixedClock) -> None:
        super().__init__()
        self._clock = clock
        self.seconds: list[float] = []
        self.seconds_to_create: list[float] = []

    def list(self, prefix: str, *, since: str | None = None, before: str | None = None) -> tuple[ListedObject, ...]:
        listed = super().list(prefix, since=since, before=before)
        if self.seconds:
            self._clock.move(self.seconds.pop())
        return listed

    def create(self, name: str, data: bytes) -> int | None:
        if self.seconds_to_create:
            self._clock.move(self.seconds_to_create.pop())
        return super().create(name, data)


class CountingStore(MemoryObjectStore):
    """A bucket that tells which objects were read, and how many each listing returned."""

    def __init__(self) -> None:
        super().__init__()
        self.reads: list[str] = []
        self.listed: list[int] = []

    def list(self, prefix: str, *, since: str | None = None, before: str | None = None) -> tuple[ListedObject, ...]:
        listed = super().list(prefix, since=since, before=before)
        self.listed.append(len(listed))
        return listed

    def read(self, name: str) -> StoredObject | None:
        self.reads.append(name)
        return super().read(name)


class CutInStore(MemoryObjectStore):
    """A bucket in which another worker does something just before the next read of an object."""

    def __init__(self) -> None:
        super().__init__()
        self._next: dict[str, Callable[[], None]] = {}

    def cut_in(self, name: str, act: Callable[[], None]) -> None:
        self._next[name] = act

    def read(self, name: str) -> StoredObject | None:
        self._next.pop(name, lambda: None)()
        return super().read(name)


def edit(timestamp_ms: int, text: str) -> Amendment:
    return Amendment(line_message_id="m1", timestamp_ms=timestamp_ms, text=text)


def plan(*, redacted: AbstractSet[str], cleared: AbstractSet[str]) -> Plan:
    return Plan(redacted_ids=frozenset(redacted), cleared_ids=frozenset(cleared))


def empty_chat() -> Conversation:
    return conversations_on(MemoryObjectStore(), InlineExecutor()).of(CHAT)


@given(st.permutations([edit(3, "a"), edit(7, "b"), edit(9, "c"), UNSEND, edit(9, "c")]))
def test_a_withdrawal_is_final_in_every_order(amendments: list[Amendment]) -> None:
    chat = empty_chat()
    for amendment in amendments:
        chat.amendments.amend(amendment)

    assert chat.amendments.look() == Amendments(withdrawn=frozenset({"m1"}))


@given(st.permutations([edit(3, "a"), edit(7, "b"), edit(9, "c"), edit(7, "b")]))
def test_the_newest_edit_wins_in_every_order(amendments: list[Amendment]) -> None:
    chat = empty_chat()
    for amendment in amendments:
        chat.amendments.amend(amendment)

    assert chat.amendments.look().edits == {"m1": "c"}


@given(st.permutations([1, 5, 9]))
def test_the_largest_watermark_wins(timestamps: list[int]) -> None:
    chat = empty_chat()
    for timestamp in timestamps:
        chat.amendments.erase(timestamp)

    assert chat.amendments.look().erased_ms == 9


def test_an_edit_from_before_an_erasure_keeps_no_words_in_either_order(
    chat: Conversation, store: MemoryObjectStore
) -> None:
    chat.amendments.amend(edit(3, "my pin is 4711"))
    chat.amendments.erase(4)
    assert "4711" not in everything_in(store)

    chat.amendments.amend(Amendment(line_message_id="m2", timestamp_ms=4, text="my pin is 4711"))
    assert chat.amendments.edits.drop_erased("m2")
    assert "4711" not in everything_in(store)
    assert chat.amendments.look().withdrawn == {"m1", "m2"}


def test_after_a_reset_every_instance_knows_of_an_older_edit_the_time_alone(store: MemoryObjectStore) -> None:
    warm, other, new = (conversations_on(store, InlineExecutor()).of(CHAT).amendments for _ in range(3))
    warm.amend(edit(3, "my pin is 4711"))
    assert warm.look().edits == {"m1": "my pin is 4711"}

    other.erase(4, spares_entries=True)

    assert warm.look() == new.look() == Amendments(edited_ms={"m1": 3}, erased_ms=4)


def test_a_reset_that_takes_the_words_of_a_listed_edit_is_listed_too() -> None:
    store = CutInStore()
    chat, other = (conversations_on(store, InlineExecutor()).of(CHAT) for _ in range(2))
    chat.amendments.amend(edit(3, "my pin is 4711"))
    store.cut_in(chat.names.edited("m1"), lambda: other.amendments.erase(4, spares_entries=True))

    assert chat.amendments.look() == Amendments(edited_ms={"m1": 3}, erased_ms=4)


def test_an_edit_in_the_millisecond_of_an_erasure_keeps_no_words(chat: Conversation, store: MemoryObjectStore) -> None:
    chat.amendments.amend(edit(4, "my pin is 4711"))

    chat.amendments.erase(4)

    assert "4711" not in everything_in(store)
    assert chat.amendments.look().withdrawn == {"m1"}


def test_an_edit_from_after_an_erasure_stands(chat: Conversation) -> None:
    chat.amendments.erase(4)
    chat.amendments.amend(edit(5, "hello"))

    assert not chat.amendments.edits.drop_erased("m1")
    assert chat.amendments.look().edits == {"m1": "hello"}


@given(st.permutations([3, 9, 6, 9]))
def test_the_latest_time_up_to_which_a_person_took_back_everything_stands(until: list[int]) -> None:
    chat = empty_chat()
    for until_ms in until:
        chat.amendments.forget_member(ANNA, until_ms=until_ms)

    forgotten = [chat.amendments.has_forgotten(ANNA, timestamp_ms=at) for at in (8, 9, 10)]
    assert forgotten == [True, True, False]
    assert not chat.amendments.has_forgotten(BERT, timestamp_ms=1)
    assert not chat.amendments.has_forgotten(None, timestamp_ms=1)


def test_a_person_who_took_back_everything_before_writes_nothing_again(
    chat: Conversation, store: MemoryObjectStore
) -> None:
    chat.amendments.forget_member(ANNA, until_ms=9)
    before = store.list("")

    for until_ms in (9, 8):
        chat.amendments.forget_member(ANNA, until_ms=until_ms)

    assert store.list("") == before


def test_edits_are_found_by_their_author_up_to_a_time(chat: Conversation) -> None:
    for number, author in ((1, ANNA), (2, BERT), (3, ANNA)):
        edited = Amendment(line_message_id=f"m{number}", timestamp_ms=number, text="new", by=mark_id(author))
        chat.amendments.amend(edited)

    assert chat.amendments.edited_by(ANNA, until_ms=2) == {"m1"}
    assert chat.amendments.edited_by(ANNA, until_ms=3) == {"m1", "m3"}


def test_edits_are_found_by_their_author_where_their_events_have_expired(
    chat: Conversation, store: MemoryObjectStore
) -> None:
    for number, author in ((1, ANNA), (2, BERT), (3, ANNA), (4, ANNA)):
        edited = Amendment(line_message_id=f"m{number}", timestamp_ms=number, text="new", by=mark_id(author))
        chat.amendments.amend(edited)
    chat.amendments.withdraw({"m3"}, timestamp_ms=5)
    for event in store.list("amended/"):
        store.delete(event.name)
    cold = conversations_on(store, InlineExecutor()).of(CHAT)

    assert cold.amendments.edited_by(ANNA, until_ms=3) == {"m1"}


def test_edits_of_withdrawn_messages_are_found_by_their_author_too(chat: Conversation) -> None:
    chat.amendments.amend(Amendment(line_message_id="m1", timestamp_ms=1, text="new", by=mark_id(ANNA)))
    chat.amendments.withdraw({"m1"}, timestamp_ms=2)

    assert chat.amendments.edited_by(ANNA, until_ms=3) == {"m1"}
    assert chat.amendments.edited_by(BERT, until_ms=3) == frozenset()


def test_a_look_that_was_valid_too_shortly_is_repeated(clock: FixedClock) -> None:
    store = SlowStore(clock)
    chat = conversations_on(store, InlineExecutor(), clock).of(CHAT)
    store.seconds = [16.9, 17.0, 30.0]  # a look is valid for 17 s
    begun_s = clock.monotonic_s()

    chat.amendments.fresh_look()

    assert clock.monotonic_s() - begun_s == pytest.approx(63.9)


def test_looks_that_are_valid_too_shortly_each_time_have_an_end(clock: FixedClock) -> None:
    store = SlowStore(clock)
    chat = conversations_on(store, InlineExecutor(), clock).of(CHAT)
    store.seconds = [17.0] * 1_000

    with pytest.raises(StorageUnavailableError, match="took too long"):
        chat.amendments.fresh_look()


@pytest.mark.parametrize(
    ("line_message_id", "timestamp_ms", "expected"),
    [("m1", 99, True), ("m2", 99, False), ("m3", 99, False), ("m2", 10, True), ("m3", 10, True), ("m3", 11, False)],
)
def test_a_message_was_withdrawn_by_an_unsend_or_an_erasure_and_not_by_an_edit(
    chat: Conversation, line_message_id: str, timestamp_ms: int, *, expected: bool
) -> None:
    chat.amendments.erase(10)
    chat.amendments.amend(UNSEND)
    chat.amendments.amend(Amendment(line_message_id="m2", timestamp_ms=50, text="newer"))

    assert chat.amendments.has_withdrawn(line_message_id, timestamp_ms=timestamp_ms) is expected


def test_nothing_is_written_where_a_repeated_step_changes_nothing(chat: Conversation, store: MemoryObjectStore) -> None:
    def step() -> None:
        chat.amendments.amend(UNSEND)
        chat.amendments.add_plan("m1", plan(redacted={"e1"}, cleared={"e2"}))
        chat.amendments.amend(Amendment(line_message_id="m2", timestamp_ms=9, text="newer"))
        chat.amendments.erase(4)
        chat.amendments.erase(4, spares_entries=True)
        chat.amendments.edits.drop_erased("m2")

    step()
    before = store.list("")

    step()

    assert store.list("") == before


def test_of_two_edits_in_one_millisecond_the_first_stands(chat: Conversation) -> None:
    chat.amendments.amend(edit(9, "first"))
    chat.amendments.amend(edit(9, "second"))

    assert chat.amendments.look().edits == {"m1": "first"}


def test_an_erasure_that_spares_entries_leaves_their_watermark(chat: Conversation) -> None:
    marks = []
    for timestamp_ms, spares_entries in ((3, True), (4, False), (9, True), (6, False), (5, False)):
        chat.amendments.erase(timestamp_ms, spares_entries=spares_entries)
        look = chat.amendments.look()
        marks.append((look.erased_ms, look.erased_entries_ms))

    assert marks == [(3, -1), (4, 4), (9, 4), (9, 6), (9, 6)]


def test_an_erasure_leaves_edits_that_came_later(chat: Conversation) -> None:
    chat.amendments.amend(edit(5, "before"))
    chat.amendments.amend(Amendment(line_message_id="m2", timestamp_ms=6, text="after"))

    chat.amendments.erase(5)

    look = chat.amendments.look()
    assert look == Amendments(
        edits={"m2": "after"}, edited_ms={"m2": 6}, withdrawn=frozenset({"m1"}), erased_ms=5, erased_entries_ms=5
    )


def test_what_was_never_edited_is_not_dropped(chat: Conversation, store: MemoryObjectStore) -> None:
    chat.amendments.erase(9)
    chat.amendments.amend(UNSEND)
    before = store.list("")

    assert not chat.amendments.edits.drop_erased("m1")
    assert not chat.amendments.edits.drop_erased("m2")
    assert store.list("") == before


def test_every_withdrawal_is_found_however_many_there_are(chat: Conversation) -> None:
    for number in range(1_200):
        chat.amendments.amend(Amendment(line_message_id=f"m{number}", timestamp_ms=number))

    assert chat.amendments.look().withdrawn == {f"m{number}" for number in range(1_200)}


def test_messages_that_are_withdrawn_together_are_one_event(chat: Conversation, store: MemoryObjectStore) -> None:
    chat.amendments.withdraw({"m1", "m2", "m3"}, timestamp_ms=5)

    look = chat.amendments.look()
    assert look.withdrawn == {"m1", "m2", "m3"}
    assert look.together == {"m3": {"m1", "m2", "m3"}}
    assert len(store.list("amended/")) == 1


def test_an_event_that_cannot_be_read_counts_by_its_name(chat: Conversation, store: MemoryObjectStore) -> None:
    mark = mark_id(ANNA)
    for number, (kind, own_id) in enumerate(
        [("withdrawal", "m9"), ("edit", "m8"), ("member", mark), ("erasure", "7"), ("plan", "m9"), ("sunrise", "m7")]
    ):
        store.create(chat.names.amended(AmendedName(written_ms=number, kind=kind, id=own_id, digest="0")), b"{")
    store.create(f"{chat.names.amended_prefix}by-hand.json", b"{")
    chat.amendments.amend(UNSEND)

    look = chat.amendments.look()

    assert look.withdrawn == {"m1", "m8", "m9"}  # an edit whose words are nowhere is one whose words were taken back
    assert (look.members, look.erased_ms, look.erased_entries_ms) == ({mark: 2}, 7, 7)


def test_parts_of_one_plan_are_united(chat: Conversation) -> None:
    chat.amendments.amend(UNSEND)

    chat.amendments.add_plan("m1", plan(redacted={"e1"}, cleared={"e2", "e3"}))
    chat.amendments.add_plan("m1", plan(redacted={"e2"}, cleared={"e1", "e4"}))

    assert chat.amendments.look().plans == {"m1": plan(redacted={"e1", "e2"}, cleared={"e3", "e4"})}


def test_an_answer_that_two_withdrawals_took_is_compared_by_both(chat: Conversation) -> None:
    for one, cleared in (("m1", {"e2", "e3"}), ("m2", {"e3", "e4"}), ("m3", {"e9"})):
        chat.amendments.amend(Amendment(line_message_id=one, timestamp_ms=5))
        chat.amendments.add_plan(one, plan(redacted={"e7"} if one == "m3" else {"e1"}, cleared=cleared))

    assert chat.amendments.look().redacted == {"e1": {"e3"}, "e7": {"e9"}}


def test_a_plan_that_is_stored_is_not_stored_again(chat: Conversation, store: MemoryObjectStore) -> None:
    chat.amendments.add_plan("m1", plan(redacted={"e1"}, cleared={"e2", "e3"}))
    before = store.list("")

    chat.amendments.add_plan("m1", plan(redacted={"e1"}, cleared={"e3"}))
    chat.amendments.add_plan("m1", plan(redacted=set(), cleared={"e1"}))
    chat.amendments.add_plan("m1", plan(redacted=set(), cleared=set()))

    assert store.list("") == before


def test_a_warm_look_lists_the_tail_and_reads_only_what_is_new(clock: FixedClock) -> None:
    store = CountingStore()
    chats = conversations_on(store, InlineExecutor(), clock)
    other = conversations_on(store, InlineExecutor(), clock)
    for number in range(30):
        chats.of(CHAT).amendments.amend(Amendment(line_message_id=f"m{number}", timestamp_ms=number))
        clock.move(60.0)
    other.of(CHAT).amendments.look()
    chats.of(CHAT).amendments.amend(UNSEND)
    store.reads.clear()
    store.listed.clear()

    look = other.of(CHAT).amendments.look()

    assert "m1" in look.withdrawn
    assert len(store.reads) == 1
    assert store.listed == [11]  # the new one, and those of the last ten minutes


def test_an_event_that_another_clock_dates_ten_minutes_back_is_found(clock: FixedClock) -> None:
    store, late = MemoryObjectStore(), FixedClock(now_ms=clock.now_ms() - 595_000)
    chats = conversations_on(store, InlineExecutor(), clock)
    chats.of(CHAT).amendments.look()

    conversations_on(store, InlineExecutor(), late).of(CHAT).amendments.amend(UNSEND)

    assert chats.of(CHAT).amendments.look().withdrawn == {"m1"}


def test_an_instance_that_has_slept_reads_everything_again(clock: FixedClock) -> None:
    store = MemoryObjectStore()
    sleeper, other = (conversations_on(store, InlineExecutor(), clock) for _ in range(2))
    sleeper.of(CHAT).amendments.look()
    other.of(CHAT).amendments.amend(UNSEND)
    clock.move(2 * 3_600.0)
    other.of(CHAT).amendments.fold()
    assert [one.name for one in store.list("amended/")] == [sleeper.of(CHAT).names.amended_fold]

    assert sleeper.of(CHAT).amendments.look().withdrawn == {"m1"}


def test_an_instance_whose_clock_went_back_reads_everything_again(clock: FixedClock) -> None:
    store = MemoryObjectStore()
    chats, other = (conversations_on(store, InlineExecutor(), one) for one in (clock, FixedClock()))
    chats.of(CHAT).amendments.look()
    other.of(CHAT).amendments.amend(UNSEND)
    clock.move(-3_600.0)

    assert chats.of(CHAT).amendments.look().withdrawn == {"m1"}


@pytest.mark.parametrize(("seconds", "events"), [(300.0, 1), (300.1, 2)])
def test_an_event_whose_write_took_more_than_five_minutes_is_written_again(seconds: float, events: int) -> None:
    clock = FixedClock()
    store = SlowStore(clock)
    chat = conversations_on(store, InlineExecutor(), clock).of(CHAT)
    store.seconds_to_create = [seconds]

    chat.amendments.amend(UNSEND)

    written = [chat.names.amended_name_in(one.name) for one in store.list("amended/")]
    assert [(one.kind, one.id) for one in written] == [("withdrawal", "m1")] * events
    assert max(one.written_ms for one in written) > clock.now_ms() - 300_001


def test_writes_that_take_too_long_each_time_have_an_end(clock: FixedClock) -> None:
    store = SlowStore(clock)
    chat = conversations_on(store, InlineExecutor(), clock).of(CHAT)
    store.seconds_to_create = [400.0] * 1_000

    with pytest.raises(StorageUnavailableError, match="took too long"):
        chat.amendments.amend(UNSEND)


def test_an_event_that_is_folded_between_listing_and_reading_is_not_lost(clock: FixedClock) -> None:
    store = MemoryObjectStore()
    reader, folder = (conversations_on(store, InlineExecutor(), clock).of(CHAT).amendments for _ in range(2))
    folder.amend(UNSEND)
    clock.move(3_601.0)
    listing = reader.list_events()
    folder.fold()

    assert reader.begin_reading(listing)().withdrawn == {"m1"}


def test_an_old_edit_is_read_only_for_a_message_that_comes_later(clock: FixedClock) -> None:
    store = CountingStore()
    writer = conversations_on(store, InlineExecutor(), clock).of(CHAT).amendments
    writer.amend(Amendment(line_message_id="m7", timestamp_ms=9, text="newer"))
    clock.move(3_601.0)
    writer.fold()
    reader = conversations_on(store, InlineExecutor(), clock).of(CHAT).amendments

    look = reader.look()

    assert (look.edits, look.edited_ms) == ({}, {"m7": 9})
    store.reads.clear()
    assert reader.with_words_of(look, [message(8)]) == look
    assert store.reads == []
    assert reader.with_words_of(look, [message(7), message(8)]).edits == {"m7": "newer"}


def test_an_edit_whose_event_cannot_be_read_stands_with_its_words(chat: Conversation, store: MemoryObjectStore) -> None:
    chat.amendments.amend(edit(9, "newer"))
    [event] = store.list("amended/")
    store.replace(event.name, b"{", generation=event.generation)

    look = conversations_on(store, InlineExecutor()).of(CHAT).amendments.look()

    assert (look.edits, look.edited_ms) == ({"m1": "newer"}, {"m1": 9})


def test_an_instance_does_not_read_the_events_that_it_has_written(clock: FixedClock) -> None:
    store = CountingStore()
    log = conversations_on(store, InlineExecutor(), clock).of(CHAT).amendments
    log.look()
    log.withdraw({"m1", "m2"}, timestamp_ms=5)
    store.reads.clear()

    assert log.look().withdrawn == {"m1", "m2"}
    assert store.reads == []
