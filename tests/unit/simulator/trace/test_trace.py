import datetime as dt
import itertools
from dataclasses import dataclass, field

import pytest

from simulator.trace import trace as module
from simulator.trace.steps import Part
from simulator.trace.trace import Trace

START_MS = 1_767_225_600_000
TOPIC = "projects/p/topics/line-events"
WORKER = "projects/p/subscriptions/agent_worker"


@dataclass
class Told:
    """A trace and its sources; times are milliseconds since the start."""

    now_ms: int = START_MS
    trace: Trace = field(init=False)

    def __post_init__(self) -> None:
        self.trace = Trace(now_ms=lambda: self.now_ms)

    def line(self, at_ms: int, name: str, event: str | None = "E1", **facts: object) -> None:
        self.now_ms = START_MS + at_ms
        self.trace.record_line_event(name, {"webhook_event_id": event} | facts)

    def published(self, at_ms: int, message: str = "M1", event: str = "E1", **attributes: str) -> None:
        about = {"webhook_event_id": event, "type": "message", "is_redelivery": "false"} | attributes
        self.pubsub(at_ms, "published", message, topic=TOPIC, attributes=about)

    def pubsub(self, at_ms: int, name: str, message: str = "M1", **facts: object) -> None:
        self.now_ms = START_MS + at_ms
        self.trace.record_pubsub_event(name, {"pubsub_message_id": message} | facts)

    def log(self, at_ms: int, name: str, *, part: Part = "agent_worker", **fields: object) -> None:
        time = dt.datetime.fromtimestamp((START_MS + at_ms) / 1_000, tz=dt.UTC).isoformat(timespec="milliseconds")
        self.trace.record_log_line(part, {"severity": "INFO", "message": name, "time": time} | fields)

    def steps(self, event: str = "E1") -> list[tuple[str, int]]:
        known = self.trace.event(event)
        return [(step.name, step.at_ms - known.start_ms) for step in known.steps]

    def names(self, event: str = "E1") -> list[str]:
        return [name for name, _ in self.steps(event)]


@pytest.fixture
def told() -> Told:
    return Told()


def test_facts_of_all_sources_are_merged_by_time(told: Told) -> None:
    told.line(0, "event_created", type="message")
    told.published(20)
    told.pubsub(21, "push_started", subscription=WORKER, delivery_attempt=1)
    told.line(30, "webhook_delivered", status=200, duration_ms=28)
    told.pubsub(90, "push_ended", subscription=WORKER, outcome="acknowledged", status=204)
    told.pubsub(90, "acknowledged", subscription=WORKER)
    told.log(40, "turn_opened", webhook_event_id="E1", pubsub_message_id="M1")
    told.log(88, "event_handled", pubsub_message_id="M1", status=204)
    told.log(25, "event_published", part="webhook", webhook_event_id="E1", pubsub_message_id="M1")

    assert told.steps() == [
        ("event_created", 0),
        ("webhook_delivered", 2),
        ("published", 20),
        ("push_started", 21),
        ("event_published", 25),
        ("turn_opened", 40),
        ("event_handled", 88),
        ("push_ended", 90),
        ("acknowledged", 90),
    ]
    assert {step.part for step in told.trace.event("E1").steps} == {"LINE", "Pub/Sub", "webhook", "agent_worker"}


def test_within_a_millisecond_causes_precede_effects(told: Told) -> None:
    told.line(0, "event_created", type="message")
    told.published(5)
    told.pubsub(5, "push_started")
    told.pubsub(5, "push_ended", outcome="acknowledged")
    told.pubsub(5, "acknowledged")
    told.line(5, "webhook_delivered", duration_ms=0)
    told.log(5, "turn_opened", pubsub_message_id="M1")
    told.log(5, "event_handled", pubsub_message_id="M1")

    assert told.names()[1:] == [
        *("webhook_delivered", "published", "push_started", "turn_opened", "event_handled", "push_ended"),
        "acknowledged",
    ]


@pytest.mark.parametrize("order", list(itertools.permutations(range(4))))
def test_no_fact_is_lost_in_any_order_of_sources(told: Told, order: tuple[int, ...]) -> None:
    tellings = [
        lambda: told.published(20),
        lambda: told.pubsub(21, "push_started", subscription=WORKER),
        lambda: told.log(30, "turn_opened", webhook_event_id="E1", pubsub_message_id="M1"),
        lambda: told.log(40, "event_handled", pubsub_message_id="M1"),
    ]

    for number in order:
        tellings[number]()

    assert told.names() == ["published", "push_started", "turn_opened", "event_handled"]


