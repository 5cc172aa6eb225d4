"""The guards of the protocol, each with a switch, so that it can be shown what each one is for."""

from dataclasses import dataclass, fields, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class Guards:
    """What holds the protocol together; everything is on in the product.  The comment says what happens with the guard off."""

    # the record
    looks_after_record: bool = True  # a message whose unsend came first stays in the journal
    acknowledges_own_only: bool = True  # a delivery that finds the turn taken relies on the holder
    finishes_own_outcome: bool = True  # an outcome whose messages grew too old is committed and never recorded
    # reading
    reads_turn_before_list: bool = True  # the view may be older than the generation it is opened at
    begins_again_when_gone: bool = True  # what a compaction moved meanwhile is missing from the view
    checks_snapshot_again: bool = True  # a snapshot read beside the listing may be older than the listing
    # the turn
    waits_for_live_holder: bool = True  # a turn is opened over a holder who is alive
    opens_in_time: bool = True  # a request that waited long opens a turn, and the platform ends it in the middle
    counts_tries: bool = True  # a message that kills its worker is thought about for ever
    looks_before_model: bool = True  # a prompt is made of what was read before the unsend
    renews_lease: bool = True  # a slow model loses its turn
    stops_before_lease_ends: bool = True  # a holder that slept through its lease goes on
    checks_holder_on_commit: bool = True  # a lost swap is repeated at whatever generation there is
    heeds_cancelled: bool = True  # a commit whose swap was lost to an unsend does not ask which message it was
    tells_own_write: bool = True  # a write whose answer was lost counts as lost
    retries_throttled: bool = True  # 429 ends the request with 5xx
    # the answer
    commits_before_send: bool = True  # the token is spent before anybody knows on what
    looks_before_send: bool = True  # an answer goes out although its question was taken back before the commit
    takes_over_by_swap: bool = True  # a taker-over and a slow holder both believe the outcome is theirs
    withdraws_when_taken_over: bool = True  # a touched outcome of a dead holder, perhaps sent, is thought again
    looks_after_outcome: bool = True  # an unsend between the look and the record leaves words behind
    # tokens
    first_400_is_refused: bool = True  # a dead token counts as an answer
    young_repeated_400_is_spent: bool = True  # an answer that arrived is sent once more
    late_repeated_400_is_unknown: bool = True  # an answer that nobody knows of is sent once more
    tries_next_token: bool = True  # one dead token and the answer is lost
    commits_route: bool = True  # the next token is used before the turn says so
    uses_retry_key: bool = True  # a push that is repeated is repeated to the user
    pushes_young_only: bool = True  # an answer comes out of the blue, long after its question
    answers_young_only: bool = True  # so does the model's
    # the button
    defers: bool = True  # the token dies while the model thinks
    asks_delivered_already: bool = True  # who presses twice reads twice
    keeps_roots: bool = True  # a deferral of a deferral forgets whose answer it is
    looks_before_storing: bool = True  # a stored answer is sent to a chat that was told to forget
    looks_after_storing: bool = True  # a stored answer keeps what was taken back
    # what is written
    writes_after_commit: bool = True  # entries are written by turns that come to nothing
    keys_staged_writes: bool = True  # an entry is written once by everybody who finishes the outcome
    orders_staged_writes: bool = True  # a key that is only compared for equality forgets older writes
    # unsend, edits, erasure
    adds_to_cancelled: bool = True  # the commit looks again, and finds nothing to heed
    takes_text_out_of_turn: bool = True  # the committed outcome keeps the words
    always_rewrites_snapshot: bool = True  # a compaction under way brings the message back
    passes_twice: bool = True  # words of a writer that died before it looked stay
    withdrawn_is_final: bool = True  # a late edit brings a message back
    newest_edit_wins: bool = True  # the edit that was delivered last wins
    rewrites_edited_record: bool = True  # the old text stays beside the new one
    largest_watermark_wins: bool = True  # an older reset that comes late brings back what a newer one erased
    outcomes_tell_since: bool = True  # an answer that repeats something erased is not known to
    erases_edits: bool = True  # an edit from before the reset that comes after it is kept

    def without(self, name: str) -> "Guards":
        """Return these guards with one of them off."""
        return replace(self, **{name: False})


NAMES = tuple(field.name for field in fields(Guards))
