"""What can happen to a deployment, and the alerts that each situation raises: the table of docs/operations.md.

`python -m tests.infra.situations` (`make tf-docs`) writes the table anew; tests/infra/test_alerts.py plays each situation.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.infra.day import Day
from tests.infra.offline import ROOT

GUIDE: Final = ROOT / "docs" / "operations.md"
_BEGINS: Final = "| situation | alerts, with `full` | with `essential` |\n|---|---|---|\n"
ESSENTIAL: Final[Mapping[str, frozenset[str]]] = {
    "answers_fail": frozenset({"answers_all_fail", "apology_rate", "credentials_refused"}),
    "data_stays": frozenset({"dead_unsends", "markers_stay"}),
    "events_lost": frozenset({"dead_letters", "deliveries_refused", "events_dropped", "oldest_event", "ticks_stop"}),
    "money_spent": frozenset({"budget_spent", "token_cost", "usage_unshared"}),
    "webhook_fails": frozenset({"signature_refusals", "webhook_5xx", "webhook_off", "webhook_silent"}),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """What happens, and the alerts that it raises.  `on_a_good_day`: besides what a good day has; if not, nothing else happens."""

    title: str
    happens: Callable[[Day], None]
    raises: frozenset[str] = frozenset()
    on_a_good_day: bool = True

    @property
    def essential(self) -> frozenset[str]:
        """The alerts that are raised of the essential ones.  Example: `webhook_off` is among the causes of `essential_webhook_fails`."""
        return frozenset(f"essential_{key}" for key, causes in ESSENTIAL.items() if causes & self.raises)


def _nothing(_: Day) -> None:
    """Nothing else happens."""


def _dead_letter(subscription: str) -> Callable[[Day], None]:
    return lambda day: day.gauge(
        "pubsub_googleapis_com:subscription_num_undelivered_messages",
        1,
        subscription_id=f"aizuchi-{subscription}",
        monitored_resource="pubsub_subscription",
    )


def _fails_always(function: str, letters: str) -> Callable[[Day], None]:
    """Return the twenty attempts of one event, which then is a dead letter."""

    def happens(day: Day) -> None:
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
        _dead_letter(letters)(day)

    return happens


def _instances(count: int, state: str) -> Callable[[Day], None]:
    return lambda day: day.gauge(
        "run_googleapis_com:container_instance_count",
        count,
        monitored_resource="cloud_run_revision",
        service_name="aizuchi-agent-worker",
        state=state,
    )


def _slow_answers(day: Day) -> None:
    for minutes_ago in range(1, 60):
        day.answer(minutes_ago=minutes_ago, since_received_ms=11_000, times=2)


def _fairly_slow_answers(day: Day) -> None:
    for minutes_ago in range(1, 360, 3):
        day.answer(minutes_ago=minutes_ago, since_received_ms=11_000)


def _failing_deliveries(*, every_minutes: int, hours: int) -> Callable[[Day], None]:
    def happens(day: Day) -> None:
        for minutes_ago in range(1, hours * 60, every_minutes):
            day.handled(outcome="failed", status=503, minutes_ago=minutes_ago)

    return happens


def _late_unsends(*, every_minutes: int, hours: int) -> Callable[[Day], None]:
    def happens(day: Day) -> None:
        for minutes_ago in range(1, hours * 60, every_minutes):
            day.handled("unsend", outcome="withdrawn", since_published_ms=180_000, minutes_ago=minutes_ago)

    return happens


def _spent_budget(day: Day) -> None:
    """The deployment's: every chat is told, and nothing else is answered."""
    for minutes_ago in range(1, 60):
        day.line("agent_worker", "budget_spent", minutes_ago=minutes_ago, times=4)
        day.line(
            "agent_worker", "reply_sent", outcome="apologised", is_over_limit=True, minutes_ago=minutes_ago, times=4
        )


def _waiting_event(day: Day) -> None:
    day.gauge(
        "pubsub_googleapis_com:subscription_oldest_unacked_message_age",
        181,
        subscription_id="aizuchi-unsend",
        monitored_resource="pubsub_subscription",
    )


def _failed_answers(failure: Callable[[Day, float], None], *, every_hours: float) -> Callable[[Day], None]:
    """Return the three messages of a quiet bot, the newest five minutes ago, none of which was answered."""

    def happens(day: Day) -> None:
        day.ticks()
        day.heartbeats()
        for number in range(3):
            failure(day, 5 + number * every_hours * 60)

    return happens


