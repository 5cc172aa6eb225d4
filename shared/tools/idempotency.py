"""External calls, each done once: the intent is stored before the effect, the result after the effect.

A later attempt at a turn makes the same calls again. A call with a stored result is not repeated. For an intent without a result, the
worker looks for the effect first, because an earlier worker may have died between effect and result. Equal calls in a process wait for each
other. For example, `create_page` is done once, even if the first worker died right after Notion created the page.
Left open: a worker that is suspended for longer than a lease, after reading the amendments and before writing, may write in addition to
the worker that took over.
"""

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import field
from typing import Final

from shared import logs
from shared.agent.model import Json
from shared.agent.receipts import Deed, DeedKind
from shared.agent.tools import ToolFault
from shared.agent.turn_context import TurnContext
from shared.clock import Clock, Deadline
from shared.conversation.amendments import Amendments
from shared.conversation.external_calls import CallRecord, ExternalCalls, KnownCall
from shared.conversation.provenance import Provenance
from shared.errors import AizuchiError, PermanentError, TransientError
from shared.frozen import frozen

ALREADY_DONE: Final = "This was done already for this message; it was not done a second time."
_LONGEST_WAIT_S: Final = 60.0
_UNSEEN: Final = ToolFault(
    message="It may have been done by an earlier call or not, and could not be looked for just now. Call again with exactly the same "
    "arguments, or tell the person to look.",
    may_retry=True,
)
_CHANGED_SINCE: Final = ToolFault(message="Not done: it has changed since the person was asked.", may_retry=False)


class UnknownEffectError(TransientError):
    """A write was sent but never answered, so the effect is unknown."""


@frozen
class Write:
    """A call that changes something in another service; once done, `deed` is among the effects of the turn.

    `do` makes the change and returns the result: ids and counts, no word of a person, such as `{"status": "success", "page_id": "..."}`.
    UnknownEffectError means that the change may have happened, any other error of the project that nothing happened.
    `find` looks for the effect, given the time of the intent and the results of other calls, whose effects do not count. The return value
    is the result, None without an effect, or a fault if neither is certain. For example, a page with the same title and properties, created
    since the intent and named by no other result, is the effect of `create_page`.
    `is_as_shown`: the target is in the state shown to the person who confirmed the write. A write to a changed target is not begun.
    """

    tool: str
    arguments: Json = field(repr=False)
    deed: Deed
    do: Callable[[], Json] = field(repr=False)
    find: Callable[[int, tuple[Mapping[str, object], ...]], Json | ToolFault | None] = field(repr=False)
    is_as_shown: bool = True


