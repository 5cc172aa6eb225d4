"""Scenes of pauses and handovers: messages before, in and after them, workers that die, reminders that come due.

Each scene states what it expects itself, because the checks of schedules expect an answer to every request.
"""

from collections.abc import Iterator
from typing import Final

from shared.conversation.records import OutcomeRecord
from shared.conversation.silences import SilencedChats, Silences, handover
from shared.line.phrases import Phrase
from shared.reminders.delivery import Reminding
from shared.storage.codec import decode
from shared.storage.object_names import OUTCOME_SUFFIX, ObjectNames
from tests.simulation.bus import TICK_S
from tests.simulation.fixed_texts import in_every_language
from tests.simulation.people import PERSON, Message
from tests.simulation.scene import JOURNAL, Scene
from tests.simulation.scheduler import STEPS, Process, Task
from tests.simulation.world import EPOCH_MS, ProcessClock

HANDOVER_MINUTES: Final = 60
_IN_PAUSE: Final = in_every_language(Phrase.PRESS_IN_PAUSE)
_LINE_IS_QUICK: Final = 1  # a seed with which LINE has the picture ready
_DELETED: Final = "✓ Deleted"
_ADDED: Final = "✓ Added"
_DUE_S: Final = 4 * TICK_S
"""By then the first reminder of a scene is due."""


def commands(scene: Scene, command: str, *, instance: int = 0) -> Task:
    """A member sends `/pause` or `/resume`, which is pushed at once."""
    return scene.pushes(scene.delivers_order(scene.commands(command)), instance=instance)


def is_handed_over(scene: Scene) -> None:
    """The operator takes the chat over, by a command that no instance sees."""
    clock = ProcessClock(scene.world, Process("operator"))
    silences = Silences(names=ObjectNames(PERSON), store=scene.world.objects, clock=clock, silenced=SilencedChats())
    at_ms = EPOCH_MS + round(scene.world.now_s * 1_000)
    silences.add(lambda _: handover("operator-1", at_ms=at_ms, minutes=HANDOVER_MINUTES, is_asked=False))


def comes_to_rest(scene: Scene) -> None:
    """Redeliveries and ticks go on until nothing is left to do."""
    scene.stage.ticker.begin(scene.world.now_s)
    scene.world.scheduler.run(steps=STEPS)


def stored(scene: Scene, message: Message) -> list[str]:
    """Return the names of the objects that hold a word of the message."""
    objects = ((one.name, scene.world.objects.read(one.name)) for one in scene.world.objects.list(""))
    words = [word.encode() for word, _ in message.words]
    return [name for name, one in objects if one is not None and any(word in one.data for word in words)]


def answers(scene: Scene, message: Message) -> int:
    """Return how many texts of the bot repeat a word of the message: the model of a scene repeats all of its prompt."""
    return sum(any(word in text for word, _ in message.words) for text in scene.said)


def is_covered(scene: Scene, message: Message) -> bool:
    """Whether an outcome of the journal answers the message."""
    outcomes = (
        scene.world.objects.read(stored.name)
        for stored in scene.world.objects.list(JOURNAL)
        if OUTCOME_SUFFIX in stored.name
    )
    return any(message.id in decode(OutcomeRecord, one.data).answered_ids for one in outcomes if one is not None)


def recorded(scene: Scene, message: Message) -> Iterator[str]:
    """Yield a violation for each object that holds words of a message that was sent in a pause."""
    yield from (f"I4: words that were sent in a pause are in {name}" for name in stored(scene, message))


def message_whose_worker_dies_in_a_pause() -> list[str]:
    """A pause begins; an instance that knows of none records a message that was sent in it, and is killed; another one gets it again."""
    with Scene().playing() as scene:
        scene.runs_to_end(commands(scene, "pause"))
        scene.sleeps(1)
        message = scene.says()
        worker = scene.pushes(scene.delivers(message), instance=1)
        scene.runs_past(worker, f"write {JOURNAL}")
        scene.dies(worker)
        scene.runs_to_end(scene.pushes(scene.delivers(message), instance=0))  # which knows of the pause
        return list(recorded(scene, message))


