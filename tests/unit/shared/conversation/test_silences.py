"""The silences of a chat: which event belongs to which, in whatever order the switches came."""

import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.adapters.memory import FixedClock, MemoryObjectStore
from shared.conversation.silences import (
    LATE_MS,
    MOST_SWITCHES,
    SilencedChats,
    SilenceKind,
    Silences,
    SilencesRecord,
    Switch,
    ended,
    handover,
    pause,
)
from shared.storage.object_names import ObjectNames
from tests.support import recorded

PAUSE, HANDOVER = SilenceKind.PAUSE, SilenceKind.HANDOVER
SWITCHES = st.lists(
    st.builds(
        Switch,
        kind=st.sampled_from(SilenceKind),
        is_on=st.booleans(),
        at_ms=st.integers(0, 20),
        event_id=st.uuids().map(str),
        until_ms=st.none() | st.integers(0, 30),
    ),
    max_size=8,
)


def record(*switches: Sequence[Switch], now_ms: int = 0) -> SilencesRecord:
    found = SilencesRecord()
    for several in switches:
        found = found.with_switches(several, now_ms=now_ms)
    return found


@given(SWITCHES, st.randoms(use_true_random=False))
def test_switches_mean_the_same_in_every_order(switches: list[Switch], chance: random.Random) -> None:
    mixed = sorted(switches, key=lambda _: chance.random())

    one, other = record(switches), record(*([switch] for switch in mixed))

    assert one == other
    assert record(switches, switches) == one


def test_a_pause_covers_its_first_millisecond_and_not_that_of_its_end() -> None:
    paused = record(pause("e1", at_ms=5), ended("e2", PAUSE, at_ms=9))

    assert [paused.at(at_ms) for at_ms in (4, 5, 8, 9)] == [None, PAUSE, PAUSE, None]


def test_of_one_millisecond_the_beginning_decides() -> None:
    assert record(pause("e1", at_ms=5), ended("e2", PAUSE, at_ms=5)).at(5) is PAUSE


def test_a_pause_comes_before_a_handover_and_outlives_it() -> None:
    both = record(handover("h", at_ms=1, minutes=1, is_asked=False), pause("p", at_ms=2), ended("x", HANDOVER, at_ms=3))

    assert [both.at(at_ms) for at_ms in (1, 2, 4)] == [HANDOVER, PAUSE, PAUSE]


def test_a_handover_ends_by_itself() -> None:
    begun = record(handover("h", at_ms=0, minutes=1, is_asked=False))

    assert [begun.at(at_ms) for at_ms in (59_999, 60_000)] == [HANDOVER, None]
    assert begun.now(60_000) is None


def test_a_silence_is_open_where_the_clock_is_behind() -> None:
    switch = record(pause("e1", at_ms=5_000)).now(0)

    assert switch is not None
    assert switch.event_id == "e1"


def test_only_the_last_switch_outlives_the_days_in_which_an_event_can_come() -> None:
    old = (pause("e1", at_ms=1), ended("e2", PAUSE, at_ms=2), pause("e3", at_ms=3))

    kept = record(*old, now_ms=LATE_MS + 10)

    assert [one.event_id for one in kept.switches] == ["e3"]
    assert kept.at(LATE_MS + 20) is PAUSE


@pytest.mark.parametrize("ends_first", [False, True])
def test_a_chat_that_switches_on_and_off_has_a_record_of_bounded_size_which_forgets_no_pause(
    *, ends_first: bool
) -> None:
    switches = [
        *(ended("r", PAUSE, at_ms=-1) if ends_first else ()),
        *(
            switch
            for number in range(0, 4 * MOST_SWITCHES, 2)
            for switch in (*pause(f"p{number}", at_ms=number), *ended(f"r{number}", PAUSE, at_ms=number + 1))
        ),
    ]

    kept = record(switches)

    assert len(kept.switches) <= MOST_SWITCHES
    assert all(kept.at(number) is PAUSE for number in range(0, 4 * MOST_SWITCHES, 2))
    assert kept.at(4 * MOST_SWITCHES) is None


def test_an_instance_knows_a_chat_from_its_first_reading_or_writing_on() -> None:
    store, names = MemoryObjectStore(), ObjectNames(recorded.USER)
    writer, reader = (
        Silences(names=names, store=store, clock=FixedClock(), silenced=SilencedChats()) for _ in range(2)
    )
    assert reader.read() == SilencesRecord()
    assert not reader.is_known

    writer.add(lambda _: pause("e1", at_ms=1))
    assert writer.is_known
    assert reader.read().at(1) is PAUSE
    assert reader.is_known
