"""Scenes of compactions, recaps and the archive."""

from typing import Final

from shared.conversation.snapshot import MemoryLimits
from tests.simulation.people import Message
from tests.simulation.scene import JOURNAL, LONG_SLEEP_S, MINUTE_S, Scene
from tests.simulation.scheduler import Task
from tests.simulation.stage import SMALL_BOUNDS
from tests.simulation.wiring import TINY

_BUTTON: Final = "late:event-1"
_ONE_SHOWN: Final = MemoryLimits(journalled=2, verbatim=1, summed_up=50, recaps_at_once=0, recaps=1, sources=1)
_LINE_IS_QUICK: Final = 1  # a seed with which LINE has the picture ready


def compaction_between_listing_and_body() -> list[str]:
    """A press has read the listing and the snapshot. Before it reads the outcomes, a compaction folds its deferral into the snapshot."""
    with Scene(seed=4, seconds=26.0).playing() as scene:  # the snapshot is read before the outcomes
        _defers(scene)
        scene.runs_to_end(scene.asks())
        worker = scene.asks()
        scene.runs_until(worker, "reply")
        scene.runs_until(worker, "write snapshots/")
        press = scene.pushes(scene.presses(_BUTTON))
        scene.runs_past(press, "read snapshots/")
        scene.runs_to_end(worker)
        scene.runs_to_end(press)
        return scene.rests(calm=True)


def fold_of_a_message_that_was_taken_back_first() -> list[str]:
    """The unsend is handled first. The worker that records the message dies before its check; a compaction folds the message."""
    with Scene().playing() as scene:
        message = scene.says()
        scene.takes_effect(scene.takes_back(message))
        worker = scene.pushes(scene.delivers(message))
        scene.runs_past(worker, f"write {JOURNAL}m0")
        scene.dies(worker)
        for _ in range(3):
            scene.runs_to_end(scene.asks())
        return scene.rests()


def compaction_that_sleeps_through_an_unsend() -> list[str]:
    """A compaction that has read a message sleeps before it swaps the snapshot. The message, which the snapshot lacks, is withdrawn."""
    with Scene().playing() as scene:
        message, worker = _about_to_swap_the_snapshot(scene)
        scene.runs_to_end(scene.takes_back(message))
        scene.runs_to_end(worker)
        kept = scene.keeps()
        return [*kept, *scene.rests()]


def compaction_that_sleeps_through_both_passes() -> list[str]:
    """The same, but it sleeps until a tick has carried out the second pass, and dies right after its swap."""
    with Scene().playing() as scene:
        message, worker = _about_to_swap_the_snapshot(scene)
        scene.sleeps_in(worker, seconds=LONG_SLEEP_S)
        scene.takes_effect(scene.takes_back(message))
        scene.runs_past(worker, "write snapshots/")
        scene.dies(worker)
        return scene.rests()


def compaction_that_sleeps_through_an_erasure() -> list[str]:
    """The same, but the whole chat is erased."""
    with Scene(group=True).playing() as scene:
        _, worker = _about_to_swap_the_snapshot(scene)
        scene.sleeps_in(worker, seconds=LONG_SLEEP_S)
        scene.takes_effect(scene.bot_leaves())
        scene.runs_past(worker, "write snapshots/")
        scene.dies(worker)
        return scene.rests()


def _about_to_swap_the_snapshot(scene: Scene) -> tuple[Message, Task]:
    """Return a message that was answered, and a worker whose compaction folds it."""
    message = scene.says()
    scene.runs_to_end(scene.pushes(scene.delivers(message)))
    scene.runs_to_end(scene.asks())
    worker = scene.asks()
    scene.runs_until(worker, "reply")
    scene.runs_until(worker, "write snapshots/")
    return message, worker


def compaction_that_sleeps_through_another() -> list[str]:
    """A compaction is about to swap the snapshot when another one does, which has folded more."""
    with Scene().playing() as scene:
        for _ in range(2):
            scene.runs_to_end(scene.asks())
        slow = scene.asks()
        scene.runs_until(slow, "reply")
        scene.runs_until(slow, ("read snapshots/", "write snapshots/"), times=2)
        for _ in range(3):
            scene.runs_to_end(scene.asks())
        scene.runs_to_end(slow)
        return scene.rests()


