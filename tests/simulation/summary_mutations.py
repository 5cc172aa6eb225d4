"""Mutations of summaries on a schedule."""

from collections.abc import Mapping
from typing import Final

from tests.simulation.mutation import Mutation
from tests.simulation.rules import DropArgument, DropClause, Instead, Never, Return, Skip
from tests.simulation.stand_ins import group_for_everybody, push_without_a_note

_DELIVERY: Final = "shared.reminders.delivery:ReminderDelivery"
_SUMMARY: Final = "shared.reminders.chat_summary:_SummaryDelivery"

OF_SUMMARIES: Final[Mapping[str, Mutation]] = {
    "records_told_summaries": Mutation(
        f"{_SUMMARY}._summary",
        DropArgument("OutcomeRecord", "reminders"),
        lacks="a summary that was told is told with every message",
    ),
    "says_once_that_the_budget_forbids_summaries": Mutation(
        f"{_SUMMARY}._limit_told",
        DropClause("limit_told_on"),
        lacks="every message is told that the day's budget forbids a summary",
    ),
    "says_that_the_budget_forbids_a_summary": Mutation(
        f"{_SUMMARY}._limit_told",
        Return(value=None),
        lacks="a summary that the day's budget forbids passes in silence",
    ),
    "checks_what_is_pushed": Mutation(
        f"{_DELIVERY}._deliver_to_chat",
        Never("is_affected_since"),
        lacks="a summary is pushed with a message that was withdrawn while the model summed it up",
    ),
    "tells_summaries_that_no_tick_made": Mutation(
        f"{_DELIVERY}._deliver_to_chat",
        Skip("_leave", nth=1, of=3),
        lacks="a summary that the model did not make in time for a push is never told",
    ),
    "gives_up_summaries_that_kill": Mutation(
        f"{_DELIVERY}._deliver_to_chat",
        DropClause("_reason_to_give_up"),
        lacks="a summary that kills every worker is made again by every tick, for ever",
    ),
    "gives_up_private_summaries_that_kill": Mutation(
        f"{_DELIVERY}._deliver_in_private",
        DropClause("_reason_to_give_up"),
        lacks="the same of a summary for one member",
    ),
    "gives_up_waiting_summaries_that_kill": Mutation(
        f"{_SUMMARY}._summary",
        Never("workers_trying"),
        lacks="a summary that kills every worker kills that of each message to which nobody answers, for ever",
    ),
    "counts_tries_before_they_kill": Mutation(
        f"{_SUMMARY}._summary",
        Never("begin_try"),
        lacks="the same, because a worker that dies has counted no try",
    ),
    "counts_what_nobody_asked_for_once": Mutation(
        "shared.turns.runner:TurnRunner.try_once",
        DropArgument("open_turn", "is_unasked"),
        lacks="a question gets an apology without a request, because a summary killed three workers",
    ),
    "says_once_that_a_summary_kills": Mutation(
        f"{_SUMMARY}._failure_told",
        DropArgument("OutcomeRecord", "reminders"),
        lacks="every message is told that a summary could not be made",
    ),
    "counts_no_tries_of_workers_that_live": Mutation(
        f"{_SUMMARY}.take_turn",
        Skip("end_try"),
        lacks="a summary is given up because the model is down for some minutes",
    ),
    "says_that_nobody_knows_of_a_push": Mutation(
        f"{_DELIVERY}._leave",
        Skip("_note_unknown_push"),
        lacks="history knows nothing of a summary that was pushed, and given up after its worker had died",
    ),
    "notes_that_a_push_comes": Mutation(
        f"{_DELIVERY}._deliver_to_chat",
        Instead("_reach_push", push_without_a_note),
        lacks="a summary that was pushed, and given up after its worker had died, is told again",
    ),
    "notes_that_no_push_has_come": Mutation(
        f"{_DELIVERY}._claim",
        DropArgument("Claim", "has_reached_push"),
        lacks="a summary whose worker died before its push is never told",
    ),
    "pushes_to_who_asked": Mutation(
        f"{_DELIVERY}._deliver_in_private",
        Instead("of", group_for_everybody),
        lacks="what a member asked for alone is told to the group",
    ),
    "asks_again_who_is_a_member": Mutation(
        f"{_DELIVERY}._deliver_in_private",
        Never("_refusal_in_private"),
        lacks="a summary is pushed to a member who left while the model made it",
    ),
    "keeps_private_summaries_from_the_group": Mutation(
        "shared.reminders.chat_summary:_waits",
        DropClause("is_private"),
        lacks="a summary for one member that could not be pushed is told with the group's next message",
    ),
    "says_that_a_push_is_unknown": Mutation(
        f"{_DELIVERY}._tell_undeliverable",
        Skip("_note_unknown_push"),
        lacks="history knows nothing of a summary for one member that was pushed, and given up after its worker had died",
    ),
    "notes_that_a_private_push_comes": Mutation(
        f"{_DELIVERY}._deliver_in_private",
        Instead("_reach_push", push_without_a_note),
        lacks="the same, because the claim does not say that the push was reached",
    ),
    "checks_what_is_pushed_in_private": Mutation(
        f"{_DELIVERY}._deliver_in_private",
        Never("is_affected_since"),
        lacks="a summary for one member is pushed with a message that was withdrawn while the model summed it up",
    ),
    "sums_up_where_the_model_was_silent": Mutation(
        "shared.reminders.chat_summary:NextMessageSummary.__call__",
        DropClause("_has_chosen_silence"),
        lacks="where the model reads each message, no message brings a summary",
    ),
    "tells_summaries_with_messages": Mutation(
        "shared.reminders.delivery:ReminderDelivery._reason_to_postpone",
        Never("is_pushed"),
        lacks="the title of a summary is pushed at its time, as the text of a reminder",
    ),
}
