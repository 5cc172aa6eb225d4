from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.adapters.memory import FixedClock, MemoryObjectStore
from shared.conversation.compaction import Compaction, MemoryLimits
from shared.conversation.history import ANSWERABLE_MS, History
from shared.conversation.records import MessageRecord, OutcomeKind, OutcomeRecord
from shared.conversation.store import Memory
from shared.errors import ModelUnavailableError
from tests.support.chats import answer, everything_in, memory_on, message
from tests.support.inline import InlineExecutor

CHAT = "U" + "1" * 32
LIMITS = MemoryLimits(journalled=4, verbatim=6, summed_up=3, recaps_at_once=2, recaps=3, sources=9)


@dataclass
class Scribe:
    """Sums up by quoting, so that every word has a chance to survive."""

    asked: list[tuple[str, ...]] = field(default_factory=list)
    is_down: bool = False
    meanwhile: Callable[[], object] = lambda: None

    def __call__(
        self, conversation_id: str, messages: Sequence[MessageRecord], answers: Sequence[OutcomeRecord]
    ) -> str:
        assert conversation_id == CHAT
        self.meanwhile()
        if self.is_down:
            raise ModelUnavailableError("503")
        self.asked.append(tuple(one.line_message_id for one in messages))
        return "recap of " + " ".join([*(one.text for one in messages), *(one.text or "" for one in answers)])


@pytest.fixture
def scribe() -> Scribe:
    return Scribe()


@pytest.fixture
def compaction(memory: Memory, clock: FixedClock, scribe: Scribe) -> Compaction:
    return compaction_of(memory, clock, scribe)


def compaction_of(memory: Memory, clock: FixedClock, scribe: Scribe) -> Compaction:
    return Compaction(
        bodies=memory.bodies,
        amendments=memory.amendments,
        snapshots=memory.snapshots,
        clock=clock,
        summarise=scribe,
        limits=LIMITS,
    )


def read(memory: Memory) -> History:
    history = memory.reader.read(CHAT, memory.reader.list(CHAT))
    assert history is not None
    return history


def chat_of(memory: Memory, clock: FixedClock, numbers: range, *, answered: bool = True) -> list[MessageRecord]:
    """Messages whose numbers are seconds, answered one by one."""
    start_ms = clock.now_ms()
    said = []
    for number in numbers:
        one = message(number, f"word-{number}", timestamp_ms=start_ms - 100_000 + number * 1_000)
        memory.journal.keep(CHAT, one)
        said.append(one)
        if answered:
            outcome = replace(
                answer(number, f"answer-{number}"),
                timestamp_ms=one.timestamp_ms,
                since_ms=one.timestamp_ms,
                until_ms=one.timestamp_ms,
            )
            memory.journal.record_outcome(CHAT, outcome)
    return said


def names(store: MemoryObjectStore) -> list[str]:
    return [one.name.removeprefix(f"journal/{CHAT}/") for one in store.list(f"journal/{CHAT}/")]


def test_a_short_journal_is_left_alone(memory: Memory, clock: FixedClock, compaction: Compaction) -> None:
    chat_of(memory, clock, range(4))

    assert not compaction.fold(CHAT, may_ask_model=True)


def test_readers_see_the_same_before_and_after(
    memory: Memory, clock: FixedClock, compaction: Compaction, store: MemoryObjectStore
) -> None:
    chat_of(memory, clock, range(5))
    before = read(memory)

    assert compaction.fold(CHAT, may_ask_model=True)

    after = read(memory)
    assert names(store) == ["e4.outcome.json"]
    assert after.messages == before.messages
    assert [one.text for one in after.outcomes] == [one.text for one in before.outcomes]
    assert (after.covered, after.recorded) == (before.covered, before.recorded)
    assert after.seen_ids == before.seen_ids


def test_what_waits_for_an_answer_stays_and_so_does_the_outcome_of_what_stays(
    memory: Memory, clock: FixedClock, compaction: Compaction, store: MemoryObjectStore
) -> None:
    chat_of(memory, clock, range(5))
    [waiting] = chat_of(memory, clock, range(7, 8), answered=False)

    compaction.fold(CHAT, may_ask_model=True)

    assert names(store) == ["e4.outcome.json", "m7.json"]
    assert read(memory).pending(waiting, now_ms=clock.now_ms()) == (waiting,)


def test_what_is_too_old_to_be_answered_is_folded(
    memory: Memory, clock: FixedClock, compaction: Compaction, store: MemoryObjectStore
) -> None:
    chat_of(memory, clock, range(5), answered=False)
    clock.move(ANSWERABLE_MS / 1_000)

    assert compaction.fold(CHAT, may_ask_model=True)
    assert names(store) == []


def test_a_folded_message_that_is_delivered_again_is_known_as_answered(
    memory: Memory, clock: FixedClock, compaction: Compaction
) -> None:
    said = chat_of(memory, clock, range(5))
    compaction.fold(CHAT, may_ask_model=True)

    memory.journal.keep(CHAT, said[0])

    history = read(memory)
    assert history.pending(said[0], now_ms=clock.now_ms()) == ()
    assert [one.line_message_id for one in history.messages].count("m0") == 1