def answer_that_repeats_a_recap() -> list[str]:
    """The first messages are summed up without an answer. One of them is withdrawn while the model repeats the recap."""
    with Scene().playing() as scene:
        scene.stage.mood.skips = 1.0
        first = scene.says()
        scene.runs_to_end(scene.pushes(scene.delivers(first)))
        for _ in range(5):
            scene.runs_to_end(scene.asks())
        scene.stage.mood.skips = 0.0
        worker = scene.asks()
        scene.runs_until(worker, "model")
        scene.runs_to_end(scene.takes_back(first))
        scene.runs_to_end(worker)
        return scene.rests()


def recap_that_an_edit_drops_before_an_unsend() -> list[str]:
    """An answer repeats a recap of two messages. One of them is edited, which drops the recap; then the other one is withdrawn."""
    with Scene().playing() as scene:
        scene.stage.mood.skips = 1.0
        first, second = scene.says(), scene.says()
        for message in (first, second):
            scene.runs_to_end(scene.pushes(scene.delivers(message)))
        for _ in range(4):
            scene.runs_to_end(scene.asks())
        scene.stage.mood.skips = 0.0
        scene.runs_to_end(scene.asks())
        scene.runs_to_end(scene.edits(second))
        scene.takes_effect(scene.takes_back(first))
        return scene.rests()


def recap_of_a_message_that_is_edited() -> list[str]:
    """A message is summed up without an answer, and then edited."""
    with Scene().playing() as scene:
        scene.stage.mood.skips = 1.0
        message = scene.says()
        scene.runs_to_end(scene.pushes(scene.delivers(message)))
        for _ in range(5):
            scene.runs_to_end(scene.asks())
        scene.runs_to_end(scene.edits(message))
        return scene.rests()


def answer_that_repeats_an_answer() -> list[str]:
    """The first message is forgotten, and every answer repeats the one before. The message is withdrawn while the model answers."""
    with Scene(limits=MemoryLimits(journalled=2, verbatim=3, summed_up=50, recaps_at_once=0)).playing() as scene:
        first = scene.says()
        scene.runs_to_end(scene.pushes(scene.delivers(first)))
        for _ in range(12):
            scene.runs_to_end(scene.asks())
        worker = scene.asks()
        scene.runs_until(worker, "model")
        scene.runs_to_end(scene.takes_back(first))
        scene.runs_to_end(worker)
        return scene.rests()


def answer_that_repeats_a_forgotten_answer() -> list[str]:
    """Each answer repeats the one before, which memory forgets; there is no archive. The first message is withdrawn."""
    with Scene(limits=_ONE_SHOWN, bounds=SMALL_BOUNDS, has_archive=False).playing() as scene:
        first = scene.says()
        scene.runs_to_end(scene.pushes(scene.delivers(first)))
        for _ in range(2 * SMALL_BOUNDS["outcomes_kept"]):
            scene.sleeps(2)
            scene.runs_to_end(scene.asks())
        scene.takes_effect(scene.takes_back(first))
        return scene.rests()


def recap_of_an_answer_that_knew_more() -> list[str]:
    """The answer repeats a message that is newer than its question. It is summed up before that message is withdrawn."""
    with Scene(group=True).playing() as scene:
        scene.runs_to_end(scene.pushes(scene.delivers(scene.says(addressed=False))))
        scene.sleeps(1)
        question = scene.delivers(scene.says())
        scene.sleeps(1)
        newer = scene.says(addressed=False)
        scene.runs_to_end(scene.pushes(scene.delivers(newer)))
        scene.runs_to_end(scene.pushes(question))
        for _ in range(3):
            scene.runs_to_end(scene.asks())
        scene.runs_to_end(scene.takes_back(newer))
        return scene.rests()


def compaction_that_sleeps_after_its_swap() -> list[str]:
    """A worker that is about to sum up messages has looked after its swap. Then it sleeps, and one of the messages is withdrawn."""
    return _compaction_that_sleeps(looks=1)


def compaction_that_sleeps_in_its_look() -> list[str]:
    """The same, but the worker sleeps before the message is withdrawn, looks again, and sleeps once more."""
    return _compaction_that_sleeps(looks=2)


