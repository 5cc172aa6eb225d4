"""Mutations of the product: each takes one guard out of one function, for as long as schedules are played.

A mutation names the function, and the rule that changes it.  The function is recompiled from its changed syntax tree.
"""

import ast
import importlib
import inspect
import itertools
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import FunctionType
from typing import Any, Final

from shared.bus.result import EventResult
from shared.conversation.amendment_notes import AmendedObjects
from shared.conversation.amendments import AmendmentLog, Amendments
from shared.conversation.archive import Archive
from shared.conversation.history import History, Listing
from shared.conversation.journal import Journal
from shared.conversation.records import Amendment, MessageRecord, OutcomeRecord, Watermark
from shared.conversation.snapshot import Snapshot
from shared.conversation.snapshot_records import Segment, SnapshotRecord
from shared.conversation.store import Conversation
from shared.conversation.sweep import Sweep
from shared.conversation.turn import Route, SeenTurn, TurnRecord
from shared.knowledge.entry import Entry, IsWithdrawn
from shared.line.postback_data import ReminderPress
from shared.reminders.reminder import Reminder
from shared.reminders.wording import Occurrence
from shared.storage.object_store import ObjectStore
from shared.turns.attempt import Attempt
from shared.turns.lease import Lease
from shared.turns.outbox import StagedWriter
from shared.turns.reply import _ReplyDelivery
from shared.turns.runner import Run, TurnDelivery, TurnRunner
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
    Rule,
    Skip,
    Substitute,
    Within,
)

_AMENDMENTS: Final = "shared.conversation.amendments"
_ANNOUNCEMENT: Final = "shared.turns.announcement"
_APPLY: Final = "shared.knowledge.apply"
_ARCHIVE: Final = "shared.conversation.archive"
_ATTEMPT: Final = "shared.turns.attempt"
_ERASURE: Final = "shared.handlers.erasure"
_COMPACTION: Final = "shared.conversation.compaction"
_DEFERRAL: Final = "shared.turns.deferral"
_DESCENT: Final = "shared.conversation.descent"
_ENTRY_WORDS: Final = "shared.knowledge.entry_words"
_HISTORY: Final = "shared.conversation.history"
_INTAKE: Final = "shared.handlers.intake"
_INTERJECTION: Final = "shared.turns.interjection"
_JOURNAL: Final = "shared.conversation.journal"
_LEASE: Final = "shared.turns.lease"
_LOOP: Final = "shared.agent.loop"
_OUTBOX: Final = "shared.turns.outbox"
_RECAP: Final = "shared.conversation.recap"
_REPLY: Final = "shared.turns.reply"
_REMINDER_PRESS: Final = "shared.handlers.reminder_press"
_DELIVERY: Final = "shared.reminders.delivery"
_REMINDER_APPLY: Final = "shared.reminders.apply"
_REMINDER_WORDS: Final = "shared.reminders.words"
_ROOM: Final = "shared.turns.waiting_room"
_RUNNER: Final = "shared.turns.runner"
_SNAPSHOT: Final = "shared.conversation.snapshot"
_TURN: Final = "shared.conversation.turn"
_WITHDRAWAL: Final = "shared.conversation.withdrawal"


