"""Every alert of docs/operations.md, raised on the local stack by the functions' own lines and the stand-ins' own queues.

The plan's filters count the lines, and the plan's queries decide: no line is made by hand.
"""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest

from shared.clock import SystemClock
from shared.settings.secret import LEAST_S
from shared.storage.object_names import ObjectNames
from simulator.functions import PROJECT_ID
from simulator.gemini.script import call, calls, unavailable
from simulator.notion.switches import Fault as NotionFault
from simulator.pubsub import DeadLetterPolicy, RetryPolicy, SubscriptionSettings
from simulator.stack import CHANNEL_ACCESS_TOKEN, CHANNEL_SECRET, DEAD_LETTERS
from tests.e2e.conftest import Person, Platform, Secrets, wait_until
from tests.infra.monitoring import Monitoring
from tests.infra.offline import PLANS
from tests.support import recorded
from tests.support.stacks import running_stack

FUNCTIONS: Final = ("webhook", "agent_worker", "unsend")
PLAN: Final = json.loads(PLANS.read_text(encoding="utf-8"))["full"]
GUESSED: Final = "c29tZWJvZHkgZ3Vlc3Nlcw=="
NO_RECORD: Final = b"no record"
NOT_RAISED_HERE: Final = {
    "instances_at_maximum",  # the local stack runs one instance of each function
    "pushes_unchecked",  # it takes pushes without tokens
    "reminders_kept",  # twenty reminders of one hour: tests/infra
    "usage_unshared",  # storage that fails for one kind of objects cannot be staged
    "webhook_off",  # the platform has no such switch
}


@pytest.fixture(scope="module")
def secrets(tmp_path_factory: pytest.TempPathFactory) -> Secrets:
    return Secrets(tmp_path_factory.mktemp("secrets"))


