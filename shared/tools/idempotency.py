"""Writes to the outside world happen once: the intent is stored before the effect, the result after it.

A turn that is thought again makes the same calls again. What has a result is not done again; an intent without one is looked for first,
because its effect may have come through although its worker died. Two calls of one process that are the same wait for each other.
Left open: a worker that is stopped between its look and its write for longer than a lease may still write beside the one that took over.
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
from shared.agent.tools import ToolFault, TurnContext
from shared.clock import Clock, Deadline
from shared.conversation.external_calls import CallRecord, Calls, KnownCall, call_key
from shared.errors import AizuchiError, TransientError

DONE_BEFORE: Final = "This was done already for this message; it was not done a second time."
_LONGEST_WAIT_S: Final = 60.0


class UnknownEffectError(TransientError):
    """A write was sent and its answer never came: it was done, or not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Write:
    """A call that changes something outside.

    `do` returns the result (ids and counts, no word of a person). It raises UnknownEffectError where nobody knows whether it had an effect;
    any other error of the project means that it had none. `find` looks whether it was done since the given time, leaving out what other
    calls have made (their results are given): it returns the result, None where it was not done, or a fault where that cannot be told.
    """

    tool: str
    arguments: Json = field(repr=False)
    do: Callable[[], Json] = field(repr=False)
    find: Callable[[int, tuple[Mapping[str, object], ...]], Json | ToolFault | None] = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    """Carries writes out; safe to share between threads.  Raises StorageUnavailableError: nothing was begun, or it can be found."""

    calls: Calls
    is_withdrawn: Callable[[str, AbstractSet[str]], bool] = field(repr=False)
    clock: Clock = field(repr=False)
    _under_way: set[tuple[str, str]] = field(default_factory=set, repr=False)
    _moved: threading.Condition = field(default_factory=threading.Condition, repr=False)

    def once(self, write: Write, context: TurnContext) -> Json | ToolFault:
        """Return the result; `note` says where it was there already.

        Repeated, in this attempt at the turn or in a later one: the effect is there once, and the result is the same.
        """
        key = call_key(write.tool, write.arguments, first_line_message_id=context.first_line_message_id)
        with self._alone((context.conversation_id, key), context.deadline) as is_alone:
            if not is_alone:
                return ToolFault(message="The same call is still under way.", may_retry=False)
            return self._once(write, key, context)

    def done_before(self, context: TurnContext) -> tuple[str, ...]:
        """Return what earlier attempts at this turn did, in sentences for the model."""
        known = self.calls.of_turn(context.conversation_id, first_line_message_id=context.first_line_message_id)
        return tuple(_told(one) for one in known)

    def _once(self, write: Write, key: str, context: TurnContext) -> Json | ToolFault:
        chat = context.conversation_id
        record = CallRecord(
            tool=write.tool,
            arguments=dict(write.arguments),
            line_message_ids=tuple(sorted(context.seen_message_ids)),
            started_ms=self.clock.now_ms(),
        )
        known = self.calls.begin(chat, key, record)
        if self.is_withdrawn(
            chat, context.seen_message_ids
        ):  # an unsend may have passed just before the intent was written
            if known is None or known.record == record:
                self.calls.drop(chat, key)
            return ToolFault(message="Not done: a message of this chat was taken back meanwhile.", may_retry=False)
        if known is not None:
            found = self._found(write, key, context, known)
            if found is not None:
                return found
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
            self.calls.drop(chat, key)
            raise
        self.calls.finish(chat, key, result)
        return result

    def _found(self, write: Write, key: str, context: TurnContext, known: KnownCall) -> Json | ToolFault | None:
        if known.result is not None:
            logs.info("call_done_before", tool=write.tool)
            return {**known.result, "note": DONE_BEFORE}
        found = write.find(known.record.started_ms, self.calls.results(context.conversation_id))
        if found is None or isinstance(found, ToolFault):
            return found
        logs.info("call_reconciled", tool=write.tool)
        self.calls.finish(context.conversation_id, key, found)
        return {**found, "note": DONE_BEFORE}

    @contextmanager
    def _alone(self, call: tuple[str, str], deadline: Deadline) -> Iterator[bool]:
        """Whether nobody else of this process is at the same call, once it was waited for."""
        with self._moved:
            is_alone = self._moved.wait_for(lambda: call not in self._under_way, min(deadline.left_s, _LONGEST_WAIT_S))
            if is_alone:
                self._under_way.add(call)
        try:
            yield is_alone
        finally:
            if is_alone:
                with self._moved:
                    self._under_way.discard(call)
                    self._moved.notify_all()


def _told(known: KnownCall) -> str:
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