def _without(*others: Callable[[Day], None], last: Callable[[Day], None]) -> Callable[[Day], None]:
    """Return a day on which something stopped: `last` is its last success, and the `others` go on."""

    def happens(day: Day) -> None:
        for happens_too in (*others, last):
            happens_too(day)

    return happens


def _failures_of_quiet_bots() -> Iterator[tuple[str, Situation]]:
    """Yield a bot with a message every hour to every eight hours, in each way in which an answer fails."""
    failures: dict[str, Callable[[Day, float], None]] = {
        "apologies": lambda day, ago: day.line("agent_worker", "reply_sent", outcome="apologised", minutes_ago=ago),
        "answers that LINE refuses": lambda day, ago: day.line("agent_worker", "reply_undelivered", minutes_ago=ago),
        "answers after 50 s": lambda day, ago: day.answer(minutes_ago=ago, since_received_ms=50_000),
    }
    for what, failure in failures.items():
        for hours in (1, 3, 4, 7.9):
            also = {"answers_burn_slow"} if hours == 1 else set[str]()
            title = f"a message every {hours} h, and only {what}"
            happens = _failed_answers(failure, every_hours=hours)
            yield (
                title,
                Situation(
                    title=title, happens=happens, raises=frozenset({"answers_all_fail"} | also), on_a_good_day=False
                ),
            )


def _raises(title: str, *alerts: str, by: Callable[[Day], None], on_a_good_day: bool = True) -> Situation:
    return Situation(title=title, happens=by, raises=frozenset(alerts), on_a_good_day=on_a_good_day)


def _logs(message: str, function: str = "agent_worker", **fields: object) -> Callable[[Day], None]:
    return lambda day: day.line(function, message, **fields)  # type: ignore[arg-type]


