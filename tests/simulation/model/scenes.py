"""Schedules made by hand, for guards whose absence chance rarely finds.  Clean with all guards on; with one off, they say what breaks."""

from collections.abc import Callable, Mapping
from typing import Final

from tests.simulation.model.guards import Guards
from tests.simulation.model.scene import Scene
from tests.simulation.model.stage import Delivery, Job

_MINUTE_S: Final = 60.0


def idle_turn_and_stale_view(guards: Guards) -> list[str]:
    """A slow reader, then its own message is answered, then another turn comes to nothing: the turn is idle at a newer generation."""
    scene = Scene(guards, late_reply="push")
    delivery = scene.received(scene.says("m0"))
    slow = scene.pushed(delivery)
    scene.until(slow, "read turn")
    _answered_and_idle(scene, delivery)
    scene.through(slow)
    return scene.rests()


def compaction_between_listing_and_body(guards: Guards) -> list[str]:
    """A redelivery reads the message, and by the time it asks for the outcome that it saw in the listing, both are folded."""
    scene = Scene(guards, late_reply="push", first_read="snapshot")
    delivery = scene.received(scene.says("m0"))
    _answered_and_idle(scene, delivery)
    again = scene.pushed(delivery)
    scene.until(again, "read journal/m0.outcome")
    scene.through(scene.compacts())
    scene.through(again)
    return scene.rests()


def compaction_between_snapshot_and_listing(guards: Guards) -> list[str]:
    """Side by side with the listing, the snapshot may be read first; a third delivery journals the folded message once more."""
    scene = Scene(guards, late_reply="push", first_read="snapshot")
    delivery = scene.received(scene.says("m0"))
    _answered_and_idle(scene, delivery)
    late = scene.pushed(delivery)
    scene.until(late, "write journal/m0")
    again = scene.pushed(delivery)
    scene.until(again, "list journal/")
    scene.through(scene.compacts())
    scene.until(late, "read erased")
    scene.through(again)
    return scene.rests()


def commit_over_another_holder(guards: Guards) -> list[str]:
    """One instance's clock is a minute ahead, so a live holder loses its turn; its commit must not overwrite the new holder's."""
    scene = _with_a_wrong_clock(guards)
    delivery = scene.received(scene.says("m0"))
    first = scene.pushed(delivery)
    scene.until(first, "write turn", times=2)
    second = scene.pushed(delivery, instance=1)
    scene.until(second, "model")
    scene.through(first)
    return scene.rests()


def two_who_finish(guards: Guards) -> list[str]:
    """One instance's clock is a minute ahead: it takes a commit over and spends the token just before its slow holder does."""
    scene = _with_a_wrong_clock(guards)
    delivery = scene.received(scene.says("m0"))
    scene.until(scene.pushed(delivery), "read turn")
    slow = scene.asks("m1")
    scene.until(slow, "reply")
    hasty = scene.pushed(delivery, instance=1)
    scene.until(hasty, "write journal/m1.outcome")
    scene.through(slow)
    return scene.rests()


def dead_token_beside_a_refreshed_one(guards: Guards) -> list[str]:
    """LINE delivered the older message again, which only its own delivery knows; the token that looks freshest dies on the way."""
    scene = Scene(guards, seconds=59.5)
    older = scene.says("m0")
    waiting = scene.pushed(scene.received(older))
    scene.until(waiting, "read turn")
    scene.sleeps(2)
    thinker = scene.asks("m1")
    scene.until(thinker, "write turn", times=6)
    scene.received(older)
    scene.through(thinker)
    silent = [] if scene.world.line.effects else ["I6: nobody got an answer although a token was alive"]
    return scene.rests() + silent


def push_after_twenty_minutes(guards: Guards) -> list[str]:
    """The message is nineteen minutes old when it is thought about, and older than twenty when its answer is ready."""
    scene = Scene(guards, late_reply="push", seconds=20)
    delivery = scene.received(scene.says("m0"))
    scene.sleeps(1_190)
    scene.through(scene.pushed(delivery))
    return scene.rests()


def outcome_that_outlived_its_messages(guards: Guards) -> list[str]:
    """The answer was said, its worker died before the record, and the message is too old by the time it is delivered again."""
    scene = Scene(guards)
    worker = scene.asks("m0")
    scene.until(worker, "reply")
    scene.until(worker, "read snapshot")
    scene.dies(worker)
    scene.sleeps(1_300)
    return scene.rests()


def deferral_of_a_deferral(guards: Guards) -> list[str]:
    """The first thinker dies, so a press is thought about, too long again; then its own button is pressed."""
    scene = _deferred(guards)
    scene.sleeps(5)
    scene.through(scene.pushed(scene.received(scene.says("p1", presses="m0"))))
    scene.world.mind.seconds = (2.0, 2.0)
    scene.through(scene.pushed(scene.received(scene.says("p2", presses="p1"))))
    return scene.rests(calm=True)


def answer_stored_after_the_unsend(guards: Guards) -> list[str]:
    """The question is gone for good when its late answer is ready, and the thinker dies right after storing it."""
    scene = Scene(guards, late_reply="button", seconds=70)
    thinker = scene.asks("m0")
    _deferral_recorded(scene, thinker)
    scene.through(scene.takes_back("m0"))
    if scene.comes_to(thinker, "write journal/m0.late"):
        scene.until(thinker, "read erased")
        scene.dies(thinker)
    return scene.rests()


