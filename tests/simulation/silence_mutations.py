"""Mutations of pauses and handovers."""

from collections.abc import Mapping
from typing import Final

from tests.simulation.mutation import Mutation
from tests.simulation.rules import Never, Return, Skip

_SILENCES: Final = "shared.conversation.silences"
_REPLY: Final = "shared.turns.reply"

OF_SILENCES: Final[Mapping[str, Mutation]] = {
    "judges_by_the_timestamp": Mutation(
        f"{_SILENCES}:SilencesRecord.at",
        Return(value=None),
        lacks="what was sent in a pause is recorded when it is delivered afterwards",
    ),
    "keeps_silent_at_present": Mutation(
        f"{_SILENCES}:SilencesRecord.now",
        Return(value=None),
        lacks="an answer that was thought about when a pause began is sent in it",
    ),
    "tells_a_press_of_a_silence": Mutation(
        "shared.turns.attempt:Attempt._told_in_silence",
        Return(value=None),
        lacks="a press that a pause overtakes while the model thinks meets silence",
    ),
    "tells_a_tap_what_it_did_before_a_silence": Mutation(
        "shared.turns.follow_ups:FollowUpWatch.begin_act",
        Return(value=None),
        lacks="a tap that has made a page before a handover is told that nothing was done",
    ),
    "goes_on_with_writes_in_a_pause": Mutation(
        "shared.turns.outbox:Outbox._keep_silent",
        Never("may_have_arrived"),
        lacks="a pause leaves half of what a dead worker's answer had said that it did",
    ),
    "takes_back_what_a_pause_covers": Mutation(
        f"{_REPLY}:Reply._silenced",
        Skip("withdraw"),
        lacks="words of a pause stay that an instance recorded before it knew of the pause",
    ),
    "takes_back_what_a_dead_worker_recorded": Mutation(
        "shared.handlers.message:MessageHandler._in_silence",
        Skip("withdraw"),
        lacks="words of a pause stay that a worker recorded before it died",
    ),
    "makes_context_of_a_handover": Mutation(
        f"{_REPLY}:Reply._silenced",
        Skip("mark_as_context"),
        lacks="a message that a person has answered is answered again after the handover",
    ),
    "releases_reminders": Mutation(
        "shared.handlers.silence:SilenceHandler.carry_out",
        Skip("release_reminders"),
        lacks="a reminder that waited for the end of a pause comes up to an hour late",
    ),
    "postpones_reminders": Mutation(
        "shared.reminders.delivery:ReminderDelivery.__call__",
        Skip("postpone"),
        lacks="a reminder that is due in a pause is never said",
    ),
}
