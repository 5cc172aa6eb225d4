"""Schedules made by hand, for mutations that seeds rarely find.

A scene returns the violations that it met: none on the unchanged product, at least one under the mutation.
"""

from collections.abc import Callable, Mapping
from typing import Final

from shared.conversation.snapshot import MemoryLimits
from shared.line.mentions import GroupPolicy
from shared.line.postback_data import confirm_data
from shared.turns.deferral import LateReply
from shared.turns.waiting_room import PLACES
from tests.simulation import event_scenes, forgetting_scenes, recall_scenes, reminder_scenes, tap_scenes
from tests.simulation.people import PERSON, Message
from tests.simulation.scene import Scene
from tests.simulation.scheduler import Task
from tests.simulation.wiring import TINY

_MINUTE_S: Final = 60.0
_ALL_JOURNALLED: Final = MemoryLimits(journalled=100)
_LONG_SLEEP_S: Final = 120.0
"""Longer than both passes of a withdrawal take."""
_CALLS_OF_A_SLOW_THOUGHT: Final = 2
"""The first is given up, so that it leaves time for another one."""
_INSTANCES: Final = 6
_JOURNAL: Final = f"journal/{PERSON}/"
_BUTTON: Final = "late:event-1"
_LINE_IS_QUICK: Final = 1  # a seed with which LINE has the picture ready


def outcome_that_outlived_its_messages() -> list[str]:
    """The worker dies after it sent the answer. When the message is redelivered, it is too old to be answered."""
    with Scene().playing() as scene:
        worker = scene.asks()
        scene.runs_until(worker, f"write {_JOURNAL}event-1.outcome")
        scene.dies(worker)
        scene.sleeps(1_300)
        return scene.rests()


def holder_that_sleeps_before_it_speaks() -> list[str]:
    """The answer is committed, and its holder has looked at the amendments. Then the holder sleeps, and the message is withdrawn."""
    with Scene().playing() as scene:
        scene.sleeps(20)  # so that the second pass comes while the token lives
        message = scene.says()
        worker = scene.pushes(scene.delivers(message))
        scene.runs_until(worker, "write turns/", times=2)
        scene.sleeps_after(worker, "list amended/", seconds=45)
        scene.runs_until(worker, "sleeps in")
        scene.takes_effect(scene.takes_back(message))
        return scene.rests()


def neighbour_withdrawn_after_the_answer() -> list[str]:
    """The worker dies after it sent the answer. A message of its prompt is withdrawn; a takeover comes before the turn is changed."""
    with Scene(group=True).playing() as scene:
        neighbour = scene.says(addressed=False)
        scene.runs_to_end(scene.pushes(scene.delivers(neighbour)))
        delivery = scene.delivers(scene.says())
        worker = scene.pushes(delivery)
        scene.runs_until(worker, "write journal/C22222222222222222222222222222222/event-2.outcome")
        scene.dies(worker)
        scene.runs_until(scene.takes_back(neighbour), "list amended/")
        scene.runs_to_end(scene.pushes(delivery))
        return scene.rests()


def unsend_while_an_outcome_is_recorded() -> list[str]:
    """A worker has checked the amendments. The unsend sweeps the outcomes, and then the worker records its own."""
    with Scene().playing() as scene:
        message = scene.says()
        worker = scene.pushes(scene.delivers(message))
        scene.runs_until(worker, f"write {_JOURNAL}event-1.outcome")
        scene.runs_to_end(scene.takes_back(message))
        scene.runs_to_end(worker)
        left = [one for one in scene.stage.violations() if "/journal/" in one or " journal/" in one]
        return [*left, *scene.rests()]


def commit_over_another_holder() -> list[str]:
    """One instance's clock is a minute ahead, so a live holder loses its turn. Its commit must not overwrite the new holder's."""
    with Scene(skews_s=(0.0, _MINUTE_S, *(0.0,) * (_INSTANCES - 2)), clocks_hold=False).playing() as scene:
        delivery = scene.delivers(scene.says())
        first = scene.pushes(delivery, instance=0)
        scene.runs_until(first, "write turns/", times=2)
        second = scene.pushes(delivery, instance=1)
        scene.runs_until(second, "model")
        scene.runs_to_end(first)
        return scene.rests()


