"""Schedules made by hand, for lines whose absence chance rarely finds.  Clean with the line; without it, they say what breaks."""

from collections.abc import Callable, Mapping
from typing import Final

from shared.conversation.compaction import MemoryLimits
from shared.turns.late_reply import LateReply
from tests.simulation.product.people import PERSON
from tests.simulation.product.scene import Scene

_MINUTE_S: Final = 60.0
_INSTANCES: Final = 6
_JOURNAL: Final = f"journal/{PERSON}/"


def outcome_that_outlived_its_messages() -> list[str]:
    """The worker dies after it spoke; when its message is delivered again it is too old to be answered."""
    with Scene().played() as scene:
        worker = scene.asks()
        scene.until(worker, f"write {_JOURNAL}event-1.outcome")
        scene.dies(worker)
        scene.sleeps(1_300)
        return scene.rests()


def holder_that_sleeps_before_it_speaks() -> list[str]:
    """The answer is committed and looked at; then its holder sleeps, and the message is taken back meanwhile."""
    with Scene(seed=1).played() as scene:
        message = scene.says()
        worker = scene.pushed(scene.received(message))
        scene.until(worker, "write turns/", times=2)
        scene.until(worker, "list amended/")
        scene.until(worker, "waits")  # it has seen the list, and waits for the watermark
        scene.sleeps_in(worker, seconds=40)
        scene.through(scene.takes_back(message))
        return scene.rests()


def neighbour_withdrawn_after_the_answer() -> list[str]:
    """The worker dies after it spoke; a message that its prompt held is taken back, and somebody takes over before the turn is touched."""
    with Scene(group=True).played() as scene:
        neighbour = scene.says(addressed=False)
        scene.through(scene.pushed(scene.received(neighbour)))
        delivery = scene.received(scene.says())
        worker = scene.pushed(delivery)
        scene.until(worker, "write journal/C22222222222222222222222222222222/event-2.outcome")
        scene.dies(worker)
        scene.until(scene.takes_back(neighbour), "list amended/")
        scene.through(scene.pushed(delivery))
        return scene.rests()


def unsend_while_an_outcome_is_recorded() -> list[str]:
    """The unsend has looked at every outcome; then one more is written, by somebody who had looked before; a copy of it is left behind."""
    with Scene().played() as scene:
        message = scene.says()
        worker = scene.pushed(scene.received(message))
        scene.until(worker, f"write {_JOURNAL}event-1.outcome")
        scene.through(scene.takes_back(message))
        scene.through(worker)
        left = scene.stage.violations()
        return [*left, *scene.rests()]


def commit_over_another_holder() -> list[str]:
    """One instance's clock is a minute ahead, so a live holder loses its turn; its commit must not overwrite the new holder's."""
    with Scene(skews_s=(0.0, _MINUTE_S, *(0.0,) * (_INSTANCES - 2)), clocks_hold=False).played() as scene:
        delivery = scene.received(scene.says())
        first = scene.pushed(delivery, instance=0)
        scene.until(first, "write turns/", times=2)
        second = scene.pushed(delivery, instance=1)
        scene.until(second, "model")
        scene.through(first)
        return scene.rests()


def dead_token_beside_a_refreshed_one() -> list[str]:
    """The token that looks freshest dies on the way to LINE; an older message was delivered again, so its token lives."""
    with Scene(seconds=39.0, late_reply=LateReply.DROP).played() as scene:
        older = scene.says()
        scene.until(scene.pushed(scene.received(older)), "list journal/")
        scene.sleeps(1)
        delivery = scene.received(scene.says())
        scene.sleeps(18)
        worker = scene.pushed(delivery)
        scene.until(worker, "reply")
        scene.received(older)
        scene.sleeps(13)
        scene.through(worker)
        silent = [] if scene.said else ["I6: nobody got an answer although a token was alive"]
        return scene.rests() + silent


