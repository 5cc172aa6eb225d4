"""Scenes of unsends, edits and erasures that meet a turn between two of its steps."""

from typing import Final

from shared.conversation.snapshot import MemoryLimits
from shared.turns.deferral import LateReply
from tests.simulation.bus import Delivery
from tests.simulation.mind import Manner
from tests.simulation.people import Message
from tests.simulation.scene import JOURNAL, LONG_SLEEP_S, MINUTE_S, Scene
from tests.simulation.scheduler import Task
from tests.simulation.wiring import AMENDMENT_TIMES, TINY

_NEARLY_TWO_MINUTES_S: Final = 115.0
"""As long as a tick may take to carry out a second pass, and shorter than Pub/Sub waits for an acknowledgement."""
_A_SECOND_S: Final = 1.0
"""How long the look counts that is begun along with a commit (docs/turn-protocol.md, step 7)."""
_UNTIL_FORGOTTEN: Final = 3
"""Messages after which a chat that keeps as little as possible holds no older one."""
_ALL_JOURNALLED: Final = MemoryLimits(journalled=100)


def unsend_while_an_outcome_is_recorded() -> list[str]:
    """A worker has checked the amendments. The unsend sweeps the outcomes, and then the worker records its own."""
    with Scene().playing() as scene:
        message = scene.says()
        worker = scene.pushes(scene.delivers(message))
        scene.runs_until(worker, f"write {JOURNAL}event-1.outcome")
        scene.runs_to_end(scene.takes_back(message))
        scene.runs_to_end(worker)
        left = [one for one in scene.stage.violations() if "/journal/" in one or " journal/" in one]
        return [*left, *scene.rests()]


def unsend_of_what_a_newer_release_wrote() -> list[str]:
    """An instance of a newer release answers a message. An older one withdraws it."""
    with Scene().playing() as scene:
        scene.world.weather.has_newer_release = True
        message = scene.says()
        scene.runs_to_end(scene.pushes(scene.delivers(message), instance=0))
        scene.sleeps(1)
        scene.runs_to_end(scene.takes_back(message))
        return scene.rests()


def unsend_before_a_commit_that_takes_long() -> list[str]:
    """The last look is over when the unsend writes its amendment, and nothing else; the answer is committed two seconds later."""
    with Scene().playing() as scene:
        message = scene.says()
        worker = scene.pushes(scene.delivers(message))
        scene.runs_until(worker, "write turns/", times=2)
        scene.runs_past(worker, "list amended/")
        scene.sleeps_in(worker, seconds=2)
        scene.runs_until(scene.takes_back(message), "list amended/")
        scene.runs_to_end(worker)
        return scene.rests()


def unsend_between_the_listing_and_the_opening() -> list[str]:
    """The worker has a message in its cache, lists the chat, sleeps until the message is withdrawn, and opens the turn."""
    with Scene(late_reply=LateReply.PUSH, group=True).playing() as scene:
        message = scene.says(addressed=False)
        scene.runs_to_end(scene.pushes(scene.delivers(message), instance=0))
        scene.sleeps(20)  # so that the withdrawal is handled within a minute
        worker = scene.pushes(scene.delivers(scene.says()), instance=0)
        scene.sleeps_after(worker, "list journal/", seconds=50)
        scene.runs_past(worker, "list amended/")
        scene.runs_until(worker, "sleeps in")
        scene.takes_effect(scene.takes_back(message))
        scene.runs_to_end(worker)
        return scene.rests()


def edit_between_the_listing_and_the_opening() -> list[str]:
    """The chat was listed, and its turn is not open yet. An edit that comes then moves no epoch."""
    with Scene(group=True).playing() as scene:
        question = scene.says()
        scene.sleeps(1)
        worker = scene.pushes(scene.delivers(question))
        scene.runs_until(worker, "write turns/")
        scene.runs_to_end(scene.edits(question))
        return scene.rests(calm=True)


def erasure_between_the_listing_and_the_opening() -> list[str]:
    """The instance has read the watermark in an earlier turn, and lists the chat again. The chat is erased before the turn is opened."""
    with Scene(group=True).playing() as scene:
        scene.runs_to_end(scene.asks(instance=0))
        scene.sleeps(20)  # so that the erasure is handled within a minute
        worker = scene.asks(instance=0)
        scene.runs_until(worker, "write turns/")
        scene.sleeps(1)
        scene.takes_effect(scene.bot_leaves())
        scene.runs_to_end(worker)
        return scene.rests()


