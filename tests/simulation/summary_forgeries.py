"""Forgeries about summaries; like those in `forgeries.py`."""

from collections.abc import Callable
from typing import Final

from tests.simulation.people import MEMBERS
from tests.simulation.scene import Scene


def words_in_a_members_own_chat() -> list[str]:
    with Scene(group=True).playing() as scene:
        scene.runs_to_end(scene.asks())
        scene.world.objects.create(f"journal/{MEMBERS[0]}/r0123456789-1.outcome.json", b'{"text":"word0a"}')
        return scene.stage.violations()


FORGERIES: Final[tuple[Callable[[], list[str]], ...]] = (words_in_a_members_own_chat,)