def idle_turn_and_stale_view() -> list[str]:
    """A slow reader has its list; then its message is answered, and another turn comes to nothing: the turn is idle, and a newer one."""
    with Scene(late_reply=LateReply.PUSH).played() as scene:
        delivery = scene.received(scene.says())
        slow = scene.pushed(delivery)
        scene.past(slow, "list journal/")
        scene.through(scene.pushed(delivery))
        other = scene.says()
        thinker = scene.pushed(scene.received(other))
        scene.until(thinker, "write turns/")
        scene.until(thinker, "list amended/")
        scene.until(scene.takes_back(other), "list amended/")
        scene.through(thinker)
        scene.through(slow)
        return scene.rests()


def compaction_between_listing_and_body() -> list[str]:
    """A redelivery has the listing and the snapshot; by the time it asks for the outcome that it saw in the listing, both are folded."""
    with Scene(seed=3, late_reply=LateReply.PUSH).played() as scene:
        message = scene.says()
        scene.through(scene.pushed(scene.received(message)))
        scene.through(scene.asks())
        worker = scene.asks()
        scene.until(worker, "reply")
        scene.until(worker, "write snapshots/")
        again = scene.pushed(scene.received(message))
        scene.past(again, "read snapshots/")
        scene.through(worker)
        scene.through(again)
        return scene.rests()


def unsend_just_before_the_commit() -> list[str]:
    """The message is taken back, and nothing of that but the amendment is done, when its answer is committed."""
    with Scene().played() as scene:
        message = scene.says()
        worker = scene.pushed(scene.received(message))
        scene.until(worker, "write turns/", times=2)
        scene.until(scene.takes_back(message), "list amended/")
        scene.through(worker)
        return scene.rests()


def unsend_after_the_reading() -> list[str]:
    """The turn is open, the chat was read; the message is gone for good before the model is asked."""
    with Scene().played() as scene:
        message = scene.says()
        worker = scene.pushed(scene.received(message))
        scene.past(worker, "write turns/")
        scene.through(scene.takes_back(message))
        scene.through(worker)
        return scene.rests()


def commit_that_is_told_it_lost() -> list[str]:
    """The turn is committed, and the bucket says that it was not; who waits for the lease to end finds the token dead."""
    with Scene(late_reply=LateReply.PUSH).played() as scene:
        delivery = scene.received(scene.says())
        scene.sleeps(40)
        worker = scene.pushed(delivery)
        scene.until(worker, "write turns/", times=2)
        scene.world.weather.lost_answers = 1.0
        scene.past(worker, "write turns/")
        scene.world.weather.lost_answers = 0.0
        return scene.rests(calm=True)


def worker_that_dies_after_it_spoke() -> list[str]:
    """Whoever takes over finds the token spent."""
    with Scene().played() as scene:
        worker = scene.asks()
        scene.until(worker, f"write {_JOURNAL}event-1.outcome")
        scene.dies(worker)
        return scene.rests()


def worker_that_dies_before_it_speaks() -> list[str]:
    """Whoever takes over finds the token dead."""
    with Scene().played() as scene:
        worker = scene.asks()
        scene.until(worker, "reply")
        scene.dies(worker)
        scene.sleeps(_MINUTE_S)
        return scene.rests()


def deferral_of_a_deferral() -> list[str]:
    """The first thinker dies, so a press is thought about, too long again; then its own button is pressed."""
    with Scene(seconds=39.0).played() as scene:
        question = scene.received(scene.says())
        scene.sleeps(20)
        thinker = scene.pushed(question)
        scene.past(thinker, f"write {_JOURNAL}event-1.outcome")
        scene.dies(thinker)
        press = scene.presses("late:event-1")
        scene.sleeps(20)
        scene.through(scene.pushed(press))
        scene.through(scene.pushed(scene.presses("late:event-2")))
        return scene.rests(calm=True)


def edit_before_the_chat_is_left() -> list[str]:
    """A message was edited, and everything is erased."""
    with Scene(group=True).played() as scene:
        message = scene.says()
        scene.through(scene.pushed(scene.received(message)))
        scene.through(scene.edits(message))
        scene.sleeps(1)
        scene.through(scene.parts())
        return scene.rests()