def quote_of_an_answer_that_hands_on_what_is_erased() -> list[str]:
    """A `/reset` is delivered late. Meanwhile one answer repeats another one, which repeats what is erased, and somebody quotes the second.

    Both questions were edited twice, so that their prompts show nothing but what they quote.
    """
    with Scene(group=True).playing() as scene:
        scene.runs_to_end(scene.asks())
        press = scene.is_asked_about("reset")
        scene.sleeps(1)
        scene.runs_to_end(scene.asks())
        scene.runs_to_end(_about_to_think_alone(scene))
        thinker = _about_to_think_alone(scene)
        scene.runs_past(thinker, "list amended/")
        reset = scene.pushes(scene.delivers_order(press))
        scene.runs_until(reset, "waits for a while")  # for the turn that the thinker holds
        scene.runs_to_end(thinker)
        return scene.rests()


def _about_to_think_alone(scene: Scene) -> Task:
    """A member quotes what was said last, and edits that while the model answers, twice; the third thought is about this message alone."""
    scene.sleeps(1)
    question = scene.says(quotes=scene.world.truth.said[-1].bubble_ids[0])
    thinker = scene.pushes(scene.delivers(question))
    for _ in range(2):
        scene.runs_until(thinker, "model")
        scene.runs(seconds=0.2)
        scene.runs_to_end(scene.edits(question))
        scene.runs_past(thinker, "model")
    scene.runs_until(thinker, "model")
    return thinker


def edit_before_the_chat_is_left() -> list[str]:
    """A message is edited, and then the whole chat is erased."""
    with Scene(group=True).playing() as scene:
        message = scene.says()
        scene.runs_to_end(scene.pushes(scene.delivers(message)))
        scene.runs_to_end(scene.edits(message))
        scene.sleeps(1)
        scene.runs_to_end(scene.bot_leaves())
        return scene.rests()


def edit_that_comes_after_the_chat_was_left() -> list[str]:
    """A message is edited, and then the whole chat is erased; the edit is delivered after the erasure."""
    with Scene(group=True).playing() as scene:
        message = scene.says()
        scene.runs_to_end(scene.pushes(scene.delivers(message)))
        edited_s = scene.world.now_s
        scene.sleeps(1)
        scene.runs_to_end(scene.bot_leaves())
        scene.runs_to_end(scene.edits(message, at_s=edited_s))
        return scene.rests()


def answer_that_repeats_something_erased() -> list[str]:
    """The answer repeats an older message, which met with silence. A reset that was sent in between is carried out after it."""
    with Scene().playing() as scene:
        scene.stage.mood.skips = 1.0
        scene.runs_to_end(scene.asks())
        scene.sleeps(MINUTE_S)
        reset = scene.commands("reset")
        scene.sleeps(MINUTE_S)
        scene.stage.mood.skips = 0.0
        scene.runs_to_end(scene.asks())
        scene.runs_to_end(scene.pushes(scene.delivers_order(reset)))
        return scene.rests()


def answer_stored_after_the_unsend() -> list[str]:
    """The withdrawal is complete when the late answer is ready. The worker dies right after storing it."""
    with Scene(seconds=26.0).playing() as scene:
        message = scene.says()
        delivery = scene.delivers(message)
        scene.sleeps(20)
        thinker = scene.pushes(delivery)
        scene.runs_until(thinker, f"write {JOURNAL}event-1.outcome")
        scene.runs_until(thinker, "model")
        scene.sleeps_in(thinker, seconds=LONG_SLEEP_S)
        scene.takes_effect(scene.takes_back(message))
        if scene.comes_to(thinker, f"write {JOURNAL}event-1-late"):
            scene.runs_until(thinker, "list amended/")
            scene.dies(thinker)
        return scene.rests()


def worker_that_dies_before_its_last_look() -> list[str]:
    """The first pass of the unsend precedes the record. The worker dies before its check, and the redelivery finds a withdrawn message."""
    with Scene().playing() as scene:
        message = scene.says()
        worker = scene.pushes(scene.delivers(message))
        scene.runs_until(worker, f"write {JOURNAL}event-1.outcome")
        scene.runs_to_end(scene.takes_back(message))
        scene.runs_until(worker, "list amended/")
        scene.dies(worker)
        return scene.rests()


def unsend_whose_worker_stalls() -> list[str]:
    """The worker of an unsend does not move for nearly two minutes in its first pass, after its amendment. A tick comes meanwhile."""
    with Scene(group=True).playing() as scene:
        message = scene.says()
        scene.runs_to_end(scene.pushes(scene.delivers(message)))
        return _is_carried_out_by_a_tick(scene, scene.takes_back(message))