@dataclass(frozen=True, slots=True)
class Mutation:
    """A rule for one function.  `function` is `module:name` or `module:Class.name`."""

    function: str
    rule: Rule
    lacks: str
    """What goes wrong under the mutation, in a few words."""

    @contextmanager
    def active(self) -> Iterator[None]:
        """Replace the function until the block ends.

        Raises: LookupError, which names function and rule, if there is no such function or the rule does not match exactly once.
        """
        owner, name, before = self._locate()
        try:
            after = _recompile(before, self.rule.apply(self.definition()))
        except LookupError as cause:
            raise LookupError(f"{self.function}: {cause}") from cause
        setattr(owner, name, after)
        try:
            yield
        finally:
            setattr(owner, name, before)

    def definition(self) -> ast.FunctionDef:
        """Return the syntax tree of the function, from its file."""
        *_, before = self._locate()
        code = _unwrap(before).__code__
        source = Path(code.co_filename).read_text(encoding="utf-8")
        for one in ast.walk(ast.parse(source)):
            # The first line of a code object is that of its first decorator.
            if isinstance(one, ast.FunctionDef) and code.co_firstlineno == min(
                [one.lineno, *(decorator.lineno for decorator in one.decorator_list)]
            ):
                return one
        raise LookupError("it is not defined by a `def`")

    def _locate(self) -> tuple[Any, str, Any]:
        module_name, _, path = self.function.partition(":")
        owner: Any = importlib.import_module(module_name)
        *outer, name = path.split(".")
        try:
            for one in outer:
                owner = getattr(owner, one)
            return owner, name, inspect.getattr_static(owner, name)
        except AttributeError as cause:
            raise LookupError(f"{self.function}: there is no such function") from cause


def _unwrap(decorated: Any) -> FunctionType:  # noqa: ANN401 - a function, or the result of a decorator
    function = inspect.unwrap(decorated.fget if isinstance(decorated, property) else decorated)  # type: ignore[arg-type]
    assert isinstance(function, FunctionType)
    return function


def _recompile(before: Any, tree: ast.FunctionDef) -> Any:  # noqa: ANN401 - as above
    """Return the function compiled from the tree, with the same decorators, globals, closure and line numbers."""
    function = _unwrap(before)
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    free = {name: cell.cell_contents for name, cell in cells}
    free |= {one.id: one.target for one in ast.walk(tree) if isinstance(one, Substitute)}
    # Wrap it in a function whose parameters are its free variables.
    arguments = [ast.arg(one) for one in free]
    scope = ast.FunctionDef(
        name="_scope",
        args=ast.arguments(posonlyargs=[], args=arguments, kwonlyargs=[], kw_defaults=[], defaults=[]),
        body=[tree, ast.Return(ast.Name(tree.name, ast.Load()))],
        decorator_list=[],
    )
    module = ast.fix_missing_locations(ast.Module(body=[scope], type_ignores=[]))
    code = compile(module, function.__code__.co_filename, "exec", dont_inherit=True)
    made: dict[str, Any] = {}
    exec(code, function.__globals__, made)  # noqa: S102 - the product's own source
    after = made["_scope"](**free)
    return property(after.fget, before.fset, before.fdel) if isinstance(before, property) else after


# Substitutes for calls, for mutations that need more than an omission.  Each takes the owner of the method and its arguments.


def _acknowledge_while_held(
    runner: TurnRunner,
    conversation: Conversation,
    delivery: TurnDelivery,
    seen: SeenTurn,
    listing: Listing,
    patience: Any,  # noqa: ANN401 - its own
) -> Run | None:
    if seen.record.state == "thinking" and runner._is_held(seen, None):  # noqa: SLF001 - its own method
        return Run(result=EventResult.IGNORED)
    return runner._look(conversation, delivery, seen, listing, patience)  # noqa: SLF001 - its own method


def _replace_any_generation(store: ObjectStore, name: str, data: bytes, *, generation: int) -> int | None:
    stored = store.read(name)
    return store.replace(name, data, generation=stored.generation if stored is not None else generation)


def _think_and_reply(delivery: _ReplyDelivery, attempt: Attempt, *, is_alone: bool) -> OutcomeRecord | None:
    outcome, outbox = delivery._think(attempt, is_alone=is_alone), delivery.reply.outbox  # noqa: SLF001 - its own method
    token = attempt.routes[0].reply_token if attempt.routes and not attempt.has_ended else None
    if outcome is not None and token is not None:
        outbox.line.reply(token, outbox._messages(outcome))  # noqa: SLF001 - what the product would send
    return outcome


def _hold_without_writing(conversation: Conversation, seen: SeenTurn, record: TurnRecord) -> Lease:
    return Lease(conversation=conversation, seen=seen, holder=record.holder)


