import pytest

from operations.cost import DEFAULT_MESSAGES_A_DAY, load, main, markdown, month_of, report
from shared.access.budgets import Limits
from tests.infra.offline import PLANS, ROOT

MEASURED, PRICES = load("measured"), load("prices")


def test_the_report_has_a_column_for_each_number_of_messages_and_the_day_of_the_prices() -> None:
    months = [month_of(count, measured=MEASURED, prices=PRICES) for count in DEFAULT_MESSAGES_A_DAY]

    printed = report(months, prices=PRICES, limit_tokens_a_day=10_000_000)

    assert printed.startswith("list prices of 2026-")
    assert "1,000 a day" in printed
    assert "100,000 a day" in printed
    assert "web search" in printed
    assert printed.splitlines()[-1].split() == ["not", "reached", "reached"]


def test_a_hundred_times_the_messages_cost_a_hundred_times_the_turns() -> None:
    few, many = (month_of(count, measured=MEASURED, prices=PRICES) for count in DEFAULT_MESSAGES_A_DAY)

    assert many.items["Gemini, turns"] == pytest.approx(100 * few.items["Gemini, turns"])
    assert many.weighted_tokens_a_day == pytest.approx(100 * few.weighted_tokens_a_day)
    assert many.items["Alerts"] == few.items["Alerts"]


def test_web_search_is_priced_above_its_free_queries() -> None:
    few, many = (month_of(count, measured=MEASURED, prices=PRICES) for count in DEFAULT_MESSAGES_A_DAY)

    assert few.items["Gemini, web search queries"] == 0
    assert many.items["Gemini, web search queries"] == pytest.approx((30_000 - 5_000) / 1_000 * 14)


def test_no_message_costs_no_model() -> None:
    month = month_of(0, measured=MEASURED, prices=PRICES)

    assert sum(cost for name, cost in month.items.items() if name.startswith("Gemini")) == 0


def test_the_prices_are_those_of_the_alert_on_cost() -> None:
    variables = (ROOT / "infra" / "terraform" / "variables.tf").read_text(encoding="utf-8")

    assert f"optional(number, {PRICES['gemini']['input_per_million']:.2f})" in variables
    assert f"optional(number, {PRICES['gemini']['output_per_million']:.2f})" in variables


def test_the_number_of_alerts_is_about_that_of_the_deployment() -> None:
    planned = PLANS.read_text(encoding="utf-8").count('"google_monitoring_alert_policy.this[')

    assert MEASURED["functions"]["alert_conditions"] == pytest.approx(planned, abs=3)


def test_the_guide_has_the_table_as_it_is_computed_with_the_default_limits() -> None:
    months = [month_of(count, measured=MEASURED, prices=PRICES) for count in DEFAULT_MESSAGES_A_DAY]

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
