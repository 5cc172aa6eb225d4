"""Admissions and revocations on the worker's real code: in any order of calls, twice, at once, and beside deaths of workers."""

from collections.abc import Iterator

import pytest

from shared.access.admission import KEPT_S, Access, Admissions
from shared.access.invitations import Invitations
from shared.adapters.memory import FixedClock
from shared.storage.object_names import ADMITTED_PREFIX, ObjectNames
from tests.simulation.bus import Delivery
from tests.simulation.people import PERSON, People
from tests.simulation.scene import Scene

SEEDS = range(10)
LATER_MS = FixedClock().now_ms() + 3_600_000


@pytest.fixture(params=SEEDS)
def scene(request: pytest.FixtureRequest) -> Iterator[Scene]:
    """Two chats that have to be admitted; the seed decides which of two calls comes first."""
    with Scene(seed=request.param, access=Access.INVITED, chats=2).playing() as playing:
        yield playing


def new_code(scene: Scene) -> str:
    """Return a code of the operator's that admits one chat."""
    return Invitations(store=scene.world.objects, clock=FixedClock()).invite(expires_ms=LATER_MS)


def operator(scene: Scene) -> Admissions:
    """Return the admissions as the operator's command meets them."""
    return Admissions(store=scene.world.objects, clock=FixedClock())


def starts(scene: Scene, code: str, *, chat: int = 0) -> Delivery:
    """A member gives the code; nothing is pushed yet."""
    people: People = scene.stage.chats[chat]
    return scene.delivers_order(people.order(f"start {code}", at_s=scene.world.now_s))


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
    scene.sleeps(KEPT_S)
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
    scene.sleeps(KEPT_S)
    for instance in (0, 1):
        scene.runs_to_end(scene.asks(instance=instance))

    assert scene.world.truth.model_calls == asked
