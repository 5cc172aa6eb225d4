"""Forgeries about links; like those in `forgeries.py`."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from shared.conversation.records import StagedWrite
from tests.simulation.people import PERSON
from tests.simulation.scene import Scene


def entry_that_a_page_deletes() -> list[str]:
    with Scene(has_knowledge=True, has_links=True).playing() as scene:
        scene.runs_to_end(scene.asks_for("file"))
        scene.sleeps(1)
        scene.runs_to_end(scene.asks_for("read"))
        staged, thoughts = scene.world.truth.staged, scene.world.truth.thoughts
        owner, outcome = staged[-1]
        about_page = next(mark for mark, thought in thoughts.items() if thought.has_page)
        deletion = StagedWrite(path=outcome.writes[0].path, text=None)
        staged.append((owner, replace(outcome, text=f"{about_page} done", writes=(deletion,))))
        assert owner == PERSON
        return scene.rests()


FORGERIES: Final[tuple[Callable[[], list[str]], ...]] = (entry_that_a_page_deletes,)