_SILENT: Final = (
    _raises("a good day", by=_nothing),
    _raises("a deployment that was just applied", by=lambda day: day.ticks(since_minutes=2), on_a_good_day=False),
    _raises(
        "500 requests of scanners, without a signature",
        by=_logs("webhook_rejected", "webhook", is_signed=False, status=401, times=500),
    ),
    _raises("as many instances as there may be, idle", by=_instances(20, "idle")),
    _raises("a check of the model that gets no answer", by=_logs("model_not_checked", minutes_ago=4)),
    _raises(
        "three apologies, then an answer",
        by=_without(
            Day.ticks,
            Day.heartbeats,
            *(_logs("reply_sent", outcome="apologised", minutes_ago=ago) for ago in (90, 70, 50)),
            last=lambda day: day.answer(minutes_ago=5),
        ),
        on_a_good_day=False,
    ),
)
_RAISED: Final = (
    _raises("the Gemini key is revoked", "credentials_refused", by=_logs("gemini_key_refused", minutes_ago=4)),
    _raises("the model's name is retired", "credentials_refused", by=_logs("gemini_model_unknown", minutes_ago=4)),
    _raises("LINE's access token is revoked", "credentials_refused", by=_logs("line_token_refused", minutes_ago=4)),
    _raises('"Use webhook" is off', "webhook_off", by=_logs("webhook_switched_off", minutes_ago=4)),
    _raises(
        "five signed deliveries refused with 400",
        "deliveries_refused",
        by=_logs("webhook_rejected", "webhook", is_signed=True, status=400, minutes_ago=4, times=5),
    ),
    _raises(
        "five signed deliveries refused with 413",
        "deliveries_refused",
        by=_logs("webhook_rejected", "webhook", is_signed=True, status=413, minutes_ago=4, times=5),
    ),
    _raises(
        "five deliveries with a wrong signature",
        "signature_refusals",
        by=_logs("webhook_rejected", "webhook", is_signed=True, status=401, times=5),
    ),
    _raises("three events dropped", "events_dropped", by=_logs("event_dropped", "webhook", minutes_ago=30, times=3)),
    _raises("Pub/Sub takes no event", "webhook_5xx", by=_logs("webhook_failed", "webhook", status=503, times=3)),
    _raises("one message that fails twenty times", "dead_letters", by=_fails_always("agent_worker", "dead-letters")),
    _raises("one unsend that fails twenty times", "dead_unsends", by=_fails_always("unsend", "dead-letters-unsends")),
    _raises("an event waits for three minutes", "oldest_event", by=_waiting_event),
    _raises(
        "three new events fail within ten minutes",
        "failure_rate",
        by=lambda day: day.handled(outcome="crashed", status=500, minutes_ago=8, times=3),
    ),
    _raises(
        "an event fails every four minutes, for an hour",
        "delivery_burn_fast",
        "delivery_burn_slow",
        by=_failing_deliveries(every_minutes=4, hours=1),
    ),
    _raises(
        "an event fails every half hour, for six hours",
        "delivery_burn_slow",
        by=_failing_deliveries(every_minutes=31, hours=6),
    ),
    _raises(
        "eight apologies in half an hour",
        "apology_rate",
        by=_logs("reply_sent", outcome="apologised", minutes_ago=20, times=8),
    ),
    _raises(
        "three answers that LINE does not take, within half an hour",
        "late_answers",
        by=_logs("reply_undelivered", outcome="undelivered", minutes_ago=20, times=3),
    ),
    _raises("two thirds of an hour's answers take 11 s", "answers_burn_fast", "answers_burn_slow", by=_slow_answers),
    _raises("half of six hours' answers take 11 s", "answers_burn_slow", by=_fairly_slow_answers),
    _raises(
        "an unsend every four minutes takes three minutes, for an hour",
        "unsends_burn_fast",
        "unsends_burn_slow",
        by=_late_unsends(every_minutes=4, hours=1),
    ),
    _raises(
        "an unsend every half hour takes three minutes, for six hours",
        "unsends_burn_slow",
        by=_late_unsends(every_minutes=31, hours=6),
    ),
    _raises("work is due for five minutes", "markers_stay", by=_logs("tick_handled", oldest_left_s=301)),
    _raises(
        "three ticks meet work of a newer release",
        "kinds_unknown",
        by=_logs("due_kind_unknown", kind="later", times=3),
    ),
    _raises("five records cannot be read", "memory_fails", by=_logs("record_unreadable", minutes_ago=30, times=5)),
    _raises("twenty instances of twenty serve requests", "instances_at_maximum", by=_instances(20, "active")),
    _raises("the deployment's budget is spent", "budget_spent", by=_spent_budget),
    _raises(
        "five million tokens of output on a day",
        "token_cost",
        by=_logs("model_called", output_tokens=5_000_000, minutes_ago=600),
    ),
    _raises(
        "the deployment's cap is blind: usage is not exchanged",
        "usage_unshared",
        by=_logs("usage_not_exchanged", times=10),
    ),
    _raises("LINE's quota of pushes is spent", "push_quota", by=_logs("push_quota_spent", minutes_ago=50)),
    _raises("twenty reminders are not pushed", "reminders_kept", by=_logs("reminder_kept", minutes_ago=30, times=20)),
    _raises(
        "tokens of pushes cannot be checked", "pushes_unchecked", by=_logs("push_not_checked", status=503, times=5)
    ),
    _raises("a secret cannot be read", "secrets_unreadable", by=_logs("secret_unreadable", "webhook")),
    _raises(
        "ten calls of tools fail",
        "tools_fail",
        by=_logs("tool_failed", tool="search_entries", minutes_ago=40, times=10),
    ),
    _raises(
        "no events, after a day with events",
        "no_deliveries",
        by=_without(Day.ticks, Day.heartbeats, last=lambda day: day.answer(minutes_ago=23.5 * 60)),
        on_a_good_day=False,
    ),
    _raises(
        "no ticks, after a first one",
        "ticks_stop",
        by=_without(Day.heartbeats, Day.answers, last=_logs("tick_handled", oldest_left_s=0, minutes_ago=60)),
        on_a_good_day=False,
    ),
    _raises(
        "no heartbeats, after a first one",
        "webhook_silent",
        by=_without(Day.ticks, Day.answers, last=_logs("webhook_received", "webhook", events=0, minutes_ago=60)),
        on_a_good_day=False,
    ),
)
SITUATIONS: Final[Mapping[str, Situation]] = {
    **{situation.title: situation for situation in _SILENT},
    **dict(_failures_of_quiet_bots()),
    **{situation.title: situation for situation in _RAISED},
}


def table() -> str:
    """Return the table of docs/operations.md."""
    rows = (f"| {one.title} | {_listed(one.raises)} | {_listed(one.essential)} |\n" for one in SITUATIONS.values())
    return f"{_BEGINS}{''.join(rows)}"


def guide_with_table(guide: str) -> str:
    """Return the guide with the table of today in place of the one that it has."""
    before, _, after = guide.partition(_BEGINS)
    rows = after.partition("\n\n")
    return f"{before}{table()}\n{rows[2]}"


def _listed(alerts: frozenset[str]) -> str:
    return ", ".join(f"`{alert}`" for alert in sorted(alerts)) or "none"


def main(path: Path = GUIDE) -> None:
    """Write the table."""
    path.write_text(guide_with_table(path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
