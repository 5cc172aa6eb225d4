"""What mutations put in place of calls of the product, where leaving a call out would not do."""

import itertools
import uuid
from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from http import HTTPStatus
from typing import Any, Final

from shared.access.admission import AdmissionRecord, Admissions
from shared.agent.executor import ToolExecutor
from shared.agent.turn_context import TurnContext
from shared.bus.endpoint import PushEndpoint
from shared.bus.envelope import Envelope
from shared.bus.result import EventResult
from shared.clock import Deadline
from shared.conversation.amendment_events import AmendmentEvent, plan_of
from shared.conversation.amendment_fold import AmendmentFold
from shared.conversation.amendment_log import AmendmentLog
from shared.conversation.amendments import Amendments
from shared.conversation.archive import Archive
from shared.conversation.history import History
from shared.conversation.history_reader import Listing
from shared.conversation.provenance import IsWithdrawn, Provenance
from shared.conversation.pushes import PushesRecord
from shared.conversation.records import MessageRecord, OutcomeKind, OutcomeRecord, ProposedCall
from shared.conversation.redaction.sweep import Sweep
from shared.conversation.snapshot import Snapshot
from shared.conversation.snapshot_records import Segment, SnapshotRecord
from shared.conversation.spending import Spending
from shared.conversation.store import Conversation
from shared.conversation.turn import Route, StoredTurn, TurnRecord
from shared.knowledge.entry import Entry
from shared.knowledge.provenance import PossibleSources
from shared.line.messaging import ReplyToken
from shared.line.phrases import Phrase
from shared.line.postback_data import ReminderPress
from shared.reminders.private_chat import PrivateChats
from shared.reminders.reminder import Reminder
from shared.reminders.staging import ReminderOverlay
from shared.reminders.wording import Occurrence
from shared.storage.object_cache import ObjectCache
from shared.storage.object_names import ObjectNames
from shared.storage.object_store import ObjectStore, StoredObject
from shared.turns.announcement import Announcement
from shared.turns.attempt import Attempt
from shared.turns.follow_ups import FollowUpWatch
from shared.turns.lease import Lease
from shared.turns.outbox import StagedWriter
from shared.turns.reply import _ReplyDelivery
from shared.turns.runner import Run, TurnDelivery, TurnRunner
from tests.simulation.people import GROUP
from tests.simulation.times import LEASE_S


def acknowledge_all(endpoint: PushEndpoint, envelope: Envelope, deadline: Deadline) -> tuple[str, int]:
    body, _ = endpoint._dispatch(envelope, deadline)  # noqa: SLF001 - its own method
    return body, HTTPStatus.NO_CONTENT


def acknowledge_while_held(
    runner: TurnRunner,
    conversation: Conversation,
    delivery: TurnDelivery,
    seen: StoredTurn,
    listing: Listing,
    patience: Any,  # noqa: ANN401 - its own
) -> Run | None:
    if seen.record.state == "thinking" and runner._is_held(seen, None):  # noqa: SLF001 - its own method
        return Run(result=EventResult.IGNORED)
    return runner._advance(conversation, delivery, seen, listing, patience)  # noqa: SLF001 - its own method


def replace_any_generation(store: ObjectStore, name: str, data: bytes, *, generation: int) -> int | None:
    stored = store.read(name)
    return store.replace(name, data, generation=stored.generation if stored is not None else generation)


def write_or_make_again(store: ObjectStore, name: str, data: bytes, *, generation: int) -> int | None:
    return store.replace(name, data, generation=generation) or store.create(name, data)


def go_to_any_day_of_pushes(record: PushesRecord, day: str) -> PushesRecord:
    return record if day == record.day else PushesRecord(day=day)


def say_nothing(draft: OutcomeRecord, text: str, kind: OutcomeKind) -> OutcomeRecord:
    return replace(draft.with_fixed_text(text, kind), text=None)


def go_to_any_day(spending: Spending, day: str) -> Spending:
    return spending if day == spending.day else replace(spending, day="").on(day)


def tell_no_time(token: ReplyToken, now_ms: int) -> float:  # noqa: ARG001 - as the product calls it
    return 0.0


def think_and_reply(
    delivery: _ReplyDelivery, attempt: Attempt, watch: FollowUpWatch, *, is_alone: bool
) -> OutcomeRecord | None:
    outcome = delivery._think(attempt, watch, is_alone=is_alone)  # noqa: SLF001 - its own method
    outbox = delivery.reply.outbox
    token = attempt.routes[0].reply_token if attempt.routes and not attempt.has_ended else None
    if outcome is not None and token is not None:
        outbox.line.reply(token, outbox._messages(attempt.lease.conversation, outcome))  # noqa: SLF001 - what the product would send
    return outcome


def wait_a_whole_interval(_least_s: float, _due_s: float) -> float:
    """Stand-in for `max`: a renewal is due a third of a lease after the thought began, whenever the turn was written last."""
    return LEASE_S / 3


def count_the_thinking_alone(delivery: _ReplyDelivery, _attempt: Attempt) -> Deadline:
    """Stand-in for the deadline of a watch: that of the thinking, whatever token is left to answer on."""
    return delivery.thinks_until or delivery.deadline


def hold_without_writing(conversation: Conversation, seen: StoredTurn, record: TurnRecord) -> Lease:
    return Lease(conversation=conversation, stored_turn=seen, holder=record.holder)


