"""What excuses that a command of a busy chat met silence, and what does not."""

from dataclasses import replace

import pytest

from shared.conversation.records import OutcomeKind, OutcomeRecord
from shared.storage.codec import decode, encode
from tests.simulation.people import PERSON
from tests.simulation.scene import MINUTE_S, Scene

SILENCE = "I6: /help met silence although nothing had failed"
FULL = 12


def silenced_beside(texts: int, *, after_s: float, kind: OutcomeKind) -> list[str]:
    """Return the violations of a command whose answer nobody saw, `after_s` before other texts appeared in the chat."""
    with Scene().playing() as scene:
        order = scene.commands("help")
        scene.runs_to_end(scene.pushes(scene.delivers_order(order)))
        name, objects, truth = f"journal/{PERSON}/{order.id}.outcome.json", scene.world.objects, scene.world.truth
        stored = objects.read(name)
        assert stored is not None
        outcome = replace(decode(OutcomeRecord, stored.data), kind=kind)
        assert objects.replace(name, encode(outcome), generation=stored.generation) is not None
        answer = truth.said.pop()
        truth.said += [replace(answer, reply_token="token-99", at_s=order.at_s + after_s)] * texts
        return scene.rests(calm=True)


def test_a_command_that_waited_until_its_token_died_is_excused_where_the_chat_was_busy_all_the_while() -> None:
    assert SILENCE not in silenced_beside(FULL, after_s=1.0, kind=OutcomeKind.UNDELIVERED)


@pytest.mark.parametrize(
    ("texts", "after_s", "kind"),
    [
        (FULL - 1, 1.0, OutcomeKind.UNDELIVERED),
        (FULL, MINUTE_S + 1, OutcomeKind.UNDELIVERED),
        (FULL, 1.0, OutcomeKind.WITHDRAWN),
    ],
    ids=["idle for a while", "busy only later", "withdrawn"],
)
def test_the_silence_of_a_command_is_found_where_its_chat_had_time_for_it(
    texts: int, after_s: float, kind: OutcomeKind
) -> None:
    assert SILENCE in silenced_beside(texts, after_s=after_s, kind=kind)
