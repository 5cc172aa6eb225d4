"""Scenes of messages that wait for each other, come again, kill their workers, or are for others."""

from shared.line.addressing import GroupPolicy
from shared.turns.deferral import LateReply
from shared.turns.waiting_room import PLACES
from tests.simulation.people import MEMBERS
from tests.simulation.scene import MINUTE_S, Scene
from tests.simulation.scheduler import Task


def message_that_comes_again_to_a_bot_that_interjects() -> list[str]:
    """The model interjected about the message; it is delivered again when the model may interject again."""
    with Scene(group=True, group_policy=GroupPolicy.MODEL, late_reply=LateReply.PUSH).playing() as scene:
        message = scene.says(addressed=False)
        scene.runs_to_end(scene.pushes(scene.delivers(message)))
        scene.sleeps(40)
        scene.delivers(message)
        scene.runs_to_end(scene.pushes(scene.delivers(message)))
        return scene.rests()


def interjection_over_an_unfinished_outcome() -> list[str]:
    """The worker dies after it sent the greeting, and its lease ends. Then the model may interject about a message."""
    with Scene(group=True, group_policy=GroupPolicy.MODEL).playing() as scene:
        worker = scene.pushes(scene.bot_joins())
        scene.runs_until(worker, "write journal/C22222222222222222222222222222222/event-1.outcome")
        scene.dies(worker)
        scene.sleeps(40)
        other = scene.pushes(scene.delivers(scene.says(addressed=False)))
        scene.runs_to_end(other)
        return scene.rests()


def flood_that_holds_up_another_chat() -> list[str]:
    """Every thread of the instance has a message of one chat that waits for its turn; a message of another chat waits for a thread."""
    with Scene(seconds=20.0, threads=6, chats=2).playing() as scene:
        for _ in range(8):
            scene.stage.bus.push(scene.delivers(scene.says()), number=0)
            scene.runs(seconds=0.8)
        scene.stage.bus.push(scene.delivers(scene.says(chat=1)), number=0)
        return scene.rests(calm=True)


def message_whose_successors_are_withdrawn() -> list[str]:
    """The model thinks about a question of another member. One message waits, then four newer ones take its place; they are withdrawn."""
    with Scene(group=True, seconds=6.5).playing() as scene:
        scene.sleeps(45)  # so that the token is dead when the tick comes
        _withdraw_successors(scene)
        return scene.rests(calm=True)


def message_whose_successors_are_withdrawn_and_die() -> list[str]:
    """The same, and the instance in which they waited is killed before it looks."""
    with Scene(group=True, seconds=6.5, late_reply=LateReply.PUSH).playing() as scene:
        scene.dies(_withdraw_successors(scene))
        return scene.rests()


def _withdraw_successors(scene: Scene) -> Task:
    asking, writing = MEMBERS
    scene.asks(instance=1, by=asking)
    scene.runs(seconds=1)
    waiting = []
    for _ in range(1 + PLACES):
        waiting.append(scene.says(by=writing))
        newest = scene.pushes(scene.delivers(waiting[-1]), instance=0)
        scene.runs(seconds=0.8)
    for message in waiting[1:]:
        scene.runs_to_end(scene.takes_back(message))
    return newest


def message_that_kills_its_workers() -> list[str]:
    """Every worker that is asked about the message dies."""
    with Scene(late_reply=LateReply.PUSH).playing() as scene:
        scene.stage.mood.poison = frozenset({"word0a"})
        scene.asks()
        return scene.rests()


def message_that_kills_whoever_reads_it() -> list[str]:
    """A message for others kills every worker whose prompt holds it. A member asks two questions."""
    with Scene(group=True, late_reply=LateReply.PUSH).playing() as scene:
        scene.stage.mood.poison = frozenset({"word0a"})
        scene.stage.mood.poisons_anywhere = True
        scene.runs_to_end(scene.pushes(scene.delivers(scene.says(addressed=False))))
        scene.asks()
        found = scene.rests()
        scene.sleeps(MINUTE_S)
        attempts = scene.delivers(scene.says())
        scene.pushes(attempts)
        found += scene.rests()
        answers = " ".join(scene.said)
        silent = [word for word in ("word1a", "word2a") if word not in answers]
        found += [f"I6: {word} got no answer, because another message kills workers" for word in silent]
        again = attempts.attempts > 1
        return [*found, *(["I1: what killed workers is shown again"] if again else [])]


def message_that_kills_whoever_interjects() -> list[str]:
    """A message for others kills every worker whose prompt holds it, where the model reads each message. More such messages follow."""
    with Scene(group=True, group_policy=GroupPolicy.MODEL).playing() as scene:
        scene.stage.mood.poison, scene.stage.mood.poisons_anywhere = frozenset({"word0a"}), True
        deliveries = []
        for _ in range(4):
            deliveries.append(scene.delivers(scene.says(addressed=False)))
            scene.pushes(deliveries[-1])
            scene.runs(seconds=MINUTE_S)
        found = scene.rests()
        killed = sum(one.attempts > 1 for one in deliveries)
        return [*found, *([] if killed == 1 else [f"I6: {killed} workers died of what nobody had asked about"])]


def message_that_comes_again_after_many_others() -> list[str]:
    """A message is answered, and so many others after it that memory does not keep its outcome. Then LINE delivers it once more."""
    bounds = {"outcomes_read": 1, "outcomes_kept": 1, "newest_outcomes_kept": 1}
    with Scene(late_reply=LateReply.PUSH, bounds=bounds).playing() as scene:
        message = scene.says()
        scene.runs_to_end(scene.pushes(scene.delivers(message)))
        for _ in range(6):
            scene.sleeps(1)
            scene.runs_to_end(scene.asks())
        scene.runs_to_end(scene.pushes(scene.delivers(message)))
        return scene.rests()


def quote_of_the_bot() -> list[str]:
    """A message in a group does not mention the bot, but quotes it."""
    with Scene(group=True).playing() as scene:
        scene.runs_to_end(scene.asks())
        bubble = scene.world.truth.said[0].bubble_ids[0]
        scene.runs_to_end(scene.pushes(scene.delivers(scene.says(addressed=False, quotes=bubble))))
        found = scene.rests()
        return found if len(scene.said) > 1 else [*found, "I6: a message that quotes the bot met silence"]


def question_that_waits_for_slow_turns() -> list[str]:
    """A question waits for one slow turn, and then another delivery answers it together with others, for longer than a request may wait.

    None of them is a follow-up: one member asks the first question, and another one the rest.
    """
    with Scene(group=True, seconds=26.0, late_reply=LateReply.PUSH).playing() as scene:
        first, *others = MEMBERS
        for by in (first, *others * 3):
            scene.asks(instance=0, by=by)
            scene.runs(seconds=3)
        return scene.rests(calm=True)


def interjection_about_an_old_text() -> list[str]:
    """A message that is for nobody is edited before it is delivered. The model is asked whether to interject."""
    with Scene(group=True, group_policy=GroupPolicy.MODEL).playing() as scene:
        message = scene.says(addressed=False)
        scene.sleeps(1)
        scene.runs_to_end(scene.edits(message))
        scene.sleeps(1)
        scene.runs_to_end(scene.pushes(scene.delivers(message)))
        return scene.rests()
