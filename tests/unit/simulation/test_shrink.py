from collections.abc import Callable
from dataclasses import replace

from tests.simulation.cut import FAULTS, NOTHING, Cut
from tests.simulation.mutations import MUTATIONS
from tests.simulation.schedule import Verdict, play
from tests.simulation.shrink import shrink
from tests.simulation.table import first_violation

CLEAN = replace(play(0), violations=(), happenings={number: f"writes m{number}" for number in range(20)})


def breaking_if(breaks: Callable[[Cut], bool], *sentences: str) -> Callable[[Cut], Verdict]:
    """Return a way to play in which the schedule of twenty happenings breaks under a condition; each happening takes ten steps."""

    def played(cut: Cut) -> Verdict:
        steps = 10 * (20 - len(cut.dropped)) + cut.roll
        return replace(CLEAN, violations=sentences if breaks(cut) else (), steps=steps)

    return played


def test_only_the_happenings_that_break_together_are_left() -> None:
    shrunk = shrink(breaking_if(lambda cut: not cut.dropped & {3, 17}, "I1: m3 was never answered"))

    assert shrunk is not None
    assert set(CLEAN.happenings) - shrunk.cut.dropped == {3, 17}
    assert shrunk.cut.calmed == set(FAULTS)


def test_only_the_faults_that_are_needed_are_left() -> None:
    shrunk = shrink(breaking_if(lambda cut: "stalls" not in cut.calmed, "I2: m3 was answered twice"))

    assert shrunk is not None
    assert set(FAULTS) - shrunk.cut.calmed == {"stalls"}


def test_another_roll_of_chance_finds_the_race_that_a_shorter_schedule_meets_elsewhere() -> None:
    shrunk = shrink(
        breaking_if(lambda cut: not cut.dropped or (0 not in cut.dropped and cut.roll == 7), "I3: two held the turn")
    )

    assert shrunk is not None
    assert set(CLEAN.happenings) - shrunk.cut.dropped == {0}
    assert shrunk.cut.roll == 7


def test_of_the_rolls_that_break_the_shortest_is_taken() -> None:
    shrunk = shrink(breaking_if(lambda cut: cut.roll not in {0, 1}, "I2: m3 was answered twice"))
    whole = shrink(breaking_if(lambda _: True, "I2: m3 was answered twice"))

    assert shrunk is None  # roll 0 is the schedule itself, and is clean
    assert whole is not None
    assert whole.cut.roll == 0


def test_a_schedule_that_breaks_otherwise_is_not_taken_for_the_same() -> None:
    def played(cut: Cut) -> Verdict:
        sentence = "I4: word3a is still in turns/C.json" if cut == NOTHING else "I1: m3 was never answered"
        return replace(CLEAN, violations=(sentence,), steps=10)

    shrunk = shrink(played)

    assert shrunk is not None
    assert shrunk.cut == NOTHING


def test_a_broken_seed_of_the_product_keeps_breaking_while_it_gets_shorter() -> None:
    seed, _ = first_violation("clears_markers", range(50)) or (-1, "")
    with MUTATIONS["clears_markers"].active():
        whole = play(seed)
        shrunk = shrink(lambda cut: play(seed, cut=cut))
        assert shrunk is not None
        again = play(seed, cut=shrunk.cut)

    assert shrunk.verdict.violations == again.violations
    assert len(set(again.happenings) - shrunk.cut.dropped) < len(whole.happenings)
    assert again.steps < whole.steps
    assert play(seed, cut=shrunk.cut).violations == ()
