"""Every guard of the model prevents a violation: a schedule that is clean with the guard breaks without it."""

from pathlib import Path

import pytest

from tests.simulation.model.guards import NAMES, Guards
from tests.simulation.model.mutations import SEEDS
from tests.simulation.model.scenes import SCENES
from tests.simulation.model.schedule import play

README = Path(__file__).with_name("README.md")


@pytest.mark.parametrize(("guard", "seed"), SEEDS.items(), ids=SEEDS)
def test_a_seed_that_breaks_without_the_guard_is_clean_with_it(guard: str, seed: int) -> None:
    assert play(seed, Guards().without(guard)).violations
    assert play(seed).violations == ()


@pytest.mark.parametrize("guard", SCENES)
def test_a_scene_that_breaks_without_the_guard_is_clean_with_it(guard: str) -> None:
    assert SCENES[guard](Guards().without(guard))
    assert SCENES[guard](Guards()) == []


def test_every_guard_has_a_seed_or_a_scene() -> None:
    assert set(NAMES) == SEEDS.keys() | SCENES.keys()


@pytest.mark.parametrize("guard", NAMES)
def test_the_table_names_the_seed_and_scene_of_a_guard(guard: str) -> None:
    rows = [line for line in README.read_text(encoding="utf-8").splitlines() if line.startswith(f"| `{guard}` |")]

    assert len(rows) == 1
    assert guard not in SEEDS or f" {SEEDS[guard]:,} |" in rows[0]
    assert guard not in SCENES or f"`{SCENES[guard].__name__}`" in rows[0]