def dead_token_beside_a_refreshed_one() -> list[str]:
    """The newest token expires before the call reaches LINE. An older message was redelivered, so its token is still valid."""
    with Scene(seconds=26.0, late_reply=LateReply.DROP).playing() as scene:
        older = scene.says()
        scene.runs_until(scene.pushes(scene.delivers(older)), "list journal/")
        scene.sleeps(1)
        delivery = scene.delivers(scene.says())
        scene.sleeps(18)
        worker = scene.pushes(delivery)
        scene.runs_until(worker, "reply")
        scene.delivers(older)
        scene.sleeps(13)
        scene.runs_to_end(worker)
        silent = [] if scene.said else ["I6: nobody got an answer although a token was alive"]
        return scene.rests() + silent


def compaction_between_listing_and_body() -> list[str]:
    """A press has read the listing and the snapshot. Before it reads the outcomes, a compaction folds its deferral into the snapshot."""
    with Scene(seed=4, seconds=26.0).playing() as scene:
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


def unsend_just_before_the_commit() -> list[str]:
    """The unsend has written its amendment, and nothing else, when the answer is committed."""
    with Scene().playing() as scene:
        message = scene.says()
        worker = scene.pushes(scene.delivers(message))
        scene.runs_until(worker, "write turns/", times=2)
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


def commit_that_is_told_it_lost() -> list[str]:
    """The commit wins its swap, and the bucket reports that it lost. A worker that waits for the lease to end finds the token expired."""
    with Scene(late_reply=LateReply.PUSH).playing() as scene:
        delivery = scene.delivers(scene.says())
        scene.sleeps(40)
        worker = scene.pushes(delivery)
        scene.runs_until(worker, "write turns/", times=2)
        scene.world.weather.lost_answers = 1.0
        scene.runs_past(worker, "write turns/")
        scene.world.weather.lost_answers = 0.0
        return scene.rests(calm=True)


def worker_that_dies_after_it_spoke() -> list[str]:
    """The worker dies after it sent the answer. The takeover finds the token spent."""
    with Scene().playing() as scene:
        worker = scene.asks()
        scene.runs_until(worker, f"write {_JOURNAL}event-1.outcome")
        scene.dies(worker)
        return scene.rests()


def worker_that_dies_before_it_speaks() -> list[str]:
    """The worker dies before it sends the answer. The takeover finds the token expired."""
    with Scene().playing() as scene:
        worker = scene.asks()
        scene.runs_until(worker, "reply")
        scene.dies(worker)
        scene.sleeps(_MINUTE_S)
        return scene.rests()


def deferral_of_a_deferral() -> list[str]:
    """The first worker dies, so a press asks the model again. That is deferred, too, its worker dies, and the second button is pressed."""
    with Scene(seconds=26.0).playing() as scene:
        question = scene.delivers(scene.says())
        scene.sleeps(20)
        thinker = scene.pushes(question)
        scene.runs_past(thinker, f"write {_JOURNAL}event-1.outcome")
        scene.dies(thinker)
        press = scene.presses("late:event-1")
        scene.sleeps(20)
        second = scene.pushes(press)
        scene.runs_past(second, f"write {_JOURNAL}event-2.outcome")
        scene.dies(second)
        scene.runs_to_end(scene.pushes(scene.presses("late:event-2")))
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
        scene.runs_until(reset, "sleep")
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


def fold_of_a_message_that_was_taken_back_first() -> list[str]:
    """The unsend is handled first. The worker that records the message dies before its check; a compaction folds the message."""
    with Scene().playing() as scene:
        message = scene.says()
        scene.takes_effect(scene.takes_back(message))
        worker = scene.pushes(scene.delivers(message))
        scene.runs_past(worker, f"write {_JOURNAL}m0")
        scene.dies(worker)
        for _ in range(3):
            scene.runs_to_end(scene.asks())
        return scene.rests()


