"""Mutations of handlers, tools, knowledge and reminders."""

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
    ReplaceConstant,
    Return,
    Skip,
)
from tests.simulation.stand_ins import (
    another_key,
    cancel_the_next,
    decided_before,
    go_to_any_day_of_pushes,
    keep_own_words,
    meet_with_silence,
    no_holder,
    no_outcome,
    no_question,
    note_every_press,
    nothing_left,
)

_APPLY: Final = "shared.knowledge.apply"
_ERASURE: Final = "shared.handlers.erasure"
_QUESTION_PRESS: Final = "shared.handlers.question_press"
_SOURCES: Final = "shared.knowledge.provenance"
_ENTRY_WORDS: Final = "shared.knowledge.entry_words"
_INTAKE: Final = "shared.handlers.intake"
_REMINDER_PRESS: Final = "shared.handlers.reminder_press"
_DELIVERY: Final = "shared.reminders.delivery"
_REMINDER_APPLY: Final = "shared.reminders.apply"
_REMINDER_WORDS: Final = "shared.reminders.words"
_PUSHES: Final = "shared.conversation.pushes"

OF_HANDLERS: Final[Mapping[str, Mutation]] = {
    "counts_a_push_once": Mutation(
        f"{_PUSHES}:PushesRecord.has_counted",
        Return(value=False),
        lacks="a push that is repeated counts again",
    ),
    "goes_to_no_day_of_pushes_before": Mutation(
        f"{_PUSHES}:PushAllowance._today",
        Instead("on", go_to_any_day_of_pushes),
        lacks="two instances renew a chat's pushes in turns at midnight",
    ),
    "shares_the_quota": Mutation(
        "shared.line.quota:PushBudget.allows",
        Return(value=True),
        lacks="one chat uses up the account's quota",
    ),
    "outcomes_tell_what_was_recalled": Mutation(
        "shared.agent.responder:having_read",  # as the responder calls it
        DropArgument("replace", "provenance"),
        lacks="an answer that repeats what it looked up keeps the words once they are withdrawn",
    ),
    "names_the_messages_behind_a_list_of_notes": Mutation(
        "shared.knowledge.overview:_overview",
        DropArgument("Overview", "provenance"),
        lacks="a list of notes keeps the words of a message that was withdrawn since",
    ),
    "takes_suggestions_out": Mutation(
        "shared.conversation.records:OutcomeRecord.without_words",
        DropArgument("replace", "suggests"),
        lacks="the suggestions of an answer keep the words of a withdrawn message",
    ),
    "tells_what_an_edit_removed": Mutation(
        "shared.agent.refiling:postponed_of_one_text",
        Return(value=""),  # nothing to iterate over
        lacks="an edit without a reply token removes a note, and nobody is told",
    ),
    "stores_what_an_edit_removes": Mutation(
        "shared.handlers.edit:EditHandler.__call__",
        DropArgument("edit", "made"),
        lacks="a worker dies between the sweep of an edit and its notice, and nobody is told of the note",
    ),
    "tells_of_a_late_press_beside_a_reminder": Mutation(
        "shared.handlers.listed_reminder_press:ListedReminderPressHandler._late",
        Return(value=None),
        lacks="a press beside a listed reminder whose token died meets silence",
    ),
    "cancels_what_a_press_was_told": Mutation(
        "shared.handlers.listed_reminder_press:ListedReminderPressHandler._decided",
        DropArgument("Announcement", "stage"),
        lacks="a press beside a listed reminder is told that it was cancelled, and it is said all the same",
    ),
    "asks_in_the_newest_words": Mutation(
        "shared.turns.reply:_ReplyDelivery.apply_amendments",
        Instead("newest_words_of", keep_own_words),
        lacks="a message that history leaves out is asked about in the words from before its edit",
    ),
    "decides_a_listed_press_while_the_turn_is_held": Mutation(
        "shared.handlers.listed_reminder_press:ListedReminderPressHandler.__call__",
        Instead("partial", decided_before),
        lacks="a press moves a reminder with the words that it had before the turn that the press waited for",
    ),
    "ticks_what_a_press_was_told": Mutation(
        "shared.handlers.tick_press:TickPressHandler._decided",
        DropArgument("Announcement", "stage"),
        lacks="a press beside a listed entry is told that the entry is done, and it stays open",
    ),
    "decides_a_press_while_the_turn_is_held": Mutation(
        "shared.handlers.tick_press:TickPressHandler.__call__",
        Instead("partial", decided_before),
        lacks="a press writes an entry as it was before the turn that it waited for",
    ),
    "keeps_the_chosen_language": Mutation(
        "shared.conversation.turn:TurnRecord.followed_by",
        DropArgument("TurnRecord", "locale"),
        lacks="a turn forgets the language that a member chose",
    ),
    "recalls_from_the_joining": Mutation(
        "shared.agent.chat_memory:ChatMemory._begin_reading_joining",
        Return(value=None),
        lacks="a member who joined later is told what was said before",
    ),
    "updates_catalog": Mutation(
        f"{_APPLY}:EntryWriting._swap_both",
        Return(value=True),
        lacks="the catalog does not know what was filed",
    ),
    "files_what_one_message_says": Mutation(
        f"{_SOURCES}:PossibleSources._trace",
        Instead("_holder_of", no_holder),
        lacks="an entry goes with a question that was answered beside the message which says all of it",
    ),
    "counts_what_no_message_says": Mutation(
        "shared.knowledge.unheld_words:UnheldWords._meaningful_places",
        Always("isdisjoint"),
        lacks="an entry goes with common words that another member said before",
    ),
    "keeps_what_others_said": Mutation(
        f"{_ENTRY_WORDS}:_Removal._clean_stored",
        Instead("without", nothing_left),
        lacks="an entry goes as a whole although only one of its messages was withdrawn",
    ),
    "redacts_what_it_does_not_know": Mutation(
        "shared.unknown_fields:_wordless",
        Always("_may_hold_words"),
        lacks="words stay in fields that a newer release has written",
    ),
    "deletes_what_it_read": Mutation(
        f"{_ENTRY_WORDS}:_Removal._delete",
        DropArgument("_store.delete", "generation"),
        lacks="a deletion that comes late takes an entry that was filed anew under the name",
    ),
    "leaves_its_own_stay_only": Mutation(
        f"{_ERASURE}:ErasureHandler._is_of_an_earlier_stay",
        Return(value=False),
        lacks="a `/bye` that is delivered late leaves a group that was joined since",
    ),
    "erases_what_was_confirmed": Mutation(
        f"{_QUESTION_PRESS}:QuestionPresses.counting",
        Instead("confirmed_question", no_question),
        lacks="the button of `/forget` erases nothing",
    ),
    "reads_the_question_that_is_confirmed": Mutation(
        f"{_QUESTION_PRESS}:QuestionPresses.counting",
        DropArgument("read_newest", "required_ids"),
        lacks="the button of `/forget` does nothing once many outcomes followed its question",
    ),
    "says_why_a_press_is_refused": Mutation(
        f"{_ERASURE}:ErasureHandler._refuse",
        Instead("_say", meet_with_silence),
        lacks="a second press of the button of `/forget` meets silence",
    ),
    "says_why_a_press_of_a_reminder_is_refused": Mutation(
        f"{_REMINDER_PRESS}:ReminderPressHandler._refuse",
        Instead("announce", meet_with_silence),
        lacks="a second press of a reminder's button meets silence",
    ),
    "marks_who_was_forgotten": Mutation(
        f"{_ERASURE}:ErasureHandler.forget_member",
        Skip("forget_member"),
        lacks="a message that is delivered after `/forget me` of its author stays",
    ),
    "answers_the_next_of_a_flood": Mutation(
        "shared.handlers.flood:FloodHandler.answer_next",
        Return(value=None),
        lacks="a flood gets no answer where its newest message is withdrawn",
    ),
    "hands_over_the_next_of_a_flood": Mutation(
        "shared.handlers.message:MessageHandler.__call__",
        Never("HANDED_OVER"),
        lacks="a flood gets no answer where its newest message is withdrawn after it was handed over",
    ),
    "admits_before_it_records": Mutation(
        "shared.handlers.admission:AdmissionHandler.__call__",
        Return(value=None),
        lacks="a chat that was not admitted is recorded and answered",
    ),
    "counts_the_first_press_only": Mutation(
        f"{_QUESTION_PRESS}:QuestionPresses.counting",
        Instead("outcome_of", no_outcome),
        lacks="two presses that come together are both carried out",
    ),
    "looks_for_a_folded_press": Mutation(
        f"{_QUESTION_PRESS}:QuestionPresses.counting",
        Instead("_folded_press", no_outcome),
        lacks="a press whose worker slept while the first press was folded counts, too",
    ),
    "takes_back_for_its_asker": Mutation(
        f"{_QUESTION_PRESS}:QuestionPresses._refusal",
        Never("forgets_for"),
        lacks="a member takes back what the bot proposed to another one",
    ),
    "asks_whether_the_command_stands": Mutation(
        f"{_QUESTION_PRESS}:QuestionPresses._refusal",
        Never("withdrawn"),
        lacks="a press confirms a command that was withdrawn",
    ),
    "marks_quotes_as_addressed": Mutation(
        f"{_INTAKE}:Intake.record_quote",
        Skip("mark_as_addressed"),
        lacks="a message that quotes the bot stays unanswered",
    ),
    "looks_before_tools_ask": Mutation(
        "shared.tools.knowledge:KnowledgeTools._classify",
        Skip("check_amendments"),
        lacks="a tool asks the model about words that were withdrawn while the model thought",
    ),
    "clears_markers": Mutation(
        "shared.handlers.tick:TickHandler._is_done",
        Skip("markers.clear"),
        lacks="a tick carries out again what is done",
    ),
    "shares_every_chat": Mutation(
        "shared.bus.messages:Tick.is_for",
        Return(value=False),
        lacks="a chat is in the shard of no tick",
    ),
    "pushes_under_one_key": Mutation(
        f"{_DELIVERY}:ReminderDelivery._push",
        Instead("retry_key", another_key),
        lacks="a tick that goes on after a death pushes the reminder again",
    ),
    "remembers_what_it_pushed": Mutation(
        f"{_DELIVERY}:ReminderDelivery._deliver_to_chat",
        Skip("_record"),
        lacks="the next prompt does not know what was pushed",
    ),
    "says_that_a_passed_push_is_unknown": Mutation(
        f"{_DELIVERY}:ReminderDelivery._deliver",
        Skip("_note_unknown_push"),
        lacks="history knows nothing of a push whose worker died, once a newer occurrence is due",
    ),
    "advances_reminders": Mutation(
        f"{_DELIVERY}:ReminderDelivery._postpone",
        ReplaceConstant(value=True, by=False),
        lacks="a reminder that cannot be pushed is passed over",
    ),
    "marks_reminders": Mutation(
        "shared.reminders.store:ReminderStore.make_marker",
        Skip("_markers.mark"),
        lacks="no tick ever comes to a reminder",
    ),
    "marks_again": Mutation(
        f"{_DELIVERY}:ReminderDelivery.__call__",
        Skip("make_marker"),
        lacks="a recurring reminder whose worker died between two writes is never said again",
    ),
    "looks_before_its_push": Mutation(
        f"{_DELIVERY}:ReminderDelivery._check_claim",
        Never("is_from_withdrawn"),
        lacks="a reminder is pushed although its message was withdrawn before the claim",
    ),
    "tells_the_turn_what_is_kept": Mutation(
        "shared.reminders.delivery:ReminderDelivery._advance",
        Skip("turn.leave"),
        lacks="no turn looks for a reminder that is kept",
    ),
    "tells_again_what_is_kept": Mutation(
        "shared.reminders.delivery:ReminderDelivery.__call__",
        Skip("turn.leave"),
        lacks="the same, where the worker that kept it died before it told so",
    ),
    "looks_until_nothing_is_kept": Mutation(
        "shared.reminders.postponed:_record_nothing_postponed",
        Always("kept_ms"),
        lacks="a kept reminder is forgotten where the answer that was to say it has no room for it or does not arrive",
    ),
    "notes_what_was_said": Mutation(
        f"{_REMINDER_APPLY}:ReminderWriting.finish",
        Skip("record_said"),
        lacks="every answer says the same kept reminder",
    ),
    "sets_again_what_was_cancelled": Mutation(
        f"{_REMINDER_APPLY}:_changed",
        DropClause("CANCELLED"),
        lacks="an undo of a cancellation leaves the reminder cancelled",
    ),
    "keeps_claims_beside_changes": Mutation(
        f"{_REMINDER_APPLY}:_changed",
        DropArgument("replace", "claim"),
        lacks="a changed text drops the claim under which a reminder was pushed, and it is said again",
    ),
    "remembers_the_words_of_the_first_try": Mutation(
        f"{_DELIVERY}:ReminderDelivery._first_words",
        Return(value=None),
        lacks="history tells the changed text of a reminder that was pushed with the older one",
    ),
    "finds_a_reminder_by_its_id": Mutation(
        "shared.tools.reminders:_cancel",
        Instead("overlay.cancel", cancel_the_next),
        lacks="the id of a reminder hits another one",
    ),
    "shows_no_reminder_of_withdrawn_words": Mutation(
        "shared.reminders.prompt_block:ReminderBlock.view",
        DropClause("is_from_withdrawn"),
        lacks="a prompt shows a reminder whose message was withdrawn, until the withdrawal reaches the reminder",
    ),
    "takes_reminders_away": Mutation(
        f"{_REMINDER_WORDS}:_remove_withdrawn",
        Return(value=None),
        lacks="a reminder outlives the message that asked for it",
    ),
    "names_the_day_of_a_month": Mutation(
        "shared.reminders.schedule:_occurrences",
        DropArgument("rrule", "bymonthday"),
        lacks="a reminder for the last day of each month comes on the day on which it was asked for",
    ),
    "counts_one_press": Mutation(
        f"{_REMINDER_PRESS}:ReminderPressHandler._counting_reminder",
        Instead("pressed", note_every_press),
        lacks="every press of a reminder has it said once more",
    ),
    "goes_on_with_its_press": Mutation(
        f"{_REMINDER_PRESS}:ReminderPressHandler.__call__",
        Skip("create"),
        lacks="a press is answered, and the reminder is never said again",
    ),
    "answers_a_press_of_what_is_gone": Mutation(
        f"{_REMINDER_PRESS}:ReminderPressHandler._answer",
        Bypass("unless_withdrawn"),
        lacks="a press meets silence whose reminder is taken back meanwhile",
    ),
    "looks_after_a_press": Mutation(
        f"{_REMINDER_PRESS}:ReminderPressHandler.__call__",
        Skip("remove_withdrawn"),
        lacks="a reminder that was postponed outlives the message that asked for it",
    ),
    "stages_what_undoes_a_press": Mutation(
        "shared.handlers.listed_reminder_press:_stage",
        DropItem("undo_write"),
        lacks="an undo after a press that cancelled a reminder leaves the reminder cancelled",
    ),
    "stages_what_undoes_a_postponement": Mutation(
        f"{_REMINDER_PRESS}:_stage_undo",
        DropItem("undo_write"),
        lacks="an undo after a reminder was postponed takes back something older",
    ),
    "remembers_what_stays_outside": Mutation(
        "shared.agent.responder:with_staged",  # as the responder calls it
        DropArgument("changes", "acted_outside"),
        lacks="an undo after a page in Notion takes back an older note",
    ),
}
