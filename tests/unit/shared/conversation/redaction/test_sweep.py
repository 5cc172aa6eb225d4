"""What is withdrawn, edited or erased goes from the archive, too."""

from dataclasses import replace

import pytest

from shared.adapters.memory import FixedClock, MemoryObjectStore
from shared.conversation.amendments import Amendments
from shared.conversation.lifetime import cut
from shared.conversation.redaction.sweep import Sweep
from shared.conversation.segments import encode_segment
from shared.conversation.snapshot_records import Recap, Segment, SnapshotRecord
from shared.conversation.store import Conversation
from shared.conversation.withdrawal import Withdrawal
from shared.errors import UnknownRecordVersionError
from shared.handlers.holdings import holdings_of
from shared.handlers.unsend import withdrawal_of
from shared.storage.compare_and_swap import SWAP_ATTEMPTS
from shared.storage.object_cache import ObjectCache
from shared.storage.object_store import ListedObject, StoredObject
from tests.support.archives import archive_of, put_segment, segments_in
from tests.support.chats import answer, conversations_on, everything_in, made_of, made_with, message
from tests.support.inline import InlineExecutor

CHAT = "C" + "7" * 32
SOUP = "the kabocha soup simmers behind the third bookshelf"
YUKI, KENJI = "U" + "a" * 32, "U" + "b" * 32


class CountingStore(MemoryObjectStore):
    """A bucket that notes what is read; the object `vanishes` is deleted before it is read.

    `rewrites`: what another worker writes over the next object that is to be deleted by its generation.
    """

    def __init__(self) -> None:
        super().__init__()
        self.reads: list[str] = []
        self.vanishes = ""
        self.rewrites: Segment | None = None

    def delete(self, name: str, *, generation: int | None = None) -> bool:
        if self.rewrites is not None and generation is not None:
            self.replace(name, encode_segment(self.rewrites), generation=generation)
            self.rewrites = None
        return super().delete(name, generation=generation)

    def read(self, name: str) -> StoredObject | None:
        self.reads.append(name)
        if name == self.vanishes:
            self.delete(name)
        return super().read(name)


class UncachedReads(ObjectCache):
    """Objects that are read from the bucket each time."""

    def keep(self, written: ListedObject, data: bytes) -> None:
        pass


@pytest.fixture
def store() -> CountingStore:
    return CountingStore()


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(now_ms=10_000)


@pytest.fixture
def chat(store: MemoryObjectStore, clock: FixedClock) -> Conversation:
    return conversations_on(store, InlineExecutor(), clock).of(CHAT)


@pytest.fixture
def withdrawal(clock: FixedClock) -> Withdrawal:
    return withdrawal_of(clock)


def recap(number: int, text: str, *covers: int) -> Recap:
    return Recap(
        id=f"recap-{number}",
        text=text,
        timestamp_ms=max(covers),
        summed_up_ids=tuple(f"m{one}" for one in covers),
        provenance=made_of(*tuple(f"m{one}" for one in covers), since_ms=min(covers), until_ms=max(covers)),
    )


def archived_ids(chat: Conversation) -> list[str]:
    return sorted(archive_of(*segments_in(chat)).message_ids)


def test_an_archived_message_that_is_unsent_is_in_no_object(
    chat: Conversation, withdrawal: Withdrawal, store: MemoryObjectStore
) -> None:
    put_segment(chat, [message(1, SOUP), message(2, "tea")], [answer(1, f"noted: {SOUP}"), answer(2, "enjoy")])
    put_segment(chat, [message(3, "coffee")], [answer(3, f"you said {SOUP}", saw=(1,))])

    assert withdrawal.withdraw(chat, "m1", timestamp_ms=9)

    assert "kabocha" not in everything_in(store)
    assert archived_ids(chat) == ["m2", "m3"]
    assert [one.text for one in chat.archive.read().answers] == ["enjoy"]


def test_what_waits_for_a_segment_is_withdrawn_too(
    chat: Conversation, withdrawal: Withdrawal, store: MemoryObjectStore
) -> None:
    before = SnapshotRecord(
        messages=(message(1, SOUP),),
        outcomes=(answer(1, f"noted: {SOUP}"),),
        recaps=(recap(1, f"They cook: {SOUP}", 1),),
    )
    chat.snapshot.swap(chat.snapshot.read(), chat.archive.with_waiting(before, SnapshotRecord()))
    assert "kabocha" in everything_in(store)

    assert withdrawal.withdraw(chat, "m1", timestamp_ms=9)

    assert "kabocha" not in everything_in(store)


