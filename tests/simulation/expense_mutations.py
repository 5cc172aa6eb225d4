"""Mutations of expenses."""

from collections.abc import Mapping
from typing import Final

from tests.simulation.mutation import Mutation
from tests.simulation.rules import Bypass, DropArgument, Instead, Never, Return
from tests.simulation.stand_ins import decided_before

_PRESS: Final = "shared.handlers.settle_press:SettlePressHandler"

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
    "tells_of_a_late_settlement": Mutation(
        f"{_PRESS}._late",
        Return(value=None),
        lacks="a press that settles, and whose token dies before the chat's turn is free, settles nothing, and nobody is told",
    ),
    "settles_once": Mutation(
        "shared.expenses.staging:ExpenseOverlay._open",
        Never("Settlement"),
        lacks="an expense is settled twice",
    ),
    "settles_what_a_press_was_told": Mutation(
        f"{_PRESS}._decided",
        DropArgument("Announcement", "stage"),
        lacks="a press is told that everything is settled, and it is open all the same",
    ),
    "settles_what_its_card_shows": Mutation(
        "shared.handlers.settle_press:_Reading.is_as_shown",
        Return(value=True),
        lacks="a press settles an expense that its card does not show",
    ),
    "decides_a_settlement_while_the_turn_is_held": Mutation(
        f"{_PRESS}.__call__",
        Instead("partial", decided_before),
        lacks="a press settles as things were before the turn that the press waited for",
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
