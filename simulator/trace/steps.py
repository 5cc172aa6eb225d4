"""Steps: facts about an event, from a stand-in's hook or a function's log. Neither contains texts of people."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

Part = Literal["LINE", "Pub/Sub", "webhook", "agent_worker", "unsend"]
FUNCTIONS: Final[tuple[Part, ...]] = ("webhook", "agent_worker", "unsend")

_ALARMS: Final = frozenset({"WARNING", "ERROR", "CRITICAL"})
_FAILURES: Final = frozenset({"webhook_refused", "dead_lettered"})
_FIRST_ERROR_STATUS: Final = 400
_BEFORE_THE_LOGS: Final = ("event_created", "webhook_delivered", "webhook_refused", "published", "push_started")
_AFTER_THE_LOGS: Final = ("push_ended", "acknowledged", "dead_lettered")
_ONCE: Final = {  # steps that an event needs only once, with the key under which they count as repeats
    "webhook_delivered": "delivery",
    "webhook_refused": "delivery",
    **{
        name: name
        for name in (
            *("published", "event_published", "push_started", "push_ended", "acknowledged"),
            *("turn_opened", "turn_decided", "turn_apologised", "reply_sent", "message_withdrawn", "event_handled"),
        )
    },
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceStep:
    """A fact, e.g. `model_called`, with the reporting part and the time on this machine's clock.

    `details` are the fact's other fields as JSON, e.g. `{"status": 200, "duration_ms": 34}`.
    """

    name: str
    part: Part
    at_ms: int
    details: Mapping[str, object] = field(default_factory=dict)

    @property
    def is_failed(self) -> bool:
        """Whether the step is a failure, even if a later step succeeded."""
        status, outcome = self.details.get("status"), self.details.get("outcome")
        return (
            self.name in _FAILURES
            or self.details.get("severity") in _ALARMS
            or (isinstance(status, int) and status >= _FIRST_ERROR_STATUS)
            or (self.name == "push_ended" and outcome != "acknowledged")
            or outcome == "fault"
        )


def sort_steps(steps: Iterable[TraceStep]) -> tuple[TraceStep, ...]:
    """Return the steps, oldest first. Within a millisecond causes precede effects; lines of a log keep their order.

    For example, `published` precedes `push_started`.
    """
    return tuple(sorted(steps, key=lambda step: (step.at_ms, _rank(step))))


def flag_repeats(steps: Iterable[TraceStep]) -> tuple[bool, ...]:
    """Return for each of the sorted steps whether an earlier step or attempt is repeated.

    For example, a step with `delivery_attempt` 2 is flagged.
    """
    earlier_keys: set[tuple[object, ...]] = set()
    flags = []
    for step in steps:
        attempt, about = step.details.get("delivery_attempt"), _ONCE.get(step.name)
        key = (about, step.part, step.details.get("subscription"), step.details.get("topic"))
        is_later = isinstance(attempt, int) and attempt > 1
        flags.append(
            is_later or step.details.get("is_redelivery") is True or (about is not None and key in earlier_keys)
        )
        earlier_keys.add(key)
    return tuple(flags)


def _rank(step: TraceStep) -> int:
    if step.name in _AFTER_THE_LOGS or step.details.get("is_dead_letter") is True:
        return 1
    return _BEFORE_THE_LOGS.index(step.name) - len(_BEFORE_THE_LOGS) if step.name in _BEFORE_THE_LOGS else 0
