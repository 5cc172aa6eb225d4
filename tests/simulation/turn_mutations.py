"""Mutations of `shared/turns/`."""

from collections.abc import Mapping
from typing import Final

from tests.simulation.mutation import Mutation
from tests.simulation.rules import (
    Always,
    Bypass,
    DropArgument,
    DropClause,
    DropItem,
    Instead,
    Never,
    Once,
    ReplaceConstant,
    Return,
    Skip,
    Within,
)
from tests.simulation.stand_ins import (
    acknowledge_all,
    acknowledge_while_held,
    amend_without_writing,
    apply_nothing,
    count_the_thinking_alone,
    go_to_any_day,
    hold_without_writing,
    is_never_asked_anew,
    new_key,
    say_nothing,
    show_everything,
    take_as_shown,
    tell_no_time,
    think_and_reply,
    wait_a_whole_interval,
)

_ANNOUNCEMENT: Final = "shared.turns.announcement"
_ATTEMPT: Final = "shared.turns.attempt"
_AGENDA: Final = "shared.turns.agenda"
_FOLLOW_UPS: Final = "shared.turns.follow_ups"
_INTERJECTION: Final = "shared.turns.interjection"
_LEASE: Final = "shared.turns.lease"
_OUTBOX: Final = "shared.turns.outbox"
_REPLY: Final = "shared.turns.reply"
_ROOM: Final = "shared.turns.waiting_room"
_RUNNER: Final = "shared.turns.runner"

