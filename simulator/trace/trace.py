"""The trace: the facts reported by the stand-ins and the functions, by event.

    LINE's hook ──── webhook_event_id ─────────────────┐
    Pub/Sub's hook ─ pubsub_message_id ─ (published) ──┼─▶ event ─▶ steps
    log lines ────── either one, or both ──────────────┘

A fact without a known event waits until another fact names the event. A tick is no event of LINE's: the newest tick is kept under the name
`tick`.
"""

import datetime as dt
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from simulator.line.listeners import Listeners
from simulator.trace.steps import Part, TraceStep, sort_steps

EVENTS_KEPT: Final = 200
STEPS_KEPT: Final = 500
_NOT_DETAILS: Final = frozenset(
    {"message", "time", "version", "webhook_event_id", "conversation_id", "chat_id", "logging.googleapis.com/trace"}
)
TICK: Final = "tick"
_DEAD_LETTER: Final = "CloudPubSubDeadLetterSourceSubscription"  # Source: Pub/Sub, "Forward to dead-letter topics"


@dataclass(slots=True)
class EventTrace:
    """The facts of an event. `sent_ms` is None until LINE's hook has reported the creation of the event."""

    sent_ms: int | None = None
    type: str | None = None
    unordered: list[TraceStep] = field(default_factory=list)
    pubsub_message_ids: set[str] = field(default_factory=set)

    @property
    def steps(self) -> tuple[TraceStep, ...]:
        """All steps, oldest first."""
        return sort_steps(self.unordered)

    @property
    def start_ms(self) -> int:
        """The time from which the times of the steps are counted."""
        return self.sent_ms if self.sent_ms is not None else min((step.at_ms for step in self.unordered), default=0)


class Trace:
    """The newest `EVENTS_KEPT` events, each with the newest `STEPS_KEPT` steps. Lives in one event loop.

    The three `record_...` methods never raise, for any arguments. `now_ms` is the time of a fact without a time.
    """

    def __init__(self, *, now_ms: Callable[[], int]) -> None:
        self._now_ms = now_ms
        self._events: OrderedDict[str, EventTrace] = OrderedDict()
        self._event_ids: dict[str, str] = {}  # by pubsub_message_id
        self._waiting: OrderedDict[str, list[TraceStep]] = OrderedDict()  # likewise
        self._listeners = Listeners()

    def event(self, webhook_event_id: str) -> EventTrace:
        """Return the facts of the event; none for an unknown event."""
        return self._events.get(webhook_event_id, EventTrace())

    def listen(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call the listener after every step.  Returns: a function to remove the listener."""
        return self._listeners.add(listener)

    def record_line_event(self, name: str, facts: Mapping[str, object]) -> None:
        """Record a fact of LINE's hook. Facts without an event, such as `api_called`, are skipped."""
        webhook_event_id = facts.get("webhook_event_id")
        if not isinstance(webhook_event_id, str):
            return
        now_ms, event = self._now_ms(), self._open(webhook_event_id)
        if name == "event_created" and event.sent_ms is None:
            event.sent_ms, event.type = now_ms, str(facts.get("type"))
        lasted_ms = facts.get("duration_ms")  # a delivery is reported at its end, with the time of its start
        began_ms = now_ms - lasted_ms if isinstance(lasted_ms, int) else now_ms
        self._add(
            event, TraceStep(name=name, part="LINE", at_ms=max(began_ms, event.start_ms), details=_details(facts))
        )

    def record_pubsub_event(self, name: str, facts: Mapping[str, object]) -> None:
        """Record a fact of Pub/Sub's hook."""
        pubsub_message_id = str(facts.get("pubsub_message_id"))
        details = {key: value for key, value in facts.items() if key != "attributes"}
        for path in {"topic", "subscription"} & details.keys():
            details[path] = str(details[path]).rpartition("/")[2]
        webhook_event_id = None
        if isinstance(attributes := facts.get("attributes"), Mapping):
            webhook_event_id = attributes.get("webhook_event_id")
            details["is_redelivery"] = attributes.get("is_redelivery") == "true"
            details["is_dead_letter"] = _DEAD_LETTER in attributes
            if webhook_event_id is None and attributes.get("type") == TICK:
                webhook_event_id = TICK
                if not details["is_dead_letter"]:
                    self._begin_tick()
        step = TraceStep(name=name, part="Pub/Sub", at_ms=self._now_ms(), details=details)
        self._place(step, webhook_event_id, pubsub_message_id)

    def record_log_line(self, part: Part, line: Mapping[str, object]) -> None:
        """Record a line of a function's log. A line without the id of an event or a message is skipped."""
        name, pubsub_message_id = line.get("message"), line.get("pubsub_message_id")
        if isinstance(name, str):
            step = TraceStep(name=name, part=part, at_ms=self._moment_ms(line.get("time")), details=_details(line))
            self._place(step, line.get("webhook_event_id"), pubsub_message_id)

    def _place(self, step: TraceStep, webhook_event_id: object, pubsub_message_id: object) -> None:
        message_id = pubsub_message_id if isinstance(pubsub_message_id, str) else None
        event_id = webhook_event_id if isinstance(webhook_event_id, str) else self._event_ids.get(message_id or "")
        if event_id is not None:
            event = self._open(event_id)
            if message_id is not None and message_id not in event.pubsub_message_ids:
                event.pubsub_message_ids.add(message_id)
                self._event_ids[message_id] = event_id
                event.unordered += self._waiting.pop(message_id, [])
            self._add(event, step)
        elif message_id is not None:
            waiting = self._waiting.setdefault(message_id, [])
            waiting.append(step)
            del waiting[:-STEPS_KEPT]
            if len(self._waiting) > EVENTS_KEPT:
                self._waiting.popitem(last=False)

    def _open(self, webhook_event_id: str) -> EventTrace:
        """Return the event, and drop the oldest event beyond `EVENTS_KEPT`."""
        event = self._events.setdefault(webhook_event_id, EventTrace())
        if len(self._events) > EVENTS_KEPT:
            self._drop(next(iter(self._events)))
        return event

    def _begin_tick(self) -> None:
        self._drop(TICK)
        tick = self._open(TICK)
        tick.sent_ms, tick.type = self._now_ms(), TICK

    def _drop(self, event_id: str) -> None:
        dropped = self._events.pop(event_id, EventTrace())
        for pubsub_message_id in dropped.pubsub_message_ids:
            self._event_ids.pop(pubsub_message_id, None)

    def _add(self, event: EventTrace, step: TraceStep) -> None:
        event.unordered.append(step)
        del event.unordered[:-STEPS_KEPT]
        self._listeners.notify()

    def _moment_ms(self, time: object) -> int:
        try:
            return round(dt.datetime.fromisoformat(str(time)).timestamp() * 1_000)
        except (ValueError, OverflowError):
            return self._now_ms()


def _details(facts: Mapping[str, object]) -> dict[str, object]:
    return {name: value for name, value in facts.items() if name not in _NOT_DETAILS}