def message_to_an_instance_that_knows_of_no_pause() -> list[str]:
    """A pause begins; an instance that knows of none records a message that was sent in it, before it has read of the pause."""
    with Scene().playing() as scene:
        scene.runs_to_end(commands(scene, "pause"))
        scene.sleeps(1)
        message = scene.says()
        scene.runs_to_end(scene.pushes(scene.delivers(message), instance=1))
        comes_to_rest(scene)
        return list(recorded(scene, message))


def message_of_a_pause_that_comes_after_it() -> list[str]:
    """A message is sent in a pause, and delivered twice when the pause is over."""
    with Scene().playing() as scene:
        scene.runs_to_end(commands(scene, "pause"))
        scene.sleeps(1)
        message = scene.says()
        scene.sleeps(1)
        scene.runs_to_end(commands(scene, "resume"))
        for _ in range(2):
            scene.runs_to_end(scene.pushes(scene.delivers(message), instance=1))
        comes_to_rest(scene)
        is_answered = ["I6: a message of a pause was answered"] if answers(scene, message) else []
        return [*recorded(scene, message), *is_answered]


def answer_that_a_pause_overtakes() -> list[str]:
    """The model thinks about a question when the chat is paused."""
    with Scene().playing() as scene:
        question = scene.says()
        worker = scene.pushes(scene.delivers(question), instance=1)
        scene.runs_until(worker, "model")
        scene.sleeps(1)
        scene.runs_to_end(commands(scene, "pause"))
        scene.runs_to_end(worker)
        comes_to_rest(scene)
        silent = [] if not answers(scene, question) else ["I6: an answer was sent in a pause"]
        return silent if stored(scene, question) else [*silent, "I4: a message from before a pause is lost"]


def press_that_a_pause_overtakes() -> list[str]:
    """A press has the model think about a deferred question again when the chat is paused: the press is told, and counts afterwards."""
    with Scene(seconds=26.0).playing() as scene:
        question = scene.delivers(scene.says())
        scene.sleeps(20)
        thinker = scene.pushes(question)
        scene.runs_past(thinker, f"write {JOURNAL}event-1.outcome")
        scene.dies(thinker)
        scene.stage.mood.seconds = (2.0, 2.0)
        pressing = scene.pushes(scene.presses("late:event-1"), instance=1)
        scene.runs_until(pressing, "model")
        scene.sleeps(1)
        scene.runs_to_end(commands(scene, "pause"))
        scene.runs_to_end(pressing)
        is_told = scene.said[-1] in _IN_PAUSE
        scene.sleeps(1)
        scene.runs_to_end(commands(scene, "resume"))
        scene.sleeps(1)
        scene.runs_to_end(scene.pushes(scene.presses("late:event-1"), instance=2))
        is_answered = "word0a" in scene.said[-1]
        comes_to_rest(scene)
        silent = [] if is_told else ["I6: a press that a pause overtook met silence"]
        return silent if is_answered else [*silent, "I6: a press after a pause was not answered"]


def tap_that_a_pause_overtakes() -> list[str]:
    """A member confirms a change; the chat is paused before it is committed: the tap is told, and counts after the pause."""
    with Scene(seed=_LINE_IS_QUICK, has_knowledge=True).playing() as scene:
        scene.runs_to_end(scene.asks_for("file"))
        scene.sleeps(1)
        button = _proposes(scene, "delete")
        pressing = scene.pushes(scene.presses(button))
        scene.runs_until(pressing, "write turns/", times=2)
        pausing = commands(scene, "pause", instance=1)
        scene.runs_past(pausing, "write silences/")
        scene.runs_to_end(pressing)
        is_told = scene.said[-1] in _IN_PAUSE
        scene.runs_to_end(pausing)
        scene.sleeps(1)
        scene.runs_to_end(commands(scene, "resume"))
        scene.sleeps(1)
        scene.runs_to_end(scene.pushes(scene.presses(button)))
        is_done = _DELETED in scene.said[-1]
        comes_to_rest(scene)
        silent = [] if is_told else ["I6: a tap that a pause overtook met silence"]
        return silent if is_done else [*silent, "I6: a tap after a pause did not count"]


