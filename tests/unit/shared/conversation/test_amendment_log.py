import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.adapters.memory import FixedClock, MemoryObjectStore
from shared.conversation.amendment_notes import NEWEST_READ
from shared.conversation.amendments import Amendments
from shared.conversation.member_mark import mark_id
from shared.conversation.records import ANSWERABLE_MS, Amendment
from shared.conversation.store import Conversation
from shared.conversation.watermark import ERASURE
from shared.errors import StorageUnavailableError
from shared.storage.object_names import is_amended_note
from shared.storage.object_store import ListedObject
from tests.support.chats import conversations_on, everything_in
from tests.support.inline import InlineExecutor

CHAT = "U" + "1" * 32
UNSEND = Amendment(line_message_id="m1", timestamp_ms=5)


ANNA, BERT = "U" + "a" * 32, "U" + "b" * 32


class SlowStore(MemoryObjectStore):
    """A bucket that takes some time for a list, as often as `seconds` says."""

    def __init__(self, clock: FixedClock) -> None:
        super().__init__()
        self._clock = clock
        self.seconds: list[float] = []

    def list(self, prefix: str, *, since: str | None = None, before: str | None = None) -> tuple[ListedObject, ...]:
        listed = super().list(prefix, since=since, before=before)
        if self.seconds:
            self._clock.move(self.seconds.pop())
        return listed


def edit(timestamp_ms: int, text: str) -> Amendment:
    return Amendment(line_message_id="m1", timestamp_ms=timestamp_ms, text=text)


def empty_chat() -> Conversation:
    return conversations_on(MemoryObjectStore(), InlineExecutor()).of(CHAT)


@given(st.permutations([edit(3, "a"), edit(7, "b"), edit(9, "c"), UNSEND, edit(9, "c")]))
def test_a_withdrawal_is_final_in_every_order(amendments: list[Amendment]) -> None:
    chat = empty_chat()
    for one in amendments:
        chat.amendments.amend(one)

    assert chat.amendments.look() == Amendments(withdrawn=frozenset({"m1"}))


@given(st.permutations([edit(3, "a"), edit(7, "b"), edit(9, "c"), edit(7, "b")]))
def test_the_newest_edit_wins_in_every_order(amendments: list[Amendment]) -> None:
    chat = empty_chat()
    for one in amendments:
        chat.amendments.amend(one)

    assert chat.amendments.look().edits == {"m1": "c"}


@given(st.permutations([1, 5, 9]))
def test_the_largest_watermark_wins(timestamps: list[int]) -> None:
    chat = empty_chat()
    for one in timestamps:
        chat.amendments.erase(one)

    assert chat.amendments.look().erased_ms == 9


def test_an_edit_from_before_an_erasure_keeps_no_words_in_either_order(
    chat: Conversation, store: MemoryObjectStore
) -> None:
    chat.amendments.amend(edit(3, "my pin is 4711"))
    chat.amendments.erase(4)
    assert "4711" not in everything_in(store)

    chat.amendments.amend(Amendment(line_message_id="m2", timestamp_ms=4, text="my pin is 4711"))
    assert chat.amendments.drop_erased_edit("m2")
    assert "4711" not in everything_in(store)
    assert chat.amendments.look().withdrawn == {"m1", "m2"}


def test_an_edit_in_the_millisecond_of_an_erasure_keeps_no_words(chat: Conversation, store: MemoryObjectStore) -> None:
    chat.amendments.amend(edit(4, "my pin is 4711"))

    chat.amendments.erase(4)

    assert "4711" not in everything_in(store)
    assert chat.amendments.look().withdrawn == {"m1"}


def test_an_edit_from_after_an_erasure_stands(chat: Conversation) -> None:
    chat.amendments.erase(4)
    chat.amendments.amend(edit(5, "hello"))

    assert not chat.amendments.drop_erased_edit("m1")
    assert chat.amendments.look().edits == {"m1": "hello"}


@given(st.permutations([3, 9, 6, 9]))
def test_the_latest_time_up_to_which_a_person_took_back_everything_stands(until: list[int]) -> None:
    chat = empty_chat()
    for one in until:
        chat.amendments.forget_member(ANNA, until_ms=one)

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