def renewal_that_loses_to_an_unsend() -> list[str]:
    """Opening the turn was slow. Its first renewal loses the swap to an unsend of another message."""
    with Scene(seconds=26.0).playing() as scene:
        worker = scene.asks()
        scene.runs_until(worker, "write turns/")
        scene.sleeps(2)
        scene.runs_until(worker, "model")
        scene.runs_until(worker, "write turns/")
        scene.runs_to_end(scene.takes_back(scene.says()))
        return [*scene.rests(calm=True), *_repeated_model_calls(scene)]


def delivery_beside_a_slow_thinker() -> list[str]:
    """The model takes longer than a lease, and two deliveries of the message are handled at once."""
    with Scene(seconds=26.0).playing() as scene:
        delivery = scene.delivers(scene.says())
        scene.pushes(delivery)
        scene.pushes(delivery)
        return [*scene.rests(calm=True), *_repeated_model_calls(scene)]


def answer_that_repeats_something_erased() -> list[str]:
    """The answer repeats a message that was for others. The erasure ends between that message and the question."""
    with Scene(group=True).playing() as scene:
        scene.runs_to_end(scene.pushes(scene.delivers(scene.says(addressed=False))))
        scene.sleeps(_MINUTE_S)
        parted_s = scene.world.now_s
        scene.sleeps(_MINUTE_S)
        scene.runs_to_end(scene.asks())
        scene.runs_to_end(scene.bot_leaves(at_s=parted_s))
        return scene.rests()


def two_who_finish() -> list[str]:
    """One instance's clock is a minute ahead: it takes over a commit, and spends the token just before the slow holder does."""
    with Scene(skews_s=(0.0, _MINUTE_S, *(0.0,) * (_INSTANCES - 2)), clocks_hold=False).playing() as scene:
        delivery = scene.delivers(scene.says())
        scene.runs_until(scene.pushes(delivery, instance=2), "list journal/")
        slow = scene.asks(instance=0)
        scene.runs_until(slow, "reply")
        hasty = scene.pushes(delivery, instance=1)
        scene.runs_until(hasty, f"write {_JOURNAL}event-2.outcome")
        scene.runs_to_end(slow)
        return scene.rests()


def answer_whose_receipt_is_lost(*, asleep_s: float = 0.0) -> list[str]:
    """The answer arrives, and LINE's response is lost. The worker repeats the call, at once or when the token may have expired."""
    with Scene(seed=0, seconds=26.0, late_reply=LateReply.PUSH).playing() as scene:
        delivery = scene.delivers(scene.says())
        scene.sleeps(5)
        worker = scene.pushes(delivery)
        scene.runs_until(worker, "model")
        scene.world.weather.lossiness = 1.0
        scene.runs_until(worker, "reply")
        scene.world.weather.lossiness = 0.0
        scene.runs_until(worker, "sleep")
        scene.sleeps(asleep_s)
        scene.runs_to_end(worker)
        return scene.rests()


def late_answer_whose_receipt_is_lost() -> list[str]:
    """The answer arrives, and LINE's response is lost. The worker sleeps before it repeats the call."""
    return answer_whose_receipt_is_lost(asleep_s=15)


def push_of_a_dead_worker() -> list[str]:
    """The worker dies after it pushed the answer. The takeover pushes it again."""
    with Scene(seconds=26.0, late_reply=LateReply.PUSH).playing() as scene:
        delivery = scene.delivers(scene.says())
        scene.sleeps(2 * _MINUTE_S)
        worker = scene.pushes(delivery)
        scene.runs_until(worker, f"write {_JOURNAL}event-1.outcome")
        scene.dies(worker)
        return scene.rests()


def push_after_twenty_minutes() -> list[str]:
    """The message is nearly twenty minutes old when the model is asked, and older when the answer is ready."""
    with Scene(seconds=26.0, late_reply=LateReply.PUSH).playing() as scene:
        delivery = scene.delivers(scene.says())
        scene.sleeps(1_190)
        scene.runs_to_end(scene.pushes(delivery))
        return scene.rests()


def question_from_long_ago() -> list[str]:
    """LINE delivers a message so late that its sender expects no answer."""
    with Scene().playing() as scene:
        scene.world.weather.backlog_s = 1_400
        message = scene.says()
        scene.sleeps(1_400)
        scene.runs_to_end(scene.pushes(scene.delivers(message)))
        return scene.rests()