def amend_without_writing(lease: Lease, _outcome: OutcomeRecord, route: Route) -> bool:
    lease.stored_turn = replace(lease.stored_turn, record=replace(lease.record, route=route))
    return True


def new_key(*_: object) -> uuid.UUID:
    return uuid.uuid4()


def change_nothing_named(_provenance: Provenance, **changes: Any) -> Provenance:  # noqa: ANN401 - of any field
    """Stand-in for `replace`: the provenance names nothing."""
    return replace(Provenance(), **changes)


def cancel_the_next(overlay: ReminderOverlay, _reminder_id: str) -> Reminder:
    """Stand-in for `ReminderOverlay.cancel`: the id counts as the first line of the list."""
    return overlay.cancel(overlay.list()[0].id)


def leave_nothing(_archive: Archive, _before: SnapshotRecord, after: SnapshotRecord) -> SnapshotRecord:
    """Stand-in for `Archive.with_waiting`."""
    return after


def begin_no_removals(_holders: object, _conversation: Conversation) -> Callable[[Amendments], None]:
    """Stand-in for `begin_removals`."""
    return lambda _amendments: None


def hand_nothing_over(snapshot: SnapshotRecord, _retained_ids: AbstractSet[str]) -> SnapshotRecord:
    """Stand-in for `hand_over_sources`."""
    return snapshot


def no_questions(_outcomes: Iterable[OutcomeRecord], *, since_ms: int) -> frozenset[str]:  # noqa: ARG001 - as the product calls it
    """Stand-in for `_asking`."""
    return frozenset()


def name_no_segment(_sweep: Sweep, _ids: AbstractSet[str]) -> tuple[Segment, ...]:
    """Stand-in for `Sweep.find_more`."""
    return ()


def settle_without_looking(_snapshot: Snapshot, _log: AmendmentLog, looked: Amendments) -> Amendments:
    return looked


def apply_nothing(_staged: StagedWriter, _conversation: Conversation, _outcome: OutcomeRecord, _lease: Lease) -> bool:
    return True


def plan_that_clears_nothing(
    round_id: str, *, redacted_ids: Iterable[str], cleared_ids: Iterable[str]
) -> AmendmentEvent:
    del cleared_ids
    return plan_of(round_id, redacted_ids=redacted_ids, cleared_ids=())


def delete_events(objects: ObjectCache, names: ObjectNames, *, before_ms: int, retained_since_ms: int) -> None:
    del retained_since_ms
    for listed in objects.store.list(names.amended_prefix, before=names.amended_since(before_ms)):
        objects.store.delete(listed.name)


def no_reach(_milliseconds: float) -> int:
    return 0


def no_fold(_stored: StoredObject | None) -> AmendmentFold:
    return AmendmentFold()


def show_everything(history: History, _asked: Sequence[MessageRecord]) -> History:
    return history


def is_never_asked_anew(_call: ProposedCall, _outcomes: Iterable[OutcomeRecord]) -> bool:
    return False


def take_as_shown(_tools: ToolExecutor, _proposed: ProposedCall, _context: TurnContext) -> bool:
    return True


def nothing_waits(_outcomes: Iterable[OutcomeRecord]) -> tuple[OutcomeRecord, ...]:
    return ()


def finds_no_edits(_edits: object, _mark: str, *, until_ms: int) -> frozenset[str]:  # noqa: ARG001 - as the product calls it
    return frozenset()


def nothing_is_deadly(_outcomes: Iterable[OutcomeRecord]) -> tuple[frozenset[str], int]:
    return frozenset(), -1


def keep_from_now(admissions: Admissions, conversation_id: str, data: bytes, *, read_s: float) -> AdmissionRecord:  # noqa: ARG001 - as in the product
    now_s = admissions.clock.monotonic_s()
    return admissions._keep(conversation_id, data, read_s=now_s)  # noqa: SLF001 - its own method


def no_admission(*_: object) -> None:
    return None


def nothing_left(_entry: Entry, _is_withdrawn: IsWithdrawn) -> None:
    return None


def no_holder(_sources: PossibleSources, _text: str) -> None:
    return None


def keep_own_words(own: MessageRecord, *_: object) -> MessageRecord:
    return own


def decided_before(decide: Callable[..., Announcement], *arguments: object) -> Callable[[], Announcement]:
    decided = decide(*arguments)
    return lambda: decided


def no_outcome(_stored_in: object, _webhook_event_id: str) -> None:
    return None


def note_every_press(there: Reminder | None, press: ReminderPress, *, event_id: str, **_: object) -> Reminder | None:
    return None if there is None else replace(there, pressed_ms=press.occurrence_ms, pressed_by=event_id)


def another_key(conversation_id: str, occurrence: Occurrence) -> str:
    """Return another key each time."""
    return f"{conversation_id} {occurrence.id} {next(_KEYS)}"


_KEYS: Final = itertools.count()


def no_question(history: History, question_id: str, *, pressed_ms: int) -> Phrase:  # noqa: ARG001 - as confirmed_question
    return Phrase.PRESS_VOID


def meet_with_silence(handler: object, *answer: object) -> EventResult:  # noqa: ARG001 - as the handlers' _say
    return EventResult.IGNORED


def push_without_a_note(delivery: object, store: object, claimed: object) -> object:  # noqa: ARG001 - as ReminderDelivery._reach_push
    return claimed


def group_for_everybody(chats: PrivateChats, user_id: str) -> Conversation:  # noqa: ARG001 - as PrivateChats.of
    return chats.conversations.of(GROUP)
