import itertools
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.adapters.memory import FixedClock, MemoryObjectStore
from shared.conversation.amendments import Amendments
from shared.conversation.records import OutcomeKind, OutcomeRecord
from shared.conversation.turn import HeldTurn, Route, Turns
from shared.errors import StorageUnavailableError

CHAT = "U" + "1" * 32
OUTCOME = OutcomeRecord(
    webhook_event_id="e1",
    timestamp_ms=5,
    kind=OutcomeKind.REPLIED,
    covers=("m1",),
    saw=("m0", "m1"),
    since_ms=3,
    until_ms=5,
    text="hello",
)
FIRST = replace(OUTCOME, sequence=1)
ROUTE = Route(kind="token", reply_token="t1", received_ms=7)


class ForgetfulStore(MemoryObjectStore):
    """Loses the answers of writes: the client library tries again and reports that it lost, although it won."""

    loses = 0

    def replace(self, name: str, data: bytes, *, generation: int) -> int | None:
        written = super().replace(name, data, generation=generation)
        if self.loses and written is not None:
            self.loses -= 1
            return None
        return written


@pytest.fixture
def store() -> ForgetfulStore:
    return ForgetfulStore()


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
def turns(store: ForgetfulStore, clock: FixedClock) -> Turns:
    return turns_on(store, clock)


def turns_on(store: ForgetfulStore, clock: FixedClock) -> Turns:
    numbers = itertools.count()
    return Turns(store=store, clock=clock, new_id=lambda: f"id-{next(numbers)}")


def opened(turns: Turns) -> HeldTurn:
    held = turns.open(CHAT, turns.read(CHAT))
    assert held is not None
    return held


def commit(held: HeldTurn) -> bool:
    return held.commit(OUTCOME, ROUTE, prompt={"m0", "m1"}, since_ms=3)


def withdraw(turns: Turns, line_message_id: str) -> None:
    gone = Amendments(withdrawn=frozenset({line_message_id}))
    turns.change(CHAT, lambda turn: turn.without(gone, line_message_id, gone.touch))


def test_a_chat_without_a_turn_is_idle(turns: Turns) -> None:
    assert turns.read(CHAT).record.state == "idle"
    assert turns.read(CHAT).generation == 0


def test_of_two_who_saw_the_same_only_one_opens(turns: Turns) -> None:
    seen = turns.read(CHAT)

    assert turns.open(CHAT, seen) is not None
    assert turns.open(CHAT, seen) is None


def test_a_turn_goes_from_idle_to_thinking_to_committed(turns: Turns) -> None:
    held = opened(turns)
    assert turns.read(CHAT).record.state == "thinking"

    assert commit(held)

    record = turns.read(CHAT).record
    assert (record.state, record.outcome, record.route, record.sequence) == ("committed", FIRST, ROUTE, 1)


def test_opening_over_a_dead_thinker_counts_and_over_anything_else_does_not(turns: Turns) -> None:
    first = opened(turns)
    second = opened(turns)
    third = opened(turns)

    assert [held.record.tries for held in (first, second, third)] == [0, 1, 2]
    third.release()
    assert opened(turns).record.tries == 0


def test_who_lost_the_turn_can_neither_commit_nor_renew_nor_release(turns: Turns) -> None:
    dead, alive = opened(turns), opened(turns)

    dead.renew()
    dead.release()
    assert not commit(dead)
    assert turns.read(CHAT).record.holder == alive.record.holder
    assert commit(alive)


def test_a_withdrawal_in_the_prompt_ends_the_turn_and_another_does_not(turns: Turns) -> None:
    held = opened(turns)
    withdraw(turns, "somebody else's")
    assert commit(held)

    again = opened(turns)
    withdraw(turns, "m0")
    assert not commit(again)
    assert turns.read(CHAT).record.state == "idle"


