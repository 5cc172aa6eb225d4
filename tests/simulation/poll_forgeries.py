"""Forgeries about polls; like those in `forgeries.py`."""

from collections.abc import Callable
from typing import Final

from shared.line.postback_data import VotePress
from shared.polls.poll import Vote, VoterName
from shared.reminders.delivery import Reminding
from shared.storage.codec import encode
from tests.simulation.people import Order
from tests.simulation.scene import MINUTE_S, Scene

_ENDED_S: Final = 480.0
"""After so long a poll has ended that ends at a time, and so long before that its tick has come."""


def _pressed(scene: Scene) -> Order:
    """A member asks all, and a member presses; return the press, which was told."""
    scene.runs_to_end(scene.asks_for("poll"))
    order = scene.stage.people.vote(_button(scene), at_s=scene.world.now_s)
    scene.runs_to_end(scene.pushes(scene.delivers_order(order)))
    return order


def _button(scene: Scene) -> str:
    return next(data for said in scene.world.truth.said for data in said.votes)


def press_of_a_poll_that_is_answered_twice() -> list[str]:
    with Scene(group=True, has_polls=True).playing() as scene:
        order = _pressed(scene)
        truth = scene.world.truth
        truth.said.append(next(one for one in truth.said if one.reply_token == order.reply_token))
        return scene.rests()


def press_of_a_poll_that_meets_silence() -> list[str]:
    with Scene(group=True, has_polls=True).playing() as scene:
        order = _pressed(scene)
        truth = scene.world.truth
        truth.said[:] = [one for one in truth.said if one.reply_token != order.reply_token]
        return scene.rests(calm=True)


def vote_that_nobody_gave() -> list[str]:
    with Scene(group=True, has_polls=True).playing() as scene:
        _pressed(scene)
        press = VotePress.read(_button(scene))
        assert press is not None
        forged = Vote(poll_id=press.poll_id, sent_ms=1, choice=0, member="member-" + "0" * 32, id="event-99")
        chat = scene.stage.people.conversation_id
        scene.world.objects.create(f"polls/{chat}/{forged.path}", encode(VoterName()))
        return scene.rests(calm=True)


def result_of_a_poll_that_is_not_told() -> list[str]:
    with Scene(group=True, has_polls=True, reminding=Reminding.PUSH).playing() as scene:
        scene.runs_to_end(scene.asks_for("pollby"))
        scene.sleeps(_ENDED_S)
        scene.ticks()
        scene.sleeps(MINUTE_S)
        scene.runs_to_end(scene.pushes(scene.delivers(scene.says(addressed=False))))
        truth = scene.world.truth
        truth.said[:] = [one for one in truth.said if one.outcome is None or not one.outcome.reminders]
        return scene.rests(calm=True)


FORGERIES: Final[tuple[Callable[[], list[str]], ...]] = (
    press_of_a_poll_that_is_answered_twice,
    press_of_a_poll_that_meets_silence,
    vote_that_nobody_gave,
    result_of_a_poll_that_is_not_told,
)
