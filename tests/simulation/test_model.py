"""The model of the protocol keeps the invariants on seeded schedules.  The same seed plays the same schedule again."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.simulation.model.guards import Guards
from tests.simulation.model.scene import Scene
from tests.simulation.model.schedule import play
from tests.simulation.product import times

ROOT = Path(__file__).parents[2]
SEEDS = 2_000
CHUNK = 250
ACKNOWLEDGEMENT_DEADLINE_S = 120


@pytest.mark.parametrize("first", range(0, SEEDS, CHUNK))
def test_no_schedule_breaks_an_invariant(first: int) -> None:
    broken = {seed: found for seed in range(first, first + CHUNK) if (found := play(seed).violations)}

    assert not broken, f"play it again: python -m tests.simulation.model 1 --from {min(broken)}"


def test_a_seed_is_the_same_schedule_in_every_process() -> None:
    code = "from tests.simulation.model.schedule import play; print([play(seed).trace for seed in range(30)])"
    traces = [
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=ROOT,
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed in ("1", "2")
    ]

    assert traces[0] == traces[1] == f"{[play(seed).trace for seed in range(30)]}{os.linesep}"


def test_five_quick_messages_cost_two_model_calls_at_most() -> None:
    scene = Scene(Guards())

    for number in range(5):
        scene.asks(f"m{number}")
        scene.sleeps(0.2)

    assert scene.rests(calm=True) == []
    assert scene.world.truth.model_calls <= 2


def test_times_keep_their_order() -> None:
    order = [
        times.WRITE_S,
        times.RENEW_S,
        times.FENCE_S,
        times.LEASE_S,
        times.SECOND_PASS_S,
        times.MODEL_S,
        times.DEFER_S,
        times.TOKEN_SURE_S,
        times.TOKEN_S,
        times.TOKEN_DEAD_S,
        times.REQUEST_S,
        ACKNOWLEDGEMENT_DEADLINE_S,
        times.ANSWERABLE_S,
    ]

    assert order == sorted(set(order))


def test_an_opened_turn_ends_before_the_request_times_out() -> None:
    assert times.OPEN_S + times.MODEL_S < times.REQUEST_S


def test_a_throttled_renewal_still_precedes_the_fence() -> None:
    retries_s = 3 * max(times.JITTER_S)

    assert times.RENEW_S + retries_s + times.CALL_S < times.FENCE_S
