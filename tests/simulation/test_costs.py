"""What a message costs on the worker's real code: sequential calls of the bucket, and writes to shared objects."""

from itertools import pairwise

import pytest

from shared.conversation.records import MessageRecord
from shared.conversation.snapshot import MemoryLimits
from shared.conversation.snapshot_records import SnapshotRecord
from shared.features.stored_features import STORED_FEATURES
from shared.storage.codec import decode
from shared.storage.object_names import OUTCOME_SUFFIX
from tests.simulation.people import GROUP
from tests.simulation.scene import Scene
from tests.simulation.scheduler import Task
from tests.simulation.wiring import TINY

CALL_S = 0.5
"""Every call takes this long, and concurrent calls take as long as one, so the elapsed time is the number of round trips."""
MODEL_S = 2 * CALL_S
"""The first look of a turn ends before the model does."""


def scene_with(messages: int, *, group: bool = False) -> Scene:
    """Return a chat with answers, messages to others, edits, withdrawals, and compactions with recaps."""
    scene = Scene(even_call_s=CALL_S, seconds=MODEL_S, group=group)
    with scene.playing():
        for number in range(messages):
            scene.sleeps(5)
            message = scene.says(addressed=number % 3 == 0)
            scene.runs_to_end(scene.pushes(scene.delivers(message), instance=0))
            if number % 5 == 4:
                scene.runs_to_end(scene.takes_back(message))
            elif group and number % 5 == 2:
                scene.runs_to_end(scene.edits(message))
        scene.rests()
    assert scene.stage.bus.dead_letters == []
    return scene


def calls_of(scene: Scene, request: Task) -> list[str]:
    """Return every call that the threads of the request made, with repetitions."""
    return [step.about for step in scene.world.scheduler.last_steps if step.thread.rstrip("+") == request.name]


@pytest.mark.parametrize("group", [False, True])
@pytest.mark.parametrize("messages", [0, 1, 12, 40])
def test_an_answer_takes_three_round_trips_before_the_model_and_one_after_it(messages: int, group: bool) -> None:
    scene = scene_with(messages, group=group)
    with scene.playing():
        begun_s = scene.world.now_s

        worker = scene.asks(instance=1)  # an instance that has cached nothing of this chat

        scene.runs_until(worker, "model")
        asked_s = scene.world.now_s
        scene.runs_until(worker, "reply")
        assert (asked_s - begun_s, scene.world.now_s - asked_s) == (3 * CALL_S, MODEL_S + CALL_S)


def test_a_message_that_waits_for_a_turn_of_its_instance_is_woken_by_the_end_of_the_turn() -> None:
    call_s = 0.01  # far below the pause between two polls
    scene = Scene(even_call_s=call_s, seconds=3.0, group=True)  # members take turns, so the second is no follow-up
    with scene.playing():
        first = scene.asks(instance=0)
        scene.runs_until(first, "model")
        second = scene.asks(instance=0)
        scene.runs_past(first, f"write journal/{GROUP}/event-1.outcome")
        ended_s = scene.world.now_s

        scene.runs_until(second, "list journal/")

        # The look after the record ends the turn; then the turn is read, and the chat is listed.
        assert scene.world.now_s - ended_s == pytest.approx(2 * call_s)


def test_an_unsend_lists_what_every_feature_holds_in_one_round_trip() -> None:
    scene = Scene(even_call_s=CALL_S, seconds=MODEL_S, group=True)
    with scene.playing():
        for _ in range(3):
            scene.sleeps(5)
            message = scene.says()
            scene.runs_to_end(scene.pushes(scene.delivers(message), instance=0))
        begun_s = scene.world.now_s

        unsending = scene.takes_back(message)
        scene.runs_to_end(unsending)

    calls = calls_of(scene, unsending)
    folders = [f"{one.folder}/" for one in STORED_FEATURES]
    begun = [number for number, call in enumerate(calls) if any(f" {folder}" in call for folder in folders)]
    assert len(begun) == len(folders) + 1  # votes are listed beside polls
    assert begun == list(range(begun[0], begun[0] + len(begun)))
    assert (scene.world.now_s - begun_s) / CALL_S <= 25


