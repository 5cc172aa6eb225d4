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
class RecordedFacts:
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
def facts() -> RecordedFacts:
    return RecordedFacts()


def test_facts_of_all_sources_are_merged_by_time(facts: RecordedFacts) -> None:
    facts.line(0, "event_created", type="message")
    facts.published(20)
    facts.pubsub(21, "push_started", subscription=WORKER, delivery_attempt=1)
    facts.line(30, "webhook_delivered", status=200, duration_ms=28)
    facts.pubsub(90, "push_ended", subscription=WORKER, outcome="acknowledged", status=204)
    facts.pubsub(90, "acknowledged", subscription=WORKER)
    facts.log(40, "turn_opened", webhook_event_id="E1", pubsub_message_id="M1")
    facts.log(88, "event_handled", pubsub_message_id="M1", status=204)
    facts.log(25, "event_published", part="webhook", webhook_event_id="E1", pubsub_message_id="M1")

    assert facts.steps() == [
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
    assert {step.part for step in facts.trace.event("E1").steps} == {"LINE", "Pub/Sub", "webhook", "agent_worker"}


def test_within_a_millisecond_causes_precede_effects(facts: RecordedFacts) -> None:
    facts.line(0, "event_created", type="message")
    facts.published(5)
    facts.pubsub(5, "push_started")
    facts.pubsub(5, "push_ended", outcome="acknowledged")
    facts.pubsub(5, "acknowledged")
    facts.line(5, "webhook_delivered", duration_ms=0)
    facts.log(5, "turn_opened", pubsub_message_id="M1")
    facts.log(5, "event_handled", pubsub_message_id="M1")

    assert facts.names()[1:] == [
        *("webhook_delivered", "published", "push_started", "turn_opened", "event_handled", "push_ended"),
        "acknowledged",
    ]


@pytest.mark.parametrize("order", list(itertools.permutations(range(4))))
def test_no_fact_is_lost_in_any_order_of_sources(facts: RecordedFacts, order: tuple[int, ...]) -> None:
    tellings = [
        lambda: facts.published(20),
        lambda: facts.pubsub(21, "push_started", subscription=WORKER),
        lambda: facts.log(30, "turn_opened", webhook_event_id="E1", pubsub_message_id="M1"),
        lambda: facts.log(40, "event_handled", pubsub_message_id="M1"),
    ]

    for number in order:
        tellings[number]()

    assert facts.names() == ["published", "push_started", "turn_opened", "event_handled"]


def test_facts_of_different_events_are_kept_apart(facts: RecordedFacts) -> None:
    facts.published(1, "M1", "E1")
    facts.published(2, "M2", "E2")
    facts.log(3, "event_handled", pubsub_message_id="M2")

    assert (facts.names("E1"), facts.names("E2")) == (["published"], ["published", "event_handled"])


def test_an_unknown_log_event_is_kept_with_its_fields(facts: RecordedFacts) -> None:
    facts.log(3, "moon_phase_checked", webhook_event_id="E1", conversation_id="abc", phase="full", parts=[1, 2])

    (step,) = facts.trace.event("E1").steps
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
def test_log_lines_without_an_event_are_skipped(facts: RecordedFacts, line: dict[str, object]) -> None:
    facts.trace.record_log_line("webhook", line)
    facts.line(0, "api_called", event=None, method="POST")

    assert facts.steps() == []


@pytest.mark.parametrize("time", [None, 5, "yesterday", "9" * 400])
def test_a_line_without_a_valid_time_gets_the_current_time(facts: RecordedFacts, time: object) -> None:
    facts.now_ms = START_MS + 7

    facts.trace.record_log_line("webhook", {"message": "x", "time": time, "webhook_event_id": "E1"})

    assert facts.trace.event("E1").steps[0].at_ms == START_MS + 7


def test_an_event_from_elsewhere_begins_with_its_first_step(facts: RecordedFacts) -> None:
    facts.published(20)
    facts.log(50, "event_handled", pubsub_message_id="M1")

    assert facts.steps() == [("published", 0), ("event_handled", 30)]


def test_steps_contain_no_text_of_a_message(facts: RecordedFacts) -> None:
    facts.published(1, text="my pin is 4711")

    (step,) = facts.trace.event("E1").steps
    assert step.details == {
        "topic": "line-events",
        "pubsub_message_id": "M1",
        "is_redelivery": False,
        "is_dead_letter": False,
    }


def test_a_dead_letter_follows_the_failed_push(facts: RecordedFacts) -> None:
    facts.published(1)
    facts.pubsub(2, "push_ended", subscription=WORKER, outcome="refused", status=500, delivery_attempt=10)
    facts.pubsub(2, "dead_lettered", subscription=WORKER, topic=f"{TOPIC}-dead", delivery_attempt=10)
    facts.published(2, "M2", CloudPubSubDeadLetterSourceSubscription="agent_worker")

    assert facts.names() == ["published", "push_ended", "dead_lettered", "published"]


def test_the_oldest_events_are_dropped_with_their_message_ids(facts: RecordedFacts) -> None:
    for number in range(module.EVENTS_KEPT + 1):
        facts.published(number, f"M{number}", f"E{number}")

    facts.log(900, "event_handled", pubsub_message_id="M0")
    facts.log(900, "event_handled", pubsub_message_id="M1")

    assert facts.names("E0") == []
    assert facts.names("E1") == ["published", "event_handled"]


def test_waiting_facts_and_steps_of_one_event_are_bounded(
    facts: RecordedFacts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "EVENTS_KEPT", 3)
    monkeypatch.setattr(module, "STEPS_KEPT", 4)
    for number in range(5):
        for at_ms in range(9):
            facts.log(at_ms, "early", pubsub_message_id=f"M{number}")

    facts.published(9, "M0", "E0")
    facts.published(9, "M4", "E4")
    facts.log(10, "late", pubsub_message_id="M4")

    assert facts.steps("E0") == [("published", 0)]
    assert facts.names("E4") == ["early", "early", "published", "late"]


def test_listeners_are_called_until_they_are_removed(facts: RecordedFacts) -> None:
    heard: list[str] = []
    stop = facts.trace.listen(lambda: heard.append("step"))
    facts.published(1)
    stop()

    facts.published(2, "M2", "E2")

    assert heard == ["step"]


def ticked(facts: RecordedFacts, at_ms: int, message: str, **attributes: str) -> None:
    facts.pubsub(at_ms, "published", message, topic=TOPIC, attributes={"type": "tick"} | attributes)


def test_the_newest_tick_has_a_trace(facts: RecordedFacts) -> None:
    ticked(facts, 0, "M1")
    facts.log(5, "tick_handled", pubsub_message_id="M1")
    ticked(facts, 60_000, "M2")
    facts.pubsub(60_001, "push_started", "M2", subscription=WORKER, delivery_attempt=1)
    facts.log(60_009, "tick_handled", pubsub_message_id="M2", done=1)
    facts.pubsub(60_012, "acknowledged", "M2", subscription=WORKER)

    assert facts.trace.event("tick").type == "tick"
    assert facts.steps("tick") == [("published", 0), ("push_started", 1), ("tick_handled", 9), ("acknowledged", 12)]


def test_ticks_push_no_event_out(facts: RecordedFacts) -> None:
    facts.line(0, "event_created", type="message")
    facts.published(1)
    for number in range(2 * module.EVENTS_KEPT):
        ticked(facts, number * 60_000, f"T{number}")
        facts.log(number * 60_000 + 1, "tick_handled", pubsub_message_id=f"T{number}")

    assert facts.names() == ["event_created", "published"]
    assert facts.names("tick") == ["published", "tick_handled"]


def test_a_dead_tick_stays_in_its_trace(facts: RecordedFacts) -> None:
    ticked(facts, 0, "M1")
    ticked(facts, 9, "M2", CloudPubSubDeadLetterSourceSubscription=WORKER)

    assert facts.names("tick") == ["published", "published"]


def test_an_event_of_line_that_calls_itself_a_tick_is_an_event(facts: RecordedFacts) -> None:
    facts.published(0, type="tick")

    assert facts.names() == ["published"]
    assert facts.names("tick") == []