def edit_that_comes_after_the_chat_was_left() -> list[str]:
    """The same, in the other order."""
    with Scene(group=True).played() as scene:
        message = scene.says()
        scene.through(scene.pushed(scene.received(message)))
        edited_s = scene.world.now_s
        scene.sleeps(1)
        scene.through(scene.parts())
        scene.through(scene.edits(message, at_s=edited_s))
        return scene.rests()


def fold_of_a_message_that_was_taken_back_first() -> list[str]:
    """The unsend came first; whoever records the message dies before it looks, and it is folded before it is delivered again."""
    with Scene().played() as scene:
        message = scene.says()
        scene.through(scene.takes_back(message))
        worker = scene.pushed(scene.received(message))
        scene.past(worker, f"write {_JOURNAL}m0")
        scene.dies(worker)
        for _ in range(3):
            scene.through(scene.asks())
        return scene.rests()


def renewal_that_loses_to_an_unsend() -> list[str]:
    """The turn was opened slowly; its first renewal is lost, because somebody took another message back just then."""
    with Scene(seconds=39.0).played() as scene:
        worker = scene.asks()
        scene.until(worker, "write turns/")
        scene.sleeps(2)
        scene.until(worker, "model")
        scene.until(worker, "write turns/")
        scene.until(scene.takes_back(scene.says()), "sleep")
        return [*scene.rests(calm=True), *_thought_twice(scene)]


def delivery_beside_a_slow_thinker() -> list[str]:
    """The model takes longer than a lease, and the message is delivered twice at once."""
    with Scene(seconds=26.0).played() as scene:
        delivery = scene.received(scene.says())
        scene.pushed(delivery)
        scene.pushed(delivery)
        return [*scene.rests(calm=True), *_thought_twice(scene)]


def answer_that_repeats_something_erased() -> list[str]:
    """The second answer repeats the first message; what is erased ends between the two."""
    with Scene().played() as scene:
        scene.through(scene.asks())
        scene.sleeps(_MINUTE_S)
        parted_s = scene.world.now_s
        scene.sleeps(_MINUTE_S)
        scene.through(scene.asks())
        scene.through(scene.parts(at_s=parted_s))
        return scene.rests()


def two_who_finish() -> list[str]:
    """One instance's clock is a minute ahead: it takes a commit over and spends the token just before its slow holder does."""
    with Scene(skews_s=(0.0, _MINUTE_S, *(0.0,) * (_INSTANCES - 2)), clocks_hold=False).played() as scene:
        delivery = scene.received(scene.says())
        scene.until(scene.pushed(delivery, instance=2), "list journal/")
        slow = scene.asks(instance=0)
        scene.until(slow, "reply")
        hasty = scene.pushed(delivery, instance=1)
        scene.until(hasty, f"write {_JOURNAL}event-2.outcome")
        scene.through(slow)
        return scene.rests()


def answer_whose_receipt_is_lost(*, asleep_s: float = 0.0) -> list[str]:
    """The answer arrives, LINE's word about it does not; the worker asks again, at once or when the token may as well have died."""
    with Scene(seed=2, seconds=39.0, late_reply=LateReply.PUSH).played() as scene:
        delivery = scene.received(scene.says())
        scene.sleeps(5)
        worker = scene.pushed(delivery)
        scene.until(worker, "model")
        scene.world.weather.lossiness = 1.0
        scene.until(worker, "reply")
        scene.world.weather.lossiness = 0.0
        scene.until(worker, "sleep")
        scene.sleeps(asleep_s)
        scene.through(worker)
        return scene.rests()


def late_answer_whose_receipt_is_lost() -> list[str]:
    """The same, and the worker sleeps before it asks again."""
    return answer_whose_receipt_is_lost(asleep_s=15)


def push_of_a_dead_worker() -> list[str]:
    """The worker dies after it pushed; whoever takes over pushes again."""
    with Scene(seconds=39.0, late_reply=LateReply.PUSH).played() as scene:
        delivery = scene.received(scene.says())
        scene.sleeps(2 * _MINUTE_S)
        worker = scene.pushed(delivery)
        scene.until(worker, f"write {_JOURNAL}event-1.outcome")
        scene.dies(worker)
        return scene.rests()