def tap_of_a_page_that_a_handover_overtakes() -> list[str]:
    """A member confirms a page; it is made, and the operator takes the chat over: the tap is told what was done."""
    with Scene(seed=_LINE_IS_QUICK, has_notion=True).playing() as scene:
        pressing = scene.pushes(scene.presses(_proposes(scene, "page")))
        scene.runs_past(pressing, "Notion create page")
        is_handed_over(scene)
        scene.runs_to_end(pressing)
        is_told = _ADDED in scene.said[-1]
        comes_to_rest(scene)
        return [] if is_told else ["I10: a tap that made a page before a handover was not told so"]


def _proposes(scene: Scene, verb: str) -> str:
    """A member sends a picture and asks for a change; return the button under the answer."""
    scene.runs_to_end(scene.pushes(scene.delivers(scene.sends_image())))
    scene.sleeps(1)
    scene.runs_to_end(scene.asks_for(verb))
    scene.sleeps(1)
    return scene.world.truth.said[-1].button or ""


def question_that_a_handover_keeps() -> list[str]:
    """A question is sent in a handover, of which its instance knows nothing; the chat is resumed, and somebody asks again."""
    with Scene().playing() as scene:
        is_handed_over(scene)
        scene.sleeps(1)
        question = scene.says()
        scene.runs_to_end(scene.pushes(scene.delivers(question), instance=1))
        silent = [] if not scene.said else ["I6: a person answers, and the bot answered, too"]
        scene.sleeps(1)
        scene.runs_to_end(commands(scene, "resume"))
        scene.sleeps(1)
        scene.runs_to_end(scene.asks())
        comes_to_rest(scene)
        lost = [] if stored(scene, question) else ["I4: a message of a handover is lost"]
        return [*silent, *lost, *(["I6: a message of a handover was answered"] if is_covered(scene, question) else [])]


def reminder_that_is_due_in_a_pause() -> list[str]:
    """A reminder becomes due in a pause, which ends an hour and a half later."""
    with Scene(reminding=Reminding.PUSH).playing() as scene:
        scene.runs_to_end(scene.asks_for("remind"))
        before = len(scene.said)
        scene.sleeps(1)
        scene.runs_to_end(commands(scene, "pause"))
        for _ in range(4):
            scene.sleeps(_DUE_S)
            scene.ticks()
        early = ["I6: a reminder was pushed in a pause"] if len(scene.said) > before + 1 else []
        scene.sleeps(1)
        scene.runs_to_end(commands(scene, "resume"))
        after = len(scene.said)
        for _ in range(3):
            scene.sleeps(TICK_S)
            scene.ticks()
        late = (
            []
            if len(scene.said) == after + 1
            else ["I6: a reminder that waited for the end of a pause did not come, or twice"]
        )
        return [*early, *late]


def reminder_that_is_due_in_a_handover() -> list[str]:
    """A reminder becomes due in a handover, which ends by itself."""
    with Scene(reminding=Reminding.PUSH).playing() as scene:
        scene.runs_to_end(scene.asks_for("remind"))
        scene.sleeps(1)
        is_handed_over(scene)
        before = len(scene.said)
        scene.sleeps(_DUE_S)
        scene.ticks()
        early = ["I6: a reminder was pushed in a handover"] if len(scene.said) > before else []
        scene.sleeps(HANDOVER_MINUTES * TICK_S)
        for _ in range(2):
            scene.ticks()
            scene.sleeps(TICK_S)
        late = (
            []
            if len(scene.said) == before + 1
            else ["I6: a reminder that waited for the end of a handover did not come, or twice"]
        )
        return [*early, *late]


def pause_that_comes_after_its_end() -> list[str]:
    """`/pause` is overtaken by the `/resume` that follows it; then a member asks."""
    with Scene().playing() as scene:
        paused = scene.delivers_order(scene.commands("pause"))
        scene.sleeps(1)
        scene.runs_to_end(commands(scene, "resume"))
        scene.runs_to_end(scene.pushes(paused, instance=1))
        scene.sleeps(1)
        question = scene.says()
        scene.runs_to_end(scene.pushes(scene.delivers(question), instance=2))
        comes_to_rest(scene)
        return [] if answers(scene, question) else ["I6: a message after a pause met silence"]