def _amend_without_writing(lease: Lease, _outcome: OutcomeRecord, route: Route) -> bool:
    lease.seen = replace(lease.seen, record=replace(lease.record, route=route))
    return True


def _new_key(*_: object) -> uuid.UUID:
    return uuid.uuid4()


def _leave_nothing(_archive: Archive, _before: SnapshotRecord, after: SnapshotRecord) -> SnapshotRecord:
    """Stand-in for `Archive.with_waiting`."""
    return after


def _name_no_segment(_sweep: Sweep, _ids: AbstractSet[str]) -> tuple[Segment, ...]:
    """Stand-in for `Sweep.naming`."""
    return ()


def _settle_without_looking(_snapshot: Snapshot, _log: AmendmentLog, looked: Amendments) -> Amendments:
    return looked


def _newer_even_if_withdrawn(there: Amendment | None, new: Amendment) -> Amendment | None:
    is_newer = there is None or None in {there.text, new.text} or new.timestamp_ms > there.timestamp_ms
    return new if is_newer else None


def _apply_nothing(_staged: StagedWriter, _conversation: Conversation, _outcome: OutcomeRecord, _lease: Lease) -> bool:
    return True


def _read_newest_only(
    log: AmendmentLog,
    listed: AmendedObjects,
    watermark: Callable[[], Watermark],
    *,
    besides: AbstractSet[str],  # noqa: ARG001 - as in the product
) -> Callable[[], Amendments]:
    return log.begin_reading(listed, watermark, besides=frozenset())


def _look_at_newest(log: AmendmentLog, *, besides: AbstractSet[str]) -> Amendments:  # noqa: ARG001 - as in the product
    return log.look()


def _show_everything(history: History, _asked: Sequence[MessageRecord]) -> History:
    return history


def _nothing_is_deadly(_outcomes: Iterable[OutcomeRecord]) -> tuple[frozenset[str], int]:
    return frozenset(), -1


def _nothing_left(_entry: Entry, _is_withdrawn: IsWithdrawn) -> None:
    return None


def _no_outcome(_journal: Journal, _webhook_event_id: str) -> None:
    return None


def _note_every_press(there: Reminder | None, press: ReminderPress, *, event_id: str, **_: object) -> Reminder | None:
    return None if there is None else replace(there, pressed_ms=press.occurrence_ms, pressed_by=event_id)


def _another_key(conversation_id: str, occurrence: Occurrence) -> str:
    """Return another key each time."""
    return f"{conversation_id} {occurrence.id} {next(_KEYS)}"


_KEYS: Final = itertools.count()