def test_what_falls_out_of_sight_is_summed_up_with_what_was_answered(
    memory: Memory, clock: FixedClock, compaction: Compaction, scribe: Scribe
) -> None:
    chat_of(memory, clock, range(13))

    compaction.fold(CHAT, may_ask_model=True)

    history = read(memory)
    assert scribe.asked == [("m0", "m1", "m2"), ("m3", "m4", "m5")]
    assert "answer-1" in history.recaps[0].text
    assert [one.line_message_id for one in history.older] == [f"m{number}" for number in range(6)]
    assert [one.line_message_id for one in history.messages] == [f"m{number}" for number in range(6, 13)]
    assert all(one.timestamp_ms >= history.messages[0].timestamp_ms for one in history.said)


def test_a_failed_recap_is_a_warning_and_the_messages_stay(
    memory: Memory, clock: FixedClock, compaction: Compaction, scribe: Scribe
) -> None:
    scribe.is_down = True
    chat_of(memory, clock, range(10))

    assert compaction.fold(CHAT, may_ask_model=True)
    assert len(read(memory).messages) == 10

    scribe.is_down = False
    chat_of(memory, clock, range(10, 15))
    compaction.fold(CHAT, may_ask_model=True)
    assert scribe.asked == [("m0", "m1", "m2"), ("m3", "m4", "m5")]


def test_chatter_is_folded_without_the_model(
    memory: Memory, compaction: Compaction, scribe: Scribe, store: MemoryObjectStore
) -> None:
    for number in range(9):
        memory.journal.keep(CHAT, message(number, addressed=False))

    assert compaction.fold(CHAT, may_ask_model=False)
    assert (scribe.asked, names(store)) == ([], [])


def test_only_so_much_is_kept_however_long_the_chat_is(
    memory: Memory, clock: FixedClock, compaction: Compaction, scribe: Scribe
) -> None:
    sizes = []
    for begin in range(0, 90, 6):
        chat_of(memory, clock, range(begin, begin + 6))
        compaction.fold(CHAT, may_ask_model=True)
        history = read(memory)
        sizes.append((len(history.recaps), len(history.older), len(history.messages)))

    assert sizes[5:] == [sizes[5]] * len(sizes[5:])
    summed_up = [one for batch in scribe.asked for one in batch]
    assert len(summed_up) == len(set(summed_up))
    assert sizes[-1][:2] == (LIMITS.recaps, LIMITS.sources)


def test_no_message_is_summed_up_twice_however_long_the_chat_is(
    memory: Memory, clock: FixedClock, compaction: Compaction, scribe: Scribe
) -> None:
    for begin in range(0, 90, 6):
        chat_of(memory, clock, range(begin, begin + 6))
        compaction.fold(CHAT, may_ask_model=True)

    summed_up = [one for asked in scribe.asked for one in asked]
    assert summed_up == [f"m{number}" for number in range(84)]
    assert [one.line_message_id for one in read(memory).messages] == [f"m{number}" for number in range(84, 90)]


def test_a_recap_whose_source_was_withdrawn_is_written_anew_without_it(
    memory: Memory, clock: FixedClock, compaction: Compaction, scribe: Scribe, store: MemoryObjectStore
) -> None:
    chat_of(memory, clock, range(12))
    compaction.fold(CHAT, may_ask_model=True)
    memory.withdrawal.withdraw(CHAT, "m1", timestamp_ms=clock.now_ms())
    assert "word-1 " not in everything_in(store) + " "
    scribe.asked.clear()

    chat_of(memory, clock, range(12, 17))
    compaction.fold(CHAT, may_ask_model=True)

    assert scribe.asked[0] == ("m0", "m2")
    assert "word-1 " not in everything_in(store) + " "


def test_a_recap_is_dropped_with_anything_that_its_answers_repeat(
    memory: Memory, clock: FixedClock, compaction: Compaction
) -> None:
    said = chat_of(memory, clock, range(12), answered=False)
    for number, one in enumerate(said):
        outcome = replace(
            answer(number), timestamp_ms=one.timestamp_ms, since_ms=one.timestamp_ms, until_ms=said[-1].timestamp_ms
        )
        memory.journal.record_outcome(CHAT, outcome)
    compaction.fold(CHAT, may_ask_model=True)
    assert memory.snapshots.read(CHAT).record.recaps

    memory.withdrawal.withdraw(CHAT, "m11", timestamp_ms=clock.now_ms())

    assert memory.snapshots.read(CHAT).record.recaps == ()


def test_a_compaction_loses_to_an_unsend_that_passes_while_the_model_sums_up(
    memory: Memory, clock: FixedClock, compaction: Compaction, scribe: Scribe, store: MemoryObjectStore
) -> None:
    chat_of(memory, clock, range(12))
    scribe.meanwhile = lambda: memory.withdrawal.withdraw(CHAT, "m1", timestamp_ms=clock.now_ms())

    compaction.fold(CHAT, may_ask_model=True)

    assert read(memory).recaps == ()
    assert '"word-1"' not in everything_in(store)