def test_a_message_that_nobody_knows_is_looked_for_in_the_archive_in_vain(
    chat: Conversation, withdrawal: Withdrawal
) -> None:
    put_segment(chat, [message(1)])

    assert not withdrawal.withdraw(chat, "m9", timestamp_ms=9)
    assert archived_ids(chat) == ["m1"]


def test_archived_answers_that_repeat_an_answer_or_a_recap_which_goes_lose_their_words(
    chat: Conversation, withdrawal: Withdrawal, store: MemoryObjectStore
) -> None:
    put_segment(chat, [message(1, SOUP)], [answer(1, f"noted: {SOUP}")])
    later = made_with(answer(3, f"as I said, {SOUP}"), "e1")
    other = made_with(answer(4, "good evening"), "e1", "e3", "recap-1")
    put_segment(chat, [message(3), message(4)], [later, other], [recap(1, f"They cook: {SOUP}", 1, 2)])
    put_segment(chat, [message(5)], [made_with(answer(5, f"a recap said: {SOUP}"), "recap-1")])

    withdrawal.withdraw(chat, "m1", timestamp_ms=9)

    assert "kabocha" not in everything_in(store)
    assert [one.text for one in chat.archive.read().answers] == ["good evening"]


@pytest.mark.parametrize(("shown_since_ms", "is_kept"), [(4, False), (5, True)])
def test_an_erasure_of_entries_takes_what_is_archived_of_later_answers_that_may_have_been_shown_one(
    chat: Conversation, withdrawal: Withdrawal, store: MemoryObjectStore, shown_since_ms: int, *, is_kept: bool
) -> None:
    later = made_with(answer(8, f"noted: {SOUP}"), entries_since_ms=shown_since_ms)
    put_segment(chat, [message(8)], [later, made_with(answer(9, f"as I said, {SOUP}"), "e8")])

    withdrawal.erase(chat, until_ms=4)  # it was carried out late

    assert ("kabocha" in everything_in(store)) is is_kept


def test_words_that_were_handed_on_through_any_number_of_segments_go(
    chat: Conversation, store: CountingStore, withdrawal: Withdrawal
) -> None:
    last = SWAP_ATTEMPTS + 10
    put_segment(chat, [message(1, SOUP)], [answer(1, f"noted: {SOUP}")])
    for number in range(2, last + 1):
        handed_on = made_with(answer(number, f"{number}: {SOUP}"), f"e{number - 1}")
        put_segment(chat, [message(number)], [handed_on, made_with(answer(number + 100, "ok"), f"e{number}")])

    assert withdrawal.withdraw(chat, "m1", timestamp_ms=9_000)

    assert SOUP not in everything_in(store)
    plan = chat.amendments.look().plans["m1"]
    assert (len(plan.redacted_ids), len(plan.cleared_ids)) == (last, last - 1)


def test_what_newer_segments_hand_on_of_what_is_erased_goes_however_many_they_are(
    chat: Conversation, store: CountingStore, withdrawal: Withdrawal
) -> None:
    put_segment(chat, [message(1, SOUP), message(2)], [answer(2, f"noted: {SOUP}", saw=(1,))])
    for number in range(3, SWAP_ATTEMPTS + 10):
        put_segment(chat, [message(number)], [made_with(answer(number, f"{number}: {SOUP}"), f"e{number - 1}")])

    withdrawal.erase(chat, until_ms=1)

    assert SOUP not in everything_in(store)
    assert len(archived_ids(chat)) == SWAP_ATTEMPTS + 8


def test_recaps_of_other_messages_keep_their_words(chat: Conversation, withdrawal: Withdrawal) -> None:
    put_segment(chat, [message(1, SOUP)], [], [recap(1, f"They cook: {SOUP}", 1), recap(2, "They drink tea.", 2)])

    withdrawal.withdraw(chat, "m1", timestamp_ms=9)

    assert [one.text for segment in segments_in(chat) for one in segment.recaps] == ["", "They drink tea."]


def test_an_answer_in_the_journal_that_repeats_an_archived_one_loses_its_words(
    chat: Conversation, withdrawal: Withdrawal, store: MemoryObjectStore
) -> None:
    put_segment(chat, [message(1, SOUP)], [answer(1, f"noted: {SOUP}")])
    chat.journal.record(message(8, "where is the soup?"))
    chat.journal.record_outcome(made_with(answer(8, f"You said {SOUP}"), "e1"))

    withdrawal.withdraw(chat, "m1", timestamp_ms=9)

    assert "kabocha" not in everything_in(store)