def _compaction_that_sleeps(*, looks: int) -> list[str]:
    with Scene().playing() as scene:
        first = scene.says()
        scene.runs_to_end(scene.pushes(scene.delivers(first)))
        for _ in range(4):
            scene.runs_to_end(scene.asks())
        worker = scene.asks()
        for step in ("reply", "write snapshots/"):
            scene.runs_until(worker, step)
        for look in range(looks):
            if look:
                scene.runs_past(worker, "sleeps in")
            scene.sleeps_after(worker, "list amended/", seconds=LONG_SLEEP_S)
            scene.runs_until(worker, "sleeps in")
        scene.takes_effect(scene.takes_back(first))
        return scene.rests()


def recap_that_kills_its_workers() -> list[str]:
    """Every worker that sums up the first message dies."""
    with Scene().playing() as scene:
        scene.stage.mood.skips = 1.0  # no answer repeats the message
        scene.runs_to_end(scene.asks())
        scene.stage.mood.poison = frozenset({"word0a"})
        deliveries = []
        for _ in range(9):
            deliveries.append(scene.delivers(scene.says()))
            scene.pushes(deliveries[-1])
            scene.rests()
            scene.sleeps(MINUTE_S)
        killed = sum(one.attempts - 1 for one in deliveries)
        return [*([] if killed <= 2 else ["I1: a recap kills one worker after another"]), *scene.rests()]


def picture_beyond_memory() -> list[str]:
    """A message quotes a picture that the worker has never seen. It is answered, and then the picture is withdrawn."""
    with Scene(seed=_LINE_IS_QUICK).playing() as scene:
        picture = scene.sends_image()
        scene.delivers(picture)
        scene.sleeps(1)
        scene.runs_to_end(scene.pushes(scene.delivers(scene.says(quotes=picture.id))))
        is_seen = any(picture.newest_words[0] in said for said in scene.said)
        scene.takes_effect(scene.takes_back(picture))
        found = scene.rests()
        return found if is_seen else [*found, "I6: a quoted picture was not shown"]


def segment_written_during_an_unsend(*, taken_back: int = 1, others: int = 0) -> list[str]:
    """A compaction that moves messages from the journal to the archive sleeps before it writes their segment; the oldest are withdrawn.

    Then `others` are answered, and compact the chat, before it goes on.
    """
    with Scene(group=True, limits=TINY).playing() as scene:
        context = [scene.says(addressed=False) for _ in range(5)]  # and a worker has an instance of its own
        for message in context:
            scene.runs_to_end(scene.pushes(scene.delivers(message)))
        worker = scene.asks()
        scene.runs_until(worker, "reply")
        scene.runs_until(worker, "list archive/")
        for message in context[:taken_back]:
            scene.runs_to_end(scene.takes_back(message))
        for _ in range(others):
            scene.runs_to_end(scene.asks())
        scene.runs_to_end(worker)
        kept = scene.keeps()
        return [*kept, *scene.rests()]


def segment_of_a_lost_swap() -> list[str]:
    """The same, and another compaction, which fills no segment, swaps the snapshot first."""
    return segment_written_during_an_unsend(taken_back=3, others=1)


def unsend_of_a_message_that_waits_for_its_segment() -> list[str]:
    """A message has left the memory of prompts and waits for another one to fill a segment. It is withdrawn."""
    with Scene(group=True, limits=TINY).playing() as scene:
        context = [scene.says(addressed=False) for _ in range(3)]
        for message in context:
            scene.runs_to_end(scene.pushes(scene.delivers(message)))
        scene.runs_to_end(scene.asks())
        scene.takes_effect(scene.takes_back(context[0]))
        return scene.rests()


def edit_of_an_archived_message() -> list[str]:
    """A message is archived, and then edited."""
    with Scene(group=True, limits=TINY).playing() as scene:
        context = [scene.says(addressed=False) for _ in range(4)]
        for message in context:
            scene.runs_to_end(scene.pushes(scene.delivers(message)))
        scene.runs_to_end(scene.asks())
        scene.sleeps(1)
        scene.runs_to_end(scene.edits(context[0]))
        return scene.rests()


def _defers(scene: Scene) -> None:
    """The model is slow about one question, so it is deferred, and the answer is stored."""
    question = scene.delivers(scene.says())
    scene.sleeps(20)
    scene.runs_to_end(scene.pushes(question))
    scene.stage.mood.seconds = (2.0, 2.0)
