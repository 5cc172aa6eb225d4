"""Mutations of shared lists."""

from collections.abc import Mapping
from typing import Final

from tests.simulation.mutation import Mutation
from tests.simulation.rules import DropArgument, DropClause, Instead, Never, Return
from tests.simulation.stand_ins import decided_before

_PRESS: Final = "shared.handlers.list_press:ListPressHandler"

OF_LISTS: Final[Mapping[str, Mutation]] = {
    "clears_only_what_is_ticked": Mutation(
        "shared.knowledge.shared_lists:is_ticked",
        Return(value=True),
        lacks="a clear deletes what is open",
    ),
    "puts_an_item_there_once": Mutation(
        "shared.knowledge.list_editor:_row_of",
        Return(value=None),
        lacks="an item that is open on its list is put there again",
    ),
    "clears_what_a_press_was_told": Mutation(
        f"{_PRESS}._cleared",
        DropArgument("replace", "stage"),
        lacks="a press is told that what is ticked was deleted, and it stands there all the same",
    ),
    "ticks_together_what_waits": Mutation(
        "shared.handlers.tick_press:_WaitingPresses.beside",
        Never("conversation_id"),
        lacks="who ticks eight items is answered by eight bubbles",
    ),
    "covers_what_is_ticked_together": Mutation(
        "shared.handlers.tick_press:TickPressHandler._decided",
        DropArgument("Announcement", "pressed_ids"),
        lacks="a press whose item another press has ticked, too, is told that the item was done before",
    ),
    "tells_of_a_late_tick": Mutation(
        "shared.handlers.tick_press:TickPressHandler._late",
        Return(value=None),
        lacks="a press whose token dies before the chat's turn is free changes nothing, and nobody is told",
    ),
    "tells_of_late_ticks_once": Mutation(
        "shared.agent.refiling:postponed_of_one_text",
        DropClause("said_once_as"),
        lacks="each of several such presses is told of in the same words",
    ),
    "decides_a_clear_while_the_turn_is_held": Mutation(
        f"{_PRESS}.__call__",
        Instead("partial", decided_before),
        lacks="a press clears an item as it was before the turn that the press waited for",
    ),
}
