"""What a message costs, counted on the worker's real code: calls of the bucket, one after the other, and writes to what is shared."""

from itertools import pairwise

import pytest

from shared.conversation.records import MessageRecord, SnapshotRecord
from shared.conversation.snapshot import MemoryLimits
from shared.storage.codec import decode
from shared.storage.object_names import OUTCOME_SUFFIX
from tests.simulation.product.people import GROUP
from tests.simulation.product.scene import Scene
from tests.simulation.product.scheduler import Task

A_CALL_S = 1.0
"""Every call takes as long, side by side they take as long as one: the time that passes is the number of round trips."""


def chat_of(messages: int, *, group: bool = False) -> Scene:
    """A chat in which everything has happened: answers, chatter, an edit, a withdrawal, compactions with recaps."""
    scene = Scene(even_call_s=A_CALL_S, seconds=0.0, group=group)
    with scene.played():
        for number in range(messages):
            scene.sleeps(5)
            message = scene.says(addressed=number % 3 == 0)
            scene.through(scene.pushed(scene.received(message), instance=0))
            if number % 5 == 4:
                scene.through(scene.takes_back(message))
            elif group and number % 5 == 2:
                scene.through(scene.edits(message))
        scene.rests()
    assert scene.stage.bus.dead_letters == []
    return scene


def steps_of(scene: Scene, request: Task) -> list[str]:
    """Every call of a request, of its threads too, as often as it was made."""
    moves = (step.partition(" ")[2].partition(": ") for step in scene.world.scheduler.last_steps)
    return [about for name, _, about in moves if name.rstrip("+") == request.name]


@pytest.mark.parametrize("group", [False, True])
@pytest.mark.parametrize("messages", [0, 1, 12, 40])
def test_four_round_trips_come_before_the_models_first_word_and_two_between_its_last_and_line(
    messages: int, group: bool
) -> None:
    scene = chat_of(messages, group=group)
    with scene.played():
        begun_s = scene.world.now_s

        worker = scene.asks(instance=1)  # which has never heard of this chat

        scene.until(worker, "model")
        asked_s = scene.world.now_s
        scene.until(worker, "reply")
        assert (asked_s - begun_s, scene.world.now_s - asked_s) == (4 * A_CALL_S, 2 * A_CALL_S)


def test_chatter_costs_one_small_create_and_rewrites_nothing() -> None:
    scene = chat_of(12, group=True)
    with scene.played():
        worker = scene.pushed(scene.received(scene.says(addressed=False)), instance=1)
        scene.through(worker)

    writes = [step for step in steps_of(scene, worker) if step.startswith(("write", "delete"))]
    assert writes == [f"write journal/{GROUP}/m12.json"]
    stored = scene.world.objects.read(f"journal/{GROUP}/m12.json")
    assert stored is not None
    assert len(stored.data) < 1_000


def test_a_hundred_messages_of_a_group_in_one_second_lose_nothing_and_meet_no_write_limit() -> None:
    scene = Scene(group=True, limits=MemoryLimits())
    with scene.played():
        workers = []
        for _ in range(100):
            workers.append(scene.pushed(scene.received(scene.says(addressed=False))))
            scene.sleeps(0.01)
        assert scene.rests(calm=True) == []

    calls = [step for worker in workers for step in steps_of(scene, worker)]
    assert kept_in(scene) == {f"m{number}" for number in range(100)}
    journalled = [step for step in calls if step.startswith("write journal/")]
    assert sorted(journalled) == sorted(f"write journal/{GROUP}/m{number}.json" for number in range(100))
    throttled = {then for step, then in pairwise(calls) if step == "429"}
    assert throttled <= {
        f"write snapshots/{GROUP}.json"
    }  # of the few that were drawn to fold the journal, one a second may win
    assert scene.stage.bus.dead_letters == []


def kept_in(scene: Scene) -> set[str]:
    """The messages that the bucket holds, in the journal or folded."""
    kept: set[str] = set()
    for listed in scene.world.objects.list(""):
        stored = scene.world.objects.read(listed.name)
        if stored is not None and listed.name.startswith("snapshots/"):
            kept.update(one.line_message_id for one in decode(SnapshotRecord, stored.data).messages)
        elif stored is not None and listed.name.startswith("journal/") and not listed.name.endswith(OUTCOME_SUFFIX):
            kept.add(decode(MessageRecord, stored.data).line_message_id)
    return kept