MUTATIONS: Final[Mapping[str, Mutation]] = {
    # the record
    "looks_after_record": Mutation(
        f"{_JOURNAL}:Journal.record",
        Never("is_withdrawn"),
        lacks="a group message whose unsend was handled first stays in the journal",
    ),
    "drops_what_was_taken_back": Mutation(
        f"{_REPLY}:_ReplyDelivery.tidy",
        Skip("drop"),
        lacks="an addressed message whose unsend was handled first stays in the journal",
    ),
    "acknowledges_own_only": Mutation(
        f"{_RUNNER}:TurnRunner.run",
        Instead("_look", _acknowledge_while_held),
        lacks="a delivery that finds the turn held is acknowledged before its message has an outcome",
    ),
    "finishes_own_outcome": Mutation(
        f"{_REPLY}:_ReplyDelivery.result_in",
        Never("covers"),
        lacks="a committed outcome is never recorded once its messages are too old to be answered",
    ),
    # reading
    "begins_again_when_gone": Mutation(
        f"{_HISTORY}:HistoryReader.read",
        Never("None"),
        lacks="the view lacks objects that a compaction moved while it was read",
    ),
    "sees_through_answers": Mutation(
        f"{_HISTORY}:History.provenance",
        DropItem("answers"),
        lacks="the provenance of an outcome lacks what the answers in its prompt repeat",
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
    # the turn
    "waits_for_live_holder": Mutation(
        f"{_RUNNER}:TurnRunner._is_held",
        Return(value=False),
        lacks="a turn is opened while the lease of its holder still runs",
    ),
    "counts_tries": Mutation(
        f"{_TURN}:TurnRecord.followed_by",
        DropArgument("TurnRecord", "tries"),
        lacks="a message that kills its worker is tried for ever",
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
    "repeats_slow_looks": Mutation(
        f"{_AMENDMENTS}:AmendmentLog.fresh_look",
        Always("is_valid"),
        lacks="a prompt relies on a look at the amendments that took too long",
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
    "swaps": Mutation(
        f"{_TURN}:Turn.swap",
        Instead("store.replace", _replace_any_generation),
        lacks="the turn is written whatever its generation",
    ),
    "tells_own_write": Mutation(
        f"{_TURN}:Turn.swap",
        Never("record.writer"),
        lacks="a write that won counts as lost when its answer was lost",
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
    # the answer
    "commits_before_send": Mutation(
        f"{_REPLY}:_ReplyDelivery.take_turn",
        Instead("_think", _think_and_reply),
        lacks="the reply token is spent before the outcome is committed",
    ),
    "stops_before_send": Mutation(
        f"{_OUTBOX}:Outbox._send",
        Never("is_over"),
        lacks="an answer is sent after the lease, on a look that is too old",
    ),
    "withdraws_when_taken_over": Mutation(
        f"{_OUTBOX}:Outbox.finish",
        Always("is_takeover"),
        lacks="after a takeover, a withdrawn outcome that may have been sent is answered again",
    ),
    "looks_before_send": Mutation(
        f"{_OUTBOX}:Outbox.finish",
        Never("without_lost"),
        lacks="an answer is sent although its question was withdrawn before the commit",
    ),
    "takes_over_by_swap": Mutation(
        f"{_RUNNER}:take_over",
        Instead("_leased", _hold_without_writing),
        lacks="after a takeover, both the new and the slow holder finish the outcome",
    ),
    "looks_after_outcome": Mutation(
        f"{_JOURNAL}:Journal.record_outcome",
        Always("without_lost"),
        lacks="words that were withdrawn between the look and the record stay in the journal",
    ),
    # tokens
    "first_400_is_refused": Mutation(
        f"{_OUTBOX}:spend_reply_token",
        Within("refused", Within("Delivery", Always())),
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
    "uses_retry_key": Mutation(
        f"{_OUTBOX}:Outbox._push",
        Instead("uuid5", _new_key),
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
        Instead("amend", _amend_without_writing),
        lacks="the next token is used before the turn names it",
    ),
    "answers_addressed_only": Mutation(
        f"{_HISTORY}:History.pending",
        DropClause("addressed"),
        lacks="messages that are not addressed to the bot are answered",
    ),
    # the greeting
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
    # the button
    "defers": Mutation(
        f"{_ATTEMPT}:Attempt._until_deferral_s",
        Always("late_reply"),
        lacks="the token expires while the model answers",
    ),
    "asks_delivered_already": Mutation(
        f"{_DEFERRAL}:_delivered",
        Never("has_button"),
        lacks="a second press shows the same answer again",
    ),
    "remembers_what_was_fetched": Mutation(
        "shared.conversation.snapshot:_late",
        DropClause("isdisjoint"),
        lacks="the same, once the outcome of the first press has left the memory",
    ),
    "tells_that_it_forgot": Mutation(
        f"{_DEFERRAL}:_is_explained",
        Return(value=True),
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
    # the provenance of an outcome
    "outcomes_tell_what_they_saw": Mutation(
        f"{_ATTEMPT}:_having_seen",
        DropArgument("replace", "saw"),
        lacks="an outcome that repeats a withdrawn message of its prompt keeps the words",
    ),
    "outcomes_tell_since_when": Mutation(
        f"{_ATTEMPT}:_having_seen",
        DropArgument("replace", "since_ms"),
        lacks="an outcome that repeats erased words keeps them",
    ),
    "outcomes_tell_what_was_recalled": Mutation(
        "shared.agent.responder:having_read",  # as the responder calls it
        DropArgument("replace", "saw"),
        lacks="an answer that repeats what it looked up keeps the words once they are withdrawn",
    ),
    "recalls_from_the_joining": Mutation(
        "shared.agent.chat_memory:ChatMemory._begin_reading_joining",
        Return(value=None),
        lacks="a member who joined later is told what was said before",
    ),
    # unsend, edits, erasure
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
        Instead("snapshot.settle", _settle_without_looking),
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
        f"{_WITHDRAWAL}:Withdrawal._plan_erasure",
        Skip("add_taken"),
        lacks="whoever thinks with an answer that hands on what is erased does not look again",
    ),
    "erases_older_edits": Mutation(
        f"{_AMENDMENTS}:AmendmentLog.erase",
        Skip("drop_erased_edit"),
        lacks="an edit that is older than the erasure keeps its words",
    ),
    "drops_late_edits": Mutation(
        f"{_WITHDRAWAL}:Withdrawal.edit",
        Never("drop_erased_edit"),
        lacks="an edit that is older than the erasure, and is delivered after it, is kept",
    ),
    "withdrawn_is_final": Mutation(
        f"{_AMENDMENTS}:AmendmentLog.amend",
        Instead("_newer", _newer_even_if_withdrawn),
        lacks="an edit that is delivered late brings a withdrawn message back",
    ),
    "newest_edit_wins": Mutation(
        f"{_AMENDMENTS}:_newer",
        Always("timestamp_ms"),
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
        f"{_AMENDMENTS}:AmendmentLog.erase",
        Skip("_raise", nth=0, of=2),
        lacks="an instance that has read the watermark before does not learn of an erasure",
    ),
    "notes_amendments": Mutation(
        f"{_AMENDMENTS}:AmendmentLog._update",
        Skip("notes.note"),
        lacks="an instance that has listed the amendments before does not learn of a withdrawal",
    ),
    "largest_watermark_wins": Mutation(
        f"{_AMENDMENTS}:AmendmentLog.erase",
        Within("replace", Bypass("max")),
        lacks="an older erasure that is delivered late lowers the watermark",
    ),
    "recaps_name_answers": Mutation(
        f"{_RECAP}:_with_recap",
        DropArgument("Recap", "saw"),
        lacks="a recap keeps withdrawn words that its answers repeat from other messages",
    ),
    # compaction
    "swaps_snapshot": Mutation(
        f"{_SNAPSHOT}:Snapshot.swap",
        Instead("store.replace", _replace_any_generation),
        lacks="the snapshot is written whatever its generation",
    ),
    "counts_recap_tries": Mutation(
        f"{_RECAP}:RecapWriter._recap_text",
        Never("recap_tries"),
        lacks="a recap that kills its worker is tried for ever",
    ),
    # entries, media, commands, interjections
    "applies_staged_writes": Mutation(
        f"{_OUTBOX}:Outbox._apply_staged",
        Instead("staged.apply", _apply_nothing),
        lacks="what a turn filed is never written",
    ),
    "updates_catalog": Mutation(
        f"{_APPLY}:StagedEntryWriter.apply",
        Skip("_update_catalog"),
        lacks="the catalog does not know what was filed",
    ),
    "clears_holders": Mutation(
        f"{_WITHDRAWAL}:Withdrawal._remove_words",
        Skip("_clear_holders"),
        lacks="entries, media and calls keep what was withdrawn",
    ),
    "keeps_what_others_said": Mutation(
        f"{_ENTRY_WORDS}:_Removal._clean_entry",
        Instead("without", _nothing_left),
        lacks="an entry goes as a whole although only one of its messages was withdrawn",
    ),
    "leaves_its_own_stay_only": Mutation(
        f"{_ERASURE}:ErasureHandler._is_of_an_earlier_stay",
        Return(value=False),
        lacks="a `/bye` that is delivered late leaves a group that was joined since",
    ),
    "erases_what_was_confirmed": Mutation(
        f"{_ERASURE}:confirmed_question",
        Return(value=None),
        lacks="the button of `/forget` erases nothing",
    ),
    "reads_the_question_that_is_confirmed": Mutation(
        f"{_ERASURE}:ErasureHandler._counting_press",
        DropArgument("read_newest", "besides"),
        lacks="the button of `/forget` does nothing once many outcomes followed its question",
    ),
    "marks_who_was_forgotten": Mutation(
        f"{_ERASURE}:ErasureHandler.forget_member",
        Skip("forget_member"),
        lacks="a message that is delivered after `/forget me` of its author stays",
    ),
    "takes_back_what_comes_late": Mutation(
        f"{_WITHDRAWAL}:Withdrawal.take_back_late",
        Never("has_forgotten"),
        lacks="the same, for good: readers do not show it, and it stays in the journal",
    ),
    "takes_back_late_edits": Mutation(
        f"{_WITHDRAWAL}:Withdrawal.edit",
        Never("has_forgotten"),
        lacks="the same for an edit",
    ),
    "hides_what_comes_late": Mutation(
        f"{_AMENDMENTS}:Amendments.hides",
        DropClause("is_forgotten"),
        lacks="such a message is answered, or shown to the model, before its own delivery has looked",
    ),
    "answers_a_flood": Mutation(
        "shared.turns.flood:Floods.wait_for_end",
        Return(value=None),
        lacks="a flood gets no answer",
    ),
    "answers_the_next_of_a_flood": Mutation(
        "shared.handlers.message:MessageHandler._answer_next",
        Return(value=None),
        lacks="a flood gets no answer where its newest message is withdrawn",
    ),
    "admits_before_it_records": Mutation(
        "shared.handlers.admission:AdmissionHandler.__call__",
        Return(value=None),
        lacks="a chat that was not admitted is recorded and answered",
    ),
    "counts_the_first_press_only": Mutation(
        f"{_ERASURE}:ErasureHandler._counting_press",
        Instead("outcome_of", _no_outcome),
        lacks="two presses that come together are both carried out",
    ),
    "takes_back_for_its_asker": Mutation(
        f"{_ERASURE}:ErasureHandler._may_press",
        Never("forgets_for"),
        lacks="a member takes back what the bot proposed to another one",
    ),
    "asks_whether_the_command_stands": Mutation(
        f"{_ERASURE}:ErasureHandler._may_press",
        Never("_is_withdrawn"),
        lacks="a press confirms a command that was withdrawn",
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
    # what a chat and a question may cost
    "reads_its_own_chat": Mutation(
        "shared.storage.object_names:ObjectNames.journal_prefix",
        Return(value="journal/"),
        lacks="a chat reads the journals of all",
    ),
    "commits_what_is_kept": Mutation(
        f"{_LEASE}:Lease.commit",
        Always("is_amended"),
        lacks="a turn is thought again although nothing of its prompt was taken back",
    ),
    "foresees_errors": Mutation(
        f"{_HISTORY}:HistoryReader.read_newest",
        Return(value=None),
        lacks="the chat cannot be read, and nothing says so",
    ),
    "cleans_what_it_folds": Mutation(
        f"{_COMPACTION}:Compaction.fold",
        Bypass("cleaned"),
        lacks="withdrawn words are folded into the snapshot",
    ),
    # the archive
    "archives_what_leaves": Mutation(
        f"{_COMPACTION}:Compaction.fold",
        Instead("archive.with_waiting", _leave_nothing),
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
        DropClause("named"),
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
        f"{_WITHDRAWAL}:Withdrawal._plan",
        Instead("sweep.naming", _name_no_segment),
        lacks="an archived answer keeps withdrawn words that it repeats from another one",
    ),
    # what goes with a withdrawn message
    "stores_the_plan": Mutation(
        f"{_WITHDRAWAL}:Withdrawal._plan",
        Skip("add_taken"),
        lacks="a withdrawal that died on the way cannot compare any more, and takes every answer that came from another one",
    ),
    "keeps_what_repeats_nothing": Mutation(
        f"{_AMENDMENTS}:AmendmentLog.add_taken",
        DropArgument("replace", "kept"),
        lacks="an answer loses its words because its prompt held an answer that lost them",
    ),
    "lets_heirs_keep_their_words": Mutation(
        f"{_DESCENT}:Descent.look_at",
        Always("_may_repeat"),
        lacks="the same, already when it is found",
    ),
    "compares_heirs": Mutation(
        f"{_DESCENT}:Descent.look_at",
        Never("_may_repeat"),
        lacks="an answer keeps withdrawn words that it repeats from another answer",
    ),
    "remembers_lost_recaps": Mutation(
        "shared.conversation.snapshot_records:SnapshotRecord.all_recaps",
        DropItem("passed_recaps"),
        lacks="an answer repeats a recap that an edit has dropped, and keeps words that are withdrawn later",
    ),
    "marks_withdrawals": Mutation(
        f"{_WITHDRAWAL}:Withdrawal.withdraw_all",
        Skip("_mark"),
        lacks="the second pass of a withdrawal never comes",
    ),
    "marks_erasures": Mutation(
        f"{_WITHDRAWAL}:Withdrawal.erase",
        Skip("_mark"),
        lacks="the second pass of an erasure never comes",
    ),
    "relies_on_epochs_of_others": Mutation(
        f"{_TURN}:Turn.amend",
        Never("state"),
        lacks="each of many withdrawals has to write the turn",
    ),
    "looks_at_amendments_of_the_journal": Mutation(
        f"{_HISTORY}:_begin_look",
        Instead("begin_reading", _read_newest_only),
        lacks="a message that comes after its withdrawal, and after many others, is answered",
    ),
    "looks_at_the_amendment_of_its_message": Mutation(
        f"{_JOURNAL}:Journal.record",
        Instead("amendments.look", _look_at_newest),
        lacks="a message that comes after its withdrawal, and after many others, is kept",
    ),
    # waiting, and what kills workers
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
        f"{_ROOM}:_leave_to_newest",
        Skip("inherits.update"),
        lacks="a message meets silence where those that took its place are withdrawn",
    ),
    "gives_up_its_place": Mutation(
        f"{_ROOM}:WaitingRoom.place",
        Never("PLACES"),
        lacks="deliveries of one chat that wait hold the threads of all",
    ),
    "isolates_after_deaths": Mutation(
        f"{_REPLY}:_ReplyDelivery.take_turn",
        Instead("isolated", _show_everything),
        lacks="a question is not answered because another message in its prompt kills workers",
    ),
    "keeps_deadly_messages_out": Mutation(
        f"{_HISTORY}:history_of",
        Instead("_deadly", _nothing_is_deadly),
        lacks="what killed workers once stands in the next prompt",
    ),
    "remembers_what_was_covered": Mutation(
        f"{_TURN}:TurnRecord.followed_by",
        DropArgument("TurnRecord", "covered"),
        lacks="a message is answered again once its outcome is no longer read",
    ),
    "counts_what_the_turn_covers": Mutation(
        f"{_HISTORY}:History.beside",
        DropArgument("replace", "covered"),
        lacks="the same",
    ),
    "marks_quotes_as_addressed": Mutation(
        f"{_INTAKE}:Intake.record_quote",
        Skip("mark_as_addressed"),
        lacks="a message that quotes the bot stays unanswered",
    ),
    "carries_out_once": Mutation(
        f"{_DEFERRAL}:_agenda_of_tap",
        DropClause("_is_carried_out"),
        lacks="a change that was proposed is carried out by every press of its button",
    ),
    "carries_out_in_time": Mutation(
        f"{_DEFERRAL}:_agenda_of_tap",
        DropClause("_is_in_time"),
        lacks="a change that was proposed is carried out however late the press is",
    ),
    "clears_proposals": Mutation(
        "shared.conversation.records:OutcomeRecord.without_words",
        DropArgument("replace", "proposes"),
        lacks="a change that was proposed keeps withdrawn words",
    ),
    "names_quoted_media": Mutation(
        f"{_ATTEMPT}:Attempt.show",
        Bypass("_having_seen"),
        lacks="an answer that saw a quoted picture from beyond memory keeps its words after the picture's unsend",
    ),
    "interjects_about_the_newest_text": Mutation(
        f"{_INTERJECTION}:_InterjectionDelivery.take_turn",
        Bypass("overlay"),
        lacks="the model is asked about the text from before an edit",
    ),
    "looks_before_tools_ask": Mutation(
        "shared.tools.knowledge:KnowledgeTools._capture",
        Skip("check_amendments"),
        lacks="a tool asks the model about words that were withdrawn while the model thought",
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
    "clears_markers": Mutation(
        "shared.handlers.tick:TickHandler._is_done",
        Skip("markers.clear"),
        lacks="a tick carries out again what is done",
    ),
    "limits_thoughts": Mutation(
        f"{_REPLY}:_ReplyDelivery._decide_without_model",
        Never("_THOUGHTS"),
        lacks="a request asks the model again as often as its prompt is amended",
    ),
    # reminders
    "pushes_under_one_key": Mutation(
        f"{_DELIVERY}:ReminderDelivery._push",
        Instead("retry_key", _another_key),
        lacks="a tick that goes on after a death pushes the reminder again",
    ),
    "remembers_what_it_pushed": Mutation(
        f"{_DELIVERY}:ReminderDelivery._deliver",
        Skip("_record"),
        lacks="the next prompt does not know what was pushed",
    ),
    "advances_reminders": Mutation(
        f"{_DELIVERY}:ReminderDelivery._keep",
        ReplaceConstant(value=True, by=False),
        lacks="a reminder that cannot be pushed is passed over",
    ),
    "marks_reminders": Mutation(
        "shared.reminders.store:ReminderStore.mark",
        Skip("_markers.mark"),
        lacks="no tick ever comes to a reminder",
    ),
    "marks_again": Mutation(
        f"{_DELIVERY}:ReminderDelivery.__call__",
        Skip("mark"),
        lacks="a recurring reminder whose worker died between two writes is never said again",
    ),
    "looks_before_its_push": Mutation(
        f"{_DELIVERY}:ReminderDelivery._look",
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
        "shared.reminders.kept:_note",
        Always("kept_ms"),
        lacks="a kept reminder is forgotten where the answer that was to say it has no room for it or does not arrive",
    ),
    "notes_what_was_said": Mutation(
        f"{_REMINDER_APPLY}:StagedReminderWriter.apply",
        Skip("_mark_said"),
        lacks="every answer says the same kept reminder",
    ),
    "takes_reminders_away": Mutation(
        f"{_REMINDER_WORDS}:ReminderWords.remove_withdrawn",
        Skip("remove"),
        lacks="a reminder outlives the message that asked for it",
    ),
    "counts_one_press": Mutation(
        f"{_REMINDER_PRESS}:ReminderPressHandler._noted",
        Instead("pressed", _note_every_press),
        lacks="every press of a reminder has it said once more",
    ),
    "goes_on_with_its_press": Mutation(
        f"{_REMINDER_PRESS}:ReminderPressHandler.__call__",
        Skip("create"),
        lacks="a press is answered, and the reminder is never said again",
    ),
    "looks_after_a_press": Mutation(
        f"{_REMINDER_PRESS}:ReminderPressHandler.__call__",
        Skip("remove_withdrawn"),
        lacks="a reminder that was postponed outlives the message that asked for it",
    ),
}
