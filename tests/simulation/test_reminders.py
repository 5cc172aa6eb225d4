"""Many reminders of one minute, in virtual time: each is said once and in time, though the workers of the ticks are killed."""

import zlib
from collections.abc import Iterable
from functools import partial

import pytest

from shared.conversation.provenance import Provenance, Source
from shared.reminders.delivery import Reminding
from shared.reminders.reminder import Reminder
from shared.reminders.schedule import local_time
from shared.storage.codec import encode
from shared.storage.due_marker import DueMarker
from shared.storage.object_names import ObjectNames
from tests.simulation.bus import TICK_S
from tests.simulation.reminder_checks import IN_TIME_S
from tests.simulation.scene import Scene
from tests.simulation.scheduler import STEPS
from tests.simulation.world import EPOCH_MS, ShownText

MANY = 1_000
MOST = 10_000
SHARDS = 4
CALL_S = 0.12  # a dozen calls in sequence, so that a reminder takes about 1.5 s, as on Cloud Storage
KILLS = 4
ZONE = "Asia/Tokyo"


def _remind_everybody(scene: Scene, *, due_s: float, numbers: Iterable[int] = range(MANY)) -> None:
    due_ms = EPOCH_MS + round(due_s * 1_000)
    for number in numbers:
        chat = _chat(number)
        reminder = Reminder(
            id=f"r{number:010x}",
            text=f"reminder {number}",
            provenance=Provenance.of_sources((Source(line_message_id="m1", timestamp_ms=EPOCH_MS),)),
            start=local_time(due_ms, ZONE),
            zone=ZONE,
            due_ms=due_ms,
        )
        scene.world.objects.create(ObjectNames(chat).reminder(reminder.id), encode(reminder))
        marker = DueMarker.at(due_ms, kind="reminder", conversation_id=chat, id=reminder.id)
        scene.world.objects.create(marker.name, b"")


def test_a_thousand_reminders_of_a_minute_are_said_once_within_two() -> None:
    with Scene(reminding=Reminding.PUSH).playing() as scene:
        due_s = TICK_S
        _remind_everybody(scene, due_s=due_s)
        scene.sleeps(due_s)
        for number in range(KILLS):
            scene.world.scheduler.at(due_s + 4.0 * (number + 1), lambda: _kill(scene))
        scene.stage.ticker.begin(due_s)
        scene.world.scheduler.run(steps=20 * STEPS)

    said = [one for one in scene.world.truth.said if one.reminder is not None]
    assert len(said) == len({one.text for one in said}) == MANY
    assert max(one.at_s for one in said) - due_s <= IN_TIME_S


@pytest.mark.parametrize("instances", [1, pytest.param(SHARDS, marks=pytest.mark.load)])
def test_ten_thousand_reminders_of_a_minute_are_said_within_two_by_four_instances(instances: int) -> None:
    """One instance alone has a quarter of the reminders, those of its shard, which shows the same in a quarter of the time."""
    with Scene(reminding=Reminding.PUSH, even_call_s=CALL_S, skews_s=(0.0,) * instances).playing() as scene:
        numbers = [one for one in range(MOST) if zlib.crc32(_chat(one).encode()) % SHARDS < instances]
        _remind_everybody(scene, due_s=TICK_S, numbers=numbers)
        for minute in (1, 2, 3):
            for shard in range(instances):
                scene.world.scheduler.at(minute * TICK_S, partial(_tick, scene, shard))
        scene.world.scheduler.run(steps=1_000 * STEPS)

    said = [one for one in scene.world.truth.said if one.reminder is not None]
    print(f"{len(said)} said, the last {max(one.at_s for one in said) - TICK_S:.0f} s after its minute")  # noqa: T201 - a measurement
    assert len(said) == len({one.text for one in said}) == len(numbers)
    assert max(one.at_s for one in said) - TICK_S <= IN_TIME_S


def _tick(scene: Scene, shard: int) -> None:
    scene.pushes(scene.stage.ticker.tick(shard=shard, shards=SHARDS), instance=shard)


def _chat(number: int) -> str:
    return f"U{number:032x}"


def _kill(scene: Scene) -> None:
    """Kill every worker that carries out a tick."""
    for instance in range(scene.stage.bus.instance_count):
        process = scene.stage.bus.instance("agent_worker", instance).process
        if any(not task.is_over for task in process.tasks):
            scene.world.scheduler.kill(process)


def test_a_thousand_reminders_hold_up_no_answer() -> None:
    with Scene(reminding=Reminding.PUSH).playing() as scene:
        alone_s = _answered_within_s(scene)
        _remind_everybody(scene, due_s=TICK_S)
        scene.sleeps(TICK_S - scene.world.now_s)
        scene.pushes(scene.stage.ticker.tick(), instance=0)
        scene.runs(seconds=5)

        beside_s = _answered_within_s(scene)

    assert any(one.reminder is not None for one in scene.world.truth.said)
    assert beside_s <= alone_s + 1


def _answered_within_s(scene: Scene) -> float:
    """Ask something of the instance that carries out ticks; return how long the answer takes."""
    asked_s = scene.world.now_s
    scene.asks(instance=0)
    answers = len(_answers(scene))
    scene.world.scheduler.run(until=lambda: len(_answers(scene)) > answers, steps=STEPS)
    return scene.world.now_s - asked_s


def _answers(scene: Scene) -> list[ShownText]:
    return [one for one in scene.world.truth.said if one.reply_token is not None]