def push_after_twenty_minutes() -> list[str]:
    """The message is nearly twenty minutes old when it is thought about, and older when its answer is ready."""
    with Scene(seconds=39.0, late_reply=LateReply.PUSH).played() as scene:
        delivery = scene.received(scene.says())
        scene.sleeps(1_190)
        scene.through(scene.pushed(delivery))
        return scene.rests()


def question_from_long_ago() -> list[str]:
    """LINE brings a message when nobody waits for its answer any more."""
    with Scene().played() as scene:
        scene.world.weather.backlog_s = 1_400
        message = scene.says()
        scene.sleeps(1_400)
        scene.through(scene.pushed(scene.received(message)))
        return scene.rests()


def answer_stored_after_the_unsend() -> list[str]:
    """The question is gone for good when its late answer is ready, and the thinker dies right after storing it."""
    with Scene(seconds=39.0).played() as scene:
        message = scene.says()
        delivery = scene.received(message)
        scene.sleeps(20)
        thinker = scene.pushed(delivery)
        scene.until(thinker, f"write {_JOURNAL}event-1.outcome")
        scene.through(scene.takes_back(message))
        if scene.comes_to(thinker, f"write {_JOURNAL}event-1-late"):
            scene.until(thinker, "list amended/")
            scene.dies(thinker)
        return scene.rests()


def worker_that_dies_before_its_last_look() -> list[str]:
    """The first pass goes by before the record, and nobody looks after it: the delivery that comes again finds the message withdrawn."""
    with Scene().played() as scene:
        message = scene.says()
        worker = scene.pushed(scene.received(message))
        scene.until(worker, f"write {_JOURNAL}event-1.outcome")
        scene.until(scene.takes_back(message), "sleep")
        scene.until(worker, "list amended/")
        scene.dies(worker)
        return scene.rests()


def worker_that_dies_in_a_chat_that_is_left() -> list[str]:
    """The same, and the whole chat is erased."""
    with Scene().played() as scene:
        worker = scene.asks()
        scene.until(worker, f"write {_JOURNAL}event-1.outcome")
        scene.until(scene.parts(), "sleep")
        scene.until(worker, "list amended/")
        scene.dies(worker)
        return scene.rests()


def compaction_that_sleeps_through_an_unsend() -> list[str]:
    """A compaction is about to swap when a message is taken back that it has read."""
    with Scene().played() as scene:
        message = scene.says()
        scene.through(scene.pushed(scene.received(message)))
        scene.through(scene.asks())
        worker = scene.asks()
        scene.until(worker, "reply")
        scene.until(worker, "list journal/")
        scene.until(worker, ("read snapshots/", "write snapshots/"))
        scene.through(scene.takes_back(message))
        scene.through(worker)
        return scene.rests()


def answer_that_repeats_a_recap() -> list[str]:
    """The first messages are summed up without an answer; one is taken back while a thought repeats the recap."""
    with Scene().played() as scene:
        scene.stage.mood.skips = 1.0
        first = scene.says()
        scene.through(scene.pushed(scene.received(first)))
        for _ in range(5):
            scene.through(scene.asks())
        scene.stage.mood.skips = 0.0
        worker = scene.asks()
        scene.until(worker, "model")
        scene.until(scene.takes_back(first), "sleep")
        scene.through(worker)
        return scene.rests()


def answer_that_repeats_an_answer() -> list[str]:
    """The first message is forgotten, and every answer repeats the one before; it is taken back while the model thinks."""
    with Scene(limits=MemoryLimits(journalled=2, verbatim=3, summed_up=50, recaps_at_once=0)).played() as scene:
        first = scene.says()
        scene.through(scene.pushed(scene.received(first)))
        for _ in range(12):
            scene.through(scene.asks())
        worker = scene.asks()
        scene.until(worker, "model")
        scene.until(scene.takes_back(first), "sleep")
        scene.through(worker)
        return scene.rests()


