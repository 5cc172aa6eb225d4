"""External calls, each done once: the intent is stored before the effect, the result after it.

A turn that is thought again makes the same calls again. A call with a result is not repeated. For an intent without a result, the effect is
looked for first, because the worker may have died after it. Equal calls in one process wait for each other.
Left open: a worker that is suspended for longer than a lease between its look and its write may write beside the worker that took over.
"""

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from dataclasses import dataclass, field
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
from shared.errors import AizuchiError, TransientError

ALREADY_DONE: Final = "This was done already for this message; it was not done a second time."
_LONGEST_WAIT_S: Final = 60.0
_CHANGED_SINCE: Final = ToolFault(message="Not done: it has changed since the person was asked.", may_retry=False)


class UnknownEffectError(TransientError):
    """A write was sent and its answer never came, so its effect is unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Write:
    """A call that changes something outside; once it is done, it is a `deed` of the turn.

    `do` returns the result: ids and counts, no word of a person. It raises UnknownEffectError if it may have had an effect; any other
    error of the project means that it had none. `find` looks for the effect; it gets the time of the intent, and the results of other
    calls, whose effects do not count. It returns the result, None if there is no effect, or a fault if that cannot be determined.
    `is_as_shown`: what it changes is in the state that was shown to the person who confirmed it; a write that is not is not begun.
    """

    tool: str
    arguments: Json = field(repr=False)
    deed: Deed
    do: Callable[[], Json] = field(repr=False)
    find: Callable[[int, tuple[Mapping[str, object], ...]], Json | ToolFault | None] = field(repr=False)
    is_as_shown: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class IdempotentWrites:
    """Carries writes out; safe to share between threads.

    Every method raises StorageUnavailableError; after it, nothing was begun, or the next attempt finds it.
    """

    clock: Clock = field(repr=False)
    _current_calls: set[tuple[str, str]] = field(default_factory=set, repr=False)
    _condition: threading.Condition = field(default_factory=threading.Condition, repr=False)

    def carry_out(self, write: Write, context: TurnContext) -> Json | ToolFault:
        """Return the result; its `note` tells where the effect was there before.

        Repeated, in this attempt at the turn or in a later one: there is one effect, and the result is the same.
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
        """Return sentences for the model about the calls of earlier attempts at this turn; the sources of these calls count as shown."""
        calls = ExternalCalls(context.conversation)
        known = calls.of_turn(context.asked_ids)
        told = [one.record for one in known if one.record.arguments is not None]
        for record in told:
            context.recalled.retell(record.provenance)
        if context.entries is not None:
            context.entries.mark_shown(Provenance.union(record.provenance for record in told))
        for one in known:
            title = (one.record.arguments or {}).get("title")
            if one.record.tool == "create_page" and one.result is not None and title is not None:
                context.outside.add(Deed(kind=DeedKind.PAGE_CREATED, name=str(title)))
        return tuple(map(_sentence_of, known))

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
        known = calls.begin(key, record)
        # The look comes after the intent, because an unsend may have passed just before the intent was written
        if _is_taken_back(context, provenance.ids, context.conversation.amendments.look()):
            if known is None or known.record == record:
                calls.drop(key)
            return ToolFault(message="Not done: a message of this chat was taken back meanwhile.", may_retry=False)
        if known is not None:
            found = _find_effect(write, key, calls, known)
            if found is not None:
                return found
        elif not write.is_as_shown:
            calls.drop(key)
            return _CHANGED_SINCE
        try:
            result = write.do()
        except UnknownEffectError:
            logs.warning("call_effect_unknown", tool=write.tool)
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
        """Keep other threads from the same call inside the block, after waiting for one that carries it out; yield False: not in time."""
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


def _is_taken_back(context: TurnContext, read_ids: AbstractSet[str], amendments: Amendments) -> bool:
    """Whether anything that the model has read was withdrawn, was erased, or lost its words with a withdrawn message."""
    gone = amendments.withdrawn | amendments.redacted.keys()
    return not gone.isdisjoint(read_ids) or any(map(amendments.is_withdrawn, (*context.to_answer, *context.earlier)))


def _find_effect(write: Write, key: str, calls: ExternalCalls, known: KnownCall) -> Json | ToolFault | None:
    """Return the result of the call where it was done before, None where it was not, or a fault where that cannot be determined."""
    if known.result is not None:
        logs.info("call_done_before", tool=write.tool)
        return {**known.result, "note": ALREADY_DONE}
    found = write.find(known.record.started_ms, calls.results())
    if found is None or isinstance(found, ToolFault):
        return found
    logs.info("call_reconciled", tool=write.tool)
    calls.finish(key, found)
    return {**found, "note": ALREADY_DONE}


def _sentence_of(known: KnownCall) -> str:
    words = (
        "with arguments that were taken back"
        if known.record.arguments is None
        else json.dumps(known.record.arguments, ensure_ascii=False)
    )
    if known.result is None:
        return (
            f"An earlier attempt at this turn began {known.record.tool} {words}; whether it was done is not known. "
            "If it is still wanted, call it with exactly these arguments: it is looked for first."
        )
    result = json.dumps(known.result, ensure_ascii=False)
    return (
        f"An earlier attempt at this turn already did {known.record.tool} {words}; its result was {result}. "
        "Do not do it again; nobody was told of it yet."
    )
