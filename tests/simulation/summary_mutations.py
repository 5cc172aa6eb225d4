"""Mutations of summaries on a schedule."""

from collections.abc import Mapping
from typing import Final

from tests.simulation.mutation import Mutation
from tests.simulation.rules import DropArgument, Never

_SUMMARY: Final = "shared.reminders.chat_summary:_SummaryDelivery"

OF_SUMMARIES: Final[Mapping[str, Mutation]] = {
    "records_told_summaries": Mutation(
        f"{_SUMMARY}._made",
        DropArgument("OutcomeRecord", "reminders"),
        lacks="a summary that was told is told with every message",
    ),
    "checks_what_is_pushed": Mutation(
        "shared.reminders.delivery:ReminderDelivery._deliver",
        Never("is_affected_since"),
        lacks="a summary is pushed with a message that was withdrawn while the model summed it up",
    ),
    "tells_summaries_with_messages": Mutation(
        "shared.reminders.delivery:ReminderDelivery._reason_to_postpone",
        Never("is_pushed"),
        lacks="the title of a summary is pushed at its time, as the text of a reminder",
    ),
}
