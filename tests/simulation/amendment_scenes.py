"""Scenes in which instances learn late, or from each other's clocks, what became of a message.

The times of amendments are those of the simulation: `AMENDMENT_TIMES` instead of ten minutes, half an hour and an hour.
"""

from shared.turns.deferral import LateReply
from tests.simulation.people import GROUP
from tests.simulation.scene import JOURNAL, MINUTE_S, Scene
from tests.simulation.wiring import AMENDMENT_TIMES

_SLEEPER = 5
"""An instance that no tick and no unsend of these scenes is pushed to."""


def instance_that_slept_through_a_fold() -> list[str]:
    """An instance knows the chat, and sleeps for hours. Meanwhile a withdrawal is handled and folded. Then it gets the message."""
    with Scene(group=True).playing() as scene:
        late, other = scene.says(addressed=False), scene.says(addressed=False)
        scene.runs_to_end(scene.pushes(scene.delivers(scene.says(addressed=False)), instance=_SLEEPER))
        scene.runs_to_end(scene.takes_back(late))
        scene.sleeps(AMENDMENT_TIMES.folded_after_s)
        scene.ticks()
        scene.runs_to_end(scene.takes_back(other))
        scene.sleeps(2 * MINUTE_S)
        scene.ticks()
        scene.runs_to_end(scene.pushes(scene.delivers(late), instance=_SLEEPER))
        return scene.rests()


def chat_in_which_nothing_is_taken_back_for_long() -> list[str]:
    """Messages are taken back, and then nothing for hours, so no second pass folds. A new instance is asked, and folds.

    Return what the next new instance still reads one by one.
    """
    with Scene(group=True).playing() as scene:
        for _ in range(3):
            scene.takes_effect(scene.takes_back(scene.says(addressed=False)))
        scene.sleeps(2 * AMENDMENT_TIMES.folded_after_s)
        scene.runs_to_end(scene.pushes(scene.delivers(scene.says()), instance=_SLEEPER))
        broken = scene.rests()
        listed = scene.world.objects.list(f"amended/{GROUP}/")
        return [*broken, *(f"{one.name} was not folded" for one in listed if not one.name.endswith("~fold.json"))]


def unsend_of_a_clock_that_is_behind() -> list[str]:
    """The clock of an unsend is five seconds behind that of an instance that lists the chat while the unsend's write takes its time.

    Then the instance gets the message.
    """
    with Scene(group=True, skews_s=(0.0, -2.5, 0.0, 0.0, 0.0, 2.5)).playing() as scene:
        late = scene.says(addressed=False)
        scene.runs_to_end(scene.pushes(scene.delivers(scene.says(addressed=False)), instance=_SLEEPER))
        withdrawal = scene.takes_back(late)
        scene.runs_until(withdrawal, "write amended/")
        scene.sleeps(AMENDMENT_TIMES.reach_s / 3)
        scene.runs_to_end(scene.pushes(scene.delivers(scene.says(addressed=False)), instance=_SLEEPER))
        scene.takes_effect(withdrawal)
        scene.runs_to_end(scene.pushes(scene.delivers(late), instance=_SLEEPER))
        return scene.rests()


def worker_that_dies_before_a_late_tick() -> list[str]:
    """The first pass of an unsend precedes the record of an answer, whose worker dies. The tick of the second pass is two minutes late.

    Somebody asks meanwhile.
    """
    with Scene().playing() as scene:
        message = scene.says()
        worker = scene.pushes(scene.delivers(message))
        scene.runs_until(worker, f"write {JOURNAL}event-1.outcome")
        scene.runs_to_end(scene.takes_back(message))
        scene.runs_until(worker, "list amended/")
        scene.dies(worker)
        scene.sleeps(3 * MINUTE_S)
        scene.runs_to_end(scene.asks())
        return scene.rests()


def edit_that_sleeps_through_both_passes() -> list[str]:
    """An edit is about to write its words, and sleeps until the unsend of its message is handled, its second pass too."""
    with Scene(group=True).playing() as scene:
        message = scene.says(addressed=False)
        scene.runs_to_end(scene.pushes(scene.delivers(message)))
        edit = scene.edits(message)
        scene.runs_until(edit, "write edited/")
        scene.sleeps(1)
        scene.takes_effect(scene.takes_back(message))
        scene.runs_to_end(edit)
        return scene.rests()


def edited_message_that_comes_late_to_a_history_cut_short() -> list[str]:
    """A message kills whoever reads it, so a question is answered alone, and history begins with the question.

    Then an older message comes, long after the edit of its text, and its first worker dies.
    """
    with Scene(group=True, late_reply=LateReply.PUSH).playing() as scene:
        late, deadly = scene.says(), scene.says(addressed=False)
        scene.stage.mood.poison, scene.stage.mood.poisons_anywhere = frozenset({"word1a"}), True
        scene.runs_to_end(scene.pushes(scene.delivers(deadly)))
        scene.asks()
        scene.rests()
        scene.stage.mood.poison = frozenset()
        scene.runs_to_end(scene.edits(late))
        other = scene.says(addressed=False)
        scene.sleeps(AMENDMENT_TIMES.folded_after_s)
        scene.ticks()
        scene.runs_to_end(scene.takes_back(other))
        scene.sleeps(2 * MINUTE_S)
        scene.ticks()
        delivery = scene.delivers(late)
        first = scene.pushes(delivery, instance=0)
        scene.runs_until(first, "model")
        scene.dies(first)
        scene.pushes(scene.delivers(late), instance=_SLEEPER)
        return scene.rests()