def erasure_whose_worker_stalls() -> list[str]:
    """The same for the bot's departure."""
    with Scene(group=True).playing() as scene:
        scene.runs_to_end(scene.asks())
        scene.sleeps(1)
        return _is_carried_out_by_a_tick(scene, scene.bot_leaves())


def edit_whose_worker_stalls() -> list[str]:
    """The same for an edit."""
    with Scene(group=True).playing() as scene:
        message = scene.says(addressed=False)
        scene.runs_to_end(scene.pushes(scene.delivers(message)))
        scene.sleeps(1)
        return _is_carried_out_by_a_tick(scene, scene.edits(message))


def _is_carried_out_by_a_tick(scene: Scene, stalling: Task) -> list[str]:
    """The request stalls where it begins to change what is stored. Return what the tick after its second pass is due has left."""
    scene.runs_until(stalling, ("list journal/", "write journal/"))
    scene.sleeps_in(stalling, seconds=_NEARLY_TWO_MINUTES_S)
    scene.sleeps(_NEARLY_TWO_MINUTES_S - 1)
    scene.ticks()
    left = [one for one in scene.stage.violations() if one.startswith("I4:") and "due/" not in one]
    return [*left, *scene.rests()]


def unsend_that_dies_before_its_plan(manner: Manner = "repeats") -> list[str]:
    """An answer repeats a short message from one that is quoted. The withdrawal dies once it has read the message, before its plan."""
    with Scene(limits=_ALL_JOURNALLED, bounds={"messages_shown": 1}, manner=manner).playing() as scene:
        first, quoting = _says_and_quotes_the_answer(scene)
        scene.runs_to_end(scene.pushes(quoting))
        _dies_before_its_plan(scene, scene.takes_back(first))
        return scene.rests()


def unsend_that_dies_before_its_plan_beside_an_answer_that_repeats_nothing() -> list[str]:
    """The same, and the model repeats nothing: the second answer keeps its words."""
    return unsend_that_dies_before_its_plan("says nothing")


def unsend_that_dies_before_a_compaction(manner: Manner = "repeats") -> list[str]:
    """The same; and a compaction drops the message and sleeps before it drops the answers, until the unsend is delivered again."""
    with Scene(limits=TINY, bounds={"messages_shown": 1}, manner=manner).playing() as scene:
        first, quoting = _says_and_quotes_the_answer(scene)
        answering = scene.pushes(quoting)
        scene.runs_past(answering, f"write {JOURNAL}event-2.outcome")
        scene.dies(answering)
        _dies_before_its_plan(scene, scene.takes_back(first))
        compacting = scene.pushes(quoting)
        scene.runs_until(compacting, f"delete {JOURNAL}event-1.outcome")
        scene.sleeps_in(compacting, seconds=LONG_SLEEP_S)
        return scene.rests()


def unsend_of_what_left_memory() -> list[str]:
    """The chat has no archive, and its message has left memory. What names an answer to it goes, although the model repeats nothing."""
    bounds = {"messages_shown": 1}
    with Scene(limits=TINY, has_archive=False, bounds=bounds, manner="says nothing").playing() as scene:
        first, quoting = _says_and_quotes_the_answer(scene)
        scene.runs_to_end(scene.pushes(quoting))
        for _ in range(_UNTIL_FORGOTTEN):
            scene.sleeps(1)
            scene.runs_to_end(scene.pushes(scene.delivers(scene.says(addressed=False))))
        scene.runs_to_end(scene.takes_back(first))
        return scene.rests()


def _says_and_quotes_the_answer(scene: Scene) -> tuple[Message, Delivery]:
    """A message is answered, and another one quotes the answer; return the first one, and the other one, not pushed yet."""
    first = scene.says()
    scene.runs_to_end(scene.pushes(scene.delivers(first)))
    scene.sleeps(1)
    return first, scene.delivers(scene.says(quotes=scene.world.truth.said[-1].bubble_ids[0]))


def _dies_before_its_plan(scene: Scene, withdrawal: Task) -> None:
    scene.runs_until(withdrawal, "list journal/")
    scene.dies(withdrawal)


def worker_that_dies_in_a_chat_that_is_left() -> list[str]:
    """The first pass of an erasure precedes the record, and the worker dies before its check."""
    with Scene().playing() as scene:
        worker = scene.asks()
        scene.runs_until(worker, f"write {JOURNAL}event-1.outcome")
        scene.runs_to_end(scene.bot_leaves())
        scene.runs_until(worker, "list amended/")
        scene.dies(worker)
        return scene.rests()