def test_a_recap_whose_source_is_archived_goes_with_its_unsend(
    chat: Conversation, withdrawal: Withdrawal, store: MemoryObjectStore
) -> None:
    chat.snapshot.swap(chat.snapshot.read(), SnapshotRecord(recaps=(recap(1, f"They cook: {SOUP}", 1, 2),)))
    put_segment(chat, [message(1, SOUP), message(2)])

    withdrawal.withdraw(chat, "m1", timestamp_ms=9)

    assert "kabocha" not in everything_in(store)


def test_an_edit_replaces_archived_words_and_drops_the_recaps_of_the_older_ones(
    chat: Conversation, withdrawal: Withdrawal, store: MemoryObjectStore
) -> None:
    chat.snapshot.swap(chat.snapshot.read(), SnapshotRecord(recaps=(recap(2, f"They cook: {SOUP}", 1, 2),)))
    put_segment(chat, [message(1, SOUP), message(2)])
    put_segment(chat, [message(3)], [], [recap(1, f"They cooked: {SOUP}", 1)])

    assert withdrawal.edit(chat, "m1", text="never mind", timestamp_ms=9)

    assert "kabocha" not in everything_in(store)
    assert [one.text for one in chat.archive.read().messages] == ["never mind", "hi", "hi"]


def test_an_older_edit_changes_nothing_in_the_archive(chat: Conversation, withdrawal: Withdrawal) -> None:
    put_segment(chat, [replace(message(1, "newest"), edited_ms=8)])
    withdrawal.edit(chat, "m1", text="newest", timestamp_ms=8)

    withdrawal.edit(chat, "m1", text="older", timestamp_ms=7)

    assert [one.text for one in chat.archive.read().messages] == ["newest"]


def test_an_erasure_deletes_what_is_older_and_cleans_what_reaches_back(
    chat: Conversation, withdrawal: Withdrawal, store: MemoryObjectStore
) -> None:
    wholly = put_segment(chat, [message(1, SOUP), message(3)], [answer(1, SOUP)])
    partly = put_segment(chat, [message(2, SOUP), message(5, "tea")], [answer(5, SOUP, saw=(2,))])
    heir = made_with(answer(6, f"again: {SOUP}"), "e5", since_ms=5)
    after = put_segment(chat, [message(6, "milk")], [heir, made_with(answer(7, "good evening"), since_ms=6)])

    withdrawal.erase(chat, until_ms=3)

    assert "kabocha" not in everything_in(store)
    assert [one.name for one in store.list(chat.names.archive_prefix)] == [partly, after]
    assert wholly not in everything_in(store)
    assert archived_ids(chat) == ["m5", "m6"]
    assert [one.text for one in chat.archive.read().answers] == ["good evening"]


@pytest.mark.parametrize("since_ms", [2, 3])
@pytest.mark.parametrize("of", ["answer", "recap"])
def test_what_repeats_an_archived_answer_or_recap_that_reaches_back_is_erased_with_it(
    chat: Conversation, withdrawal: Withdrawal, store: MemoryObjectStore, of: str, since_ms: int
) -> None:
    reaching = made_with(recap(1, f"They cook: {SOUP}", 5), since_ms=since_ms)
    put_segment(
        chat,
        [message(5, "tea")],
        [answer(5, SOUP, saw=(since_ms,))] if of == "answer" else (),
        [reaching] if of == "recap" else (),
    )
    repeats = made_with(answer(6, f"again: {SOUP}"), "e5" if of == "answer" else "recap-1", since_ms=6)
    rephrases = made_with(answer(7, "good evening"), *repeats.provenance.ids, since_ms=6)
    put_segment(chat, [message(6, "milk")], [repeats, rephrases])

    withdrawal.erase(chat, until_ms=3)

    assert "kabocha" not in everything_in(store)
    assert [one.text for one in chat.archive.read().answers] == ["good evening"]


def test_an_erased_chat_waits_for_no_segment(chat: Conversation, withdrawal: Withdrawal) -> None:
    put_segment(chat, [message(1)])

    withdrawal.erase(chat, until_ms=3)

    assert chat.snapshot.read().record.segments == ()


@pytest.mark.parametrize("data", [b'{"version":1,"messages":[{"line_message_id":"m1"', b'x "m1" y'])
def test_an_unreadable_segment_that_names_what_is_withdrawn_is_deleted(
    chat: Conversation, withdrawal: Withdrawal, store: MemoryObjectStore, data: bytes
) -> None:
    broken = put_segment(chat, [message(1, SOUP)])
    store.replace(broken, data, generation=store.list(broken)[0].generation)
    put_segment(chat, [message(1, SOUP), message(2)])

    withdrawal.withdraw(chat, "m1", timestamp_ms=9)

    assert store.read(broken) is None
    assert archived_ids(chat) == ["m2"]


