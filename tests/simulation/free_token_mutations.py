"""Mutations of what is told on the token of a message that nobody answers."""

from collections.abc import Mapping
from typing import Final

from tests.simulation.mutation import Mutation
from tests.simulation.rules import Always, DropClause

OF_FREE_TOKENS: Final[Mapping[str, Mutation]] = {
    "tells_one_thing_on_a_token": Mutation(
        "shared.turns.free_token:FreeTokenWork.result_in",
        DropClause("is_told_on_token_of"),
        lacks="a notice is sent on the token on which another delivery of the message has told a summary",
    ),
    "answers_on_no_used_token": Mutation(
        "shared.turns.reply:_ReplyDelivery._pending",
        Always("is_told_on_token_of"),
        lacks="a message whose quote shows late that it is for the bot is answered on the token on which a notice was shown",
    ),
    "uses_the_token_of_silence": Mutation(
        "shared.turns.free_token:may_be_spent_by_answer",
        DropClause("_was_met_by_silence"),
        lacks="where the model reads each message and has nothing to say, nothing is told on their tokens",
    ),
    "translates_on_no_used_token": Mutation(
        "shared.translation.turn:_MessageWork._waiting_messages",
        DropClause("is_told_on_token_of"),
        lacks="a translation is sent on the token on which the message told of a calendar's other address",
    ),
    "rests_after_an_interjection_that_killed": Mutation(
        "shared.turns.interjection:Interjection.__call__",
        DropClause("next_tries"),
        lacks="where the model reads each message, one that kills its worker kills that of each message after it",
    ),
    "interjects_on_no_used_token": Mutation(
        "shared.turns.interjection:_InterjectionDelivery.result_in",
        DropClause("is_told_on_token_of"),
        lacks="the model interjects on the token on which a notice was shown",
    ),
}
