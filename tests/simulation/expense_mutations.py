"""Mutations of expenses."""

from collections.abc import Mapping
from typing import Final

from tests.simulation.mutation import Mutation
from tests.simulation.rules import Return

OF_EXPENSES: Final[Mapping[str, Mutation]] = {
    "takes_back_expenses": Mutation(
        "shared.expenses.store:_is_affected",
        Return(value=False),
        lacks="an expense stays that somebody has taken back",
    ),
    "writes_expenses": Mutation(
        "shared.expenses.apply:ExpenseWriting.write",
        Return(value=None),
        lacks="an expense that was promised is not written",
    ),
}