@pytest.fixture(scope="module")
def troubled(secrets: Secrets, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    folder = tmp_path_factory.mktemp("troubled")
    env = {"SETTLE_MS": "0", "HEARTBEAT_MINUTES": "1", "LATE_REPLY": "push", **secrets.env}
    with running_stack(folder, more_env=env) as (loop, stack):
        yield Platform(loop, stack, folder)


class Watch:
    """Cloud Monitoring from now on: what the functions logged before does not count."""

    def __init__(self, platform: Platform) -> None:
        self._platform = platform
        self._before = {function: len(platform.log_lines(function)) for function in FUNCTIONS}
        self._queues: list[tuple[str, str, float, float]] = []

    def lines(self, function: str) -> list[dict[str, Any]]:
        return self._platform.log_lines(function)[self._before[function] :]

    def count(self, function: str, message: str, **fields: object) -> int:
        """Return how many lines the function has logged with this event and these fields."""
        wanted = {"message": message, **fields}.items()
        return len([line for line in self.lines(function) if wanted <= line.items()])

    def firing(self, *, later_s: float = 0.0) -> set[str]:
        """Return the alerts that are raised so much later, if nothing more happens until then."""
        monitoring = Monitoring(plan=PLAN)
        for function in FUNCTIONS:
            monitoring.read_log(function, self.lines(function))
        for kind, subscription, amount, at_s in self._queues:
            name = f"pubsub_googleapis_com:subscription_{kind}"
            labels = {"monitored_resource": "pubsub_subscription", "subscription_id": subscription}
            monitoring.gauge(name, amount, at_s=at_s, **labels)
        return monitoring.firing(at_s=SystemClock().now_ms() / 1_000 + 1 + later_s)

    def measure(self, kind: str, subscription: str, amount: float) -> None:
        """Measure a subscription, as Google does each minute."""
        self._queues.append((kind, subscription, amount, SystemClock().now_ms() / 1_000))


@pytest.fixture
def watch(troubled: Platform) -> Iterator[Watch]:
    troubled.settle()
    yield Watch(troubled)
    troubled.reset()


def people(platform: Platform, count: int) -> list[Person]:
    return [Person(platform, f"person {number}") for number in range(count)]


def greet(platform: Platform, *persons: Person) -> list[str]:
    """Each says hello and is answered; return the ids of their messages."""
    said = [person.says("hello") for person in persons]
    platform.settle()
    assert all(person.hears() for person in persons)
    return said


def test_answers_too_late_for_their_token_and_a_spent_quota_raise_alerts(troubled: Platform, watch: Watch) -> None:
    troubled.do(lambda stack: setattr(stack.line.quota, "limit", 0))
    troubled.chaos(waited_s=70.0)

    for person in people(troubled, 3):
        person.says("how high is Fuji?")
    troubled.settle()

    assert watch.count("agent_worker", "reply_undelivered") == 3
    assert watch.firing() >= {"late_answers", "push_quota", "answers_burn_fast", "answers_burn_slow"}


def test_answers_after_ten_seconds_burn_their_budget(troubled: Platform, watch: Watch) -> None:
    troubled.chaos(waited_s=12.0)

    greet(troubled, *people(troubled, 3))

    assert watch.count("agent_worker", "reply_sent", outcome="replied") == 3
    assert watch.firing() >= {"answers_burn_fast", "answers_burn_slow"}
    assert watch.firing().isdisjoint({"late_answers", "apology_rate"})


def test_workers_that_fail_raise_alerts_and_burn_the_budget_of_deliveries(troubled: Platform, watch: Watch) -> None:
    persons = people(troubled, 3)
    greet(troubled, *persons)
    turns = [ObjectNames(person.id).turn for person in persons]

    for person, turn in zip(persons, turns, strict=True):
        troubled.put(turn, NO_RECORD)
        person.says("are you there?")
    wait_until(lambda: watch.count("agent_worker", "event_handled", status=500, is_first_attempt=True) == 3)
    for turn in turns:
        troubled.remove(turn)

    assert watch.firing() >= {"delivery_burn_fast", "delivery_burn_slow"}
    assert "failure_rate" in watch.firing(later_s=300)


def test_unsends_after_two_minutes_burn_their_budget(troubled: Platform, watch: Watch) -> None:
    persons = people(troubled, 3)
    said = greet(troubled, *persons)

    troubled.chaos(waited_s=130.0)
    for person, line_message_id in zip(persons, said, strict=True):
        person.unsends(line_message_id)
    troubled.settle()

    assert watch.count("unsend", "event_handled", status=204) == 3
    assert watch.firing() >= {"unsends_burn_fast", "unsends_burn_slow"}


def test_a_costly_turn_raises_alerts_on_tokens_and_budget(troubled: Platform, watch: Watch) -> None:
    (person,) = people(troubled, 1)
    troubled.do(lambda stack: stack.gemini.script([call("reply", {"message": "long thought"}, tokens=5_000_000)]))

    person.says("think long")
    person.hears_next(after=0)
    person.says("and again")
    person.hears_next(after=1)
    troubled.settle()

    assert watch.firing() >= {"token_cost", "budget_spent"}


def test_tools_that_fail_raise_an_alert(troubled: Platform, watch: Watch) -> None:
    (person,) = people(troubled, 1)
    troubled.do(lambda stack: stack.notion.faults.add(NotionFault(path="", error_status=401)))
    search = ("search_database", {"database_name": "todo_list"})
    troubled.do(lambda stack: stack.gemini.script([calls(*[search] * 10)]))

    person.says("what is on my list?")
    person.hears_next(after=0)
    troubled.do(lambda stack: stack.notion.faults.clear())

    assert "tools_fail" in watch.firing()


def test_apologies_raise_an_alert(troubled: Platform, watch: Watch) -> None:
    persons = people(troubled, 3)
    troubled.do(lambda stack: stack.gemini.script([unavailable()] * 9))

    greet(troubled, *persons)

    assert watch.count("agent_worker", "reply_sent", outcome="apologised") == 3
    assert watch.firing() >= {"apology_rate", "answers_all_fail"}


def test_a_revoked_access_token_raises_an_alert(troubled: Platform, watch: Watch) -> None:
    troubled.do(lambda stack: setattr(stack.line, "channel_access_token", "another"))
    troubled.tick()
    troubled.do(lambda stack: setattr(stack.line, "channel_access_token", CHANNEL_ACCESS_TOKEN))

    assert watch.count("agent_worker", "line_token_refused") == 1
    assert "credentials_refused" in watch.firing()


def test_records_that_cannot_be_read_raise_an_alert(troubled: Platform, watch: Watch) -> None:
    (person,) = people(troubled, 1)
    for number in range(5):
        troubled.put(f"journal/{person.id}/odd{number}.json", NO_RECORD)

    person.says("and now?")
    person.hears_next(after=0)
    troubled.settle()

    assert "memory_fails" in watch.firing()


def test_a_marker_that_no_tick_can_carry_out_raises_an_alert(troubled: Platform, watch: Watch) -> None:
    (person,) = people(troubled, 1)
    of_a_newer_release = f"due/20260101T0000/newer-kind.{person.id}.m1"
    troubled.put(of_a_newer_release)

    for _ in range(3):
        troubled.tick()
    troubled.remove(of_a_newer_release)

    assert watch.firing() >= {"markers_stay", "kinds_unknown"}


def test_deliveries_that_nobody_can_read_raise_alerts(troubled: Platform, watch: Watch) -> None:
    for _ in range(5):
        assert troubled.post(b"[]").status_code == 400
    for _ in range(3):
        assert troubled.post(b'{"destination": "U1", "events": [7]}').status_code == 200

    assert watch.firing() >= {"deliveries_refused", "events_dropped"}


def test_refusals_of_the_webhook_raise_alerts(troubled: Platform, watch: Watch, secrets: Secrets) -> None:
    for _ in range(5):
        troubled.post(recorded.body("message-text"), signature=GUESSED)
    troubled.chaos(unavailable_before_probability=1.0)
    for _ in range(3):
        assert troubled.post(recorded.body("message-text")).status_code == 503
    troubled.chaos()
    secrets.remove("LINE_CHANNEL_SECRET")
    troubled.pause(LEAST_S)
    troubled.post(recorded.body("message-text"), signature=GUESSED)
    secrets.write("LINE_CHANNEL_SECRET", CHANNEL_SECRET)

    assert watch.firing() >= {"signature_refusals", "webhook_5xx", "secrets_unreadable"}


def test_silence_is_an_alert_after_a_first_success(troubled: Platform, watch: Watch) -> None:
    on_silence = {"ticks_stop", "webhook_silent", "no_deliveries"}
    assert watch.firing(later_s=20 * 60).isdisjoint(on_silence)

    greet(troubled, *people(troubled, 1))
    troubled.tick()

    assert watch.firing().isdisjoint(on_silence)
    assert watch.firing(later_s=20 * 60) >= {"ticks_stop", "webhook_silent"}
    assert watch.firing(later_s=23.5 * 3_600) >= on_silence


def ask_again(person: Person, _said: str) -> None:
    person.says("are you there?")


@pytest.mark.parametrize(
    ("function", "letters", "alert", "happens"),
    [
        ("agent_worker", "dead-letters", "dead_letters", ask_again),
        ("unsend", "dead-letters-unsends", "dead_unsends", Person.unsends),
    ],
)
def test_an_event_that_no_worker_can_handle_raises_alerts(
    troubled: Platform, watch: Watch, function: str, letters: str, alert: str, happens: Callable[[Person, str], None]
) -> None:
    (person,) = people(troubled, 1)
    (said,) = greet(troubled, person)
    queue, dead = (f"projects/{PROJECT_ID}/subscriptions/{name}" for name in (function, letters))
    planned = PLAN[f'google_pubsub_subscription.dead_letters["{letters}"]']
    keeps = SubscriptionSettings(name=dead, topic=DEAD_LETTERS, filter=planned["filter"])
    troubled.do(lambda stack: stack.pubsub.create_subscription(keeps))
    troubled.put(ObjectNames(person.id).turn, NO_RECORD)

    troubled.chaos(waited_s=200.0)
    happens(person, said)
    wait_until(lambda: watch.count(function, "event_handled", status=500) > 0)
    oldest = troubled.do(lambda stack: stack.pubsub.subscription(queue).oldest_publish_time)
    assert oldest is not None
    waiting_s = troubled.do(lambda stack: stack.clock.now_ms()) / 1_000 - oldest.timestamp()
    watch.measure("oldest_unacked_message_age", f"aizuchi-{function.replace('_', '-')}", waiting_s)
    assert "oldest_event" in watch.firing(later_s=120)

    with impatient(troubled, queue):
        troubled.settle()
    troubled.remove(ObjectNames(person.id).turn)
    count = troubled.do(lambda stack: stack.pubsub.subscription(dead).count_outstanding())
    watch.measure("num_undelivered_messages", planned["name"], count)

    assert alert in watch.firing()
    troubled.do(lambda stack: stack.pubsub.delete_subscription(dead))


@contextmanager
def impatient(platform: Platform, queue: str) -> Iterator[None]:
    """Within the block the subscription retries at once, and five times only."""
    usual = platform.do(lambda stack: stack.pubsub.subscription(queue).settings)
    retry = RetryPolicy(minimum_backoff_s=0.0, maximum_backoff_s=0.0)
    hasty = replace(usual, retry_policy=retry, dead_letter_policy=DeadLetterPolicy(topic=DEAD_LETTERS))
    platform.do(lambda stack: stack.pubsub.update_subscription(hasty))
    try:
        yield
    finally:
        platform.do(lambda stack: stack.pubsub.update_subscription(usual))


def test_every_alert_is_raised_here() -> None:
    named = set(re.findall(r'"(\w+)"', Path(__file__).read_text(encoding="utf-8")))

    assert Monitoring(plan=PLAN).alerts.keys() <= named | NOT_RAISED_HERE
