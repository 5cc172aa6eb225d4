"""Many members press a poll's buttons within a minute of virtual time; Cloud Storage takes one write of an object a second."""

from functools import partial
from typing import TYPE_CHECKING

from shared.line.postback_data import VotePress
from shared.polls.poll import Vote, counted
from tests.simulation.scene import Scene

if TYPE_CHECKING:
    from tests.simulation.people import Order

PRESSES = 120
MEMBERS = tuple(f"U{number:032x}" for number in range(PRESSES // 2))
MINUTE_S = 60.0


def test_no_press_of_many_in_a_minute_is_lost_and_few_standings_are_told() -> None:
    with Scene(group=True, has_polls=True, threads=PRESSES).playing() as scene:
        scene.runs_to_end(scene.asks_for("poll"))
        chat, begun_s = scene.stage.people.conversation_id, scene.world.now_s
        (poll,) = scene.world.objects.list(f"polls/{chat}/p")
        poll_id = poll.name.rpartition("/")[2].removesuffix(".json")
        orders: list[Order] = []

        def press(number: int) -> None:
            data = VotePress(poll_id=poll_id, choice=number // len(MEMBERS)).data
            member = MEMBERS[number % len(MEMBERS)]
            orders.append(scene.stage.people.vote(data, at_s=scene.world.now_s, by=member))
            scene.pushes(scene.stage.welcome(orders[-1]))

        for number in range(PRESSES):
            scene.world.scheduler.at(begun_s + 1 + MINUTE_S * number / PRESSES, partial(press, number))
        violations = scene.rests()

        prefix = f"polls/{chat}/"
        votes = [vote for one in scene.world.objects.list(prefix) if (vote := Vote.at(one.name.removeprefix(prefix)))]
        tokens = {one.reply_token for one in orders}
        standings = [one for one in scene.world.truth.said if one.reply_token in tokens]

    assert violations == []
    assert len(orders) == PRESSES
    assert {vote.id for vote in counted(votes)} == {one.id for one in orders[-len(MEMBERS) :]}
    assert len(standings) == 1 + MINUTE_S // 20
