"""Mutations of expenses."""

from collections.abc import Mapping
from typing import Final

from tests.simulation.mutation import Mutation
from tests.simulation.rules import Bypass, Never, Return

OF_EXPENSES: Final[Mapping[str, Mutation]] = {
    "takes_back_expenses": Mutation(
        "shared.expenses.store:_remove_withdrawn",
        Return(value=None),
        lacks="an expense stays whose message was withdrawn",
    ),
    "writes_expenses": Mutation(
        "shared.expenses.apply:ExpenseWriting.write",
        Return(value=None),
        lacks="an expense that was promised is not written",
    ),
    "keeps_newer_expenses": Mutation(
        "shared.conversation.thing_store:StagedThingStore.apply",
        Never("revision"),
        lacks="a late write puts back what a later turn has removed",
    ),
    "settles_once": Mutation(
        "shared.expenses.staging:ExpenseOverlay._open",
        Never("Settlement"),
        lacks="an expense is settled twice",
    ),
    "books_what_is_read_outside_by_a_tap": Mutation(
        "shared.tools.expenses:ExpenseTools._is_ordered",
        Return(value=True),
        lacks="what a picture says is booked as if a member had said it",
    ),
    "divides_to_the_last_unit": Mutation(
        "shared.tools.expense_arguments:divided",
        Bypass("_with_remainder"),
        lacks="what does not divide is lost",
    ),
}
