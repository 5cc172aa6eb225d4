import json
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from statistics import fmean
from typing import Any, Final

import pytest

from benchmarks.prompts import SITUATIONS, Bot, text_of, tokens
from operations.cost import (
    DEFAULT_MESSAGES_A_DAY,
    PROFILES,
    SELF_HOSTED,
    load,
    main,
    markdown,
    month_of,
    report,
    without_free_tiers,
)
from shared.access.budgets import Limits
from shared.adapters.memory.scripted_model import calling
from tests.infra.offline import PLANS, ROOT
from tests.support import push
from tests.support.people import Person
from tests.support.pushed import PushedWorker

MEASURED, PRICES = load("measured"), load("prices")
MEASURED_SITUATIONS = {"1:1, greeting", "group, mention after 80 messages"}


def test_the_report_has_a_column_for_each_number_of_messages_and_the_day_of_the_prices() -> None:
    months = [month_of(count, measured=MEASURED, prices=PRICES) for count in DEFAULT_MESSAGES_A_DAY]

    printed = report(months, prices=PRICES, limit_tokens_a_day=10_000_000)

    assert printed.startswith("list prices of 2026-")
    assert "1,000 a day" in printed
    assert "100,000 a day" in printed
    assert "web search" in printed
    assert printed.splitlines()[-1].split() == [*("not reached " * 3).split(), "reached"]


def test_a_hundred_times_the_messages_cost_a_hundred_times_the_turns() -> None:
    few, many = (month_of(count, measured=MEASURED, prices=PRICES) for count in (1_000, 100_000))

    assert many.items["Gemini, turns"] == pytest.approx(100 * few.items["Gemini, turns"])
    assert many.weighted_tokens_a_day == pytest.approx(100 * few.weighted_tokens_a_day)
    assert many.items["Alerts"] == few.items["Alerts"]


def test_web_search_is_priced_above_its_free_queries() -> None:
    few, many = (month_of(count, measured=MEASURED, prices=PRICES) for count in (1_000, 100_000))

    assert few.items["Gemini, web search queries"] == 0
    assert many.items["Gemini, web search queries"] == pytest.approx((30_000 - 5_000) / 1_000 * 14)


def test_a_second_deployment_pays_for_what_the_first_gets_free() -> None:
    second = without_free_tiers(PRICES)
    months = [month_of(20, measured=MEASURED, prices=prices, profile="small-essential") for prices in (PRICES, second)]

    first, other = (month.items for month in months)
    assert other["Ticks"] == PRICES["scheduler"]["job_month"]
    assert other["Secrets"] > first["Secrets"]
    assert all(other[name] >= first[name] for name in first)
    assert other["Gemini, turns"] == first["Gemini, turns"]
    assert "second deployment" in report(months[1:], prices=second, limit_tokens_a_day=0)


def test_no_message_costs_no_model() -> None:
    month = month_of(0, measured=MEASURED, prices=PRICES)

    assert sum(cost for name, cost in month.items.items() if name.startswith("Gemini")) == 0


def test_the_prices_are_those_of_the_alert_on_cost() -> None:
    variables = (ROOT / "infra" / "terraform" / "variables.tf").read_text(encoding="utf-8")

    assert f"optional(number, {PRICES['gemini']['input_per_million']:.2f})" in variables
    assert f"optional(number, {PRICES['gemini']['output_per_million']:.2f})" in variables


@pytest.mark.parametrize(("profile", "plan"), [("full", "full"), ("small-essential", "essential")])
def test_the_number_of_alerts_is_that_of_the_deployment(profile: str, plan: str) -> None:
    kept = json.loads(PLANS.read_text(encoding="utf-8"))
    planned = {**kept["full"], **kept[plan]}
    policies = [
        made for address, made in planned.items() if address.startswith("google_monitoring_alert_policy.") and made
    ]

    assert MEASURED["profiles"][profile]["alert_conditions"] == sum(len(made["conditions"]) for made in policies)


