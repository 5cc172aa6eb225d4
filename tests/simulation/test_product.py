"""The product's own code keeps the invariants on seeded schedules.  The same seed plays the same schedule again."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from shared.storage.object_names import is_entry_path
from shared.turns.deferral import LateReply
from shared.turns.follow_ups import MOST_ASKED_ANEW
from tests.simulation.command_scenes import suggestion_that_is_pressed
from tests.simulation.entry_scenes import reset_after_half_of_a_move
from tests.simulation.list_scenes import item_that_is_ticked_and_cleared_in_a_turn
from tests.simulation.mutations import MUTATIONS
from tests.simulation.scene import Scene
from tests.simulation.scenes import SCENES
from tests.simulation.schedule import play
from tests.simulation.table import SEEDS, first_violation, rows_of

ROOT = Path(__file__).parents[2]
SEEDS_PLAYED = 300
SEEDS_PER_TEST = 100
SEEDS_SEARCHED = 200


@pytest.mark.parametrize("first", range(0, SEEDS_PLAYED, SEEDS_PER_TEST))
def test_no_schedule_breaks_an_invariant(first: int) -> None:
    broken = {seed: found for seed in range(first, first + SEEDS_PER_TEST) if (found := play(seed).violations)}

    assert not broken, f"play it again: python -m tests.simulation 1 --from {min(broken)} --trace"


def test_a_seed_is_the_same_schedule_in_every_process() -> None:
    code = "from tests.simulation.schedule import play; print([play(seed).trace for seed in range(40)])"
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

    assert traces[0] == traces[1] == f"{[play(seed).trace for seed in range(40)]}{os.linesep}"


@pytest.mark.parametrize("instances", [1, 5])
@pytest.mark.parametrize("pause_s", [0.0, 0.1, 0.3, 0.8])
def test_five_quick_messages_get_one_answer(pause_s: float, instances: int) -> None:
    with Scene().playing() as scene:
        for number in range(5):
            scene.asks(instance=number % instances)
            scene.runs(seconds=pause_s)

        assert scene.rests(calm=True) == []
    assert len(scene.said) == 1
    assert scene.world.truth.model_calls <= 1 + MOST_ASKED_ANEW


def test_a_follow_up_is_answered_as_soon_as_if_it_had_been_alone() -> None:
    with Scene(seconds=4.0).playing() as scene:
        scene.asks(instance=0)
        scene.runs(seconds=3)
        asked_s = scene.world.now_s
        scene.asks(instance=0)

        assert scene.rests(calm=True) == []
    assert [one.at_s - asked_s < 5 for one in scene.world.truth.said] == [True]


def test_a_slow_answer_is_offered_by_a_button() -> None:
    with Scene(seconds=26.0, late_reply=LateReply.BUTTON).playing() as scene:
        scene.runs_until(scene.asks(), "model")
        scene.asks()

        assert scene.rests(calm=True) == []
    assert any(one.button for one in scene.world.truth.said)


@pytest.mark.parametrize("name", sorted(SEEDS.keys() - SCENES.keys()))
def test_a_seed_that_breaks_under_a_mutation_is_clean_without_it(name: str) -> None:
    broken = first_violation(
        name, (SEEDS[name], *range(SEEDS_SEARCHED))
    )  # any change of the product changes what the seeds draw

    assert broken is not None, "rewrite the table: python -m tests.simulation 300 --each"
    assert play(broken[0]).violations == ()


@pytest.mark.parametrize("name", SCENES)
def test_a_scene_that_breaks_under_a_mutation_is_clean_without_it(name: str) -> None:
    with MUTATIONS[name].active():
        assert SCENES[name]()
    assert SCENES[name]() == []


def test_every_mutation_is_found_by_a_seed_or_a_scene() -> None:
    assert set(MUTATIONS) == SEEDS.keys() | SCENES.keys()


@pytest.mark.parametrize("name", MUTATIONS)
def test_the_table_names_the_seed_and_scene_of_a_mutation(name: str) -> None:
    rows = [*rows_of(name)]

    assert len(rows) == 1
    assert name not in SEEDS or f" {SEEDS[name]:,} |" in rows[0]
    assert name not in SCENES or f"`{SCENES[name].__name__}`" in rows[0]


def test_an_erasure_after_half_of_a_move_leaves_the_entry_in_one_place() -> None:
    assert reset_after_half_of_a_move() == []


def test_a_turn_clears_the_item_that_it_ticks() -> None:
    assert item_that_is_ticked_and_cleared_in_a_turn() == []


def test_a_check_that_raises_an_error_breaks_its_schedule() -> None:
    with Scene().playing() as scene:
        scene.stage.chats = (object(),)  # type: ignore[assignment]
        found = scene.stage.violations()

    assert [one.partition(" at ")[0] for one in found] == ["a check raised AttributeError"]


def test_a_suggestion_that_is_pressed_is_answered() -> None:
    assert suggestion_that_is_pressed() == []


def test_a_group_message_that_quotes_the_bot_is_answered() -> None:
    with Scene(group=True).playing() as scene:
        scene.runs_to_end(scene.asks())
        bubble = scene.world.truth.said[0].bubble_ids[0]

        scene.runs_to_end(scene.pushes(scene.delivers(scene.says(addressed=False, quotes=bubble))))

        assert scene.rests() == []
    assert len(scene.said) == 2


def test_the_bytes_of_a_withdrawn_image_are_gone() -> None:
    with Scene().playing() as scene:
        image = scene.sends_image()
        scene.runs_to_end(scene.pushes(scene.delivers(image)))
        assert "word0a" in scene.said[0]

        scene.runs_to_end(scene.takes_back(image))

        assert scene.rests() == []
    assert scene.world.objects.list("media/") == ()


def test_forget_erases_after_its_button_was_pressed() -> None:
    with Scene(has_knowledge=True).playing() as scene:
        scene.runs_to_end(scene.pushes(scene.delivers(scene.says(verb="file"))))
        scene.sleeps(1)
        scene.runs_to_end(scene.pushes(scene.delivers_order(scene.commands("forget"))))
        scene.sleeps(1)
        button = scene.world.truth.said[-1].button

        scene.runs_to_end(scene.pushes(scene.confirms(button or "")))

        assert scene.rests(calm=True) == []
    assert not [one for one in scene.world.objects.list("entries/") if is_entry_path(one.name.split("/", 2)[2])]


def test_a_page_is_made_once_although_its_worker_died() -> None:
    with Scene(has_notion=True).playing() as scene:
        worker = scene.asks_for("page")
        scene.runs_past(worker, "Notion create page")
        scene.dies(worker)

        assert scene.rests() == []
    assert list(scene.stage.ports.notion.page_counts().values()) == [1]