def unsend_while_an_answer_is_stored(guards: Guards) -> list[str]:
    """The first pass goes by between the look and the write; nothing is left for the second."""
    scene = Scene(guards, late_reply="button", seconds=70)
    thinker = scene.asks("m0")
    scene.until(thinker, "write journal/m0.late")
    _first_pass(scene, scene.takes_back("m0"))
    scene.through(thinker)
    return scene.keeps("m0") + scene.rests()


def unsend_while_an_outcome_is_recorded(guards: Guards) -> list[str]:
    """The first pass goes by between the look and the record; nothing is left for the second."""
    scene = Scene(guards)
    worker = scene.asks("m0")
    scene.until(worker, "write journal/m0.outcome")
    _first_pass(scene, scene.takes_back("m0"))
    scene.through(worker)
    return scene.keeps("m0") + scene.rests()


def worker_that_dies_before_its_last_look(guards: Guards) -> list[str]:
    """The first pass goes by before the record, and nobody looks after it: the delivery that comes again finds the message withdrawn."""
    scene = Scene(guards)
    worker = scene.asks("m0")
    scene.until(worker, "write journal/m0.outcome")
    _first_pass(scene, scene.takes_back("m0"))
    scene.until(worker, "read erased")
    scene.dies(worker)
    return scene.rests()


def compaction_that_sleeps_through_an_unsend(guards: Guards) -> list[str]:
    """A compaction has read the message and is about to swap when the message is withdrawn, both passes of it."""
    scene = Scene(guards)
    scene.through(scene.asks("m0"))
    compaction = scene.compacts()
    scene.until(compaction, "write snapshot")
    scene.through(scene.takes_back("m0"))
    scene.through(compaction)
    return scene.rests()


def answer_that_repeats_something_erased(guards: Guards) -> list[str]:
    """The second answer repeats the first message; the reset lies between the two messages."""
    scene = Scene(guards)
    scene.through(scene.asks("m0"))
    scene.sleeps(_MINUTE_S)
    reset_s = scene.world.now_s
    scene.sleeps(_MINUTE_S)
    scene.through(scene.asks("m1"))
    scene.through(scene.resets(at_s=reset_s))
    return scene.rests()


def neighbour_withdrawn_after_the_answer(guards: Guards) -> list[str]:
    """The answer to two messages was said, its worker died before the record, and one of the two is taken back."""
    scene = Scene(guards)
    scene.until(scene.asks("m0"), "read turn")
    worker = scene.asks("m1")
    scene.until(worker, "reply")
    scene.until(worker, "read snapshot")
    scene.dies(worker)
    scene.through(scene.takes_back("m1"))
    return scene.rests()


def holder_that_sleeps_through_its_lease(guards: Guards) -> list[str]:
    """It has looked and is about to speak when it falls asleep; the message is withdrawn, both passes of it."""
    scene = Scene(guards)
    worker = scene.asks("m0")
    scene.until(worker, "reply")
    scene.through(scene.takes_back("m0"))
    scene.through(worker)
    return scene.rests()


def _answered_and_idle(scene: Scene, delivery: Delivery) -> None:
    """The message is answered; the turn after it comes to nothing, because its message is taken back before the model is asked."""
    scene.through(scene.pushed(delivery))
    other = scene.asks("m1")
    scene.until(other, "write turn")
    scene.until(other, "read erased")
    scene.until(scene.takes_back("m1"), "read erased")
    scene.through(other)


def _with_a_wrong_clock(guards: Guards) -> Scene:
    scene = Scene(guards, late_reply="push", skews_s=(0.0, _MINUTE_S))
    scene.world.clocks_hold = False
    return scene


def _deferred(guards: Guards) -> Scene:
    """ "Still thinking" was said, and nobody thinks any more."""
    scene = Scene(guards, late_reply="button", seconds=70)
    thinker = scene.asks("m0")
    _deferral_recorded(scene, thinker)
    scene.dies(thinker)
    return scene


def _deferral_recorded(scene: Scene, thinker: Job) -> None:
    scene.until(thinker, "write journal/m0.outcome")
    scene.until(thinker, "sleep")


def _first_pass(scene: Scene, unsend: Job) -> None:
    scene.until(unsend, "list entries/")
    scene.comes_to(unsend, "sleep")


SCENES: Final[Mapping[str, Callable[[Guards], list[str]]]] = {
    "always_rewrites_snapshot": compaction_that_sleeps_through_an_unsend,
    "begins_again_when_gone": compaction_between_listing_and_body,
    "checks_holder_on_commit": commit_over_another_holder,
    "checks_snapshot_again": compaction_between_snapshot_and_listing,
    "commits_route": two_who_finish,
    "finishes_own_outcome": outcome_that_outlived_its_messages,
    "keeps_roots": deferral_of_a_deferral,
    "looks_after_outcome": unsend_while_an_outcome_is_recorded,
    "looks_after_storing": unsend_while_an_answer_is_stored,
    "looks_before_storing": answer_stored_after_the_unsend,
    "outcomes_tell_since": answer_that_repeats_something_erased,
    "passes_twice": worker_that_dies_before_its_last_look,
    "pushes_young_only": push_after_twenty_minutes,
    "reads_turn_before_list": idle_turn_and_stale_view,
    "stops_before_lease_ends": holder_that_sleeps_through_its_lease,
    "takes_over_by_swap": two_who_finish,
    "tries_next_token": dead_token_beside_a_refreshed_one,
    "withdraws_when_taken_over": neighbour_withdrawn_after_the_answer,
}