@frozen
class IdempotentWrites:
    """Carries writes out; safe to share between threads.

    Every method raises StorageUnavailableError. Then either nothing was begun, or the next attempt finds the intent.
    """

    clock: Clock = field(repr=False)
    _current_calls: set[tuple[str, str]] = field(default_factory=set, repr=False)
    _condition: threading.Condition = field(default_factory=threading.Condition, repr=False)

    def carry_out(self, write: Write, context: TurnContext) -> Json | ToolFault:
        """Return the result, with ALREADY_DONE as its `note` if an earlier call had the effect.

        Repeated, in the same or a later attempt at the turn: a single effect, and the same result.
        """
        key = ExternalCalls(context.conversation).key_for(write.tool, write.arguments, context.asked_ids)
        with self._hold((context.conversation.id, key), context.deadline) as is_held:
            if not is_held:
                return ToolFault(message="The same call is still under way.", may_retry=False)
            result = self._do_once(write, key, context)
        if not isinstance(result, ToolFault):
            context.outside.add(write.deed)
        return result

    def describe_earlier(self, context: TurnContext) -> tuple[str, ...]:
        """Return sentences for the model about calls of earlier attempts at the turn, whose provenance counts as shown.

        For example: "An earlier attempt at this turn already did create_page {"title": "milk"}; its result was {"page_id": "..."}. ..."
        """
        calls = ExternalCalls(context.conversation)
        earlier_calls = calls.of_turn(context.asked_ids)
        readable_records = [call.record for call in earlier_calls if call.record.arguments is not None]
        for record in readable_records:
            context.recalled.retell(record.provenance)
        context.staged.mark_shown(Provenance.union(record.provenance for record in readable_records))
        if earlier_calls:
            context.outside.add_possible()
        for call in earlier_calls:
            title = (call.record.arguments or {}).get("title")
            if call.record.tool == "create_page" and call.result is not None and title is not None:
                context.outside.add(Deed(kind=DeedKind.PAGE_CREATED, name=str(title)))
        return tuple(map(_sentence_of, earlier_calls))

    def _do_once(self, write: Write, key: str, context: TurnContext) -> Json | ToolFault:
        calls = ExternalCalls(context.conversation)
        provenance = context.provenance
        record = CallRecord(
            tool=write.tool,
            arguments=dict(write.arguments),
            provenance=provenance,
            started_ms=self.clock.now_ms(),
            asked=context.asked_ids,
        )
        earlier_call = calls.begin(key, record)
        # Read the amendments after storing the intent, because an unsend may have been handled just before
        if _has_read_withdrawn(context, provenance, context.conversation.amendments.look()):
            if earlier_call is None or earlier_call.record == record:
                calls.drop(key)
            return ToolFault(message="Not done: a message of this chat was taken back meanwhile.", may_retry=False)
        if earlier_call is not None:
            earlier_result = _find_effect(write, key, calls, earlier_call)
            if isinstance(earlier_result, ToolFault):
                context.outside.add_possible()
            if earlier_result is not None:
                return earlier_result
        elif not write.is_as_shown:
            calls.drop(key)
            return _CHANGED_SINCE
        try:
            result = write.do()
        except UnknownEffectError:
            logs.warning("call_effect_unknown", tool=write.tool)
            context.outside.add_possible()
            return ToolFault(
                message="No answer came, so it may have been done or not. Call again with exactly the same arguments: "
                "it is looked for first, and done only if it is not there.",
                may_retry=True,
            )
        except AizuchiError:
            calls.drop(key)
            raise
        calls.finish(key, result)
        return result

    @contextmanager
    def _hold(self, call: tuple[str, str], deadline: Deadline) -> Iterator[bool]:
        """Make other threads with the same call wait until the block ends; yield False if this thread waited too long for another."""
        with self._condition:
            is_held = self._condition.wait_for(
                lambda: call not in self._current_calls, min(deadline.left_s, _LONGEST_WAIT_S)
            )
            if is_held:
                self._current_calls.add(call)
        try:
            yield is_held
        finally:
            if is_held:
                with self._condition:
                    self._current_calls.discard(call)
                    self._condition.notify_all()


def _has_read_withdrawn(context: TurnContext, read: Provenance, amendments: Amendments) -> bool:
    """Whether anything that the model has read was withdrawn, erased or redacted."""
    return read.names_removed(amendments.withdrawn, amendments.redacted.keys()) or any(
        map(amendments.is_withdrawn, (*context.to_answer, *context.earlier))
    )


def _find_effect(write: Write, key: str, calls: ExternalCalls, earlier_call: KnownCall) -> Json | ToolFault | None:
    """Return the result of a call that was done before, None for a call that was not, or a fault if neither is certain."""
    if earlier_call.result is not None:
        logs.info("call_done_before", tool=write.tool)
        return {**earlier_call.result, "note": ALREADY_DONE}
    other_results = calls.results()
    try:
        result = write.find(earlier_call.record.started_ms, other_results)
    except (TransientError, PermanentError) as cause:
        logs.warning("call_effect_unknown", tool=write.tool, error_type=type(cause).__name__)
        return _UNSEEN
    if result is None or isinstance(result, ToolFault):
        return result
    logs.info("call_reconciled", tool=write.tool)
    calls.finish(key, result)
    return {**result, "note": ALREADY_DONE}


def _sentence_of(call: KnownCall) -> str:
    words = (
        "with arguments that were taken back"
        if call.record.arguments is None
        else json.dumps(call.record.arguments, ensure_ascii=False)
    )
    if call.result is None:
        return (
            f"An earlier attempt at this turn began {call.record.tool} {words}; whether it was done is not known. "
            "If it is still wanted, call it with exactly these arguments: it is looked for first."
        )
    result = json.dumps(call.result, ensure_ascii=False)
    return (
        f"An earlier attempt at this turn already did {call.record.tool} {words}; its result was {result}. "
        "Do not do it again; nobody was told of it yet."
    )
