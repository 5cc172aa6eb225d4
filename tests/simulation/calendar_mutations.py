"""Mutations of calendars."""

from collections.abc import Mapping
from typing import Final

from tests.simulation.mutation import Mutation
from tests.simulation.rules import DropArgument, DropClause, Instead, Never, Return, Skip
from tests.simulation.stand_ins import write_or_make_again

OF_CALENDARS: Final[Mapping[str, Mutation]] = {
    "marks_feeds": Mutation(
        "shared.calendars.apply:CalendarWriting.finish",
        Return(value=True),
        lacks="a feed does not follow what turns write",
    ),
    "shows_meetings": Mutation(
        "shared.calendars.items:_of_meetings",
        Never("starts_ms"),
        lacks="a meeting is in no calendar",
    ),
    "leaves_out_meetings_that_are_called_off": Mutation(
        "shared.calendars.items:_of_meetings",
        DropClause("is_called_off"),
        lacks="a meeting that does not take place stays in calendars",
    ),
    "tells_of_another_address": Mutation(
        "shared.handlers.calendar:CalendarHandler.renew_after",
        Skip("announce"),
        lacks="subscribers look at a calendar that has ended, and nobody says so",
    ),
    "tells_of_another_address_once": Mutation(
        "shared.calendars.new_address:_AddressDelivery.take_turn",
        DropArgument("OutcomeRecord", "answers"),
        lacks="each message is told again that the address has changed",
    ),
    "cleans_feeds": Mutation(
        "shared.calendars.words:_remove_withdrawn",
        Skip("clean"),
        lacks="a withdrawn reminder stays in the feed",
    ),
    "stops_ticks_that_read_before": Mutation(
        "shared.calendars.store:CalendarStore.clean",
        Never("is_being_written"),
        lacks="a slow tick brings withdrawn words back into a feed",
    ),
    "says_that_it_writes_feeds": Mutation(
        "shared.calendars.store:CalendarStore.begin_writing",
        DropArgument("replace", "is_being_written"),
        lacks="no withdrawal knows that a tick is about to write words that it has read",
    ),
    "writes_feeds_by_swap": Mutation(
        "shared.calendars.store:CalendarStore.swap_feed",
        Instead("replace", write_or_make_again),
        lacks="a slow tick makes a feed anew that was deleted meanwhile",
    ),
    "ends_feeds_with_their_calendar": Mutation(
        "shared.calendars.store:CalendarStore.remove",
        Skip("self.delete_feed"),
        lacks="an address that was ended goes on, and its feed outlives the chat",
    ),
    "ends_feeds_of_earlier_tokens": Mutation(
        "shared.calendars.store:CalendarStore.delete_retired",
        Skip("self.delete_feed"),
        lacks="a member who left reads on",
    ),
}
