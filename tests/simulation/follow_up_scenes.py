"""Scenes of follow-ups: messages of the same person that come while the model thinks."""

from typing import Final

from shared.turns.attempt import MODEL_S
from shared.turns.deferral import LateReply
from shared.turns.follow_ups import MOST_ASKED_ANEW
from tests.simulation.scene import Scene
from tests.simulation.times import SHORTEST_LEASE_S

_MODEL_S: Final = 4.0
_MESSAGES: Final = 3
_SLOW_MODELS_S: Final = (12.0, 14.0, 18.0)
"""A request takes 12 s at most, unless it is the last; so the second request of a turn gets the answer of 14 s."""
_LATE_S: Final = 36.0
_WITH_OLD_TOKEN_S: Final = 6.0
"""A token that is 36 s old leaves 12 s to think: time for one such request, and not for a second."""
_OVERHEAD_S: Final = 1.5
"""What a turn takes in addition to the model, also where a second write of the turn within a second meets 429."""


def follow_up_while_the_model_thinks() -> list[str]:
    """A follow-up comes to the same instance shortly before the answer. The request ends, and the model is asked about both at once."""
    with Scene(seconds=_MODEL_S).playing() as scene:
        scene.asks(instance=0)
        scene.runs(seconds=1)
        asked_s = scene.world.now_s
        scene.asks(instance=0)
        return [*scene.rests(calm=True), *_answered_once(scene, within_s=asked_s + _MODEL_S + _OVERHEAD_S)]


def follow_up_on_another_instance() -> list[str]:
    """A follow-up comes to another instance while the model thinks. The answer is committed and not sent, and the model is asked anew."""
    with Scene(seconds=_MODEL_S).playing() as scene:
        scene.asks(instance=0)
        scene.runs(seconds=1)
        scene.asks(instance=1)
        return [*scene.rests(calm=True), *_answered_once(scene, within_s=2 * _MODEL_S + 2 * _OVERHEAD_S)]


def follow_ups_without_end() -> list[str]:
    """A person goes on writing, each time before the model has answered. After four requests that were cut off, an answer is sent."""
    with Scene(seconds=_MODEL_S).playing() as scene:
        for _ in range(9):
            scene.asks(instance=0)
            scene.runs(seconds=_MODEL_S / 4)
        requests = 1 + MOST_ASKED_ANEW
        by_s = (requests / 4 + 1) * _MODEL_S + _OVERHEAD_S
        violations, is_late = scene.rests(calm=True), scene.world.truth.said[0].at_s > by_s
        return [*violations, *(["I6: a person who goes on writing gets no answer"] if is_late else [])]


def follow_up_with_little_time_left() -> list[str]:
    """Five messages, 0.8 or 5 s apart, come to a model that takes longer than a request may take.  None of them gets an apology."""
    slow = [_slow_answers(model_s=model_s, apart_s=apart_s) for model_s in _SLOW_MODELS_S for apart_s in (0.8, 5.0)]
    return [violation for violations in slow for violation in violations]


def _slow_answers(*, model_s: float, apart_s: float) -> list[str]:
    with Scene(seconds=model_s).playing() as scene:
        for _ in range(5):
            scene.asks(instance=0)
            scene.runs(seconds=apart_s)
        violations, said = scene.rests(calm=True), scene.world.truth.said
        is_apology = not said[0].text.startswith("re")
        is_late = said[0].at_s > MODEL_S
        cut_off = ["I6: a request was cut off, and no time was left"] if is_apology or is_late else []
        return [*violations, *cut_off, *(_answered_once(scene, within_s=MODEL_S) if apart_s < 1 else [])]


def follow_up_on_an_old_token() -> list[str]:
    """Late answers are dropped, and two messages are pushed 36 s late, to two instances.  The first answer does not wait for the second."""
    with Scene(seconds=_WITH_OLD_TOKEN_S, late_reply=LateReply.DROP).playing() as scene:
        first, second = (scene.delivers(scene.says()) for _ in range(2))
        scene.sleeps(_LATE_S)
        answering = scene.pushes(first, instance=0)
        scene.runs_until(answering, "model")
        scene.pushes(second, instance=1)
        violations, said = scene.rests(), scene.said
        is_answered = bool(said) and said[0].startswith("re")
        return [*violations, *([] if is_answered else ["I6: an answer was withheld, and no time was left for another"])]


def follow_up_after_a_page() -> list[str]:
    """A page was made in Notion when the follow-up comes. The request about its result goes on, and the follow-up gets its own turn."""
    with Scene(seconds=_MODEL_S, has_notion=True).playing() as scene:
        page = scene.pushes(scene.delivers(scene.says(verb="page")), instance=0)
        scene.runs_until(page, "model", times=2)
        scene.asks(instance=0)
        asked = 2 + 1  # the page, its answer, the follow-up
        violations, is_repeated = scene.rests(calm=True), scene.world.truth.model_calls > asked
        return [*violations, *(["I6: what acted outside was asked anew"] if is_repeated else [])]


def lease_under_follow_ups() -> list[str]:
    """Two follow-ups come, each right before the lease would be renewed. The last write of the turn decides about the next renewal."""
    with Scene(seconds=10.0, lease_s=SHORTEST_LEASE_S).playing() as scene:
        for pause_s in (5.0, 2.5, 2.5):
            scene.asks(instance=0)
            scene.runs(seconds=pause_s)
        violations, is_repeated = scene.rests(calm=True), scene.world.truth.model_calls > _MESSAGES
        return [*violations, *(["I6: a turn was lost although nothing had failed"] if is_repeated else [])]


def _answered_once(scene: Scene, *, within_s: float) -> list[str]:
    late = [one for one in scene.world.truth.said if one.at_s > within_s]
    violations = ["I3: what the same person added was answered by itself"] if len(scene.said) > 1 else []
    return [*violations, *(["I6: a request went on although its prompt lacked a message"] if late else [])]
