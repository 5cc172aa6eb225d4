"""Lines of the product without which a schedule breaks: one function is compiled without the line, for as long as schedules are played."""

import importlib
import inspect
import textwrap
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final


@dataclass(frozen=True, slots=True)
class Mutation:
    """`line` of `function` (module:name, or module:Class.name) becomes `becomes`."""

    function: str
    line: str
    becomes: str
    lacks: str
    """What is missing then, in a few words."""

    @contextmanager
    def applied(self) -> Iterator[None]:
        """The product lacks the line.  Raises: LookupError, where the function does not have it (any more)."""
        module_name, _, path = self.function.partition(":")
        module = importlib.import_module(module_name)
        owner: Any = module
        *outer, name = path.split(".")
        for one in outer:
            owner = getattr(owner, one)
        before = inspect.getattr_static(owner, name)
        function = getattr(before, "fget", before)
        source = textwrap.dedent(inspect.getsource(function))
        if source.count(self.line) != 1:
            raise LookupError(f"{self.function} does not hold once: {self.line}")
        made: dict[str, Any] = {}
        exec(source.replace(self.line, self.becomes), function.__globals__, made)  # noqa: S102 - our own source, less a line
        setattr(owner, name, made[name])
        try:
            yield
        finally:
            setattr(owner, name, before)


_CONVERSATION: Final = "shared.conversation"
_TAKING: Final = "shared.turns.runner:TurnTaking"
_ANSWER: Final = "shared.turns.reply:_Answer"
_KEEPER: Final = "shared.turns.reply:Keeper"
_TURN: Final = f"{_CONVERSATION}.turn"
_SPEAKER: Final = "shared.turns.outbox:Speaker"
_JOURNAL: Final = f"{_CONVERSATION}.journal:Journal"
_READER: Final = f"{_CONVERSATION}.history"
_SPENDING: Final = "shared.turns.outbox:spend_reply_token"
_LATE: Final = "shared.turns.deferral"
_AMENDMENTS: Final = f"{_CONVERSATION}.amendments"
_WITHDRAWAL: Final = f"{_CONVERSATION}.withdrawal:Withdrawal"
_COMPACTION: Final = f"{_CONVERSATION}.compaction"