def test_the_prompt_of_a_turn_is_about_that_of_the_worker() -> None:
    with ThreadPoolExecutor(4) as pool:
        prompts = [
            tokens(
                text_of(
                    situation.say(
                        Bot(pool, is_group=situation.is_group, toolsets=situation.toolsets, policy=situation.policy)
                    )[0]
                )
            )
            for situation in SITUATIONS
            if situation.name in MEASURED_SITUATIONS
        ]

    assert len(prompts) == len(MEASURED_SITUATIONS)
    assert MEASURED["tokens"]["turn"]["prompt"] == pytest.approx(fmean(prompts), rel=0.05)


OK: Final = calling(("reply", {"message": "understood"}))
CLASS_A: Final = {
    "list",
    "create",
    "replace",
}  # a deletion is free. Source: Cloud Storage, "Pricing", "Operation charges"


class JoinedPool(ThreadPoolExecutor):
    """Threads whose work can be waited for, also what was begun in the background."""

    def __init__(self) -> None:
        super().__init__(16)
        self._begun: list[Future[Any]] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:  # noqa: ANN401 - as in Executor
        future = super().submit(fn, *args, **kwargs)
        self._begun.append(future)
        return future

    def join(self) -> None:
        """All work is done, and what it began itself."""
        while self._begun:
            wait([self._begun.pop()])


class CountedChat:
    """A chat of a group whose worker counts the calls of the bucket; a minute passes before each event."""

    def __init__(self, pool: JoinedPool) -> None:
        self.pool = pool
        self.worker = PushedWorker(pool)
        self.member = Person(self.worker, is_in_group=True)
        self._calls: list[str] = []
        self.worker.store.before = lambda call, _: self._calls.append(call)

    def calls_of(self, happens: Callable[[], object]) -> tuple[int, int]:
        """Return the calls of class A and of class B."""
        self.worker.clock.move(60)
        self.pool.join()
        self._calls.clear()
        happens()
        self.pool.join()
        class_a = sum(call in CLASS_A for call in self._calls)
        return class_a, len(self._calls) - class_a

    def ticks(self) -> None:
        assert self.worker.push(push.tick()) == 204


@pytest.fixture
def chat() -> Iterator[CountedChat]:
    with JoinedPool() as pool:
        yield CountedChat(pool)


def test_the_calls_of_a_message_are_about_those_of_the_worker(chat: CountedChat) -> None:
    member, requests = chat.member, MEASURED["requests"]
    for number in range(3):
        member.asks(f"question {number}", OK)

    turn = chat.calls_of(lambda: member.asks("question", OK))
    context = chat.calls_of(lambda: member.says("to the others"))
    asked = member.asks("a secret", OK)
    chat.worker.clock.move(60)
    chat.ticks()
    first = chat.calls_of(lambda: chat.worker.withdraw(member.events.chat_id, asked["message"]["id"]))
    second = chat.calls_of(chat.ticks)

    unsend = (first[0] + second[0] - requests["tick_class_a"], first[1] + second[1])
    for what, counted in {
        "turn": turn,
        "context": context,
        "unsend": unsend,
    }.items():  # each stored feature lists in an unsend
        measured = (requests[f"{what}_class_a"], requests[f"{what}_class_b"])
        assert measured == pytest.approx(counted, rel=0.15), what


def test_a_tick_of_an_idle_deployment_lists_what_is_due_and_nothing_else(chat: CountedChat) -> None:
    """It happens 43,200 times a month, and is most of what a silent bot costs."""
    chat.member.asks("question", OK)
    chat.worker.clock.move(60)
    chat.ticks()  # which writes what the turn has spent

    assert chat.calls_of(chat.ticks) == (MEASURED["requests"]["tick_class_a"], 0)


def test_a_family_pays_less_than_a_dollar_and_a_half_and_a_silent_bot_less_than_thirty_cents() -> None:
    silent, family = (month_of(count, measured=MEASURED, prices=PRICES, profile="small") for count in (0, 20))

    assert silent.total < 0.30
    assert family.total < 1.50


