"""Scenes of greetings, of edits, and of the button of a slow answer."""

from typing import Final

from shared.conversation.snapshot import MemoryLimits
from shared.turns.deferral import LateReply
from tests.simulation.people import PERSON, Message
from tests.simulation.scene import Scene
from tests.simulation.scheduler import Task
from tests.simulation.stage import SMALL_BOUNDS

_LONG: Final = MemoryLimits(journalled=2, verbatim=3, summed_up=10, recaps_at_once=1, recaps=10, sources=100)
"""Of the questions that recaps sum up none is forgotten."""
_OUTCOME: Final = f"journal/{PERSON}/event-1.outcome"
_BUTTON: Final = "late:event-1"
_SLOW_S: Final = 26.0
_LONG_S: Final = 10.0
_EDITS: Final = 6
"""No more, because then more requests to the model would be no violation."""
_FOLDING: Final = 4
"""After so many messages what came before them is in the snapshot."""


def greeting_that_comes_twice() -> list[str]:
    """LINE delivers the join again, after the greeting was folded into the snapshot."""
    with Scene(group=True).playing() as scene:
        welcome = scene.stage.people.welcome(at_s=scene.world.now_s)
        scene.runs_to_end(scene.pushes(scene.stage.welcome(welcome)))
        for _ in range(_FOLDING):
            scene.sleeps(2)
            scene.runs_to_end(scene.asks())
        scene.runs_to_end(scene.pushes(scene.stage.welcome(welcome)))
        return scene.rests()


def greeting_of_a_group_that_was_left() -> list[str]:
    """The bot is removed from the group, and only then Pub/Sub delivers the join."""
    with Scene(group=True).playing() as scene:
        welcome = scene.bot_joins()
        scene.sleeps(1)
        scene.runs_to_end(scene.bot_leaves())
        scene.runs_to_end(scene.pushes(welcome))
        violations = scene.rests()
        if scene.stage.bus.longest_s > _LONG_S:
            violations.append("I5: a greeting that has to be silent takes the turn again and again")
        return violations


def answer_that_takes_longer_than_its_token() -> list[str]:
    """The message waited for half a minute before the model was asked, and the model is slow."""
    with Scene(seconds=_SLOW_S).playing() as scene:
        delivery = scene.delivers(scene.says())
        scene.sleeps(30)
        scene.runs_to_end(scene.pushes(delivery))
        return scene.rests(calm=True)


def answer_that_is_fetched_twice() -> list[str]:
    """The button of "still thinking" is pressed again, after the answer was shown."""
    with Scene(seconds=_SLOW_S).playing() as scene:
        delivery = scene.delivers(scene.says())
        scene.sleeps(20)
        scene.runs_to_end(scene.pushes(delivery))
        for _ in range(2):
            scene.runs_to_end(scene.pushes(scene.presses(_BUTTON)))
        return scene.rests(calm=True)


def press_of_a_forgotten_question() -> list[str]:
    """The worker dies after "still thinking". The button is pressed when the question has left the memory."""
    with Scene(seconds=_SLOW_S, bounds=SMALL_BOUNDS).playing() as scene:
        delivery = scene.delivers(scene.says())
        scene.sleeps(20)
        thinker = scene.pushes(delivery)
        scene.runs_past(thinker, f"write {_OUTCOME}")
        scene.dies(thinker)
        _chats(scene)
        scene.runs_to_end(scene.pushes(scene.presses(_BUTTON)))
        return scene.rests(calm=True)


def answer_that_is_fetched_again_much_later() -> list[str]:
    """The button of "still thinking" is pressed again when so much was said since that few outcomes of that time are kept."""
    with Scene(seconds=_SLOW_S, bounds=SMALL_BOUNDS, limits=_LONG).playing() as scene:
        delivery = scene.delivers(scene.says())
        scene.sleeps(20)
        scene.runs_to_end(scene.pushes(delivery))
        scene.runs_to_end(scene.pushes(scene.presses(_BUTTON)))
        _chats(scene)
        scene.runs_to_end(scene.pushes(scene.presses(_BUTTON)))
        return scene.rests(calm=True)


def edit_while_the_model_answers() -> list[str]:
    """The question is edited while the model answers to its old text."""
    with Scene(group=True).playing() as scene:
        message, thinker = _asks(scene)
        scene.runs_until(thinker, "model")
        scene.runs_past(thinker, "list amended/")
        scene.runs_to_end(scene.edits(message))
        return scene.rests(calm=True)


def edit_right_before_the_commit() -> list[str]:
    """The question is edited while the answer to its old text is about to be committed."""
    with Scene(group=True).playing() as scene:
        message, thinker = _asks(scene)
        scene.runs_past(thinker, "model")
        scene.runs_until(thinker, "write turns/")
        scene.runs_to_end(scene.edits(message))
        return scene.rests(calm=True)


def question_that_is_edited_again_and_again() -> list[str]:
    """Each time when the model answers, the question is edited; each edit is handled before the answer."""
    with Scene(group=True, seconds=2.5, late_reply=LateReply.PUSH).playing() as scene:
        message, thinker = _asks(scene)
        for _ in range(_EDITS):
            if not scene.comes_to(thinker, "model"):
                break
            scene.runs(seconds=0.2)
            scene.runs_to_end(scene.edits(message))
            if scene.comes_to(thinker, "model"):
                scene.runs_past(thinker, "model")
        return scene.rests(calm=True)


def _asks(scene: Scene) -> tuple[Message, Task]:
    message = scene.says()
    return message, scene.pushes(scene.delivers(message))


def _chats(scene: Scene) -> None:
    """More is asked and answered than the memory holds."""
    scene.stage.mood.seconds = (2.0, 2.0)
    for _ in range(20):
        scene.runs_to_end(scene.asks())
