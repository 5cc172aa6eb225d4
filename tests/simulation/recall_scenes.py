"""Scenes of what is looked up in the archive."""

from typing import Final

from shared.conversation.snapshot import MemoryLimits
from tests.simulation.calendars import member_leaves
from tests.simulation.people import MEMBERS, Message
from tests.simulation.scene import Scene
from tests.simulation.stage import SMALL_BOUNDS
from tests.simulation.wiring import TINY

_ARCHIVING: Final = 6
"""After so many questions what came before them is in the archive."""
_SEVERAL_AT_ONCE: Final = MemoryLimits(journalled=4, verbatim=1, summed_up=50, recaps_at_once=0, recaps=1, sources=1)
"""So that answers leave the memory together with what they repeat."""


def answer_that_repeats_what_it_recalled() -> list[str]:
    """A message is looked up in the archive, long after it left the prompts, and withdrawn once the answer was given."""
    with Scene(group=True, limits=TINY, manner="paraphrases").playing() as scene:
        old = _archived(scene, questions=_ARCHIVING)
        scene.runs_to_end(scene.asks_for("recall"))
        scene.takes_effect(scene.takes_back(old))
        return scene.rests()


def archived_answers_that_repeat_each_other() -> list[str]:
    """Every answer repeats the one before, and only the first ones saw the message. It is withdrawn once all of them are archived."""
    with Scene(group=True, limits=_SEVERAL_AT_ONCE, bounds=SMALL_BOUNDS).playing() as scene:
        old = _archived(scene, questions=2 * _ARCHIVING)
        scene.takes_effect(scene.takes_back(old))
        return scene.rests()


def recall_of_a_member_who_joined_later() -> list[str]:
    """Two members write, one joins, and everybody has looked up what was said."""
    with Scene(group=True, limits=TINY).playing() as scene:
        _archived(scene, questions=_ARCHIVING)
        scene.runs_to_end(scene.joins())
        for _ in range(2):
            scene.sleeps(2)
            scene.runs_to_end(scene.asks_for("recall"))
        return scene.rests()


def recall_of_a_member_who_left_again() -> list[str]:
    """A member joins, asks what was said, and leaves before the answer; what was said before is looked up for the others."""
    with Scene(group=True, limits=TINY).playing() as scene:
        _archived(scene, questions=_ARCHIVING)
        scene.runs_to_end(scene.joins())
        scene.sleeps(2)
        asked = scene.delivers(scene.says(verb="recall", by=MEMBERS[0]))
        scene.runs_to_end(scene.pushes(member_leaves(scene)))
        scene.runs_to_end(scene.pushes(asked))
        return scene.rests()


def _archived(scene: Scene, *, questions: int) -> Message:
    old = scene.says(addressed=False)
    scene.runs_to_end(scene.pushes(scene.delivers(old)))
    for _ in range(questions):
        scene.sleeps(2)
        scene.runs_to_end(scene.asks())
    return old
