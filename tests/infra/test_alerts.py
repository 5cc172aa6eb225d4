"""Each alert is raised by what it is about, stays silent on a good day, and one event that always fails raises one alert."""

import pytest

from tests.infra.day import Day, good_day
from tests.infra.offline import Plan
from tests.infra.promql import Sample
from tests.infra.situations import ESSENTIAL, GUIDE, SITUATIONS, Situation, guide_with_table

ALERTS = sorted(set[str]().union(*(situation.raises for situation in SITUATIONS.values())))


@pytest.fixture(scope="session")
def good_samples(full: Plan) -> tuple[Sample, ...]:
    """What is measured on a good day, whose lines are counted once; the metrics of every level are the same."""
    return tuple(good_day(full).monitoring.samples)


def day_of(situation: Situation, plan: Plan, good_samples: tuple[Sample, ...]) -> Day:
    """Return the day on which the situation happened."""
    day = Day(plan, good_samples if situation.on_a_good_day else ())
    situation.happens(day)
    return day


@pytest.mark.parametrize("title", SITUATIONS)
def test_a_situation_raises_its_alerts_and_no_others(full: Plan, good_samples: tuple[Sample, ...], title: str) -> None:
    assert day_of(SITUATIONS[title], full, good_samples).firing == SITUATIONS[title].raises


@pytest.mark.parametrize("title", SITUATIONS)
def test_a_situation_raises_the_essential_alerts_of_its_causes(
    essential: Plan, good_samples: tuple[Sample, ...], title: str
) -> None:
    assert day_of(SITUATIONS[title], essential, good_samples).firing == SITUATIONS[title].essential


def test_every_alert_is_raised_by_a_situation(full: Plan) -> None:
    assert set(ALERTS) == Day(full).monitoring.alerts.keys()


def test_the_metrics_of_the_essential_level_are_those_of_the_full_one(full: Plan, essential: Plan) -> None:
    metrics = [{key: made for key, made in plan.items() if "logging_metric" in key} for plan in (full, essential)]

    assert metrics[0] == metrics[1]


def test_the_table_of_the_guide_is_what_was_played() -> None:
    guide = GUIDE.read_text(encoding="utf-8")

    assert guide_with_table(guide) == guide, "run `make tf-docs`"


@pytest.mark.parametrize("alert", ALERTS)
def test_an_essential_alert_is_raised_by_each_of_its_causes(full: Plan, essential: Plan, alert: str) -> None:
    """Of the gravest causes; the others are told by the full set only."""
    queries = {key: made["query"] for key, made in Day(essential).monitoring.alerts.items()}
    wanted = _queries(full)[alert]
    holding = {key for key, query in queries.items() if f"({wanted})" in query}

    assert holding == {f"essential_{key}" for key, causes in ESSENTIAL.items() if alert in causes}


def _queries(plan: Plan) -> dict[str, str]:
    return {key: made["query"] for key, made in Day(plan).monitoring.alerts.items()}


def test_the_essential_alerts_are_five_conditions(essential: Plan) -> None:
    assert set(Day(essential).monitoring.alerts) == {f"essential_{key}" for key in ESSENTIAL}
    assert len(ESSENTIAL) == 5