def test_facts_of_different_events_are_kept_apart(told: Told) -> None:
    told.published(1, "M1", "E1")
    told.published(2, "M2", "E2")
    told.log(3, "event_handled", pubsub_message_id="M2")

    assert (told.names("E1"), told.names("E2")) == (["published"], ["published", "event_handled"])


def test_an_unknown_log_event_is_kept_with_its_fields(told: Told) -> None:
    told.log(3, "moon_phase_checked", webhook_event_id="E1", conversation_id="abc", phase="full", parts=[1, 2])

    (step,) = told.trace.event("E1").steps
    assert (step.name, step.details) == ("moon_phase_checked", {"severity": "INFO", "phase": "full", "parts": [1, 2]})


@pytest.mark.parametrize(
    "line",
    [
        {},
        {"message": 12, "webhook_event_id": "E1"},
        {"message": "webhook_received", "status": 200},
        {"message": "x", "webhook_event_id": ["E1"], "pubsub_message_id": 5},
    ],
)
def test_log_lines_without_an_event_are_skipped(told: Told, line: dict[str, object]) -> None:
    told.trace.record_log_line("webhook", line)
    told.line(0, "api_called", event=None, method="POST")

    assert told.steps() == []


@pytest.mark.parametrize("time", [None, 5, "yesterday", "9" * 400])
def test_a_line_without_a_valid_time_gets_the_current_time(told: Told, time: object) -> None:
    told.now_ms = START_MS + 7

    told.trace.record_log_line("webhook", {"message": "x", "time": time, "webhook_event_id": "E1"})

    assert told.trace.event("E1").steps[0].at_ms == START_MS + 7


def test_an_event_from_elsewhere_begins_with_its_first_step(told: Told) -> None:
    told.published(20)
    told.log(50, "event_handled", pubsub_message_id="M1")

    assert told.steps() == [("published", 0), ("event_handled", 30)]


def test_steps_contain_no_text_of_a_message(told: Told) -> None:
    told.published(1, text="my pin is 4711")

    (step,) = told.trace.event("E1").steps
    assert step.details == {
        "topic": "line-events",
        "pubsub_message_id": "M1",
        "is_redelivery": False,
        "is_dead_letter": False,
    }


def test_a_dead_letter_follows_the_failed_push(told: Told) -> None:
    told.published(1)
    told.pubsub(2, "push_ended", subscription=WORKER, outcome="refused", status=500, delivery_attempt=10)
    told.pubsub(2, "dead_lettered", subscription=WORKER, topic=f"{TOPIC}-dead", delivery_attempt=10)
    told.published(2, "M2", CloudPubSubDeadLetterSourceSubscription="agent_worker")

    assert told.names() == ["published", "push_ended", "dead_lettered", "published"]


def test_the_oldest_events_are_dropped_with_their_message_ids(told: Told) -> None:
    for number in range(module.EVENTS_KEPT + 1):
        told.published(number, f"M{number}", f"E{number}")

    told.log(900, "event_handled", pubsub_message_id="M0")
    told.log(900, "event_handled", pubsub_message_id="M1")

    assert told.names("E0") == []
    assert told.names("E1") == ["published", "event_handled"]


def test_waiting_facts_and_steps_of_one_event_are_bounded(told: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "EVENTS_KEPT", 3)
    monkeypatch.setattr(module, "STEPS_KEPT", 4)
    for number in range(5):
        for at_ms in range(9):
            told.log(at_ms, "early", pubsub_message_id=f"M{number}")

    told.published(9, "M0", "E0")
    told.published(9, "M4", "E4")
    told.log(10, "late", pubsub_message_id="M4")

    assert told.steps("E0") == [("published", 0)]
    assert told.names("E4") == ["early", "early", "published", "late"]


def test_listeners_are_called_until_they_are_removed(told: Told) -> None:
    heard: list[str] = []
    stop = told.trace.listen(lambda: heard.append("step"))
    told.published(1)
    stop()

    told.published(2, "M2", "E2")

    assert heard == ["step"]
