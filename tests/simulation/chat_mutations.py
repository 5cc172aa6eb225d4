"""Mutations of `shared/conversation/`, and of the names of its objects."""

from collections.abc import Mapping
from typing import Final

from shared.conversation.provenance import LATEST_MS
from tests.simulation.mutation import Mutation
from tests.simulation.rules import (
    Always,
    Bypass,
    DropArgument,
    DropClause,
    DropItem,
    Hasten,
    Instead,
    Never,
    Postpone,
    ReplaceConstant,
    Return,
    Skip,
    Within,
)
from tests.simulation.stand_ins import (
    begin_no_removals,
    change_nothing_named,
    delete_events,
    finds_no_edits,
    leave_nothing,
    name_no_segment,
    no_fold,
    no_reach,
    nothing_is_deadly,
    nothing_waits,
    plan_that_clears_nothing,
    replace_any_generation,
    settle_without_looking,
)

_AMENDMENTS: Final = "shared.conversation.amendments"
_AMENDMENT_LOG: Final = "shared.conversation.amendment_log"
_ARCHIVE: Final = "shared.conversation.archive"
_COMPACTION: Final = "shared.conversation.compaction"
_HISTORY: Final = "shared.conversation.history"
_HISTORY_READER: Final = "shared.conversation.history_reader"
_JOURNAL: Final = "shared.conversation.journal"
_REDACTION_PLAN: Final = "shared.conversation.redaction.plan"
_RECAP: Final = "shared.conversation.recap"
_SNAPSHOT: Final = "shared.conversation.snapshot"
_TURN: Final = "shared.conversation.turn"
_WITHDRAWAL: Final = "shared.conversation.withdrawal"