def answer_stored_after_the_unsend() -> list[str]:
    """The withdrawal is complete when the late answer is ready. The worker dies right after storing it."""
    with Scene(seconds=26.0).playing() as scene:
        message = scene.says()
        delivery = scene.delivers(message)
        scene.sleeps(20)
        thinker = scene.pushes(delivery)
        scene.runs_until(thinker, f"write {_JOURNAL}event-1.outcome")
        scene.runs_until(thinker, "model")
        scene.sleeps_in(thinker, seconds=_LONG_SLEEP_S)
        scene.takes_effect(scene.takes_back(message))
        if scene.comes_to(thinker, f"write {_JOURNAL}event-1-late"):
            scene.runs_until(thinker, "list amended/")
            scene.dies(thinker)
        return scene.rests()


def worker_that_dies_before_its_last_look() -> list[str]:
    """The first pass of the unsend precedes the record. The worker dies before its check, and the redelivery finds a withdrawn message."""
    with Scene().playing() as scene:
        message = scene.says()
        worker = scene.pushes(scene.delivers(message))
        scene.runs_until(worker, f"write {_JOURNAL}event-1.outcome")
        scene.runs_to_end(scene.takes_back(message))
        scene.runs_until(worker, "list amended/")
        scene.dies(worker)
        return scene.rests()


def worker_that_dies_in_a_chat_that_is_left() -> list[str]:
    """The first pass of an erasure precedes the record, and the worker dies before its check."""
    with Scene().playing() as scene:
        worker = scene.asks()
        scene.runs_until(worker, f"write {_JOURNAL}event-1.outcome")
        scene.runs_to_end(scene.bot_leaves())
        scene.runs_until(worker, "list amended/")
        scene.dies(worker)
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
        scene.sleeps_in(worker, seconds=_LONG_SLEEP_S)
        scene.takes_effect(scene.takes_back(message))
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


def message_that_is_edited() -> list[str]:
    """A member edits a message that nobody answers."""
    with Scene(group=True).playing() as scene:
        first = scene.says(addressed=False)
        scene.runs_to_end(scene.pushes(scene.delivers(first)))
        scene.sleeps(1)
        scene.runs_to_end(scene.edits(first))
        return scene.rests()


def compaction_that_sleeps_in_its_look() -> list[str]:
    """A worker that is about to sum up messages has read the amendments. Then it sleeps, and one of the messages is withdrawn."""
    with Scene().playing() as scene:
        first = scene.says()
        scene.runs_to_end(scene.pushes(scene.delivers(first)))
        for _ in range(4):
            scene.runs_to_end(scene.asks())
        worker = scene.asks()
        for step in ("reply", "write snapshots/"):
            scene.runs_until(worker, step)
        scene.runs_past(worker, "list amended/")
        scene.sleeps_after(worker, "list amended/", seconds=_LONG_SLEEP_S)
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
            scene.sleeps(_MINUTE_S)
        killed = sum(one.attempts - 1 for one in deliveries)
        return [*([] if killed <= 2 else ["I1: a recap kills one worker after another"]), *scene.rests()]


def bye_that_comes_again_after_a_new_invitation() -> list[str]:
    """The bot leaves the group as it was told, is invited again, and the command is delivered once more."""
    with Scene(group=True).playing() as scene:
        order = scene.is_asked_about("bye")
        scene.runs_to_end(scene.pushes(scene.delivers_order(order)))
        scene.sleeps(_MINUTE_S)
        scene.runs_to_end(scene.pushes(scene.bot_joins()))
        scene.sleeps(1)
        scene.runs_to_end(scene.pushes(scene.delivers_order(order)))
        return scene.rests()


def bye_that_is_slower_than_a_new_invitation() -> list[str]:
    """The goodbye is about to be said when the bot is removed by hand, and invited again; then it would leave."""
    with Scene(group=True).playing() as scene:
        worker = scene.pushes(scene.delivers_order(scene.is_asked_about("bye")))
        scene.runs_until(worker, "list journal/", times=4)
        scene.sleeps(1)
        scene.runs_to_end(scene.pushes(scene.bot_joins()))
        scene.runs_to_end(worker)
        return scene.rests()


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


