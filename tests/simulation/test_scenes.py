"""The behaviour that the protocol guarantees, one scene for each statement."""

import pytest

from tests.simulation.model.guards import Guards
from tests.simulation.model.scene import Scene
from tests.simulation.product.times import DEFER_S, TOKEN_S


def said(scene: Scene) -> list[str]:
    return [effect.text for effect in scene.world.line.effects]


def deferred_and_stored(*, late_reply_is_ready: bool = True) -> Scene:
    scene = Scene(Guards(), late_reply="button", seconds=70)
    thinker = scene.asks("m0")
    scene.until(thinker, "write journal/m0.outcome")
    if late_reply_is_ready:
        scene.through(thinker)
    else:
        scene.until(thinker, "sleep")
        scene.dies(thinker)
        scene.world.mind.seconds = (2.0, 2.0)
    return scene


def test_a_press_shows_the_stored_answer_without_a_model_call() -> None:
    scene = deferred_and_stored()

    scene.through(scene.pushed(scene.received(scene.says("p1", presses="m0"))))

    assert scene.rests(calm=True) == []
    assert said(scene) == ["still thinking", "re: <m0>"]
    assert scene.world.truth.model_calls == 1


def test_a_press_asks_the_model_if_no_answer_is_stored() -> None:
    scene = deferred_and_stored(late_reply_is_ready=False)

    scene.through(scene.pushed(scene.received(scene.says("p1", presses="m0"))))

    assert scene.rests(calm=True) == []
    assert len(said(scene)) == 2


@pytest.mark.parametrize("ready", [True, False])
def test_two_concurrent_presses_show_one_answer(ready: bool) -> None:
    scene = deferred_and_stored(late_reply_is_ready=ready)

    for name in ("p1", "p2"):
        scene.pushed(scene.received(scene.says(name, presses="m0")))

    assert scene.rests() == []
    assert len(said(scene)) == 2


def test_a_press_after_the_answer_changes_nothing() -> None:
    scene = deferred_and_stored()

    for name in ("p1", "p2"):
        scene.through(scene.pushed(scene.received(scene.says(name, presses="m0"))))

    assert scene.rests() == []
    assert said(scene) == ["still thinking", "re: <m0>"]


def test_a_press_of_a_withdrawn_question_says_nothing() -> None:
    scene = deferred_and_stored()

    scene.through(scene.takes_back("m0"))
    scene.through(scene.pushed(scene.received(scene.says("p1", presses="m0"))))

    assert scene.rests() == []
    assert said(scene) == ["still thinking"]


def test_still_thinking_is_sent_before_the_token_expires() -> None:
    scene = deferred_and_stored()

    assert DEFER_S <= scene.world.line.effects[0].at_s < TOKEN_S


def test_an_edit_delivered_before_its_message_is_answered() -> None:
    scene = Scene(Guards())
    message = scene.says("m0")

    scene.through(scene.edits("m0"))
    scene.through(scene.pushed(scene.received(message)))

    assert scene.rests(calm=True) == []
    assert said(scene) == ["re: <m0 edited 1>"]


def test_an_edit_during_the_model_call_is_answered() -> None:
    scene = Scene(Guards())
    thinker = scene.asks("m0")
    scene.until(thinker, "model")

    scene.through(scene.edits("m0"))

    assert scene.rests(calm=True) == []
    assert said(scene) == ["re: <m0 edited 1>"]


def test_an_edit_does_not_restore_a_withdrawn_message() -> None:
    scene = Scene(Guards())
    message = scene.says("m0")

    scene.through(scene.takes_back("m0"))
    scene.through(scene.edits("m0"))
    scene.through(scene.pushed(scene.received(message)))

    assert scene.rests() == []
    assert said(scene) == []


def test_a_redelivered_reset_keeps_later_messages() -> None:
    scene = Scene(Guards())
    scene.through(scene.asks("m0"))
    reset_s = scene.world.now_s
    scene.through(scene.resets(at_s=reset_s))
    scene.through(scene.asks("m1"))

    scene.through(scene.resets(at_s=reset_s))

    assert scene.rests() == []
    assert said(scene)[-1] == "re: <m1>"
    assert scene.keeps("m1")


def test_a_withdrawal_during_the_model_call_leaves_the_other_answer() -> None:
    scene = Scene(Guards())
    scene.until(scene.asks("m0"), "read turn")
    thinker = scene.asks("m1")
    scene.until(thinker, "write turn", times=2)

    scene.comes_to(scene.takes_back("m1"), "list entries/")
    scene.through(thinker)

    assert scene.rests(calm=True) == []
    assert said(scene) == ["re: <m0>"]


def test_a_takeover_detects_that_the_dead_worker_replied() -> None:
    scene = Scene(Guards())
    worker = scene.asks("m0")
    scene.until(worker, "reply")
    scene.until(worker, "read snapshot")

    scene.dies(worker)

    assert scene.rests() == []
    assert said(scene) == ["re: <m0>"]


def test_a_message_that_kills_its_workers_gets_an_apology() -> None:
    scene = Scene(Guards(), late_reply="push")
    scene.world.mind.poison = frozenset({"m0"})

    scene.asks("m0")

    assert scene.rests() == []
    assert said(scene) == ["sorry"]
