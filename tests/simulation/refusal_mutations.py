"""Mutations of what helps where the model's provider refuses a prompt."""

from collections.abc import Mapping
from typing import Final

from tests.simulation.mutation import Mutation
from tests.simulation.rules import Bypass, DropArgument, DropClause, Return, Skip

_CULPRITS: Final = "shared.agent.culprits"
_RESPONDER: Final = "shared.agent.responder"

OF_REFUSALS: Final[Mapping[str, Mutation]] = {
    "asks_with_only_what_is_asked": Mutation(
        f"{_RESPONDER}:AgentResponder._think",
        DropArgument("think", "asked_only"),
        lacks="one blocked word is the answer to every question whose prompt holds it",
    ),
    "shows_what_was_missed_beside_a_refusal": Mutation(
        f"{_RESPONDER}:AgentResponder._think",
        Bypass("_with_read"),
        lacks="a blocked word anywhere in the chat takes from /catchup all that was missed",
    ),
    "answers_without_what_was_missed": Mutation(
        f"{_RESPONDER}:AgentResponder._think",
        DropArgument("think", "unread"),
        lacks="/catchup is refused, as if its sender had written the blocked word of another member",
    ),
    "marks_what_is_refused": Mutation(
        f"{_CULPRITS}:Culprits._mark_culprits",
        Skip("refuse"),
        lacks="a blocked word costs every later question a refused request and a search",
    ),
    "answers_beside_what_is_refused": Mutation(
        f"{_RESPONDER}:AgentResponder._answer_others",
        Return(value=None),
        lacks="what is asked beside a blocked word is refused with it",
    ),
    "shows_no_card_below_a_refusal": Mutation(
        "shared.agent.responder:AgentResponder._with_notice",
        DropArgument("replace", "offer"),
        lacks="below the apology to who asked with blocked words stands the card of what another member had asked for",
    ),
    "says_what_is_left_out": Mutation(
        f"{_RESPONDER}:AgentResponder._answer_others",
        Bypass("_with_notice"),
        lacks="an answer does not say that it leaves out a question about blocked words",
    ),
    "asks_without_media": Mutation(
        "shared.agent.turn_contents:TurnContents.has_media",
        Return(value=False),
        lacks="every question within five minutes of a broken picture gets an apology",
    ),
    "keeps_refused_media_out": Mutation(
        "shared.agent.turn_contents:TurnContents.begin_with",
        Bypass("_fitting"),
        lacks="a broken picture comes back with only what is asked, and its question gets an apology",
    ),
    "marks_broken_media": Mutation(
        f"{_CULPRITS}:Culprits._mark_culprits",
        Skip("mark_as_refused"),
        lacks="a broken picture is shown again, and costs every question a refused request",
    ),
    "asks_the_second_model": Mutation(
        "shared.agent.turn_requests:TurnRequests._is_possible",
        Return(value=False),
        lacks="the second model is not asked while the first one asks for a pause",
    ),
    "takes_marks_with_what_they_are_about": Mutation(
        "shared.conversation.snapshot:cleaned",
        Bypass("standing"),
        lacks="the mark of a blocked message outlasts its withdrawal",
    ),
    "forgets_marks_of_edited_words": Mutation(
        "shared.conversation.refusals:Refusal.stands",
        DropClause("edited_ms"),
        lacks="what a blocked message says after an edit is never shown",
    ),
}