OF_CHATS: Final[Mapping[str, Mutation]] = {
    "looks_after_record": Mutation(
        f"{_JOURNAL}:Journal.record",
        Never("is_withdrawn"),
        lacks="a group message whose unsend was handled first stays in the journal",
    ),
    "begins_again_when_gone": Mutation(
        f"{_HISTORY_READER}:HistoryReader.read",
        Never("None"),
        lacks="the view lacks objects that a compaction moved while it was read",
    ),
    "sees_through_answers": Mutation(
        f"{_HISTORY}:History.provenance",
        DropItem("answers"),
        lacks="the provenance of an outcome lacks what the answers in its prompt repeat",
    ),
    "sees_through_the_index": Mutation(
        f"{_HISTORY}:History.provenance",
        Instead("replace", change_nothing_named),
        lacks="the provenance of an outcome lacks the messages behind the entries that its prompt lists",
    ),
    "sees_through_the_reminders": Mutation(
        f"{_HISTORY}:History.provenance",
        DropItem("blocks"),
        lacks="the provenance of an outcome lacks the messages behind the reminders that its prompt shows",
    ),
    "lists_reminders_again": Mutation(
        f"{_TURN}:TurnRecord.with_outcome",
        DropClause("_writes_reminders"),
        lacks="no prompt lists the reminders of a chat in which a turn once found none",
    ),
    "sees_through_recaps": Mutation(
        f"{_HISTORY}:History.provenance",
        DropItem("recaps"),
        lacks="the provenance of an outcome lacks what the recaps in its prompt sum up",
    ),
    "answers_young_only": Mutation(
        f"{_HISTORY}:History.pending",
        DropClause("ANSWERABLE_MS"),
        lacks="a message is answered long after it was sent",
    ),
    "counts_tries": Mutation(
        f"{_TURN}:TurnRecord.followed_by",
        DropArgument("TurnRecord", "tries"),
        lacks="a message that kills its worker is tried for ever",
    ),
    "finds_edits_whose_events_have_expired": Mutation(
        f"{_AMENDMENT_LOG}:AmendmentLog.edited_by",
        Instead("edits.made_by", finds_no_edits),
        lacks="the words of an edit outlast the `/forget me` of its author, once its event has expired",
    ),
    "takes_the_words_of_edits_whose_withdrawal_died": Mutation(
        f"{_AMENDMENT_LOG}:AmendmentLog.edited_by",
        ReplaceConstant(value=0, by=LATEST_MS),
        lacks="where a worker of `/forget me` dies right after its withdrawal, and a compaction drops the message, an edit keeps its words",
    ),
    "repeats_slow_looks": Mutation(
        f"{_AMENDMENT_LOG}:AmendmentLog.fresh_look",
        Always("is_valid"),
        lacks="a prompt relies on a look at the amendments that took too long",
    ),
    "swaps": Mutation(
        f"{_TURN}:Turn.swap",
        Instead("store.replace", replace_any_generation),
        lacks="the turn is written whatever its generation",
    ),
    "tells_own_write": Mutation(
        f"{_TURN}:Turn.swap",
        Never("record.writer"),
        lacks="a write that won counts as lost when its answer was lost",
    ),
    "cancels": Mutation(
        f"{_TURN}:TurnRecord.amended",
        Never("state"),
        lacks="an unsend or edit is not noted in the turn, so that the commit does not see it",
    ),
    "takes_text_out_of_turn": Mutation(
        f"{_TURN}:TurnRecord.amended",
        Never("holds_words"),
        lacks="the committed outcome keeps withdrawn words",
    ),
    "looks_after_outcome": Mutation(
        f"{_JOURNAL}:Journal.record_outcome",
        Always("redact"),
        lacks="words that were withdrawn between the look and the record stay in the journal",
    ),
    "answers_addressed_only": Mutation(
        f"{_HISTORY}:History.pending",
        DropClause("addressed"),
        lacks="messages that are not addressed to the bot are answered",
    ),
    "remembers_what_was_fetched": Mutation(
        "shared.conversation.lifetime:_late",
        DropClause("isdisjoint"),
        lacks="the same, once the outcome of the first press has left the memory",
    ),
    "remembers_what_was_told": Mutation(
        "shared.conversation.lifetime:_telling",
        Never("is_postponed"),
        lacks="a postponed text seems to wait again, once the answer that told it has left the memory",
    ),
    "remembers_what_waits": Mutation(
        f"{_COMPACTION}:bounded",
        Instead("waiting_texts", nothing_waits),
        lacks="a postponed text leaves the memory before an answer has told it",
    ),
    "reads_who_told_an_old_text": Mutation(
        "shared.conversation.history_reader:_may_lack_an_answer",
        DropClause("waiting_texts"),
        lacks="a told text that a compaction left seems to wait again, once the reader leaves out the answer that told it",
    ),
    "clears_journal": Mutation(
        f"{_WITHDRAWAL}:Withdrawal._withdraw_now",
        Skip("drop"),
        lacks="a withdrawn message stays in the journal",
    ),
    "touches_turn": Mutation(
        f"{_WITHDRAWAL}:Withdrawal._remove_words",
        Skip("turn.amend"),
        lacks="a running turn is not cancelled, and a committed one keeps the words",
    ),
    "clears_outcomes": Mutation(
        f"{_WITHDRAWAL}:Withdrawal._remove_words",
        Skip("remove_words"),
        lacks="outcomes keep the withdrawn words that they repeat",
    ),
    "rewrites_snapshot": Mutation(
        f"{_WITHDRAWAL}:Withdrawal._remove_words",
        Skip("snapshot.clean"),
        lacks="withdrawn words stay in the snapshot",
    ),
    "settles_snapshot": Mutation(
        f"{_COMPACTION}:Compaction.fold",
        Instead("snapshot.settle", settle_without_looking),
        lacks="a compaction under way brings withdrawn words back",
    ),
    "overtakes_folds": Mutation(
        f"{_WITHDRAWAL}:Withdrawal._overtake_folds",
        Skip("overtake"),
        lacks="a compaction that sleeps through both passes brings withdrawn words back",
    ),
    "passes_twice": Mutation(
        f"{_WITHDRAWAL}:Withdrawal.finish_withdrawal",
        Skip("_withdraw_now"),
        lacks="words of a worker that died before its last look stay",
    ),
    "erases_twice": Mutation(
        f"{_WITHDRAWAL}:Withdrawal.finish_erasure",
        Skip("_erase_now"),
        lacks="words of a worker that died before its last look stay",
    ),
    "plans_erasures": Mutation(
        f"{_REDACTION_PLAN}:RedactionPlan.store_for_erasure",
        Skip("add_plan"),
        lacks="whoever thinks with an answer that hands on what is erased does not look again",
    ),
    "erases_older_edits": Mutation(
        f"{_AMENDMENT_LOG}:AmendmentLog.erase",
        Skip("edits.erase"),
        lacks="an edit that is older than the erasure keeps its words",
    ),
    "drops_late_edits": Mutation(
        f"{_WITHDRAWAL}:Withdrawal.edit",
        Never("drop_erased"),
        lacks="an edit that is older than the erasure, and is delivered after it, is kept",
    ),
    "withdrawn_is_final": Mutation(
        "shared.conversation.edits:Edits.put",
        DropClause("text"),
        lacks="an edit that is delivered late brings a withdrawn message back",
    ),
    "newest_edit_wins": Mutation(
        "shared.conversation.edits:Edits.put",
        DropClause("timestamp_ms"),
        lacks="the edit that was delivered last wins",
    ),
    "rewrites_edited_record": Mutation(
        f"{_WITHDRAWAL}:Withdrawal._edit_now",
        Skip("apply_edit"),
        lacks="the record of an edited message keeps the old text",
    ),
    "edits_cancel": Mutation(
        f"{_WITHDRAWAL}:Withdrawal._edit_now",
        Skip("turn.amend"),
        lacks="an answer to the old text is committed after the edit",
    ),
    "marks_erasures_for_looks": Mutation(
        f"{_AMENDMENT_LOG}:AmendmentLog.erase",
        Skip("_append"),
        lacks="an instance that has read the watermark before does not learn of an erasure",
    ),
    "lists_from_before_its_last_look": Mutation(
        "shared.conversation.amendment_views:AmendmentTimes.next_since_ms",
        Instead("round", no_reach),
        lacks="an instance does not learn of a withdrawal whose writer's clock is behind, or whose write takes a while",
    ),
    "reads_all_again_after_a_while": Mutation(
        "shared.conversation.amendment_views:AmendmentViews.of",
        DropClause("seen_s"),
        lacks="an instance that has slept does not learn of a withdrawal that was folded meanwhile",
    ),
    "repeats_late_appends": Mutation(
        "shared.conversation.amendment_views:AmendmentTimes.append",
        Always("reach_s"),
        lacks="an instance that has listed the amendments before does not learn of a withdrawal whose write took long",
    ),
    "largest_watermark_wins": Mutation(
        f"{_AMENDMENT_LOG}:AmendmentLog.erase",
        Within("replace", Bypass("max")),
        lacks="an older erasure that is delivered late lowers the watermark",
    ),
    "recaps_name_answers": Mutation(
        f"{_RECAP}:_with_recap",
        DropArgument("replace", "derived_ids"),
        lacks="a recap keeps withdrawn words that its answers repeat from other messages",
    ),
    "swaps_snapshot": Mutation(
        f"{_SNAPSHOT}:Snapshot.swap",
        Instead("store.replace", replace_any_generation),
        lacks="the snapshot is written whatever its generation",
    ),
    "looks_before_a_recap": Mutation(
        f"{_RECAP}:RecapWriter._recap_text",
        Never("is_valid"),
        lacks="messages are summed up on a look that is too old",
    ),
    "counts_recap_tries": Mutation(
        f"{_RECAP}:RecapWriter._recap_text",
        Never("recap_tries"),
        lacks="a recap that kills its worker is tried for ever",
    ),
    "clears_holders": Mutation(
        f"{_WITHDRAWAL}:Withdrawal._remove_words",
        Instead("begin_removals", begin_no_removals),
        lacks="entries, media and calls keep what was withdrawn",
    ),
    "takes_back_what_comes_late": Mutation(
        f"{_WITHDRAWAL}:Withdrawal.take_back_late",
        Never("has_forgotten"),
        lacks="a message that is delivered after `/forget me` of its author stays in the journal for good, although no reader shows it",
    ),
    "takes_back_late_edits": Mutation(
        f"{_WITHDRAWAL}:Withdrawal.edit",
        Never("has_forgotten"),
        lacks="an edit that is delivered after `/forget me` of its author stays",
    ),
    "hides_what_comes_late": Mutation(
        f"{_AMENDMENTS}:Amendments.hides",
        DropClause("is_forgotten"),
        lacks="a message that comes after `/forget me` of its author is answered or shown to the model before its own delivery has looked",
    ),
    "hides_what_was_made_of_it": Mutation(
        "shared.conversation.provenance:Provenance.is_affected_by",
        DropClause("is_forgotten_by"),
        lacks="before a `/forget me` withdraws, a prompt shows an answer without its message, and what repeats it stays",
    ),
    "reads_its_own_chat": Mutation(
        "shared.storage.object_names:ObjectNames.journal_prefix",
        Return(value="journal/"),
        lacks="a chat reads the journals of all",
    ),
    "foresees_errors": Mutation(
        f"{_HISTORY_READER}:HistoryReader.read_newest",
        Return(value=None),
        lacks="the chat cannot be read, and nothing says so",
    ),
    "cleans_what_it_folds": Mutation(
        f"{_COMPACTION}:Compaction.fold",
        Bypass("cleaned"),
        lacks="withdrawn words are folded into the snapshot",
    ),
    "archives_what_leaves": Mutation(
        f"{_COMPACTION}:Compaction.fold",
        Instead("archive.with_waiting", leave_nothing),
        lacks="what leaves the snapshot is lost",
    ),
    "archives_if_asked_to": Mutation(
        f"{_ARCHIVE}:Archive.with_waiting",
        Always("days"),
        lacks="a deployment without an archive gets one",
    ),
    "writes_segments_first": Mutation(
        f"{_COMPACTION}:Compaction.fold",
        Skip("archive.write"),
        lacks="the snapshot names segments that are not there",
    ),
    "keeps_named_segments": Mutation(
        f"{_ARCHIVE}:_was_lost",
        DropClause("named_segments"),
        lacks="segments that the snapshot names count as left over from a lost swap",
    ),
    "settles_segments": Mutation(
        f"{_COMPACTION}:Compaction.fold",
        Skip("_settle_segments"),
        lacks="a segment that was written during a withdrawal keeps the words",
    ),
    "settles_abandoned_segments": Mutation(
        f"{_COMPACTION}:_abandon",
        Skip("_settle_segments"),
        lacks="the same, of a segment whose swap was lost",
    ),
    "cleans_what_waits": Mutation(
        "shared.conversation.snapshot:cleaned",
        Bypass("cleaned_segment"),
        lacks="withdrawn words stay in what waits for its segment",
    ),
    "sweeps_segments": Mutation(
        f"{_WITHDRAWAL}:Withdrawal._remove_words",
        Skip("clean_archive"),
        lacks="withdrawn and erased words stay in the archive",
    ),
    "sweeps_segments_for_edits": Mutation(
        f"{_WITHDRAWAL}:Withdrawal._edit_now",
        Skip("clean", nth=1, of=2),
        lacks="an archived message keeps the text from before its edit",
    ),
    "plans_with_the_archive": Mutation(
        f"{_REDACTION_PLAN}:RedactionPlan.store_for_withdrawal",
        Instead("sweep.find_more", name_no_segment),
        lacks="an archived answer keeps withdrawn words that it repeats from another one",
    ),
    "stores_the_plan": Mutation(
        f"{_REDACTION_PLAN}:RedactionPlan.store_for_withdrawal",
        Skip("add_plan"),
        lacks="a withdrawal that died on the way cannot compare any more, and takes every answer that came from another one",
    ),
    "keeps_what_repeats_nothing": Mutation(
        f"{_AMENDMENT_LOG}:AmendmentLog.add_plan",
        Instead("plan_of", plan_that_clears_nothing),
        lacks="an answer loses its words because its prompt held an answer that lost them",
    ),
    "lets_heirs_keep_their_words": Mutation(
        f"{_REDACTION_PLAN}:RedactionPlan._compare",
        Always("_may_repeat"),
        lacks="the same, already when it is found",
    ),
    "compares_heirs": Mutation(
        f"{_REDACTION_PLAN}:RedactionPlan._compare",
        Never("_may_repeat"),
        lacks="an answer keeps withdrawn words that it repeats from another answer",
    ),
    "drops_outdated_recaps": Mutation(
        "shared.conversation.snapshot_records:Recap.is_outdated_by",
        Return(value=False),
        lacks="a recap keeps the text from before an edit",
    ),
    "remembers_lost_recaps": Mutation(
        "shared.conversation.snapshot_records:SnapshotRecord.all_recaps",
        DropItem("passed_recaps"),
        lacks="an answer repeats a recap that an edit has dropped, and keeps words that are withdrawn later",
    ),
    "marks_withdrawals_first": Mutation(
        f"{_WITHDRAWAL}:Withdrawal.withdraw_all",
        Postpone("_schedule_second_pass"),
        lacks="no tick carries out a withdrawal whose worker stalls",
    ),
    "marks_edits_first": Mutation(
        f"{_WITHDRAWAL}:Withdrawal.edit",
        Postpone("_schedule_second_pass"),
        lacks="no tick carries out an edit whose worker stalls",
    ),
    "marks_erasures_first": Mutation(
        f"{_WITHDRAWAL}:Withdrawal.erase",
        Postpone("_schedule_second_pass"),
        lacks="no tick carries out an erasure whose worker stalls",
    ),
    "plans_before_words_go": Mutation(
        f"{_WITHDRAWAL}:Withdrawal._withdraw_now",
        Hasten("drop", before="store_for_withdrawal"),
        lacks="a withdrawal that died before its plan cannot compare the message any more",
    ),
    "marks_withdrawals": Mutation(
        f"{_WITHDRAWAL}:Withdrawal.withdraw_all",
        Skip("_schedule_second_pass"),
        lacks="the second pass of a withdrawal never comes",
    ),
    "marks_erasures": Mutation(
        f"{_WITHDRAWAL}:Withdrawal.erase",
        Skip("_schedule_second_pass"),
        lacks="the second pass of an erasure never comes",
    ),
    "relies_on_epochs_of_others": Mutation(
        f"{_TURN}:Turn.amend",
        Never("state"),
        lacks="each of many withdrawals has to write the turn",
    ),
    "folds_what_it_deletes": Mutation(
        f"{_AMENDMENT_LOG}:AmendmentLog.fold",
        Instead("fold_events", delete_events),
        lacks="a message that comes after its withdrawal, and after that was folded, is answered",
    ),
    "folds_what_it_had_to_read": Mutation(
        "shared.handlers.upkeep:Upkeep._fold_amendments",
        Skip("fold_if_due"),
        lacks="a chat in which nothing is taken back for long has each new instance read every amendment",
    ),
    "reads_the_fold": Mutation(
        f"{_AMENDMENT_LOG}:AmendmentLog._begin_reading",
        Instead("fold_in", no_fold),
        lacks="the same where an instance reads the chat for the first time",
    ),
    "keeps_deadly_messages_out": Mutation(
        f"{_HISTORY_READER}:history_of",
        Instead("_deadly", nothing_is_deadly),
        lacks="what killed workers once stands in the next prompt",
    ),
    "remembers_what_was_covered": Mutation(
        f"{_TURN}:TurnRecord.followed_by",
        DropArgument("TurnRecord", "covered"),
        lacks="a message is answered again once its outcome is no longer read",
    ),
    "counts_what_the_turn_covers": Mutation(
        f"{_HISTORY}:History.with_covered_by",
        DropArgument("replace", "covered"),
        lacks="the same",
    ),
    "clears_proposals": Mutation(
        "shared.conversation.records:OutcomeRecord.without_words",
        DropArgument("self.redacted", "offer"),
        lacks="a change that was proposed keeps withdrawn words",
    ),
    "knows_calls_by_each_message": Mutation(
        "shared.conversation.external_calls:ExternalCalls._is_of_turn",
        Return(value=False),
        lacks="a call is made again when another message is the oldest that waits",
    ),
    "clears_calls": Mutation(
        "shared.conversation.external_calls:_is_affected",
        Return(value=False),
        lacks="the intent of an external call keeps words that were erased",
    ),
}
