"""Mutations of what goes with a withdrawal: its event, its plan, and what is removed from journal, snapshot and turn."""

from collections.abc import Mapping
from typing import Final

from tests.simulation.mutation import Mutation
from tests.simulation.rules import Always, Bypass, DropClause, DropItem, Instead, Never, Skip
from tests.simulation.stand_ins import hand_nothing_over, no_questions

_COMPACTION: Final = "shared.conversation.compaction"
_LIFETIME: Final = "shared.conversation.lifetime"
_PLAN: Final = "shared.conversation.redaction.plan"
_SNAPSHOT: Final = "shared.conversation.snapshot"
_WITHDRAWAL: Final = "shared.conversation.withdrawal"

OF_REDACTION: Final[Mapping[str, Mutation]] = {
    "ends_moves_that_were_half_made": Mutation(
        "shared.knowledge.entry_words:_Removal.run",
        Skip("_end_moves"),
        lacks="an entry stands in two places, because its move was withdrawn between the two writes",
    ),
    "compares_with_what_goes": Mutation(
        f"{_PLAN}:RedactionPlan._may_repeat",
        DropClause("are_in"),
        lacks="an answer keeps withdrawn words that it repeats from another one",
    ),
    "compares_with_redacted_answers": Mutation(
        f"{_PLAN}:RedactionPlan._redact",
        Skip("_signs.add"),
        lacks="an answer keeps words that an answer, and not the message itself, has handed on",
    ),
    "remembers_what_it_compared": Mutation(
        f"{_PLAN}:RedactionPlan._redact",
        Skip("_worded.add"),
        lacks="an answer counts as never compared, and what names it loses its words",
    ),
    "redacts_committed_outcomes": Mutation(
        f"{_PLAN}:RedactionPlan.redacts",
        Never("redacted_ids"),
        lacks="the turn keeps the words of an outcome that the plan redacts",
    ),
    "compares_with_the_message": Mutation(
        f"{_WITHDRAWAL}:Withdrawal._withdraw_now",
        Skip("add_words"),
        lacks="an answer keeps words that it repeats from the message by way of an answer",
    ),
    "knows_what_it_could_not_compare": Mutation(
        f"{_PLAN}:RedactionPlan._redact",
        Never("_is_of_lost"),
        lacks="an answer keeps words of a message that was dropped before its withdrawal had compared it",
    ),
    "writes_withdrawals_first": Mutation(
        f"{_WITHDRAWAL}:Withdrawal.withdraw_all",
        Skip("amendments.withdraw"),
        lacks="a message that comes after its unsend is answered",
    ),
    "writes_edits_first": Mutation(
        f"{_WITHDRAWAL}:Withdrawal.edit",
        Skip("amendments.amend"),
        lacks="a message keeps the words from before its edit",
    ),
    "rewrites_snapshot_for_edits": Mutation(
        f"{_WITHDRAWAL}:Withdrawal._edit_now",
        Skip("snapshot.clean"),
        lacks="a folded message keeps the words from before its edit",
    ),
    "edits_twice": Mutation(
        f"{_WITHDRAWAL}:Withdrawal.finish_edit",
        Skip("_edit_now"),
        lacks="no tick replaces the words of an edit whose worker stalls",
    ),
    "writes_erasures_first": Mutation(
        f"{_WITHDRAWAL}:Withdrawal.erase",
        Skip("amendments.erase"),
        lacks="an edit that is older than the erasure is kept",
    ),
    "clears_journal_for_erasures": Mutation(
        f"{_WITHDRAWAL}:Withdrawal._erase_readable",
        Skip("drop"),
        lacks="an erased message stays in the journal",
    ),
    "redacts_folded_answers": Mutation(
        f"{_SNAPSHOT}:cleaned",
        Bypass("without_redacted"),
        lacks="an answer that was folded keeps withdrawn words",
    ),
    "drops_folded_messages": Mutation(
        f"{_SNAPSHOT}:cleaned",
        Always("is_withdrawn"),
        lacks="a withdrawn message stays in the snapshot",
    ),
    "folds_the_newest_words": Mutation(
        f"{_SNAPSHOT}:cleaned",
        Bypass("overlay"),
        lacks="a folded message keeps the words from before its edit",
    ),
    "settles_what_it_finds": Mutation(
        f"{_SNAPSHOT}:Snapshot.settle",
        Never("adds_to"),
        lacks="a compaction under way brings withdrawn words back",
    ),
    "settles_marks": Mutation(
        f"{_SNAPSHOT}:Snapshot.refuse",
        Skip("settle"),
        lacks="a blocked message is marked although it was withdrawn meanwhile",
    ),
    "overtakes_folds_for_erasures": Mutation(
        f"{_WITHDRAWAL}:Withdrawal.finish_erasure",
        Skip("_overtake_folds"),
        lacks="a compaction that sleeps through both passes brings erased words back",
    ),
    "hands_sources_over": Mutation(
        f"{_COMPACTION}:bounded",  # as the compaction calls it
        Instead("hand_over_sources", hand_nothing_over),
        lacks="an answer keeps withdrawn words that it repeats from an answer that memory has forgotten",
    ),
    "hands_over_to_what_repeats": Mutation(
        f"{_LIFETIME}:hand_over_sources",  # as `bounded` calls it
        DropClause("_may_repeat"),
        lacks="the same, where the forgotten answer still had its words",
    ),
    "compares_with_handed_over_words": Mutation(
        f"{_LIFETIME}:hand_over_sources",
        Skip("add"),
        lacks="the same: no answer seems to repeat the forgotten one",
    ),
    "keeps_open_questions": Mutation(
        f"{_COMPACTION}:bounded",
        Instead("_asking", no_questions),
        lacks="a question leaves memory before its ten minutes are over",
    ),
    "names_the_question_of_a_press": Mutation(
        "shared.handlers.question_press:_press_of",
        DropItem("question_id"),
        lacks="a question that was declined is forgotten to be so, and can be confirmed",
    ),
}