def test_on_a_machine_of_ones_own_only_the_model_is_paid_for() -> None:
    own, cloud = (
        month_of(20, measured=MEASURED, prices=PRICES, profile=profile).items for profile in (SELF_HOSTED, "small")
    )

    assert sum(own.values()) == pytest.approx(sum(cost for name, cost in cloud.items() if name.startswith("Gemini")))
    assert f"${sum(own.values()):.2f} with 20 messages a day" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_later_requests_of_a_turn_are_billed_as_cached() -> None:
    asks_once = {**MEASURED, "tokens": {**MEASURED["tokens"], "turn": {**MEASURED["tokens"]["turn"], "model_calls": 1}}}
    once, more = (month_of(1_000, measured=one, prices=PRICES) for one in (asks_once, MEASURED))
    turn, price = MEASURED["tokens"]["turn"], PRICES["gemini"]
    fresh = 15_000 * turn["prompt"] * price["input_per_million"] / 1e6

    added = more.items["Gemini, turns"] - once.items["Gemini, turns"]
    output = 15_000 * 0.3 * turn["output"] * price["output_per_million"] / 1e6
    assert added - output == pytest.approx(0.3 * fresh * price["cached_share_of_input"])


def test_a_load_balancer_is_paid_by_the_hour() -> None:
    month = month_of(0, measured=MEASURED, prices=PRICES, has_load_balancer=True)

    assert month.items["Load balancer"] == pytest.approx(18.25 + 5 + 2)


def test_the_heartbeat_of_a_profile_is_that_of_terraform() -> None:
    settings = (ROOT / "infra" / "terraform" / "settings.tf").read_text(encoding="utf-8")
    full, small = (MEASURED["profiles"][name]["heartbeat_minutes"] for name in ("full", "small"))

    assert f"{{ full = {full}, small = {small} }}[var.profile]" in settings
    assert set(MEASURED["profiles"]) == set(PROFILES)


@pytest.mark.parametrize("profile", ["full", "small"])
def test_the_guide_has_the_table_as_it_is_computed_with_the_default_limits(profile: str) -> None:
    months = [month_of(count, measured=MEASURED, prices=PRICES, profile=profile) for count in DEFAULT_MESSAGES_A_DAY]

    guide = (ROOT / "docs" / "deploy.md").read_text(encoding="utf-8")

    assert markdown(months, prices=PRICES, limits=Limits()) in guide


def test_the_rows_of_the_guide_add_up_to_its_total() -> None:
    (month,) = (month_of(100_000, measured=MEASURED, prices=PRICES),)

    rows = markdown([month], prices=PRICES, limits=Limits()).splitlines()
    amounts = [float(row.split(" | ")[1].rstrip(" |").replace(",", "")) for row in rows[2:8]]

    assert sum(amounts) == pytest.approx(month.total, abs=len(amounts))


def test_the_budget_of_the_deployment_bounds_the_month() -> None:
    (month,) = (month_of(1_000_000, measured=MEASURED, prices=PRICES),)

    bounded = markdown([month], prices=PRICES, limits=Limits(tokens_per_day=1_000_000)).splitlines()

    assert "Gemini stops at 9" in bounded[-2]
    assert bounded[-2].endswith("| reached |")


def test_the_defaults_of_terraform_are_those_of_the_code() -> None:
    variables = (ROOT / "infra" / "terraform" / "variables.tf").read_text(encoding="utf-8")

    assert f"tokens_per_day      = optional(number, {Limits().tokens_per_day})" in variables
    assert f"tokens_per_chat_day = optional(number, {Limits().tokens_per_chat_day})" in variables
    assert f"turns_per_chat_day  = optional(number, {Limits().turns_per_chat_day})" in variables


@pytest.mark.parametrize("wrong", ["-5", "nan", "inf", "many"])
@pytest.mark.parametrize("option", ["--messages-a-day", "--limit-tokens-a-day"])
def test_a_number_that_makes_no_sense_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], option: str, wrong: str
) -> None:
    monkeypatch.setattr("sys.argv", ["cost", f"{option}={wrong}"])

    with pytest.raises(SystemExit) as ended:
        main()

    assert ended.value.code == 2
    assert f"error: argument {option}: " in capsys.readouterr().err


def test_a_limit_may_be_written_with_an_exponent(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["cost", "--messages-a-day", "5000", "--limit-tokens-a-day", "2e7"])

    main()

    assert "5,000 a day" in capsys.readouterr().out
