"""Events as a worker parses them, in a request that has just begun."""

from collections.abc import Mapping

from shared.adapters.memory import FixedClock
from shared.bus.endpoint import REQUEST_S
from shared.clock import Deadline
from shared.line import events
from shared.line.events import LineEvent


def parse_event(event: Mapping[str, object], *, received_ms: int = 0) -> LineEvent:
    """Read an event."""
    return events.parse_event(event, received_ms=received_ms, deadline=Deadline.after(FixedClock(), REQUEST_S))
