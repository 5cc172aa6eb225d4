"""Admissions and revocations on the worker's real code: in any order of calls, twice, at once, and beside deaths of workers."""

from collections.abc import Iterator

import pytest

from shared.access.admission import CACHED_S, Access
from shared.storage.object_names import ADMITTED_PREFIX, ObjectNames
from tests.simulation.access_scenes import new_code, operator, starts
from tests.simulation.people import GROUP, PERSON
from tests.simulation.scene import Scene

SEEDS = range(10)


@pytest.fixture(params=SEEDS)
def scene(request: pytest.FixtureRequest) -> Iterator[Scene]:
    """Two chats that have to be admitted; the seed decides which of two calls comes first."""
    with Scene(seed=request.param, access=Access.INVITED, chats=2).playing() as playing:
        yield playing


def admitted(scene: Scene) -> list[str]:
    return [one.name for one in scene.world.objects.list(ADMITTED_PREFIX)]


def everything_of(scene: Scene, chat: str) -> list[str]:
    """Return the names of all objects of a chat but its admission."""
    names = (one.name for one in scene.world.objects.list(""))
    return [name for name in names if chat in name and not name.startswith(ADMITTED_PREFIX)]


def test_a_code_that_is_delivered_twice_at_once_admits_its_chat(scene: Scene) -> None:
    start = starts(scene, new_code(scene))

    for instance in (0, 1):
        scene.pushes(start, instance=instance)
    scene.rests()
    scene.sleeps(1)
    scene.runs_to_end(scene.asks())
    scene.rests()

    assert admitted(scene) == [ObjectNames(PERSON).admission]
    assert scene.world.truth.asked.total() == 1


def test_a_code_whose_worker_dies_admits_its_chat_when_it_is_delivered_again(scene: Scene) -> None:
    start = starts(scene, new_code(scene))

    dying = scene.pushes(start, instance=0)
    scene.runs_until(dying, "write admitted/")
    scene.dies(dying)
    scene.rests()

    assert admitted(scene) == [ObjectNames(PERSON).admission]


def test_a_code_for_one_chat_admits_one_of_two_that_give_it_at_once(scene: Scene) -> None:
    code = new_code(scene)

    for chat in (0, 1):
        scene.pushes(starts(scene, code, chat=chat), instance=chat)
    scene.rests()

    assert len(admitted(scene)) == 1


def test_a_message_from_before_the_admission_stays_out_whenever_it_comes(scene: Scene) -> None:
    early = scene.says()
    first, again = scene.delivers(early), scene.delivers(early)
    scene.sleeps(1)

    scene.pushes(starts(scene, new_code(scene)), instance=0)
    scene.pushes(first, instance=1)
    scene.rests()
    scene.runs_to_end(scene.pushes(again))

    assert not any(early.id in name for name in everything_of(scene, PERSON))
    assert scene.world.truth.model_calls == 0


def test_a_revoked_chat_is_met_with_silence_within_a_minute_and_still_forgets(scene: Scene) -> None:
    operator(scene).admit(PERSON, since_ms=0)
    known = scene.says()
    scene.runs_to_end(scene.pushes(scene.delivers(known), instance=0))
    scene.rests()
    before, asked = everything_of(scene, PERSON), scene.world.truth.model_calls

    operator(scene).revoke(PERSON)
    scene.sleeps(CACHED_S)
    scene.runs_to_end(scene.asks(instance=0))
    scene.runs_to_end(scene.pushes(starts(scene, new_code(scene)), instance=1))
    assert (everything_of(scene, PERSON), scene.world.truth.model_calls) == (before, asked)

    scene.takes_effect(scene.takes_back(known))
    assert f"journal/{PERSON}/{known.id}.json" not in everything_of(scene, PERSON)


def test_a_turn_that_a_revocation_meets_ends_and_no_other_begins(scene: Scene) -> None:
    operator(scene).admit(PERSON, since_ms=0)
    scene.sleeps(1)
    thinker = scene.asks(instance=0)
    scene.runs_until(thinker, "model")

    operator(scene).revoke(PERSON)
    scene.runs_to_end(thinker)
    asked = scene.world.truth.model_calls
    scene.sleeps(CACHED_S)
    for instance in (0, 1):
        scene.runs_to_end(scene.asks(instance=instance))

    assert scene.world.truth.model_calls == asked


def test_a_message_that_overtakes_the_code_is_answered_once_that_has_let_it_in(scene: Scene) -> None:
    start = scene.pushes(starts(scene, new_code(scene)), instance=0)
    scene.sleeps(0.5)
    question = scene.asks(instance=1)
    scene.runs_past(question, "read admitted/")

    scene.runs_to_end(start)
    scene.runs_to_end(question)

    assert scene.rests(calm=True) == []
    assert any("word1a" in said for said in scene.said)


@pytest.fixture(params=SEEDS)
def revoked_group(request: pytest.FixtureRequest) -> Iterator[Scene]:
    """A group in which two members wrote, and one was answered, before it was revoked."""
    with Scene(seed=request.param, access=Access.INVITED, group=True).playing() as playing:
        operator(playing).admit(GROUP, since_ms=0)
        for is_addressed in (False, True):
            message = playing.says(addressed=is_addressed)
            playing.runs_to_end(playing.pushes(playing.delivers(message)))
            playing.sleeps(1)
        operator(playing).revoke(GROUP)
        playing.sleeps(CACHED_S)
        yield playing


def test_forget_erases_a_revoked_chat_once_its_button_is_pressed(revoked_group: Scene) -> None:
    press = revoked_group.is_asked_about("forget")

    revoked_group.takes_effect(revoked_group.pushes(revoked_group.delivers_order(press)))

    assert revoked_group.rests(calm=True) == []
    assert revoked_group.keeps() == []
    assert f"erased/{GROUP}.json" in everything_of(revoked_group, GROUP)


def test_forget_me_takes_back_what_its_author_said_in_a_revoked_chat(revoked_group: Scene) -> None:
    order = revoked_group.commands("forget me")
    own = [one.id for one in revoked_group.stage.people.own_messages(order)]

    revoked_group.takes_effect(revoked_group.pushes(revoked_group.delivers_order(order)))

    assert own
    assert revoked_group.rests(calm=True) == []
    assert not any(
        f"/{own_id}.json" in name
        for own_id in own
        for name in everything_of(revoked_group, GROUP)
        if "journal/" in name
    )


def test_forget_me_in_a_revoked_chat_is_carried_out_although_its_worker_dies(revoked_group: Scene) -> None:
    worker = revoked_group.pushes(revoked_group.delivers_order(revoked_group.commands("forget me")))
    revoked_group.runs_until(worker, "write due/")

    revoked_group.dies(worker)

    assert revoked_group.rests() == []