def test_an_edit_of_something_in_the_prompt_ends_the_turn_and_leaves_a_committed_answer_alone(turns: Turns) -> None:
    held = opened(turns)
    turns.change(CHAT, lambda turn: turn.cancelling("m0"))
    assert not commit(held)

    again = opened(turns)
    assert commit(again)
    turns.change(CHAT, lambda turn: turn.cancelling("m0"))
    assert turns.read(CHAT).record.outcome == FIRST


@pytest.mark.parametrize(("until_ms", "commits"), [(2, True), (3, False)])
def test_an_erasure_ends_a_turn_whose_prompt_reaches_back_before_it(
    turns: Turns, until_ms: int, *, commits: bool
) -> None:
    held = opened(turns)

    turns.change(CHAT, lambda turn: turn.without(Amendments(erased_ms=until_ms), None, lambda _: True))

    assert commit(held) is commits


def test_commits_are_numbered_also_across_idle_turns(turns: Turns) -> None:
    commit(opened(turns))
    opened(turns).release()
    commit(opened(turns))

    assert turns.read(CHAT).record.sequence == 2


def test_a_committed_answer_loses_its_words_and_never_gets_them_back(turns: Turns) -> None:
    held = opened(turns)
    commit(held)

    withdraw(turns, "m0")
    assert held.amend(replace(OUTCOME, kind=OutcomeKind.UNKNOWN), ROUTE)

    outcome = turns.read(CHAT).record.outcome
    assert outcome is not None
    assert outcome.text is None


def test_cancelling_moves_the_generation_even_where_nothing_is_to_do(turns: Turns) -> None:
    seen = turns.read(CHAT)

    withdraw(turns, "m9")

    assert turns.open(CHAT, seen) is None


def test_a_lost_answer_is_recognised_by_the_writers_token(turns: Turns, store: ForgetfulStore) -> None:
    store.loses = 1
    held = opened(turns)
    store.loses = 1

    assert commit(held)
    held.amend(replace(OUTCOME, kind=OutcomeKind.UNDELIVERED), ROUTE)

    outcome = turns.read(CHAT).record.outcome
    assert outcome is not None
    assert outcome.kind is OutcomeKind.UNDELIVERED


def test_a_holder_stops_writing_before_its_lease_ends(turns: Turns, clock: FixedClock) -> None:
    held = opened(turns)
    clock.move(16.9)
    before = held.is_over
    clock.move(0.1)

    assert (before, held.is_over) == (False, True)
    assert not commit(held)


def test_a_renewed_lease_lives_on(turns: Turns, clock: FixedClock) -> None:
    held = opened(turns)
    clock.move(15)
    held.renew()
    clock.move(15)

    assert turns.read(CHAT).record.expires_ms > clock.now_ms()
    assert commit(held)


def test_a_turn_that_others_keep_changing_is_told_as_such(turns: Turns, store: ForgetfulStore) -> None:
    def never(*_: object, **__: object) -> None:
        return None

    store.replace = never  # type: ignore[method-assign]

    with pytest.raises(StorageUnavailableError, match="others kept changing the turn"):
        withdraw(turns, "m1")


@given(
    steps=st.lists(st.sampled_from(["open", "commit", "renew", "release", "cancel", "take over", "wait"]), max_size=12)
)
def test_at_most_one_holder_can_write_whatever_happens(steps: list[str]) -> None:
    clock = FixedClock()
    turns = turns_on(ForgetfulStore(), clock)
    holders: list[HeldTurn] = []
    for step in steps:
        match step:
            case "open" | "take over":
                act = turns.open if step == "open" else turns.take_over
                held = act(CHAT, turns.read(CHAT))
                holders += [held] if held else []
            case "cancel":
                withdraw(turns, "m7")
            case "wait":
                clock.move(10)
            case "commit" | "renew" | "release":
                for held in holders[-2:]:
                    commit(held) if step == "commit" else getattr(held, step)()

    able = [held for held in holders if held.write(held.record)]

    assert len(able) <= 1
