"""Forgeries about expenses; like those in `forgeries.py`."""

from collections.abc import Callable
from typing import Final

from shared.expenses.expense import Expense
from shared.storage.codec import encode
from tests.simulation.people import PERSON
from tests.simulation.scene import Scene


def expense_that_nobody_asked_for() -> list[str]:
    with Scene(has_expenses=True).playing() as scene:
        scene.runs_to_end(scene.asks_for("pay"))
        forged = Expense(id="e0000000000", what="rent", payer="~Dan", currency="JPY", minor=5, shares={"~Dan": 5})
        scene.world.objects.create(f"expenses/{PERSON}/{forged.id}.json", encode(forged))
        return scene.rests(calm=True)


FORGERIES: Final[tuple[Callable[[], list[str]], ...]] = (expense_that_nobody_asked_for,)
