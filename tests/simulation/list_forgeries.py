"""Forgeries about shared lists; like those in `forgeries.py`."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from shared.conversation.records import StagedWrite
from shared.knowledge.schema import Category
from tests.simulation.listed import listed_rows, ticks
from tests.simulation.people import PERSON
from tests.simulation.press_checks import PRESS_LATE
from tests.simulation.scene import Scene


def open_item_that_is_cleared() -> list[str]:
    with Scene(has_knowledge=True, has_lists=True).playing() as scene:
        scene.runs_to_end(scene.asks_for("buy"))
        scene.sleeps(1)
        scene.runs_to_end(scene.asks_for("clear"))
        staged = scene.world.truth.staged
        (path,) = (
            write.path for _, one in staged for write in one.writes if write.path.startswith(f"{Category.ITEMS}/")
        )
        owner, outcome = staged[-1]
        staged.append((owner, replace(outcome, writes=(StagedWrite(path=path, text=None),))))
        assert owner == PERSON
        return scene.rests()


def open_item_that_is_cleared_beside_one_that_is_ticked() -> list[str]:
    with Scene(has_knowledge=True, has_lists=True).playing() as scene:
        for _ in range(2):
            scene.runs_to_end(scene.asks_for("buy"))
            scene.sleeps(1)
        scene.asks_for_together("tick", "clear")
        staged = scene.world.truth.staged
        owner, outcome = staged[-1]
        paths = {write.path for _, one in staged for write in one.writes if write.path.startswith(f"{Category.ITEMS}/")}
        (other,) = paths - {write.path for write in outcome.writes}
        staged[-1] = owner, replace(outcome, writes=(*outcome.writes, StagedWrite(path=other, text=None)))
        assert {"update_entry", "clear_list"} <= set(outcome.audit.tools_used)
        return scene.rests()


def tick_that_is_told_to_have_changed_nothing() -> list[str]:
    with Scene(has_knowledge=True, has_lists=True).playing() as scene:
        scene.runs_to_end(scene.asks_for("buy"))
        scene.sleeps(1)
        (row,) = listed_rows(scene.world, scene.stage.people)
        press = ticks(scene.world, scene.stage.people, row)
        scene.runs_to_end(scene.pushes(scene.delivers_order(press)))
        said = scene.world.truth.said
        assert said[-1].outcome is not None
        outcome = replace(said[-1].outcome, text=min(PRESS_LATE), answers=(press.id,))
        said.append(replace(said[-1], outcome=outcome, reply_token="forged", text=min(PRESS_LATE)))
        return scene.rests()


FORGERIES: Final[tuple[Callable[[], list[str]], ...]] = (
    open_item_that_is_cleared,
    open_item_that_is_cleared_beside_one_that_is_ticked,
    tick_that_is_told_to_have_changed_nothing,
)