def recap_of_an_answer_that_knew_more() -> list[str]:
    """The answer repeats what was said after its question, and it is summed up before that is taken back."""
    with Scene(group=True).played() as scene:
        scene.through(scene.pushed(scene.received(scene.says(addressed=False))))
        scene.sleeps(1)
        question = scene.received(scene.says())
        scene.sleeps(1)
        newer = scene.says(addressed=False)
        scene.through(scene.pushed(scene.received(newer)))
        scene.through(scene.pushed(question))
        for _ in range(3):
            scene.through(scene.asks())
        scene.through(scene.takes_back(newer))
        return scene.rests()


def compaction_that_sleeps_in_its_look() -> list[str]:
    """What falls out of sight is about to be summed up, and its worker has looked; then it sleeps, and a message of it is taken back."""
    with Scene(seed=5).played() as scene:
        first = scene.says()
        scene.through(scene.pushed(scene.received(first)))
        for _ in range(4):
            scene.through(scene.asks())
        worker = scene.asks()
        for step in ("reply", "read snapshots/", "list journal/", "list amended/", "waits"):
            scene.until(worker, step)
        scene.sleeps_in(worker, seconds=40)
        scene.through(scene.takes_back(first))
        return scene.rests()


def recap_that_kills_its_workers() -> list[str]:
    """Nobody can sum up the first message and live."""
    with Scene().played() as scene:
        scene.stage.mood.skips = 1.0  # so that nobody repeats the message
        scene.through(scene.asks())
        scene.stage.mood.poison = frozenset({"word0a"})
        deliveries = []
        for _ in range(9):
            deliveries.append(scene.received(scene.says()))
            scene.pushed(deliveries[-1])
            scene.rests()
            scene.sleeps(_MINUTE_S)
        killed = sum(one.attempts - 1 for one in deliveries)
        return [*([] if killed <= 2 else ["I1: a recap kills one worker after another"]), *scene.rests()]


def _thought_twice(scene: Scene) -> list[str]:
    is_wasted = scene.world.truth.model_calls > 1
    return ["I6: a thought was lost although nothing had failed"] if is_wasted else []


SCENES: Final[Mapping[str, Callable[[], list[str]]]] = {
    "always_rewrites_snapshot": compaction_that_sleeps_through_an_unsend,
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
    "keeps_roots": deferral_of_a_deferral,
    "late_repeated_400_is_unknown": late_answer_whose_receipt_is_lost,
    "looks_after_outcome": unsend_while_an_outcome_is_recorded,
    "looks_before_model": unsend_after_the_reading,
    "looks_before_send": unsend_just_before_the_commit,
    "looks_before_storing": answer_stored_after_the_unsend,
    "outcomes_tell_since_when": answer_that_repeats_something_erased,
    "passes_twice": worker_that_dies_before_its_last_look,
    "pushes_young_only": push_after_twenty_minutes,
    "reads_turn_before_list": idle_turn_and_stale_view,
    "recaps_tell_until_when": recap_of_an_answer_that_knew_more,
    "renews_at_once": renewal_that_loses_to_an_unsend,
    "renews_lease": delivery_beside_a_slow_thinker,
    "repeats_slow_looks": compaction_that_sleeps_in_its_look,
    "sees_through_answers": answer_that_repeats_an_answer,
    "sees_through_recaps": answer_that_repeats_a_recap,
    "stops_before_lease_ends": holder_that_sleeps_before_it_speaks,
    "stops_before_send": holder_that_sleeps_before_it_speaks,
    "swaps_snapshot": compaction_that_sleeps_through_an_unsend,
    "takes_over_by_swap": two_who_finish,
    "tells_own_write": commit_that_is_told_it_lost,
    "tries_next_route": dead_token_beside_a_refreshed_one,
    "uses_retry_key": push_of_a_dead_worker,
    "withdraws_when_taken_over": neighbour_withdrawn_after_the_answer,
    "young_repeated_400_is_spent": answer_whose_receipt_is_lost,
}
