"""The first seed that breaks without each guard, from 0 on.  What is not here has a scene (scenes.py).

After a change of the model: python -m tests.simulation.model 20000 --each
"""

from collections.abc import Mapping
from typing import Final

SEEDS: Final[Mapping[str, int]] = {
    "looks_after_record": 9,
    "acknowledges_own_only": 9,
    "finishes_own_outcome": 243,
    "begins_again_when_gone": 11_854,
    "waits_for_live_holder": 0,
    "opens_in_time": 102,
    "counts_tries": 12,
    "looks_before_model": 211,
    "renews_lease": 114,
    "stops_before_lease_ends": 502,
    "heeds_cancelled": 1,
    "tells_own_write": 249,
    "retries_throttled": 4,
    "commits_before_send": 1,
    "looks_before_send": 176,
    "withdraws_when_taken_over": 514,
    "first_400_is_refused": 18,
    "young_repeated_400_is_spent": 15,
    "late_repeated_400_is_unknown": 115,
    "uses_retry_key": 71,
    "pushes_young_only": 647,
    "answers_young_only": 140,
    "defers": 1_048,
    "asks_delivered_already": 61,
    "keeps_roots": 1_375,
    "writes_after_commit": 95,
    "keys_staged_writes": 1,
    "orders_staged_writes": 226,
    "adds_to_cancelled": 1,
    "takes_text_out_of_turn": 4,
    "always_rewrites_snapshot": 1_897,
    "passes_twice": 306,
    "withdrawn_is_final": 14,
    "newest_edit_wins": 12,
    "rewrites_edited_record": 4,
    "largest_watermark_wins": 36,
    "outcomes_tell_since": 2_558,
    "erases_edits": 179,
}