def test_only_the_newest_amendments_are_read(chat: Conversation) -> None:
    for number in range(NEWEST_READ + 5):
        chat.amendments.amend(Amendment(line_message_id=f"m{number}", timestamp_ms=number))

    assert chat.amendments.look().withdrawn == {f"m{number}" for number in range(5, NEWEST_READ + 5)}


def test_an_unreadable_amendment_does_not_silence_the_chat(chat: Conversation, store: MemoryObjectStore) -> None:
    store.create(f"amended/{CHAT}/m9.json", b"{")
    chat.amendments.amend(UNSEND)

    assert chat.amendments.look().withdrawn == {"m1"}


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


def test_an_old_amendment_is_found_where_its_message_is_asked_for(chat: Conversation) -> None:
    for number in range(NEWEST_READ + 5):
        chat.amendments.amend(Amendment(line_message_id=f"m{number}", timestamp_ms=number))

    withdrawn = chat.amendments.look(besides={"m1", "m9", "m999"}).withdrawn

    assert withdrawn == {"m1", *(f"m{number}" for number in range(5, NEWEST_READ + 5))}
    assert chat.amendments.amendment_of("m0") == Amendment(line_message_id="m0", timestamp_ms=0)
    assert chat.amendments.amendment_of("m999") is None


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


def test_what_went_with_a_message_is_collected_over_several_passes(chat: Conversation) -> None:
    chat.amendments.amend(UNSEND)

    chat.amendments.add_taken("m1", taken=frozenset({"e1"}), kept=frozenset({"e2", "e3"}))
    chat.amendments.add_taken("m1", taken=frozenset({"e2"}), kept=frozenset({"e1", "e4"}))

    stored = chat.amendments.amendment_of("m1")
    assert stored is not None
    assert (stored.taken, stored.kept) == (("e1", "e2"), ("e3", "e4"))


def test_only_a_withdrawal_takes_anything(chat: Conversation, store: MemoryObjectStore) -> None:
    chat.amendments.amend(edit(3, "a"))

    for one in ("m1", "m2"):
        chat.amendments.add_taken(one, taken=frozenset({"e1"}), kept=frozenset())

    assert chat.amendments.look().taken == {}
    assert [one.name for one in store.list("amended/") if not is_amended_note(one.name)] == [chat.names.amended("m1")]


def test_an_answer_that_two_withdrawals_took_is_compared_by_both(chat: Conversation) -> None:
    for one, kept in (("m1", {"e2", "e3"}), ("m2", {"e3", "e4"}), ("m3", {"e9"})):
        chat.amendments.amend(Amendment(line_message_id=one, timestamp_ms=5))
        taken = frozenset({"e7"}) if one == "m3" else frozenset({"e1"})
        chat.amendments.add_taken(one, taken=taken, kept=frozenset(kept))

    assert chat.amendments.look().taken == {"e1": {"e3"}, "e7": {"e9"}}


def test_nothing_is_written_where_a_repeated_step_changes_nothing(chat: Conversation, store: MemoryObjectStore) -> None:
    def step() -> None:
        chat.amendments.amend(UNSEND)
        chat.amendments.add_taken("m1", taken=frozenset({"e1"}), kept=frozenset({"e2"}))
        chat.amendments.amend(Amendment(line_message_id="m2", timestamp_ms=9, text="newer"))
        chat.amendments.erase(4)
        chat.amendments.erase(4, spares_entries=True)
        chat.amendments.drop_erased_edit("m2")

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


@pytest.mark.parametrize(("later_ms", "names_it"), [(ANSWERABLE_MS, True), (ANSWERABLE_MS + 1, False)])
def test_an_erasure_goes_on_naming_what_another_one_has_just_taken(
    chat: Conversation, later_ms: int, *, names_it: bool
) -> None:
    chat.amendments.erase(5)
    chat.amendments.add_taken(ERASURE, taken=frozenset({"e6"}), kept=frozenset({"e7"}))

    chat.amendments.erase(5 + later_ms)

    look = chat.amendments.look()
    assert (look.erased_ms, dict(look.taken)) == (5 + later_ms, {"e6": frozenset({"e7"})} if names_it else {})


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

    assert not chat.amendments.drop_erased_edit("m1")
    assert not chat.amendments.drop_erased_edit("m2")
    assert store.list("") == before