def message_that_is_filed() -> list[str]:
    """A member asks for something to be kept."""
    with Scene(has_knowledge=True).playing() as scene:
        scene.runs_to_end(scene.asks_for("file"))
        return scene.rests(calm=True)


def entry_of_two_messages() -> list[str]:
    """One message is filed, another one is added to its entry and then withdrawn."""
    with Scene(has_knowledge=True).playing() as scene:
        scene.runs_to_end(scene.asks_for("file"))
        scene.sleeps(1)
        note = scene.says(verb="note")
        scene.runs_to_end(scene.pushes(scene.delivers(note)))
        scene.sleeps(1)
        scene.runs_to_end(scene.takes_back(note))
        return scene.rests()


def forget_that_is_confirmed() -> list[str]:
    """A member asks for everything to be forgotten, and presses the button."""
    with Scene(has_knowledge=True).playing() as scene:
        scene.runs_to_end(scene.asks_for("file"))
        scene.sleeps(1)
        scene.runs_to_end(scene.pushes(scene.delivers_order(scene.commands("forget"))))
        scene.sleeps(1)
        scene.runs_to_end(scene.pushes(scene.confirms("confirm:event-2")))
        return scene.rests(calm=True)


def two_presses_at_once() -> list[str]:
    """Two members press the button of `/forget` in the same moment; each reads the chat before the other has erased it."""
    with Scene(group=True).playing() as scene:
        press = scene.is_asked_about("forget")
        other = scene.presses_again(press)
        later = scene.pushes(scene.delivers_order(other))
        scene.runs_until(later, "write journal/")
        scene.runs_to_end(scene.pushes(scene.delivers_order(press)))
        scene.runs_to_end(later)
        return scene.rests()


def press_after_the_unsend_of_its_command() -> list[str]:
    """A member gives a command and withdraws it; then another member presses the button."""
    with Scene(group=True).playing() as scene:
        asking = scene.commands("forget")
        scene.runs_to_end(scene.pushes(scene.delivers_order(asking)))
        scene.sleeps(1)
        scene.takes_effect(scene.takes_back_command(asking))
        scene.sleeps(1)
        scene.runs_to_end(scene.pushes(scene.confirms(confirm_data(asking.id))))
        return scene.rests()


def classification_after_the_unsend() -> list[str]:
    """The worker sleeps while the model answers. Meanwhile the withdrawal takes effect; then the tool asks for a category."""
    with Scene(has_knowledge=True).playing() as scene:
        message = scene.says(verb="file")
        worker = scene.pushes(scene.delivers(message))
        scene.runs_until(worker, "model")
        scene.runs_past(worker, "list amended/")
        scene.sleeps_in(worker, seconds=_LONG_SLEEP_S)
        scene.takes_effect(scene.takes_back(message))
        scene.runs_to_end(worker)
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


def call_that_begins_after_the_erasure() -> list[str]:
    """The chat is left. The event is slow, so a page is made meanwhile for a message from before."""
    with Scene(has_notion=True).playing() as scene:
        page = scene.asks_for("page")
        left_s = scene.world.now_s
        scene.runs_to_end(page)
        scene.sleeps(_MINUTE_S)
        scene.runs_to_end(scene.bot_leaves(at_s=left_s))
        return scene.rests()


def page_for_another_oldest_message() -> list[str]:
    """Two messages are answered together, and a page is made for the second; the worker dies, and the first is withdrawn."""
    with Scene(has_notion=True).playing() as scene:
        first = scene.says()
        scene.runs_until(scene.pushes(scene.delivers(first)), "list journal/")
        worker = scene.asks_for("page")
        scene.runs_past(worker, "Notion create page")
        scene.dies(worker)
        scene.runs_to_end(scene.takes_back(first))
        return scene.rests()


