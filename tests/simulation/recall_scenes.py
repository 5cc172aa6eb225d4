"""Schedules made by hand about what is looked up in the archive; like those in `scenes.py`."""

from typing import Final

from tests.simulation.people import Message
from tests.simulation.scene import Scene
from tests.simulation.wiring import TINY

_ARCHIVING: Final = 6
"""After so many questions what came before them is in the archive."""


def answer_that_repeats_what_it_recalled() -> list[str]:
    """A message is looked up in the archive, long after it left the prompts, and withdrawn once the answer was given."""
    with Scene(group=True, limits=TINY, manner="paraphrases").playing() as scene:
        old = _archived(scene)
        scene.runs_to_end(scene.asks_for("recall"))
        scene.takes_effect(scene.takes_back(old))
        return scene.rests()


def _archived(scene: Scene) -> Message:
    old = scene.says(addressed=False)
    scene.runs_to_end(scene.pushes(scene.delivers(old)))
    for _ in range(_ARCHIVING):
        scene.sleeps(2)
        scene.runs_to_end(scene.asks())
    return old
