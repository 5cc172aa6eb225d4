"""Mutations of polls."""

from collections.abc import Mapping
from typing import Final

from tests.simulation.mutation import Mutation
from tests.simulation.rules import Always, Bypass, DropArgument, DropClause, DropItem, Never, Once, Return, Skip

_PRESS: Final = "shared.handlers.vote_press"

OF_POLLS: Final[Mapping[str, Mutation]] = {
    "tells_of_a_late_press_of_a_poll": Mutation(
        f"{_PRESS}:VotePressHandler._late",
        Return(value=None),
        lacks="a vote whose standing was not told in time is never told of",
    ),
    "leaves_a_late_press_to_a_newer_one": Mutation(
        f"{_PRESS}:VotePressHandler._late",
        DropClause("is_left_to_newer"),
        lacks="a vote that a newer press tells is said not to have been told",
    ),
    "opens_no_poll_in_silence": Mutation(
        "shared.tools.core:_is_told_in_groups",
        Return(value=False),
        lacks="a poll stands open, and no card with its buttons is in the chat",
    ),
    "counts_every_press": Mutation(
        f"{_PRESS}:VotePressHandler.__call__",
        Skip("record"),
        lacks="a press is answered and does not count",
    ),
    "tells_the_last_press": Mutation(
        f"{_PRESS}:is_told",
        Return(value=True),
        lacks="no press tells the standing",
    ),
    "tells_again_after_20_s": Mutation(
        f"{_PRESS}:VotePressHandler._wait_ms",
        Return(value=0),
        lacks="each of many presses tells the standing",
    ),
    "goes_on_with_its_own_claim": Mutation(
        f"{_PRESS}:_is_claimed_by",
        Return(value=False),
        lacks="a press waits for its own claim to end, and its token dies",
    ),
    "leaves_telling_to_the_newest": Mutation(
        f"{_PRESS}:is_left_to_newer",
        Return(value=False),
        lacks="a press tells what a newer press is about to tell",
    ),
    "waits_until_it_is_sent": Mutation(
        f"{_PRESS}:is_told",
        DropClause("is_sent"),
        lacks="nobody tells what a worker had claimed to tell that died",
    ),
    "tells_a_press_that_comes_late": Mutation(
        f"{_PRESS}:is_left_to_newer",
        Bypass("max"),
        lacks="a press that comes after a newer press was told is told by neither",
    ),
    "tells_who_waits_now": Mutation(
        f"{_PRESS}:is_told",
        DropClause("members_waiting"),
        lacks="a press that comes late costs a member the place, and nobody is told",
    ),
    "keeps_votes_that_may_count_late": Mutation(
        "shared.polls.poll:_is_settled",
        Return(value=True),
        lacks="a member loses a place to a press that comes late, because an older press was deleted",
    ),
    "waits_for_the_poll": Mutation(
        f"{_PRESS}:_writes_poll",
        Return(value=False),
        lacks="a press is refused whose poll was shown and is not written yet",
    ),
    "waits_no_longer_than_the_outcome": Mutation(
        "shared.turns.committed:_CommittedWork.result_in",
        Return(value=None),
        lacks="a press waits for a poll that was taken back after it was written, until it is a dead letter",
    ),
    "ends_polls": Mutation(
        "shared.polls.poll:Poll.is_closed",
        Return(value=False),
        lacks="a press counts after the end of its poll",
    ),
    "counts_what_was_given_in_time": Mutation(
        "shared.polls.poll:Poll.votes_in_time",
        Always("is_closed"),
        lacks="a press counts that came between the end of its poll and the write that says so",
    ),
    "tells_what_was_left_to_a_late_press": Mutation(
        f"{_PRESS}:VotePressHandler._tell_in_time",
        Always("_is_same_standing"),
        lacks="a press was left to one that came after the end, and nobody records it as told",
    ),
    "takes_back_polls": Mutation(
        "shared.conversation.thing_store:ThingStore._is_withdrawn",
        Return(value=False),
        lacks="a poll stays whose question was withdrawn",
    ),
    "takes_back_votes": Mutation(
        "shared.polls.store:is_vote_withdrawn",
        Return(value=False),
        lacks="the vote of a member who was forgotten stays",
    ),
    "looks_after_a_vote": Mutation(
        f"{_PRESS}:VotePressHandler.__call__",
        Never("is_vote_withdrawn"),
        lacks="a vote is left of a poll that was withdrawn meanwhile",
    ),
    "keeps_the_place_in_the_queue": Mutation(
        "shared.polls.poll:_is_change",
        Return(value=True),
        lacks="who presses once more to take part goes to the end of the queue",
    ),
    "says_who_moved_up": Mutation(
        f"{_PRESS}:VotePressHandler._record",
        DropArgument("replace", "waiting"),
        lacks="a member who moves up is not told",
    ),
    "records_who_waits_under_a_newer_claim": Mutation(
        f"{_PRESS}:VotePressHandler._record",
        Skip("record_told"),
        lacks="a member moves up and is not told, because another press had claimed before the member was told to wait",
    ),
    "records_what_is_told_within_the_turn": Mutation(
        "shared.turns.outbox:Outbox.finish",
        Skip("on_sent"),
        lacks="the next turn does not know who was told to wait for a place",
    ),
    "reminds_of_meetings": Mutation(
        "shared.tools.polls:PollTools._meet",
        Never("remind_minutes_before"),
        lacks="nobody is reminded of a meeting although a member asked for that",
    ),
    "calls_off_the_reminder_of_a_meeting": Mutation(
        "shared.tools.polls:PollTools._call_off",
        DropItem("reminder_id"),
        lacks="members are reminded of a meeting that does not take place",
    ),
    "tells_results_with_messages": Mutation(
        "shared.reminders.chat_summary:_SummaryDelivery._results_of_polls",
        Return(value=None),
        lacks="the result of a poll is not told with the chat's next message",
    ),
    "tells_all_results_with_a_message": Mutation(
        "shared.reminders.chat_summary:_SummaryDelivery._results_of_polls",
        Once("_waiting"),
        lacks="of two polls that end at the same time, the result of one waits for another message",
    ),
    "tells_results_although_the_turn_does_not_rest": Mutation(
        "shared.reminders.chat_summary:NextMessageSummary.__call__",
        DropClause("_asks_model"),
        lacks="the result of a poll does not come with a message soon after an interjection",
    ),
    "keeps_the_telling_of_results": Mutation(
        "shared.tools.reminders:_check_ends_no_poll",
        Never("POLL"),
        lacks="a model cancels the telling of a poll's result, without a receipt",
    ),
    "takes_back_a_poll_with_its_closing": Mutation(
        "shared.agent.staged:Staged.as_one_step",
        Skip("_merge"),
        lacks="an undo in the turn that makes a poll leaves the telling of its result",
    ),
    "writes_polls": Mutation(
        "shared.polls.apply:PollWriting._write_poll",
        Return(value=None),
        lacks="a poll that was promised is not written",
    ),
}