def flood_that_holds_up_another_chat() -> list[str]:
    """Every thread of the instance has a message of one chat that waits for its turn; a message of another chat waits for a thread."""
    with Scene(seconds=20.0, threads=6, chats=2).playing() as scene:
        for _ in range(8):
            scene.stage.bus.push(scene.delivers(scene.says()), number=0)
            scene.runs(seconds=0.8)
        scene.stage.bus.push(scene.delivers(scene.says(chat=1)), number=0)
        return scene.rests(calm=True)


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


def message_whose_successors_are_withdrawn() -> list[str]:
    """The model thinks. One message waits, and then four newer ones do, which take its place; they are withdrawn."""
    with Scene(seconds=6.5).playing() as scene:
        scene.sleeps(45)  # so that the token is dead when the tick comes
        _withdraw_successors(scene)
        return scene.rests(calm=True)


def message_whose_successors_are_withdrawn_and_die() -> list[str]:
    """The same, and the instance in which they waited is killed before it looks."""
    with Scene(seconds=6.5, late_reply=LateReply.PUSH).playing() as scene:
        scene.dies(_withdraw_successors(scene))
        return scene.rests()


def _withdraw_successors(scene: Scene) -> Task:
    scene.asks(instance=1)
    scene.runs(seconds=1)
    waiting = []
    for _ in range(1 + PLACES):
        waiting.append(scene.says())
        newest = scene.pushes(scene.delivers(waiting[-1]), instance=0)
        scene.runs(seconds=0.8)
    for message in waiting[1:]:
        scene.runs_to_end(scene.takes_back(message))
    return newest


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
        scene.sleeps(_MINUTE_S)
        attempts = scene.delivers(scene.says())
        scene.pushes(attempts)
        found += scene.rests()
        answers = " ".join(scene.said)
        silent = [word for word in ("word1a", "word2a") if word not in answers]
        found += [f"I6: {word} got no answer, because another message kills workers" for word in silent]
        again = attempts.attempts > 1
        return [*found, *(["I1: what killed workers is shown again"] if again else [])]


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


def message_that_comes_after_many_amendments(*, addressed: bool = True) -> list[str]:
    """A withdrawal is handled, and more of them than a reader looks at. Then the first message is delivered."""
    with Scene(group=True, bounds={"amendments_read": 2}).playing() as scene:
        late, *others = [scene.says(addressed=addressed) for _ in range(4)]
        for message in (late, *others):
            scene.runs_to_end(scene.takes_back(message))
        scene.sleeps(_MINUTE_S)
        scene.ticks()
        scene.runs_to_end(scene.pushes(scene.delivers(late)))
        return scene.rests()


def context_that_comes_after_many_amendments() -> list[str]:
    """The same for a message that is for others."""
    return message_that_comes_after_many_amendments(addressed=False)


def question_that_waits_for_slow_turns() -> list[str]:
    """A question waits for one slow turn, and then another delivery answers it together with others, for longer than a request may wait."""
    with Scene(seconds=26.0, late_reply=LateReply.PUSH).playing() as scene:
        for _ in range(4):
            scene.asks(instance=0)
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


def _repeated_model_calls(scene: Scene) -> list[str]:
    is_wasted = scene.world.truth.model_calls > _CALLS_OF_A_SLOW_THOUGHT
    return ["I6: a thought was lost although nothing had failed"] if is_wasted else []


