"""Schedules made by hand, for lines whose absence chance rarely finds.  Clean with the line; without it, they say what breaks."""

from collections.abc import Callable, Mapping
from typing import Final

from shared.line.lateness import LateReply
from tests.simulation.product.scene import Scene

_MINUTE_S: Final = 60.0
_INSTANCES: Final = 6


def outcome_that_outlived_its_messages() -> list[str]:
    """The worker dies after it spoke; when its message is delivered again it is too old to be answered."""
    with Scene().played() as scene:
        worker = scene.asks()
        scene.until(worker, "write journal/U11111111111111111111111111111111/event-1.outcome")
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
        scene.until(worker, "write journal/U11111111111111111111111111111111/event-1.outcome")
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


def compaction_that_sleeps_in_its_look() -> list[str]:
    """What falls out of sight is about to be summed up, and its worker has looked; then it sleeps, and a message of it is taken back."""
    with Scene(seed=1).played() as scene:
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


SCENES: Final[Mapping[str, Callable[[], list[str]]]] = {
    "checks_holder_on_commit": commit_over_another_holder,
    "repeats_slow_looks": compaction_that_sleeps_in_its_look,
    "finishes_own_outcome": outcome_that_outlived_its_messages,
    "looks_after_outcome": unsend_while_an_outcome_is_recorded,
    "stops_before_lease_ends": holder_that_sleeps_before_it_speaks,
    "stops_before_send": holder_that_sleeps_before_it_speaks,
    "tries_next_route": dead_token_beside_a_refreshed_one,
    "withdraws_when_taken_over": neighbour_withdrawn_after_the_answer,
}
