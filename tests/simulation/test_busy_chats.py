"""What excuses that a command of a busy chat met silence, and what does not."""

from dataclasses import replace

import pytest

from shared.conversation.records import OutcomeKind, OutcomeRecord
from shared.storage.codec import decode, encode
from tests.simulation.people import PERSON
from tests.simulation.scene import MINUTE_S, Scene

SILENCE = "I6: /help met silence although nothing had failed"
HELD, FREE = True, False
BUSY = ((1.0, HELD), (30.0, FREE), (34.0, HELD))


def silenced_beside(*writes: tuple[float, bool], kind: OutcomeKind = OutcomeKind.UNDELIVERED) -> list[str]:
    """Return the violations of a command whose answer nobody saw, after which others wrote the chat's turn at these seconds."""
    with Scene().playing() as scene:
        order = scene.commands("help")
        scene.runs_to_end(scene.pushes(scene.delivers_order(order)))
        name, objects, truth = f"journal/{PERSON}/{order.id}.outcome.json", scene.world.objects, scene.world.truth
        stored = objects.read(name)
        assert stored is not None
        outcome = replace(decode(OutcomeRecord, stored.data), kind=kind)
        assert objects.replace(name, encode(outcome), generation=stored.generation) is not None
        truth.said.clear()
        truth.turns_written_s[PERSON] = [(order.at_s + after_s, is_held) for after_s, is_held in writes]
        return scene.rests(calm=True)


@pytest.mark.parametrize("writes", [BUSY, ((-9.0, HELD), *BUSY), (*BUSY, (57.0, FREE)), (*BUSY, (70.0, FREE))])
def test_a_command_that_waited_until_its_token_died_is_excused_where_the_turn_was_always_held(
    writes: tuple[tuple[float, bool], ...],
) -> None:
    assert SILENCE not in silenced_beside(*writes)


@pytest.mark.parametrize(
    "writes",
    [
        (),
        ((6.0, HELD),),
        ((1.0, HELD), (30.0, FREE), (36.0, HELD)),
        ((1.0, HELD), (50.0, FREE)),
        ((-9.0, HELD), (-5.0, FREE)),
        ((MINUTE_S + 1, HELD),),
    ],
    ids=["idle", "idle at first", "idle for a while", "idle in the end", "busy before", "busy only later"],
)
def test_the_silence_of_a_command_is_found_where_its_chat_had_time_for_it(
    writes: tuple[tuple[float, bool], ...],
) -> None:
    assert SILENCE in silenced_beside(*writes)


def test_the_silence_of_a_command_that_did_not_wait_is_found() -> None:
    assert SILENCE in silenced_beside(*BUSY, kind=OutcomeKind.WITHDRAWN)