SCENES: Final[Mapping[str, Callable[[], list[str]]]] = {
    "outcomes_tell_what_was_recalled": recall_scenes.answer_that_repeats_what_it_recalled,
    "takes_back_for_its_asker": forgetting_scenes.press_of_another_member,
    "recalls_from_the_joining": recall_scenes.recall_of_a_member_who_joined_later,
    "asks_delivered_already": event_scenes.answer_that_is_fetched_twice,
    "remembers_what_was_fetched": event_scenes.answer_that_is_fetched_again_much_later,
    "tells_that_it_forgot": event_scenes.press_of_a_forgotten_question,
    "marks_who_was_forgotten": forgetting_scenes.message_that_comes_after_forget_me,
    "takes_back_what_comes_late": forgetting_scenes.context_that_comes_after_forget_me,
    "takes_back_late_edits": forgetting_scenes.edit_that_comes_after_forget_me,
    "hides_what_comes_late": forgetting_scenes.question_beside_a_message_that_comes_after_forget_me,
    "answers_a_flood": forgetting_scenes.flood_of_one_instance,
    "answers_the_next_of_a_flood": forgetting_scenes.flood_whose_newest_message_is_withdrawn,
    "defers": event_scenes.answer_that_takes_longer_than_its_token,
    "heeds_cancelled": event_scenes.edit_right_before_the_commit,
    "cancels": event_scenes.edit_while_the_model_answers,
    "edits_cancel": event_scenes.edit_while_the_model_answers,
    "greets_once": event_scenes.greeting_that_comes_twice,
    "greets_who_is_there": event_scenes.greeting_of_a_group_that_was_left,
    "limits_thoughts": event_scenes.question_that_is_edited_again_and_again,
    "clears_calls": call_that_begins_after_the_erasure,
    "rewrites_edited_record": message_that_is_edited,
    "looks_before_tools_ask": classification_after_the_unsend,
    "knows_calls_by_each_message": page_for_another_oldest_message,
    "commits_what_is_kept": renewal_that_loses_to_an_unsend,
    "counts_what_the_turn_covers": message_that_comes_again_after_many_others,
    "remembers_what_was_covered": message_that_comes_again_after_many_others,
    "counts_tries": message_that_kills_its_workers,
    "updates_catalog": message_that_is_filed,
    "compares_heirs": answer_that_repeats_an_answer,
    "gives_up_its_place": flood_that_holds_up_another_chat,
    "hands_over": question_that_waits_for_slow_turns,
    "interjects_about_the_newest_text": interjection_about_an_old_text,
    "isolates_after_deaths": message_that_kills_whoever_reads_it,
    "keeps_deadly_messages_out": message_that_kills_whoever_reads_it,
    "keeps_what_repeats_nothing": answer_that_only_inherits,
    "looks_after_record": context_that_comes_after_many_amendments,
    "lets_heirs_keep_their_words": answer_that_only_inherits,
    "looks_at_amendments_of_the_journal": message_that_comes_after_many_amendments,
    "looks_at_the_amendment_of_its_message": context_that_comes_after_many_amendments,
    "marks_erasures": worker_that_dies_in_a_chat_that_is_left,
    "marks_quotes_as_addressed": quote_of_the_bot,
    "carries_out_in_time": tap_scenes.late_tap,
    "carries_out_once": tap_scenes.two_taps,
    "clears_proposals": tap_scenes.tap_after_the_unsend,
    "names_quoted_media": picture_beyond_memory,
    "marks_what_is_handed_over": message_whose_successors_are_withdrawn_and_die,
    "marks_withdrawals": worker_that_dies_before_its_last_look,
    "relies_on_epochs_of_others": seventy_unsends_while_somebody_thinks,
    "resumes_what_was_handed_over": message_whose_successors_are_withdrawn_and_die,
    "inherits_what_was_handed_over": message_whose_successors_are_withdrawn,
    "remembers_lost_recaps": recap_that_an_edit_drops_before_an_unsend,
    "stores_the_plan": withdrawal_that_dies_between_two_answers,
    "erases_what_was_confirmed": forget_that_is_confirmed,
    "reads_the_question_that_is_confirmed": forgetting_scenes.question_that_many_commands_follow,
    "counts_the_first_press_only": two_presses_at_once,
    "asks_whether_the_command_stands": press_after_the_unsend_of_its_command,
    "interjects_once": message_that_comes_again_to_a_bot_that_interjects,
    "interjects_over_nothing": interjection_over_an_unfinished_outcome,
    "leaves_its_own_stay_only": bye_that_is_slower_than_a_new_invitation,
    "applies_staged_writes": message_that_is_filed,
    "cleans_what_waits": unsend_of_a_message_that_waits_for_its_segment,
    "plans_with_the_archive": recall_scenes.archived_answers_that_repeat_each_other,
    "sweeps_segments_for_edits": edit_of_an_archived_message,
    "settles_abandoned_segments": segment_of_a_lost_swap,
    "settles_segments": segment_written_during_an_unsend,
    "settles_snapshot": compaction_that_sleeps_through_an_unsend,
    "overtakes_folds": compaction_that_sleeps_through_both_passes,
    "answers_young_only": question_from_long_ago,
    "begins_again_when_gone": compaction_between_listing_and_body,
    "checks_holder_on_commit": commit_over_another_holder,
    "cleans_what_it_folds": fold_of_a_message_that_was_taken_back_first,
    "commits_route": two_who_finish,
    "counts_recap_tries": recap_that_kills_its_workers,
    "dead_holders_late_400_is_unknown": worker_that_dies_before_it_speaks,
    "dead_holders_young_400_is_spent": worker_that_dies_after_it_spoke,
    "drops_late_edits": edit_that_comes_after_the_chat_was_left,
    "erases_older_edits": edit_before_the_chat_is_left,
    "erases_twice": worker_that_dies_in_a_chat_that_is_left,
    "finishes_own_outcome": outcome_that_outlived_its_messages,
    "first_400_is_refused": dead_token_beside_a_refreshed_one,
    "keeps_what_others_said": entry_of_two_messages,
    "keeps_roots": deferral_of_a_deferral,
    "late_repeated_400_is_unknown": late_answer_whose_receipt_is_lost,
    "looks_after_outcome": unsend_while_an_outcome_is_recorded,
    "looks_before_model": unsend_between_the_listing_and_the_opening,
    "marks_erasures_for_looks": erasure_between_the_listing_and_the_opening,
    "plans_erasures": quote_of_an_answer_that_hands_on_what_is_erased,
    "looks_beside_model": edit_between_the_listing_and_the_opening,
    "looks_before_send": unsend_just_before_the_commit,
    "looks_before_storing": answer_stored_after_the_unsend,
    "outcomes_tell_since_when": answer_that_repeats_something_erased,
    "passes_twice": worker_that_dies_before_its_last_look,
    "pushes_young_only": push_after_twenty_minutes,
    "recaps_name_answers": recap_of_an_answer_that_knew_more,
    "renews_at_once": renewal_that_loses_to_an_unsend,
    "renews_lease": delivery_beside_a_slow_thinker,
    "repeats_slow_looks": compaction_that_sleeps_in_its_look,
    "sees_through_answers": answer_that_repeats_an_answer,
    "sees_through_recaps": answer_that_repeats_a_recap,
    "stops_before_lease_ends": holder_that_sleeps_before_it_speaks,
    "stops_before_send": holder_that_sleeps_before_it_speaks,
    "swaps_snapshot": compaction_that_sleeps_through_another,
    "takes_over_by_swap": two_who_finish,
    "tells_own_write": commit_that_is_told_it_lost,
    "tries_next_route": dead_token_beside_a_refreshed_one,
    "uses_retry_key": push_of_a_dead_worker,
    "withdraws_when_taken_over": neighbour_withdrawn_after_the_answer,
    "young_repeated_400_is_spent": answer_whose_receipt_is_lost,
    "pushes_under_one_key": reminder_scenes.tick_that_dies_after_its_push,
    "remembers_what_it_pushed": reminder_scenes.reminder_that_is_due,
    "advances_reminders": reminder_scenes.reminder_without_quota,
    "marks_reminders": reminder_scenes.reminder_that_is_due,
    "marks_again": reminder_scenes.tick_that_dies_before_its_next_marker,
    "looks_before_its_push": reminder_scenes.message_that_is_withdrawn_before_the_claim,
    "tells_the_turn_what_is_kept": reminder_scenes.reminder_without_quota,
    "tells_again_what_is_kept": reminder_scenes.tick_that_dies_after_it_kept,
    "looks_until_nothing_is_kept": reminder_scenes.answer_that_is_refused_with_its_reminder,
    "notes_what_was_said": reminder_scenes.reminder_without_quota,
    "takes_reminders_away": reminder_scenes.recurring_reminder_whose_message_is_withdrawn,
    "counts_one_press": reminder_scenes.two_presses_of_a_reminder,
    "goes_on_with_its_press": reminder_scenes.press_whose_worker_dies,
    "looks_after_a_press": reminder_scenes.unsend_during_a_press,
}