def test_no_prompt_of_a_recap_holds_what_was_withdrawn_meanwhile(
    memory: Memory, clock: FixedClock, compaction: Compaction, scribe: Scribe
) -> None:
    chat_of(memory, clock, range(13))
    scribe.meanwhile = lambda: memory.withdrawal.withdraw(CHAT, "m4", timestamp_ms=clock.now_ms())

    compaction.fold(CHAT, may_ask_model=True)

    assert scribe.asked == [("m0", "m1", "m2")]


def test_a_recap_that_kills_its_workers_is_given_up_and_the_next_one_is_written(
    memory: Memory, clock: FixedClock, compaction: Compaction, scribe: Scribe
) -> None:
    def killed() -> None:
        raise SystemExit

    scribe.meanwhile = killed
    chat_of(memory, clock, range(9))
    for _ in range(2):
        with pytest.raises(SystemExit):
            compaction.fold(CHAT, may_ask_model=True)
        assert not compaction.fold(
            CHAT, may_ask_model=True
        )  # delivered again, it leaves the recap to whoever may be at it
        clock.move(30)

    scribe.meanwhile = lambda: None
    chat_of(memory, clock, range(9, 12))
    compaction.fold(CHAT, may_ask_model=True)

    history = read(memory)
    assert [(one.text == "", one.covers) for one in history.recaps] == [
        (True, ("m0", "m1", "m2")),
        (False, ("m3", "m4", "m5")),
    ]
    assert [one.line_message_id for one in history.older] == [f"m{number}" for number in range(6)]


def test_an_attempt_that_failed_or_was_given_back_is_not_counted(
    memory: Memory, clock: FixedClock, compaction: Compaction, scribe: Scribe
) -> None:
    scribe.is_down = True
    chat_of(memory, clock, range(10))
    for _ in range(4):
        compaction.fold(CHAT, may_ask_model=True)

    scribe.is_down = False
    compaction.fold(CHAT, may_ask_model=True)

    assert scribe.asked == [("m0", "m1", "m2")]


def test_a_stored_answer_survives_until_it_is_fetched(
    memory: Memory, clock: FixedClock, compaction: Compaction
) -> None:
    late = replace(answer(0, "at last"), webhook_event_id="e0-late", kind=OutcomeKind.STORED, answers=("e0",))
    memory.journal.record_outcome(CHAT, late)
    for begin in range(0, 90, 6):
        chat_of(memory, clock, range(begin, begin + 6))
        compaction.fold(CHAT, may_ask_model=True)

    assert "e0-late" in read(memory).recorded


def test_about_one_message_in_sixteen_draws_a_look_at_the_journal(compaction: Compaction) -> None:
    drawn = sum(compaction.is_drawn(f"57300000000000{number:04}") for number in range(3_200))

    assert 150 < drawn < 250


@given(
    steps=st.lists(
        st.tuples(st.sampled_from(["say", "answer", "fold", "unsend", "lose model"]), st.integers(0, 20)), max_size=40
    )
)
def test_nothing_is_lost_or_shown_twice_whatever_happens(steps: list[tuple[str, int]]) -> None:
    clock, scribe = FixedClock(), Scribe()
    memory = memory_on(MemoryObjectStore(), InlineExecutor(), clock)
    compaction = compaction_of(memory, clock, scribe)
    said: set[str] = set()
    withdrawn: set[str] = set()
    for step, number in steps:
        match step:
            case "say":
                chat_of(memory, clock, range(number, number + 1), answered=False)
                said.add(f"m{number}")
            case "answer":
                chat_of(memory, clock, range(number, number + 1))
                said.add(f"m{number}")
            case "fold":
                compaction.fold(CHAT, may_ask_model=True)
            case "unsend":
                memory.withdrawal.withdraw(CHAT, f"m{number}", timestamp_ms=1)
                withdrawn.add(f"m{number}")
            case "lose model":
                scribe.is_down = not scribe.is_down
    for one in withdrawn:  # as every writer does after its write
        if memory.amendments.look(CHAT).withdrawn >= {one}:
            memory.journal.drop(CHAT, one)

    history = read(memory)
    shown = [one.line_message_id for one in (*history.older, *history.messages)]

    assert len(shown) == len(set(shown))
    assert set(shown) <= said - withdrawn
    recapped = {one for recap in history.recaps for one in recap.covers}
    assert len(shown) >= min(len(said - withdrawn), LIMITS.verbatim)
    assert recapped <= said - withdrawn


def test_what_chatter_has_piled_up_is_summed_up_after_the_next_answer(
    memory: Memory, compaction: Compaction, scribe: Scribe
) -> None:
    for number in range(12):
        memory.journal.keep(CHAT, message(number, addressed=False))
    compaction.fold(CHAT, may_ask_model=False)
    shown = len(read(memory).messages)

    assert compaction.is_due(journalled=1, shown=shown)
    assert compaction.fold(CHAT, may_ask_model=True)

    assert scribe.asked == [("m0", "m1", "m2"), ("m3", "m4", "m5")]
    assert not compaction.is_due(journalled=1, shown=len(read(memory).messages))
