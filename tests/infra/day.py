"""A day of a deployment, minute by minute, in the lines that the functions log and in what Google measures."""

from typing import Any

from tests.infra.monitoring import Monitoring
from tests.infra.offline import ROOT, Plan
from tests.infra.promql import Sample
from tests.infra.written_lines import logged_events

NOW_S = 86_400.0 * 2
MINUTE_S = 60.0
OUTSIDE_OF_CODE = {"message", "delivery_attempt"}  # the second is bound to every line of a delivery


class Day:
    """What was logged and measured by now.  A line has the fields that the code gives it."""

    def __init__(self, plan: Plan, samples: tuple[Sample, ...] = ()) -> None:
        self.monitoring = Monitoring(plan=plan, samples=list(samples))

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


def good_day(plan: Plan) -> Day:
    """Return a day with ticks, heartbeats, answers and unsends."""
    day = Day(plan)
    day.ticks()
    day.heartbeats()
    day.answers()
    return day