def test_an_unreadable_segment_that_names_nothing_of_it_is_left_to_the_operator(
    chat: Conversation, withdrawal: Withdrawal, store: MemoryObjectStore
) -> None:
    broken = put_segment(chat, [message(5)])
    store.replace(broken, b'{"line_message_id":"m10"', generation=store.list(broken)[0].generation)
    put_segment(chat, [message(1, SOUP)])

    withdrawal.withdraw(chat, "m1", timestamp_ms=9)

    assert store.read(broken) is not None
    assert "kabocha" not in everything_in(store)


def test_a_segment_of_a_newer_release_keeps_the_unsend_from_being_acknowledged(
    chat: Conversation, withdrawal: Withdrawal, store: MemoryObjectStore
) -> None:
    newer = put_segment(chat, [message(1, SOUP)])
    store.replace(newer, b'{"version":2,"messages":["m1"]}', generation=store.list(newer)[0].generation)

    with pytest.raises(UnknownRecordVersionError, match="version 2"):
        withdrawal.withdraw(chat, "m1", timestamp_ms=9)


def test_a_segment_that_is_gone_when_it_is_read_has_moved(
    chat: Conversation, withdrawal: Withdrawal, store: CountingStore
) -> None:
    store.vanishes = put_segment(chat, [message(1, SOUP)])

    assert not withdrawal.withdraw(chat, "m1", timestamp_ms=9)


@pytest.mark.parametrize("count", [1, 20, 21, 60])
def test_many_messages_are_withdrawn_at_once(
    chat: Conversation, withdrawal: Withdrawal, store: MemoryObjectStore, count: int
) -> None:
    for first in range(0, 100, 20):
        put_segment(chat, [message(number, f"{SOUP} {number}") for number in range(first, first + 20)])

    assert withdrawal.withdraw_all(chat, frozenset(f"m{number}" for number in range(count)), timestamp_ms=9)

    assert sorted(archived_ids(chat)) == sorted(f"m{number}" for number in range(count, 100))
    assert not any(f'{SOUP} {number}"' in everything_in(store) for number in range(count))


@pytest.mark.parametrize("count", [1, 20, 21])
def test_a_segment_that_names_none_of_the_ids_is_not_found(chat: Conversation, count: int) -> None:
    put_segment(chat, [message(1)], [answer(1)])

    assert [*Sweep(archive=chat.archive).find({f"x{number}" for number in range(count)})] == []


def test_a_segment_is_searched_once_for_the_same_ids(chat: Conversation, store: CountingStore) -> None:
    clean, hit = put_segment(chat, [message(1)]), put_segment(chat, [message(2)])
    uncached = UncachedReads(store=store, reads=InlineExecutor())
    sweep = Sweep(archive=replace(chat.archive, objects=uncached))

    found = [[*sweep.find({"m2"})], [*sweep.find({"m2"})], [*sweep.find({"m2", "m9"})]]

    assert [[one.line_message_id for segment in each for one in segment.messages] for each in found] == [["m2"]] * 3
    assert (store.reads.count(clean), store.reads.count(hit)) == (1, 3)


@pytest.mark.parametrize(("in_memory", "reads"), [(True, 2), (False, 3)])
def test_segments_that_end_long_before_a_message_are_not_read_for_its_unsend(
    chat: Conversation, clock: FixedClock, withdrawal: Withdrawal, store: CountingStore, in_memory: bool, reads: int
) -> None:
    day_ms = 24 * 3_600_000
    clock.move(3 * day_ms / 1_000)
    ends = (0, day_ms, 2 * day_ms)
    names = [put_segment(chat, [message(number, timestamp_ms=at_ms)]) for number, at_ms in enumerate(ends)]
    said = message(7, SOUP, timestamp_ms=2 * day_ms)
    if in_memory:
        chat.journal.record(said)

    withdrawal.withdraw(chat, said.line_message_id, timestamp_ms=3 * day_ms)

    assert [store.reads.count(one) for one in names].count(1) == reads
    assert SOUP not in everything_in(store)