MUTATIONS: Final[Mapping[str, Mutation]] = {
    # the record
    "looks_after_record": Mutation(
        f"{_JOURNAL}.settle",
        "if amendments.take_back(message):",
        "if False:",
        "a message of the group whose unsend came first stays in the journal",
    ),
    "drops_what_was_taken_back": Mutation(
        f"{_ANSWER}.came_to",
        "self.of.journal.drop(self.conversation_id, own_id)",
        "pass",
        "an addressed message whose unsend came first stays in the journal",
    ),
    "acknowledges_own_only": Mutation(
        f"{_TAKING}._look",
        "self._wait(conversation_id, seen, patience)\n            return None",
        "return 'somebody is at it'",
        "a delivery that finds the turn taken relies on the holder",
    ),
    "finishes_own_outcome": Mutation(
        f"{_ANSWER}.came_to",
        "if unfinished is not None and own_id in unfinished.covers:",
        "if False:",
        "an outcome that is committed is not recorded once its messages are too old to be answered",
    ),
    # reading
    "reads_turn_before_list": Mutation(
        f"{_TAKING}.see_through",
        "listing = self.reader.list(conversation_id)",
        "listing, seen = self.reader.list(conversation_id), self.turns.read(conversation_id)",
        "what is seen of the chat may be older than the generation that a turn is opened at",
    ),
    "begins_again_when_gone": Mutation(
        f"{_READER}:Reader.read",
        "None in journalled",
        "False",
        "what a compaction moved meanwhile is missing",
    ),
    "sees_through_answers": Mutation(
        f"{_READER}:History.seen_ids",
        "ids |= self.ids_in(one)",
        "pass",
        "a thought that repeats an answer is not known to repeat what that one repeats",
    ),
    "sees_through_recaps": Mutation(
        f"{_READER}:History.seen_ids",
        "ids.update(recap.covers, between(self.timeline, recap.since_ms, recap.until_ms))",
        "pass",
        "a thought that repeats a recap is not known to repeat what that one sums up",
    ),
    "answers_young_only": Mutation(
        f"{_READER}:History.pending",
        "and now_ms - one.timestamp_ms < ANSWERABLE_MS",
        "",
        "an answer comes out of the blue, long after its question",
    ),
    # the turn
    "waits_for_live_holder": Mutation(
        f"{_TAKING}._is_held",
        "is_taken and self.clock.now_ms() < seen.record.expires_ms",
        "False",
        "a turn is opened over a holder who is alive",
    ),
    "counts_tries": Mutation(
        f"{_ANSWER}._decided",
        "keeper.held.record.tries >= _TRIES",
        "False",
        "a message that kills its worker is thought about for ever",
    ),
    "looks_before_model": Mutation(
        "shared.agent.loop:_Turn.ask",
        "self._look()",
        "pass",
        "a prompt is made of what was read before the unsend",
    ),
    "repeats_slow_looks": Mutation(
        f"{_AMENDMENTS}:AmendmentLog.fresh_look",
        "if self.clock.monotonic_s() - begun_s < self.look_s:",
        "if True:",
        "a look that was long ago is relied on before a prompt is made",
    ),
    "renews_lease": Mutation(
        f"{_KEEPER}.keep",
        "self.held.renew()",
        "pass",
        "a slow model loses its turn",
    ),
    "renews_at_once": Mutation(
        f"{_TURN}:HeldTurn.renew",
        "or not self._catch_up():",
        "or self._catch_up() or True:",
        "a renewal that lost to an unsend is made a nap later, when the lease is as good as over",
    ),
    "swaps": Mutation(
        f"{_TURN}:Turns.swap",
        "generation=seen.generation",
        "generation=self.read(conversation_id).generation",
        "the turn is written over whatever is there",
    ),
    "tells_own_write": Mutation(
        f"{_TURN}:Turns.swap",
        "found if found.record.writer == written.writer else None",
        "None",
        "a write whose answer was lost counts as lost",
    ),
    "stops_before_lease_ends": Mutation(
        f"{_TURN}:HeldTurn.is_over",
        "self._turns.clock.monotonic_s() >= self._fence_s",
        "False",
        "a holder that slept through its lease goes on",
    ),
    "checks_holder_on_commit": Mutation(
        f"{_TURN}:HeldTurn._catch_up",
        "found.record.holder != self._holder or found.record.state != self.record.state",
        "False",
        "a lost swap is repeated at whatever generation there is",
    ),
    "heeds_cancelled": Mutation(
        f"{_TURN}:HeldTurn.commit",
        "if self.record.cancels(prompt, since_ms=since_ms):",
        "if False:",
        "a commit whose swap was lost to an unsend does not ask which message it was",
    ),
    "cancels": Mutation(
        f"{_TURN}:TurnRecord.cancelling",
        'replace(self, cancelled=(*self.cancelled, line_message_id)) if self.state == "thinking" else self',
        "self",
        "the commit looks again, and finds nothing to heed",
    ),
    "takes_text_out_of_turn": Mutation(
        f"{_TURN}:TurnRecord.without",
        "replace(self, outcome=outcome.without_words(OutcomeKind.WITHDRAWN))",
        "self",
        "the committed outcome keeps the words",
    ),
    # the answer
    "commits_before_send": Mutation(
        f"{_ANSWER}.in_turn",
        "if not held.commit(",
        "self.of.speaker.line.reply(routes[0].reply_token, self.of.speaker._messages(outcome)) if routes else None\n"
        "    if not held.commit(",
        "the token is spent before anybody knows on what",
    ),
    "stops_before_send": Mutation(
        f"{_SPEAKER}._spoken",
        "if held.is_over:",
        "if False:",
        "a look that was long ago is relied on",
    ),
    "withdraws_when_taken_over": Mutation(
        f"{_SPEAKER}.finish",
        "if not taken_over:",
        "if True:",
        "a touched outcome of a dead holder, perhaps sent, is thought again",
    ),
    "looks_before_send": Mutation(
        f"{_SPEAKER}.finish",
        "if self.journal.amendments.look(held.conversation_id).touch(outcome):",
        "if False:",
        "an answer goes out although its question was taken back before the commit",
    ),
    "takes_over_by_swap": Mutation(
        f"{_TURN}:Turns.take_over",
        "return self._held(conversation_id, seen, seen.record)",
        "return HeldTurn(turns=self, conversation_id=conversation_id, seen=seen, holder=seen.record.holder)",
        "a taker-over and a slow holder both believe the outcome is theirs",
    ),
    "looks_after_outcome": Mutation(
        f"{_JOURNAL}.record_outcome",
        "not self.amendments.look(conversation_id).touch(outcome)",
        "True",
        "an unsend between the look and the record leaves words behind",
    ),
    # tokens
    "first_400_is_refused": Mutation(
        _SPENDING,
        "was_spent if may_have_arrived else False",
        "was_spent",
        "a dead token counts as an answer",
    ),
    "young_repeated_400_is_spent": Mutation(
        _SPENDING,
        "True if clock.now_ms() < surely_alive_until_ms else None",
        "False if clock.now_ms() < surely_alive_until_ms else None",
        "an answer that arrived counts as refused",
    ),
    "late_repeated_400_is_unknown": Mutation(
        _SPENDING,
        "True if clock.now_ms() < surely_alive_until_ms else None",
        "True if clock.now_ms() < surely_alive_until_ms else False",
        "an answer that nobody knows of counts as refused",
    ),
    "uses_retry_key": Mutation(
        f"{_SPEAKER}._pushed",
        'f"{held.conversation_id}/{outcome.webhook_event_id}"',
        'f"{held.conversation_id}/{self.clock.monotonic_s()}"',
        "a push that is repeated is repeated to the user",
    ),
    "pushes_young_only": Mutation(
        f"{_SPEAKER}._pushed",
        "if not self._is_young(outcome.timestamp_ms):",
        "if False:",
        "an answer is pushed more than 20 minutes after its question",
    ),
    "dead_holders_young_400_is_spent": Mutation(
        f"{_SPEAKER}._gone",
        "if taken_over and spent.delivered is False:",
        "if False:",
        "what a dead holder said counts as refused",
    ),
    "dead_holders_late_400_is_unknown": Mutation(
        f"{_SPEAKER}._gone",
        "True if is_young else None",
        "True",
        "a token that died counts as an answer",
    ),
    "tries_next_route": Mutation(
        f"{_SPEAKER}._spoken",
        "for route in (held.record.route, *(one for one in spare if one != held.record.route)):",
        "for route in (held.record.route,):",
        "one dead token and the answer is lost",
    ),
    "commits_route": Mutation(
        f"{_SPEAKER}._spoken",
        "if not held.amend(outcome, route):",
        "held._seen = replace(held._seen, record=replace(held.record, route=route))\n            if False:",
        "the next token is used before the turn says so",
    ),
    "answers_addressed_only": Mutation(
        f"{_READER}:History.pending",
        "if one.addressed\n",
        "if True\n",
        "people who talk to each other are answered",
    ),
    # the greeting
    "greets_once": Mutation(
        "shared.turns.announcement:_Announcement.came_to",
        "if self.words.webhook_event_id in history.recorded:",
        "if False:",
        "an event that is delivered again is greeted again",
    ),
    "greets_who_is_there": Mutation(
        "shared.turns.announcement:_Announcement.came_to",
        "if unfinished is None and history.amendments.touch(self.words):",
        "if False:",
        "a chat that was left is greeted",
    ),
    # the button
    "defers": Mutation(
        f"{_KEEPER}._until_due_s",
        "if self._of.speaker.late_reply is not LateReply.BUTTON:",
        "if True:",
        "the token dies while the model thinks",
    ),
    "asks_delivered_already": Mutation(
        f"{_LATE}:_delivered",
        "if one.kind in arrived and not one.has_button",
        "if False",
        "who presses twice reads twice",
    ),
    "keeps_roots": Mutation(
        f"{_KEEPER}._defer",
        "answers=(own_id, *self.draft.answers)",
        "answers=(own_id,)",
        "a deferral of a deferral forgets whose answer it is",
    ),
    "looks_before_storing": Mutation(
        f"{_KEEPER}.stored",
        "self.look(frozenset(answer.saw))",
        "pass",
        "a stored answer keeps what was taken back while it was thought",
    ),
    # what an answer may hold
    "outcomes_tell_what_they_saw": Mutation(
        f"{_KEEPER}.__init__",
        "saw=tuple(sorted(history.newest_seen(ids))),",
        "",
        "an answer that repeats a neighbour's words is not known to",
    ),
    "outcomes_tell_since_when": Mutation(
        f"{_KEEPER}.__init__",
        "since_ms=since_ms,",
        "",
        "an answer that repeats something erased is not known to",
    ),
    # unsend, edits, erasure
    "clears_journal": Mutation(
        f"{_WITHDRAWAL}._sweep",
        "self.journal.drop(conversation_id, line_message_id)",
        "pass",
        "a message that was taken back stays in the journal",
    ),
    "touches_turn": Mutation(
        f"{_WITHDRAWAL}._sweep",
        "self.turns.change(conversation_id, lambda turn: turn.without(amendments, line_message_id, touched))",
        "pass",
        "a running turn learns nothing, a committed one keeps the words",
    ),
    "clears_outcomes": Mutation(
        f"{_WITHDRAWAL}._sweep",
        "self.journal.take_words_out(outcome_name(conversation_id, outcome.webhook_event_id))",
        "pass",
        "answers keep what they repeat",
    ),
    "rewrites_snapshot": Mutation(
        f"{_WITHDRAWAL}._sweep",
        "is_known |= self._rewrite_snapshot(conversation_id, line_message_id)",
        "pass",
        "what was folded stays",
    ),
    "always_rewrites_snapshot": Mutation(
        f"{_WITHDRAWAL}._rewrite_snapshot",
        "if self.snapshots.swap(",
        "if cleaned(seen.record, amendments) == seen.record or self.snapshots.swap(",
        "a compaction under way brings back what was taken back",
    ),
    "passes_twice": Mutation(
        f"{_WITHDRAWAL}.withdraw",
        "return self._sweep(conversation_id, line_message_id) or is_known",
        "return is_known",
        "words of a writer that died before it looked stay",
    ),
    "erases_twice": Mutation(
        f"{_WITHDRAWAL}.end_erasure",
        "self._sweep(conversation_id)\n    for",
        "pass\n    for",
        "words of a writer that died before it looked stay",
    ),
    "erases_older_edits": Mutation(
        f"{_AMENDMENTS}:AmendmentLog.erase",
        "self.drop_erased_edit(conversation_id, line_message_id)",
        "pass",
        "an edit from before an erasure keeps its words",
    ),
    "drops_late_edits": Mutation(
        f"{_WITHDRAWAL}.edit",
        "if self.amendments.drop_erased_edit(conversation_id, line_message_id):",
        "if False:",
        "an edit from before an erasure that comes after it is kept",
    ),
    "withdrawn_is_final": Mutation(
        f"{_AMENDMENTS}:_newer",
        "if there.text is None:  # withdrawn is final\n        return None",
        "if there.text is None:\n        return new",
        "a late edit brings a message back",
    ),
    "newest_edit_wins": Mutation(
        f"{_AMENDMENTS}:_newer",
        "new if new.text is None or new.timestamp_ms > there.timestamp_ms else None",
        "new",
        "the edit that was delivered last wins",
    ),
    "rewrites_edited_record": Mutation(
        f"{_WITHDRAWAL}.edit",
        "self.journal.bring_up_to_date(conversation_id, line_message_id)",
        "pass",
        "the old text stays beside the new one",
    ),
    "edits_cancel": Mutation(
        f"{_WITHDRAWAL}.edit",
        "self.turns.change(conversation_id, lambda turn: turn.cancelling(line_message_id))",
        "pass",
        "an answer to the old text is committed after the edit",
    ),
    "largest_watermark_wins": Mutation(
        f"{_AMENDMENTS}:AmendmentLog.erase",
        "max(timestamp_ms, there.timestamp_ms)",
        "timestamp_ms",
        "an older erasure that comes late brings back what a newer one erased",
    ),
    "recaps_tell_until_when": Mutation(
        f"{_COMPACTION}:_with_recap",
        "until_ms=max((batch[-1].timestamp_ms, *(one.until_ms for one in answers))),",
        "until_ms=batch[-1].timestamp_ms,",
        "a recap of answers that repeat newer words is not known to",
    ),
    # compaction
    "swaps_snapshot": Mutation(
        f"{_CONVERSATION}.snapshot:Snapshots.swap",
        "generation=seen.generation",
        "generation=self.read(conversation_id).generation",
        "the snapshot is written over whatever is there",
    ),
    "counts_recap_tries": Mutation(
        f"{_COMPACTION}:Compaction._summed_up",
        "if record.recap_tries > _TRIES:",
        "if False:",
        "a recap that kills its worker is asked for ever",
    ),
    "cleans_what_it_folds": Mutation(
        f"{_COMPACTION}:Compaction.fold",
        "cleaned(folding.record, amendments)",
        "folding.record",
        "what was taken back is folded",
    ),
}