def test_a_turn_that_folds_takes_no_more_round_trips_in_an_older_chat() -> None:
    limits = MemoryLimits(journalled=5, verbatim=6, summed_up=3, recaps_at_once=2, recaps=3, sources=9)
    scene = Scene(even_call_s=CALL_S, seconds=MODEL_S, group=True, limits=limits)
    trips: list[tuple[int, int]] = []
    with scene.playing():
        for _ in range(50):
            scene.sleeps(5)
            begun_s = scene.world.now_s
            worker = scene.asks(instance=0)
            scene.runs_to_end(worker)
            calls = calls_of(scene, worker)
            waited_s = scene.world.now_s - begun_s - MODEL_S * calls.count("model") - CALL_S * calls.count("reply")
            trips.append((calls.count("model"), round(waited_s / CALL_S)))
    plain, folding = [most for asked, most in trips if asked == 1], [most for asked, most in trips if asked > 1]
    # A fold with two recaps: what is read, swap, look, twice a swap and a look, and one to charge for the recaps;
    # now and then two more to write a segment of the archive.
    assert max(plain) <= 10
    assert len(folding) >= 5
    assert max(folding) <= 6 + 8 + 2


def test_a_recall_takes_at_most_two_round_trips_more() -> None:
    scene = Scene(even_call_s=CALL_S, seconds=MODEL_S, group=True, limits=TINY)
    with scene.playing():
        for _ in range(8):
            scene.sleeps(5)
            scene.runs_to_end(scene.asks(instance=0))
        worker = scene.pushes(scene.delivers(scene.says(verb="recall")), instance=1)
        scene.runs_until(worker, "model")
        asked_s = scene.world.now_s

        scene.runs_until(worker, "reply")

        assert any(one.startswith("read archive/") for one in calls_of(scene, worker))
        # two for the recall, the look before the next request, and one after the model's last word
        assert scene.world.now_s - asked_s == (2 + 1 + 1) * CALL_S + 2 * MODEL_S


def test_an_unaddressed_message_costs_one_small_create_and_no_rewrite() -> None:
    scene = scene_with(12, group=True)
    with scene.playing():
        for _ in range(2):  # the first message may find that old amendments are to be folded
            worker = scene.pushes(scene.delivers(scene.says(addressed=False)), instance=1)
            scene.runs_to_end(worker)

    writes = [step for step in calls_of(scene, worker) if step.startswith(("write", "delete"))]
    assert writes == [f"write journal/{GROUP}/m13.json"]
    stored = scene.world.objects.read(f"journal/{GROUP}/m13.json")
    assert stored is not None
    assert len(stored.data) < 1_000


def test_a_hundred_group_messages_in_a_second_are_recorded_without_a_429() -> None:
    scene = Scene(group=True, limits=MemoryLimits())
    with scene.playing():
        workers = []
        for _ in range(100):
            workers.append(scene.pushes(scene.delivers(scene.says(addressed=False))))
            scene.sleeps(0.01)
        assert scene.rests(calm=True) == []

    calls = [step for worker in workers for step in calls_of(scene, worker)]
    assert kept_ids(scene) == {f"m{number}" for number in range(100)}
    journalled = [step for step in calls if step.startswith("write journal/")]
    assert sorted(journalled) == sorted(f"write journal/{GROUP}/m{number}.json" for number in range(100))
    limited = {then for step, then in pairwise(calls) if step == "429"}
    # Some of the messages trigger a compaction, and only one write a second of the snapshot is allowed.
    assert limited <= {f"look at snapshots/{GROUP}.json"}
    assert scene.stage.bus.dead_letters == []


def kept_ids(scene: Scene) -> set[str]:
    """Return the ids of the messages that the bucket holds, in the journal or in the snapshot."""
    kept: set[str] = set()
    for listed in scene.world.objects.list(""):
        stored = scene.world.objects.read(listed.name)
        if stored is not None and listed.name.startswith("snapshots/"):
            kept.update(one.line_message_id for one in decode(SnapshotRecord, stored.data).messages)
        elif stored is not None and listed.name.startswith("journal/") and not listed.name.endswith(OUTCOME_SUFFIX):
            kept.add(decode(MessageRecord, stored.data).line_message_id)
    return kept