@pytest.mark.parametrize(("in_memory", "reads"), [(True, 2), (False, 3)])
def test_segments_that_end_long_before_a_message_are_not_read_for_its_edit(
    chat: Conversation, clock: FixedClock, withdrawal: Withdrawal, store: CountingStore, in_memory: bool, reads: int
) -> None:
    day_ms = 24 * 3_600_000
    clock.move(3 * day_ms / 1_000)
    names = [put_segment(chat, [message(number, timestamp_ms=number * day_ms)]) for number in range(3)]
    said = message(7, SOUP, timestamp_ms=2 * day_ms)
    if in_memory:
        chat.journal.record(said)

    assert withdrawal.edit(chat, said.line_message_id, text="tea", timestamp_ms=3 * day_ms)

    assert [store.reads.count(one) for one in names].count(1) == reads
    assert SOUP not in everything_in(store)


def test_a_sweep_names_a_segment_once_however_often_it_is_asked_for_more(chat: Conversation) -> None:
    put_segment(chat, [message(1)])
    put_segment(chat, [message(2)])
    sweep = Sweep(archive=chat.archive)

    found = [len([*sweep.find_more(ids)]) for ids in ({"m1"}, {"m1"}, {"m1", "m2"})]

    assert found == [1, 0, 1]


def test_a_segment_that_was_rewritten_is_searched_again(chat: Conversation, store: CountingStore) -> None:
    name = put_segment(chat, [message(1)])
    sweep = Sweep(archive=chat.archive)
    assert [*sweep.find({"m2"})] == []

    store.replace(name, encode_segment(Segment(messages=(message(2),))), generation=store.list(name)[0].generation)

    assert len([*sweep.find({"m2"})]) == 1


def test_segments_that_name_nothing_of_it_are_not_written(
    chat: Conversation, withdrawal: Withdrawal, store: CountingStore
) -> None:
    clean = put_segment(chat, [message(1)])
    before = store.list(clean)
    put_segment(chat, [message(2)])

    withdrawal.withdraw(chat, "m2", timestamp_ms=9)

    assert store.list(clean) == before


def test_a_segment_that_was_cleaned_is_not_written_again(
    chat: Conversation, withdrawal: Withdrawal, store: CountingStore
) -> None:
    name = put_segment(chat, [message(1, SOUP), message(2)], [answer(2, f"noted: {SOUP}", saw=(1,))])
    withdrawal.withdraw(chat, "m1", timestamp_ms=9)
    cleaned = store.list(name)

    withdrawal.withdraw(chat, "m1", timestamp_ms=9)

    assert store.list(name) == cleaned


def test_a_segment_that_is_rewritten_between_the_listing_and_its_deletion_is_erased(
    chat: Conversation, store: CountingStore
) -> None:
    put_segment(chat, [message(1, SOUP)])
    store.rewrites = Segment(messages=(message(2, SOUP),))

    Sweep(archive=chat.archive).clean_all(Amendments(erased_ms=9))

    assert SOUP not in everything_in(store)


def test_segments_that_were_just_written_are_cleaned_as_far_as_they_are_there(
    chat: Conversation, store: MemoryObjectStore
) -> None:
    waiting = SnapshotRecord(leaving=Segment(messages=(message(1, SOUP), message(2), message(3), message(4))))
    there, moved = cut(waiting, size=2, last_number=0).segments
    chat.archive.write([there])

    Sweep(archive=chat.archive).clean_segments([there, moved], Amendments(withdrawn=frozenset({"m1", "m3"})))

    assert "kabocha" not in everything_in(store)
    assert archived_ids(chat) == ["m2"]


def test_only_segments_that_reach_beyond_a_time_are_read_for_what_came_after_it(
    chat: Conversation, store: CountingStore
) -> None:
    until = put_segment(chat, [message(1), message(3)])
    put_segment(chat, [message(2), message(4)])
    store.reads.clear()

    found = [*Sweep(archive=chat.archive).segments_after(3)]

    assert archive_of(*found).message_ids == ("m2", "m4")
    assert until not in store.reads


def test_archived_messages_are_counted_once_before_a_chat_is_erased(chat: Conversation) -> None:
    put_segment(chat, [message(1), message(2)])
    put_segment(chat, [message(2), message(3)])
    chat.journal.record(message(4))

    assert holdings_of(chat)[0].text("en") == "4 messages"


def test_of_messages_that_were_sent_days_apart_the_oldest_tells_where_to_begin(chat: Conversation) -> None:
    week_ms = 7 * 24 * 3_600_000
    old, new = message(1, timestamp_ms=week_ms), message(2, timestamp_ms=3 * week_ms)
    put_segment(chat, [old])
    put_segment(chat, [new])
    sweep = Sweep(archive=chat.archive)
    sweep.add_sent_times([old, new])

    sweep.skip_segments_before({"m1", "m2"})

    assert archive_of(*sweep.find({"m1", "m2"})).message_ids == ("m1", "m2")