OF_TURNS: Final[Mapping[str, Mutation]] = {
    "waits_for_listed_reminders": Mutation(
        f"{_RUNNER}:TurnRunner._take_turn",
        DropClause("writes_reminders"),
        lacks="no prompt lists a reminder that was written between the listing and the opening of a turn",
    ),
    "drops_what_was_taken_back": Mutation(
        f"{_REPLY}:_ReplyDelivery.apply_amendments",
        Skip("drop"),
        lacks="an addressed message whose unsend was handled first stays in the journal",
    ),
    "acknowledges_own_only": Mutation(
        f"{_RUNNER}:TurnRunner.run",
        Instead("_advance", acknowledge_while_held),
        lacks="a delivery that finds the turn held is acknowledged before its message has an outcome",
    ),
    "lets_older_commands_go_first": Mutation(
        f"{_ROOM}:WaitingRoom.has_older_command",
        Return(value=False),
        lacks="a command waits for questions that came after it, each of which the model thinks about",
    ),
    "has_crowded_out_commands_come_again": Mutation(
        f"{_ANNOUNCEMENT}:_AnnouncementDelivery.hand_over",
        Never("is_doubled"),
        lacks="of more presses than may wait in one instance, the oldest are acknowledged and never carried out",
    ),
    "finishes_own_outcome": Mutation(
        f"{_REPLY}:_ReplyDelivery.result_in",
        Never("answered_ids"),
        lacks="a committed outcome is never recorded once its messages are too old to be answered",
    ),
    "waits_for_live_holder": Mutation(
        f"{_RUNNER}:TurnRunner._is_held",
        Return(value=False),
        lacks="a turn is opened while the lease of its holder still runs",
    ),
    "looks_before_model": Mutation(
        "shared.turns.basis:Basis.begin_check",
        Never("is_valid"),
        lacks="a prompt is built from a view that is older than the unsend",
    ),
    "looks_beside_model": Mutation(
        "shared.turns.basis:Basis._end_check",
        Skip("_check_amended"),
        lacks="an edit between the listing of the chat and the opening of its turn is not seen",
    ),
    "renews_lease": Mutation(
        f"{_ATTEMPT}:Attempt.renew_lease",
        Skip("lease.renew"),
        lacks="the lease ends while a slow model answers",
    ),
    "renews_at_once": Mutation(
        f"{_LEASE}:Lease.renew",
        Once("SWAP_ATTEMPTS"),
        lacks="a renewal that lost its swap to an unsend is retried only after a pause, when the lease is nearly over",
    ),
    "stops_before_lease_ends": Mutation(
        f"{_LEASE}:Lease.is_over",
        Return(value=False),
        lacks="a holder that slept through its lease continues",
    ),
    "checks_holder_on_commit": Mutation(
        f"{_LEASE}:Lease._catch_up",
        Never("holder"),
        lacks="a lost swap is retried on a turn that has another holder",
    ),
    "heeds_cancelled": Mutation(
        f"{_LEASE}:Lease.commit",
        Never("is_amended"),
        lacks="a commit is retried although the unsend or edit that won the swap concerns its prompt",
    ),
    "commits_before_send": Mutation(
        f"{_REPLY}:_ReplyDelivery._attempt",
        Instead("_think", think_and_reply),
        lacks="the reply token is spent before the outcome is committed",
    ),
    "stops_before_send": Mutation(
        f"{_OUTBOX}:Outbox._send",
        Never("is_over"),
        lacks="an answer is sent after the lease, on a look that is too old",
    ),
    "withdraws_when_taken_over": Mutation(
        f"{_OUTBOX}:Outbox._withhold",
        Always("may_have_arrived"),
        lacks="after a takeover, a withdrawn outcome that may have been sent is answered again",
    ),
    "looks_before_send": Mutation(
        f"{_OUTBOX}:Outbox.finish",
        Never("redact"),
        lacks="an answer is sent although its question was withdrawn before the commit",
    ),
    "looks_again_after_a_slow_commit": Mutation(
        f"{_OUTBOX}:Outbox.finish",
        Never("is_recent"),
        lacks="an answer is sent on a look from before an unsend, because its commit took long",
    ),
    "takes_over_by_swap": Mutation(
        f"{_RUNNER}:take_over",
        Instead("_write_lease", hold_without_writing),
        lacks="after a takeover, both the new and the slow holder finish the outcome",
    ),
    "first_400_is_refused": Mutation(
        f"{_OUTBOX}:spend_reply_token",
        Within("refused", Within("SendResult", Always())),
        lacks="an expired token counts as an answer",
    ),
    "young_repeated_400_is_spent": Mutation(
        f"{_OUTBOX}:spend_reply_token",
        Within("surely_alive_until_ms", ReplaceConstant(value=True, by=False)),
        lacks="an answer that arrived counts as refused",
    ),
    "late_repeated_400_is_unknown": Mutation(
        f"{_OUTBOX}:spend_reply_token",
        Within("surely_alive_until_ms", ReplaceConstant(value=None, by=False)),
        lacks="an answer whose fate is unknown counts as refused",
    ),
    "repeats_while_line_is_down": Mutation(
        f"{_OUTBOX}:reply_deadline",
        Instead("alive_s", tell_no_time),
        lacks="an answer is given up after ten seconds although its token lives",
    ),
    "looks_before_it_repeats": Mutation(
        f"{_OUTBOX}:Outbox._reply",
        DropArgument("spend_reply_token", "may_repeat"),
        lacks="words that were withdrawn while LINE was down are sent once it is back",
    ),
    "apologises_for_the_model": Mutation(
        "shared.agent.responder:AgentResponder._apology",
        Instead("with_fixed_text", say_nothing),
        lacks="nothing is said where the model is down",
    ),
    "refuses_while_the_bucket_is_down": Mutation(
        "shared.bus.endpoint:PushEndpoint.__call__",
        Instead("_dispatch", acknowledge_all),
        lacks="a message that the bucket failed is not delivered again",
    ),
    "asks_the_budget": Mutation(
        "shared.metering:Metering.request",
        Skip("gate.check"),
        lacks="requests go on after the budget is spent",
    ),
    "keeps_charges_in_doubt": Mutation(
        "shared.conversation.turn:Turn.swap",
        Skip("ledger.doubt"),
        lacks="what a failed write of the turn was to charge is spent again",
    ),
    "goes_to_no_day_before": Mutation(
        "shared.conversation.turn:Turn.spending",
        Instead("on", go_to_any_day),
        lacks="two instances renew a budget in turns at midnight",
    ),
    "uses_retry_key": Mutation(
        f"{_OUTBOX}:Outbox._push",
        Instead("uuid5", new_key),
        lacks="a repeated push is shown to the user twice",
    ),
    "pushes_young_only": Mutation(
        f"{_OUTBOX}:Outbox._push",
        Never("_is_young"),
        lacks="an answer is pushed more than 20 minutes after its question",
    ),
    "dead_holders_young_400_is_spent": Mutation(
        f"{_OUTBOX}:Outbox._reply",
        DropArgument("spend_reply_token", "may_have_arrived"),
        lacks="an answer that a dead holder sent counts as refused",
    ),
    "dead_holders_late_400_is_unknown": Mutation(
        f"{_OUTBOX}:spend_reply_token",
        Within("surely_alive_until_ms", ReplaceConstant(value=None, by=True)),
        lacks="after a takeover, an expired token counts as an answer",
    ),
    "tries_next_route": Mutation(
        f"{_OUTBOX}:Outbox._send",
        Once("spare"),
        lacks="the answer is lost when the first token has expired",
    ),
    "commits_route": Mutation(
        f"{_OUTBOX}:Outbox._send",
        Instead("amend", amend_without_writing),
        lacks="the next token is used before the turn names it",
    ),
    "greets_once": Mutation(
        f"{_ANNOUNCEMENT}:_AnnouncementDelivery.result_in",
        Never("recorded"),
        lacks="a redelivered event is greeted again",
    ),
    "greets_who_is_there": Mutation(
        f"{_ANNOUNCEMENT}:_AnnouncementDelivery.result_in",
        Never("is_affected_by"),
        lacks="a chat that the bot has left is greeted",
    ),
    "defers": Mutation(
        f"{_ATTEMPT}:Attempt._until_deferral_s",
        Always("late_reply"),
        lacks="the token expires while the model answers",
    ),
    "asks_delivered_already": Mutation(
        f"{_AGENDA}:_delivered_deferrals",
        Never("offer.is_deferral"),
        lacks="a second press shows the same answer again",
    ),
    "tells_that_it_forgot": Mutation(
        "shared.turns.ready_answers:ReadyAnswers.find",
        Within("notice", DropArgument("replace", "text")),
        lacks="a press whose question has left the memory gets no answer",
    ),
    "keeps_roots": Mutation(
        f"{_ATTEMPT}:Attempt._defer",
        DropItem("draft.answers"),
        lacks="the deferral of a deferral does not name the first one",
    ),
    "looks_before_storing": Mutation(
        f"{_ATTEMPT}:Attempt.store",
        Never("is_amended"),
        lacks="a stored answer keeps words that were withdrawn while the model answered",
    ),
    "outcomes_tell_what_they_saw": Mutation(
        f"{_ATTEMPT}:Attempt.begin",
        DropArgument("replace", "provenance"),
        lacks="an outcome that repeats a withdrawn message of its prompt keeps the words",
    ),
    "outcomes_tell_since_when": Mutation(
        "shared.conversation.provenance:Provenance.union",
        DropArgument("cls", "since_ms"),
        lacks="an outcome that repeats erased words keeps them",
    ),
    "outcomes_tell_which_entries": Mutation(
        "shared.conversation.history:History.provenance",
        DropArgument("replace", "entries_since_ms"),
        lacks="an answer that repeats an entry and was given before a late erasure keeps it",
    ),
    "applies_staged_writes": Mutation(
        f"{_OUTBOX}:Outbox._apply_staged",
        Instead("staged.apply", apply_nothing),
        lacks="what a turn filed is never written",
    ),
    "answers_a_flood": Mutation(
        "shared.turns.flood:Floods.wait_for_end",
        Return(value=None),
        lacks="a flood gets no answer",
    ),
    "interjects_once": Mutation(
        f"{_INTERJECTION}:_InterjectionDelivery.result_in",
        DropClause("covered"),
        lacks="a message that is delivered again is interjected about again",
    ),
    "interjects_over_nothing": Mutation(
        f"{_INTERJECTION}:_InterjectionDelivery.result_in",
        DropClause("unfinished"),
        lacks="an interjection takes the turn before the last outcome is recorded",
    ),
    "commits_what_is_kept": Mutation(
        f"{_LEASE}:Lease.commit",
        Always("is_amended"),
        lacks="a turn is thought again although nothing of its prompt was taken back",
    ),
    "hands_over": Mutation(
        f"{_REPLY}:_ReplyDelivery.hand_over",
        Return(value=None),
        lacks="a delivery that waited in vain for the turn fails",
    ),
    "marks_what_is_handed_over": Mutation(
        f"{_REPLY}:Reply.hand_over",
        Skip("mark"),
        lacks="a message that was handed over is answered by chance only",
    ),
    "resumes_what_was_handed_over": Mutation(
        f"{_REPLY}:Reply.resume",
        Skip("_run"),
        lacks="the same",
    ),
    "inherits_what_was_handed_over": Mutation(
        f"{_ROOM}:_hand_to_newest",
        Skip("inherits.update"),
        lacks="a message meets silence where those that took its place are withdrawn",
    ),
    "answers_whose_places_it_took": Mutation(
        f"{_REPLY}:_ReplyDelivery.unanswered",
        Return(value=""),
        lacks="a message whose place went to a newer one, which another instance answers, waits for a tick",
    ),
    "answers_what_no_turn_read": Mutation(
        f"{_REPLY}:_ReplyDelivery.unanswered",
        DropClause("_is_beyond"),
        lacks="of more messages than a turn reads, those that lost their places wait for a tick",
    ),
    "answers_each_that_is_left": Mutation(
        f"{_REPLY}:Reply._run",
        Always("EventResult.HANDED_OVER"),
        lacks="the same, from the second one on",
    ),
    "gives_up_its_place": Mutation(
        f"{_ROOM}:WaitingRoom.place",
        Never("PLACES"),
        lacks="deliveries of one chat that wait hold the threads of all",
    ),
    "isolates_after_deaths": Mutation(
        f"{_REPLY}:_ReplyDelivery._attempt",
        Instead("isolated", show_everything),
        lacks="a question is not answered because another message in its prompt kills workers",
    ),
    "carries_out_once": Mutation(
        f"{_AGENDA}:_agenda_of_tap",
        Never("_is_pressed"),
        lacks="a change that was proposed is carried out by every press of its button",
    ),
    "carries_out_beside_another_question": Mutation(
        f"{_AGENDA}:_is_pressed",
        DropClause("answered_ids"),
        lacks="a change that was proposed is not carried out, because a question of the same answer was declined",
    ),
    "carries_out_what_was_shown": Mutation(
        "shared.agent.confirmed_changes:ConfirmedCalls.carry_out",
        Instead("is_as_proposed", take_as_shown),
        lacks="a tap changes what has changed since the question",
    ),
    "gives_up_for_all_deliveries": Mutation(
        f"{_ANNOUNCEMENT}:_AnnouncementDelivery._give_up",
        Instead("raise_epoch", lambda turn, **_: None),  # noqa: ARG005 - the turn, as the owner of the method
        lacks="a fixed text is sent after another delivery has recorded it as undelivered, and its worker dies",
    ),
    "looks_whether_it_was_given_up": Mutation(
        f"{_LEASE}:Lease.commit",
        DropClause("is_given_up"),
        lacks="the same, of a holder that lost a swap to the one that gave up",
    ),
    "knows_not_what_was_sent_meanwhile": Mutation(
        f"{_ANNOUNCEMENT}:_AnnouncementDelivery._give_up",
        Skip("record_outcome", nth=1, of=2),
        lacks="a fixed text that is committed while another delivery gives up stays undelivered in history",
    ),
    "says_that_nothing_had_to_change": Mutation(
        "shared.agent.confirmed_changes:ConfirmedCalls.carry_out",
        DropClause("CHANGE_NOT_NEEDED"),
        lacks="a tap of a change that another tap has made meanwhile meets silence",
    ),
    "carries_out_the_newest_question": Mutation(
        "shared.agent.confirmed_changes:ConfirmedCalls.carry_out",
        Instead("_is_asked_anew", is_never_asked_anew),
        lacks="a tap of an older question deletes what a newer question would change",
    ),
    "carries_out_in_time": Mutation(
        f"{_AGENDA}:_agenda_of_tap",
        Never("_is_in_time"),
        lacks="a change that was proposed is carried out however late the press is",
    ),
    "names_quoted_media": Mutation(
        f"{_ATTEMPT}:Attempt.show",
        DropArgument("replace", "provenance"),
        lacks="an answer that saw a quoted picture from beyond memory keeps its words after the picture's unsend",
    ),
    "interjects_about_the_newest_text": Mutation(
        f"{_INTERJECTION}:_InterjectionDelivery.take_turn",
        Bypass("newest_words_of"),
        lacks="the model is asked about the text from before an edit",
    ),
    "limits_thoughts": Mutation(
        "shared.turns.ready_answers:ReadyAnswers.find",
        Never("_THOUGHTS"),
        lacks="a request asks the model again as often as its prompt is amended",
    ),
    "replies_beside_plain_results": Mutation(
        "shared.agent.executor:_is_plain",
        Return(value=True),
        lacks="a reply is sent that was written before the model knew that a thought fell into the inbox",
    ),
    "removes_what_went_before_the_write": Mutation(
        f"{_OUTBOX}:Outbox._apply_staged",
        Skip("begin_removals"),
        lacks="an entry holds words that were withdrawn between the answer and the write",
    ),
    "ends_requests_for_follow_ups": Mutation(
        f"{_FOLLOW_UPS}:FollowUpWatch.see",
        Never("author"),
        lacks="a request goes on although the person who asked has written more",
    ),
    "lists_follow_ups": Mutation(
        f"{_OUTBOX}:Outbox.finish",
        Never("is_outdated"),
        lacks="what a person added on another instance is answered by itself",
    ),
    "limits_asking_anew": Mutation(
        f"{_REPLY}:_ReplyDelivery._watch",
        DropClause("MOST_ASKED_ANEW"),
        lacks="a person who goes on writing puts off the answer again and again",
    ),
    "leaves_time_to_answer": Mutation(
        f"{_FOLLOW_UPS}:FollowUpWatch.may_ask_anew",
        DropClause("left_s"),
        lacks="a request is cut off although no time is left for another one",
    ),
    "leaves_time_on_the_token": Mutation(
        f"{_REPLY}:_ReplyDelivery._watch",
        Instead("_thought_deadline", count_the_thinking_alone),
        lacks="an answer is withheld for a follow-up although its token leaves no time for another one",
    ),
    "asks_nothing_anew_after_an_act": Mutation(
        "shared.agent.executor:ToolExecutor._run_call",
        Skip("begin_act"),
        lacks="a turn that has made a page is asked anew",
    ),
    "renews_by_the_last_write": Mutation(
        f"{_ATTEMPT}:Attempt.renew_lease",
        Instead("max", wait_a_whole_interval),
        lacks="a thought that was interrupted puts off the renewal of the lease",
    ),
}
