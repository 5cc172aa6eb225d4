"""Each alert is raised by what it is about, stays silent on a good day, and one event that always fails raises one alert."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.infra.monitoring import Monitoring
from tests.infra.offline import ROOT, Plan
from tests.infra.written_lines import logged_events

NOW_S = 86_400.0 * 2
MINUTE_S = 60.0
OUTSIDE_OF_CODE = {"message", "delivery_attempt"}  # the second is bound to every line of a delivery


class Day:
    """A day of the deployment, minute by minute."""

    def __init__(self, plan: Plan) -> None:
        self.monitoring = Monitoring(plan=plan)

    def line(self, function: str, message: str, *, minutes_ago: float = 1.0, times: int = 1, **fields: Any) -> None:  # noqa: ANN401 - log fields
        assert fields.keys() - OUTSIDE_OF_CODE <= logged_events(ROOT)[message], f"{message} has no such fields"
        for _ in range(times):
            self.monitoring.log(function, {"message": message, **fields}, at_s=NOW_S - minutes_ago * MINUTE_S)

    def gauge(self, name: str, amount: float, *, since_minutes: int = 6, **labels: str) -> None:
        for minutes_ago in range(since_minutes + 1):
            self.monitoring.gauge(name, amount, at_s=NOW_S - minutes_ago * MINUTE_S, **labels)

    def answer(self, *, minutes_ago: float, since_received_ms: int = 3_000, times: int = 1) -> None:
        self.line("webhook", "event_published", minutes_ago=minutes_ago, times=times)
        self.line(
            "agent_worker",
            "reply_sent",
            outcome="replied",
            since_received_ms=since_received_ms,
            minutes_ago=minutes_ago,
            times=times,
        )
        self.handled(minutes_ago=minutes_ago, times=times)

    def handled(
        self,
        function: str = "agent_worker",
        *,
        outcome: str = "replied",
        status: int = 204,
        is_first_attempt: bool = True,
        since_published_ms: int = 3_000,
        minutes_ago: float = 1.0,
        times: int = 1,
    ) -> None:
        self.line(
            function,
            "event_handled",
            outcome=outcome,
            status=status,
            is_first_attempt=is_first_attempt,
            since_published_ms=since_published_ms,
            minutes_ago=minutes_ago,
            times=times,
        )

    def ticks(self, *, since_minutes: int = 20) -> None:
        for minutes_ago in range(1, since_minutes):
            self.line("agent_worker", "tick_handled", oldest_left_s=0, minutes_ago=minutes_ago)

    def heartbeats(self) -> None:
        for minutes_ago in range(1, 20, 5):
            self.line("webhook", "webhook_received", events=0, minutes_ago=minutes_ago)

    def answers(self) -> None:
        for minutes_ago in range(1, 360, 3):
            self.answer(minutes_ago=minutes_ago)
        for minutes_ago in range(2, 360, 60):
            self.handled("unsend", outcome="withdrawn", minutes_ago=minutes_ago)

    @property
    def firing(self) -> set[str]:
        return self.monitoring.firing(at_s=NOW_S)


@pytest.fixture
def day(full: Plan) -> Day:
    day = Day(full)
    day.ticks()
    day.heartbeats()
    day.answers()
    return day


def dead_letter(day: Day, subscription: str) -> None:
    day.gauge(
        "pubsub_googleapis_com:subscription_num_undelivered_messages",
        1,
        subscription_id=f"aizuchi-{subscription}",
        monitored_resource="pubsub_subscription",
    )


def slow_answers(day: Day) -> None:
    for minutes_ago in range(1, 60):
        day.answer(minutes_ago=minutes_ago, since_received_ms=11_000, times=2)


def fairly_slow_answers(day: Day) -> None:
    for minutes_ago in range(1, 360, 3):
        day.answer(minutes_ago=minutes_ago, since_received_ms=11_000)


def failing_deliveries(day: Day, *, every_minutes: int, hours: int) -> None:
    for minutes_ago in range(1, hours * 60, every_minutes):
        day.handled(outcome="failed", status=503, minutes_ago=minutes_ago)


def late_unsends(day: Day, *, every_minutes: int, hours: int) -> None:
    for minutes_ago in range(1, hours * 60, every_minutes):
        day.handled("unsend", outcome="withdrawn", since_published_ms=180_000, minutes_ago=minutes_ago)


def spent_budget(day: Day) -> None:
    """That of the deployment: every chat is told, and nothing else is answered."""
    for minutes_ago in range(1, 60):
        day.line("agent_worker", "budget_spent", minutes_ago=minutes_ago, times=4)
        day.line(
            "agent_worker", "reply_sent", outcome="apologised", is_over_limit=True, minutes_ago=minutes_ago, times=4
        )


def only_failures(day: Day) -> None:
    """After a morning without a message, every answer of the next hours fails."""
    day.monitoring.samples.clear()
    day.ticks()
    day.heartbeats()
    for minutes_ago in range(120, 720, 180):
        day.line("agent_worker", "reply_undelivered", outcome="undelivered", minutes_ago=minutes_ago)


RAISED_BY: dict[str, tuple[Callable[[Day], None], set[str]]] = {
    "answers_burn_fast": (slow_answers, {"answers_burn_slow"}),
    "answers_burn_slow": (fairly_slow_answers, set()),
    "answers_all_fail": (only_failures, set()),
    "apology_rate": (
        lambda day: day.line("agent_worker", "reply_sent", outcome="apologised", minutes_ago=20, times=8),
        set(),
    ),
    "credentials_refused": (lambda day: day.line("agent_worker", "line_token_refused", minutes_ago=4), set()),
    "dead_letters": (lambda day: dead_letter(day, "dead-letters"), set()),
    "dead_unsends": (lambda day: dead_letter(day, "dead-letters-unsends"), set()),
    "delivery_burn_fast": (
        lambda day: failing_deliveries(day, every_minutes=4, hours=1),
        {"delivery_burn_slow"},
    ),
    "delivery_burn_slow": (lambda day: failing_deliveries(day, every_minutes=31, hours=6), set()),
    "deliveries_refused": (
        lambda day: day.line("webhook", "webhook_rejected", is_signed=True, status=413, minutes_ago=4, times=5),
        set(),
    ),
    "events_dropped": (lambda day: day.line("webhook", "event_dropped", minutes_ago=30, times=3), set()),
    "failure_rate": (
        lambda day: day.handled(outcome="crashed", status=500, minutes_ago=8, times=3),
        set(),
    ),
    "instances_at_maximum": (
        lambda day: day.gauge(
            "run_googleapis_com:container_instance_count",
            20,
            monitored_resource="cloud_run_revision",
            service_name="aizuchi-agent-worker",
            state="active",
        ),
        set(),
    ),
    "kinds_unknown": (lambda day: day.line("agent_worker", "due_kind_unknown", kind="later", times=3), set()),
    "late_answers": (
        lambda day: day.line("agent_worker", "reply_undelivered", outcome="undelivered", minutes_ago=20, times=3),
        set(),
    ),
    "markers_stay": (lambda day: day.line("agent_worker", "tick_handled", oldest_left_s=301), set()),
    "memory_fails": (lambda day: day.line("agent_worker", "record_unreadable", minutes_ago=30, times=5), set()),
    "oldest_event": (
        lambda day: day.gauge(
            "pubsub_googleapis_com:subscription_oldest_unacked_message_age",
            181,
            subscription_id="aizuchi-unsend",
            monitored_resource="pubsub_subscription",
        ),
        set(),
    ),
    "budget_spent": (spent_budget, set()),
    "push_quota": (lambda day: day.line("agent_worker", "push_quota_spent", minutes_ago=50), set()),
    "pushes_unchecked": (lambda day: day.line("agent_worker", "push_not_checked", status=503, times=5), set()),
    "reminders_kept": (lambda day: day.line("agent_worker", "reminder_kept", minutes_ago=30, times=20), set()),
    "secrets_unreadable": (lambda day: day.line("webhook", "secret_unreadable"), set()),
    "signature_refusals": (
        lambda day: day.line("webhook", "webhook_rejected", is_signed=True, status=401, times=5),
        set(),
    ),
    "token_cost": (
        lambda day: day.line("agent_worker", "model_called", output_tokens=5_000_000, minutes_ago=600),
        set(),
    ),
    "tools_fail": (
        lambda day: day.line("agent_worker", "tool_failed", tool="search_entries", minutes_ago=40, times=10),
        set(),
    ),
    "unsends_burn_fast": (lambda day: late_unsends(day, every_minutes=4, hours=1), {"unsends_burn_slow"}),
    "unsends_burn_slow": (lambda day: late_unsends(day, every_minutes=31, hours=6), set()),
    "usage_unshared": (lambda day: day.line("agent_worker", "usage_not_exchanged", times=10), set()),
    "webhook_5xx": (lambda day: day.line("webhook", "webhook_failed", status=503, times=3), set()),
    "webhook_off": (lambda day: day.line("agent_worker", "webhook_switched_off", minutes_ago=4), set()),
}


def tick_of_an_hour_ago(day: Day) -> None:
    day.line("agent_worker", "tick_handled", oldest_left_s=0, minutes_ago=60)


def heartbeat_of_an_hour_ago(day: Day) -> None:
    day.line("webhook", "webhook_received", events=0, minutes_ago=60)


def answer_of_a_day_ago(day: Day) -> None:
    day.answer(minutes_ago=23.5 * 60)


RAISED_BY_SILENCE: dict[str, tuple[Callable[[Day], None], ...]] = {  # by what else goes on, and by a first success
    "no_deliveries": (Day.ticks, Day.heartbeats, answer_of_a_day_ago),
    "ticks_stop": (Day.heartbeats, Day.answers, tick_of_an_hour_ago),
    "webhook_silent": (Day.ticks, Day.answers, heartbeat_of_an_hour_ago),
}
ESSENTIAL: dict[str, set[str]] = {
    "answers_fail": {"answers_all_fail", "apology_rate", "credentials_refused"},
    "data_stays": {"dead_unsends", "markers_stay"},
    "events_lost": {"dead_letters", "deliveries_refused", "events_dropped", "oldest_event", "ticks_stop"},
    "money_spent": {"budget_spent", "token_cost", "usage_unshared"},
    "webhook_fails": {"signature_refusals", "webhook_5xx", "webhook_off", "webhook_silent"},
}
ALERTS_THAT_ARE_ESSENTIAL = set[str]().union(*ESSENTIAL.values())
FAILED_ANSWERS: dict[str, Callable[[Day, float], None]] = {
    "apologies": lambda day, ago: day.line("agent_worker", "reply_sent", outcome="apologised", minutes_ago=ago),
    "undelivered": lambda day, ago: day.line("agent_worker", "reply_undelivered", minutes_ago=ago),
    "after 50 s": lambda day, ago: day.answer(minutes_ago=ago, since_received_ms=50_000),
}


def test_a_good_day_raises_no_alert(day: Day) -> None:
    assert day.firing == set()


@pytest.mark.parametrize("alert", [*RAISED_BY, *RAISED_BY_SILENCE])
def test_an_essential_alert_is_raised_by_each_of_its_causes(full: Plan, essential: Plan, alert: str) -> None:
    """Of the gravest causes; the others are told by the full set only."""
    queries = {key: made["query"] for key, made in Day(essential).monitoring.alerts.items()}
    (wanted,) = [made["query"] for key, made in Day(full).monitoring.alerts.items() if key == alert]
    holding = {key for key, query in queries.items() if f"({wanted})" in query}

    assert holding == {f"essential_{key}" for key, causes in ESSENTIAL.items() if alert in causes}


def test_the_essential_alerts_are_five_conditions(essential: Plan) -> None:
    assert set(Day(essential).monitoring.alerts) == {f"essential_{key}" for key in ESSENTIAL}
    assert len(ESSENTIAL) == 5


@pytest.mark.parametrize("alert", sorted(ALERTS_THAT_ARE_ESSENTIAL & RAISED_BY.keys()))
def test_an_essential_alert_is_raised_by_what_it_is_about(essential: Plan, alert: str) -> None:
    day = Day(essential)
    day.ticks()
    day.heartbeats()
    day.answers()
    assert day.firing == set()

    RAISED_BY[alert][0](day)

    assert day.firing == {f"essential_{key}" for key, causes in ESSENTIAL.items() if alert in causes}


def test_every_alert_is_raised_here(day: Day) -> None:
    assert RAISED_BY.keys() | RAISED_BY_SILENCE.keys() == day.monitoring.alerts.keys()


@pytest.mark.parametrize("alert", RAISED_BY)
def test_an_alert_is_raised_by_what_it_is_about(day: Day, alert: str) -> None:
    happens, also = RAISED_BY[alert]

    happens(day)

    assert day.firing == {alert} | also


@pytest.mark.parametrize("alert", RAISED_BY_SILENCE)
def test_an_alert_on_absence_is_raised_by_silence(full: Plan, alert: str) -> None:
    day = Day(full)

    for happens in RAISED_BY_SILENCE[alert]:
        happens(day)

    assert day.firing == {alert}


@pytest.mark.parametrize(
    ("function", "letters", "alert"),
    [("agent_worker", "dead-letters", "dead_letters"), ("unsend", "dead-letters-unsends", "dead_unsends")],
)
def test_one_event_that_always_fails_raises_one_alert(day: Day, function: str, letters: str, alert: str) -> None:
    for attempt in range(1, 21):
        minutes_ago = 5 - attempt / 6
        for message in ("record_unreadable", "event_failed"):
            day.line(function, message, delivery_attempt=attempt, minutes_ago=minutes_ago)
        day.handled(function, outcome="failed", status=500, is_first_attempt=attempt == 1, minutes_ago=minutes_ago)
    day.gauge(
        "pubsub_googleapis_com:subscription_oldest_unacked_message_age",
        200,
        since_minutes=1,
        subscription_id=f"aizuchi-{function.replace('_', '-')}",
        monitored_resource="pubsub_subscription",
    )
    dead_letter(day, letters)

    assert day.firing == {alert}


def test_a_system_that_was_just_applied_raises_no_alert(full: Plan) -> None:
    day = Day(full)
    assert day.firing == set()

    day.ticks(since_minutes=2)

    assert day.firing == set()


@pytest.mark.parametrize("every_hours", [1, 3, 4, 7.9])
@pytest.mark.parametrize("failure", FAILED_ANSWERS)
def test_a_quiet_bot_whose_answers_all_fail_raises_an_alert(full: Plan, failure: str, every_hours: float) -> None:
    day = Day(full)

    for number in range(3):
        FAILED_ANSWERS[failure](day, 5 + number * every_hours * 60)

    assert "answers_all_fail" in day.firing


def test_an_answer_that_comes_ends_the_alert_on_failing_answers(full: Plan) -> None:
    day = Day(full)
    for number in range(3):
        FAILED_ANSWERS["apologies"](day, 30 + number * 10)

    day.answer(minutes_ago=5)

    assert "answers_all_fail" not in day.firing


def test_idle_instances_raise_no_alert(day: Day) -> None:
    """With as many instances at least as at most, all are there at any time."""
    day.gauge(
        "run_googleapis_com:container_instance_count",
        20,
        monitored_resource="cloud_run_revision",
        service_name="aizuchi-agent-worker",
        state="idle",
    )

    assert day.firing == set()


def test_scanners_without_a_signature_raise_no_alert(day: Day) -> None:
    day.line("webhook", "webhook_rejected", is_signed=False, status=401, times=500)

    assert day.firing == set()
