import io
import pdb  # noqa: T100 - `--break` is a debugger
import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.simulation.cut import FAULTS, NOTHING, Cut
from tests.simulation.debugging import lines_about, stop_in, with_option
from tests.simulation.mutations import MUTATIONS
from tests.simulation.schedule import Watch, play
from tests.simulation.table import first_violation

if TYPE_CHECKING:
    from types import FrameType

REPOSITORY = Path(__file__).parents[3]
GUARD = "clears_markers"
_PLACE = re.compile(r"\((?P<path>[a-z_/]+\.py):(?P<line>\d+) (?P<function>\w+|<\w+>)")


def test_every_call_of_a_trace_names_a_line_of_the_product() -> None:
    steps = play(0, watch=Watch(steps=True)).last_steps

    calls = [step for step in steps if re.search(r": (read|write|create|list|delete) ", step)]

    assert calls
    for step in calls:
        place = _PLACE.search(step)
        assert place is not None, step
        lines = (REPOSITORY / place["path"]).read_text(encoding="utf-8").splitlines()
        assert 0 < int(place["line"]) <= len(lines), step
        assert place["path"].startswith(("shared/", "functions/")), step


def test_a_watched_schedule_is_the_same_schedule() -> None:
    assert play(3, watch=Watch(steps=True)).trace == play(3).trace


def test_a_break_stops_at_the_line_that_made_the_call() -> None:
    step = next(one for one in play(0, watch=Watch(steps=True)).last_steps if ": write turns/" in one)
    frames: list[FrameType] = []

    play(0, watch=Watch(break_at=int(step.split()[0]), on_break=frames.append))

    place = _PLACE.search(step)
    assert place is not None
    assert [one.f_code.co_name for one in frames] == [place["function"]]


def test_next_in_the_debugger_lets_the_call_take_effect() -> None:
    step = next(one for one in play(0, watch=Watch(steps=True)).last_steps if ": write turns/" in one)
    said = io.StringIO()
    debugger = pdb.Pdb(stdin=io.StringIO("next\ncontinue\n"), stdout=said, nosigint=True, readrc=False)
    watch = Watch(break_at=int(step.split()[0]), on_break=partial(stop_in, debugger=debugger))

    trace = play(0, watch=watch).trace

    assert said.getvalue().count("(Pdb)") == 2
    assert trace == play(0).trace


def test_quit_in_the_debugger_ends_the_schedule() -> None:
    step = next(one for one in play(0, watch=Watch(steps=True)).last_steps if ": write turns/" in one)
    debugger = pdb.Pdb(stdin=io.StringIO("quit\n"), stdout=io.StringIO(), nosigint=True, readrc=False)

    with pytest.raises(SystemExit):
        play(0, watch=Watch(break_at=int(step.split()[0]), on_break=partial(stop_in, debugger=debugger)))


def test_a_broken_seed_is_reported_with_what_people_did_and_how_to_go_on() -> None:
    seed, violation = first_violation(GUARD, range(50)) or (-1, "")
    with MUTATIONS[GUARD].active():
        verdict = play(seed)

    lines = lines_about(seed, verdict, cut=Cut(calmed=frozenset({"kills"})), without=GUARD)

    assert f"seed {seed}: {violation}" in lines
    assert "happening 0: a person writes m0" in lines
    assert f"every step: python -m tests.simulation 1 --from {seed} --without {GUARD} --calm kills --trace" in lines


def test_a_clean_seed_is_reported_without_violations() -> None:
    lines = lines_about(0, play(0), steps=1)

    assert not [line for line in lines if line.startswith(("seed", "every step"))]


def test_options_of_a_cut_are_added_up_and_written_as_they_are_read() -> None:
    cut = with_option(with_option(with_option(NOTHING, "--drop", "4,0"), "--calm", "lags,kills"), "--roll", "3")

    assert cut == Cut(dropped=frozenset({0, 4}), calmed=frozenset({"kills", "lags"}), roll=3)
    assert cut.arguments == "--drop 0,4 --calm kills,lags --roll 3"
    assert NOTHING.arguments == ""


def test_an_unknown_fault_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match=f"no such fault: wind; there are {', '.join(FAULTS)}"):
        with_option(NOTHING, "--calm", "wind")