def message_that_is_edited() -> list[str]:
    """A member edits a message that nobody answers."""
    with Scene(group=True).playing() as scene:
        first = scene.says(addressed=False)
        scene.runs_to_end(scene.pushes(scene.delivers(first)))
        scene.sleeps(1)
        scene.runs_to_end(scene.edits(first))
        return scene.rests()


def answer_that_only_inherits() -> list[str]:
    """The model repeats nothing. A message is answered and folded away, and then withdrawn: later answers never had it in their prompts."""
    with Scene(manner="says nothing").playing() as scene:
        first = scene.says()
        scene.runs_to_end(scene.pushes(scene.delivers(first)))
        for _ in range(6):
            scene.sleeps(5)
            scene.runs_to_end(scene.asks())
        scene.runs_to_end(scene.takes_back(first))
        return scene.rests()


def seventy_unsends_while_somebody_thinks() -> list[str]:
    """Seventy messages that were not for the bot are withdrawn within a second, while the model thinks about a question."""
    with Scene(group=True, seconds=20.0).playing() as scene:
        messages = [scene.says(addressed=False) for _ in range(70)]
        for message in messages:
            scene.runs_to_end(scene.pushes(scene.delivers(message)))
        scene.runs_until(scene.asks(), "model")
        for message in messages:
            scene.takes_back(message)
        return scene.rests(calm=True)


def withdrawal_that_dies_between_two_answers() -> list[str]:
    """The model repeats nothing. The withdrawal dies after the answers that held the message lost their words, and comes again."""
    bounds = {"messages_shown": 3}
    with Scene(manner="says nothing", limits=_ALL_JOURNALLED, bounds=bounds).playing() as scene:
        first = scene.says()
        scene.runs_until(scene.pushes(scene.delivers(first)), "list journal/")
        for _ in range(4):  # the first answer is to two messages, so a prompt may show it without the first of them
            scene.sleeps(1)
            scene.runs_to_end(scene.asks())
        withdrawal = scene.takes_back(first)
        scene.runs_until(withdrawal, "read snapshots/", times=3)
        scene.dies(withdrawal)
        return scene.rests()


def message_that_comes_after_its_fold(*, addressed: bool = True) -> list[str]:
    """A withdrawal is handled, and folded when another one is. Then another instance gets the message."""
    with Scene(group=True).playing() as scene:
        late, other = scene.says(addressed=addressed), scene.says(addressed=addressed)
        scene.runs_to_end(scene.takes_back(late))
        scene.sleeps(AMENDMENT_TIMES.folded_after_s)
        scene.ticks()
        scene.runs_to_end(scene.takes_back(other))
        scene.sleeps(2 * MINUTE_S)
        scene.ticks()
        scene.runs_to_end(scene.pushes(scene.delivers(late)))
        return scene.rests()


def context_that_comes_after_its_fold() -> list[str]:
    """The same for a message that is for others."""
    return message_that_comes_after_its_fold(addressed=False)


def unsend_whose_write_stalls() -> list[str]:
    """The write of an unsend takes longer than a listing reaches back; meanwhile an instance lists the chat that gets the message late."""
    with Scene(group=True).playing() as scene:
        message = scene.says(addressed=False)
        withdrawal = scene.takes_back(message)
        scene.runs_until(withdrawal, "write amended/")
        scene.sleeps(2 * AMENDMENT_TIMES.reach_s)
        scene.runs_to_end(scene.pushes(scene.delivers(scene.says(addressed=False)), instance=0))
        scene.takes_effect(withdrawal)
        scene.runs_to_end(withdrawal)
        scene.runs_to_end(scene.pushes(scene.delivers(message), instance=0))
        scene.runs_to_end(scene.pushes(scene.delivers(scene.says()), instance=0))
        return scene.rests()


def unsend_beside_a_commit_of_over_a_second() -> list[str]:
    """An unsend is stored after the look that was begun along with the commit, which takes over a second: nothing is sent."""
    with Scene().playing() as scene:
        message = scene.says()
        worker = scene.pushes(scene.delivers(message))
        scene.runs_until(worker, "write turns/", times=2)
        scene.runs_past(worker, "list amended/")  # the look is over, and the commit is not
        scene.runs_until(scene.takes_back(message), "list amended/")  # only its event is stored
        scene.sleeps(_A_SECOND_S)
        scene.runs_to_end(worker)
        is_said = any(not said.button for said in scene.world.truth.said)
        return [
            *(["I4: an answer was sent a second after its message was withdrawn"] if is_said else []),
            *scene.rests(),
        ]
