"""What the protocol promises, one story at a time."""

import pytest

from tests.simulation.model.guards import Guards
from tests.simulation.model.scene import Scene
from tests.simulation.model.times import DEFER_S, TOKEN_S


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


def test_a_press_gets_the_stored_answer_without_another_thought() -> None:
    scene = deferred_and_stored()

    scene.through(scene.pushed(scene.received(scene.says("p1", presses="m0"))))

    assert scene.rests(calm=True) == []
    assert said(scene) == ["still thinking", "re: <m0>"]
    assert scene.world.truth.model_calls == 1


def test_a_press_is_thought_about_where_no_answer_is_stored() -> None:
    scene = deferred_and_stored(late_reply_is_ready=False)

    scene.through(scene.pushed(scene.received(scene.says("p1", presses="m0"))))

    assert scene.rests(calm=True) == []
    assert len(said(scene)) == 2


@pytest.mark.parametrize("ready", [True, False])
def test_two_who_press_at_once_read_one_answer(ready: bool) -> None:
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


def test_still_thinking_is_said_while_the_token_lives() -> None:
    scene = deferred_and_stored()

    assert DEFER_S <= scene.world.line.effects[0].at_s < TOKEN_S


def test_an_edit_that_comes_before_its_message_is_what_is_answered() -> None:
    scene = Scene(Guards())
    message = scene.says("m0")

    scene.through(scene.edits("m0"))
    scene.through(scene.pushed(scene.received(message)))

    assert scene.rests(calm=True) == []
    assert said(scene) == ["re: <m0 edited 1>"]


def test_an_edit_while_the_model_thinks_changes_what_is_answered() -> None:
    scene = Scene(Guards())
    thinker = scene.asks("m0")
    scene.until(thinker, "model")

    scene.through(scene.edits("m0"))

    assert scene.rests(calm=True) == []
    assert said(scene) == ["re: <m0 edited 1>"]


def test_an_edit_of_a_withdrawn_message_stays_withdrawn() -> None:
    scene = Scene(Guards())
    message = scene.says("m0")

    scene.through(scene.takes_back("m0"))
    scene.through(scene.edits("m0"))
    scene.through(scene.pushed(scene.received(message)))

    assert scene.rests() == []
    assert said(scene) == []


def test_what_came_after_a_reset_outlives_a_second_delivery_of_it() -> None:
    scene = Scene(Guards())
    scene.through(scene.asks("m0"))
    reset_s = scene.world.now_s
    scene.through(scene.resets(at_s=reset_s))
    scene.through(scene.asks("m1"))

    scene.through(scene.resets(at_s=reset_s))

    assert scene.rests() == []
    assert said(scene)[-1] == "re: <m1>"
    assert scene.keeps("m1")


def test_a_message_that_was_taken_back_while_the_model_thinks_is_not_answered_but_its_neighbour_is() -> None:
    scene = Scene(Guards())
    scene.until(scene.asks("m0"), "read turn")
    thinker = scene.asks("m1")
    scene.until(thinker, "write turn", times=2)

    scene.comes_to(scene.takes_back("m1"), "list entries/")
    scene.through(thinker)

    assert scene.rests(calm=True) == []
    assert said(scene) == ["re: <m0>"]


def test_a_worker_that_died_after_it_spoke_is_known_to_have_spoken() -> None:
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
