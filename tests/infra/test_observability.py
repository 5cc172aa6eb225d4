"""Metrics count events that the code logs, alerts and charts query these metrics, and each alert is documented."""

import ast
import json
import re

import pytest

from tests.infra.offline import ROOT, Plan
from tests.infra.written_lines import logged_events, texts_of

EVENTS = logged_events(ROOT)
LOG_METRIC_SERIES = re.compile(r"logging_googleapis_com:user_(\w+)")


def metrics_of(plan: Plan) -> dict[str, Plan]:
    return {made["name"]: made for address, made in plan.items() if address.startswith("google_logging_metric.")}


def queries_of(plan: Plan) -> dict[str, str]:
    """Return every PromQL query, by its alert or chart."""
    alerts = {
        address: made["conditions"][0]["condition_prometheus_query_language"][0]["query"]
        for address, made in plan.items()
        if address.startswith("google_monitoring_alert_policy.")
    }
    dashboard = json.loads(plan["google_monitoring_dashboard.this"]["dashboard_json"])
    charts = {
        f"{widget['title']} {number}": data["timeSeriesQuery"]["prometheusQuery"]
        for widget in dashboard["gridLayout"]["widgets"]
        for number, data in enumerate(widget["xyChart"]["dataSets"])
    }
    return {**alerts, **charts}


def values_of(field: str, text: str) -> set[str]:
    """Return the values of `field="a"` or `field=("a" OR "b")` in a filter."""
    found = re.search(rf'{re.escape(field)}=(\([^)]*\)|"[^"]*")', text)
    return set(re.findall(r'"([^"]*)"', found[1])) if found else set()


def test_every_counted_event_is_logged(full: Plan) -> None:
    for name, metric in metrics_of(full).items():
        events = values_of("jsonPayload.message", metric["filter"])
        assert events, name
        assert events - EVENTS.keys() == set(), f"{name} counts events that nothing logs"


def test_every_field_of_a_metric_is_logged(full: Plan) -> None:
    for name, metric in metrics_of(full).items():
        extracted = (metric.get("value_extractor", ""), *metric.get("label_extractors", {}).values())
        fields = set(re.findall(r"jsonPayload\.(\w+)", " ".join([metric["filter"], *extracted]))) - {"message"}
        for event in values_of("jsonPayload.message", metric["filter"]):
            assert fields <= EVENTS[event], f"{name} reads fields that {event} does not have"


def test_every_counted_outcome_exists(full: Plan) -> None:
    known = set[str]()
    for path in ("bus/endpoint.py", "bus/result.py", "conversation/records.py"):
        known |= texts_of(ast.parse((ROOT / "shared" / path).read_text(encoding="utf-8")))

    for metric in metrics_of(full).values():
        assert values_of("jsonPayload.outcome", metric["filter"]) <= known


def test_alerts_and_charts_query_existing_series(full: Plan) -> None:
    metrics = metrics_of(full)
    sums = {
        f"{name}_{suffix}" for name, one in metrics.items() if "value_extractor" in one for suffix in ("sum", "bucket")
    }
    counts = {name for name, one in metrics.items() if "value_extractor" not in one}

    for place, query in queries_of(full).items():
        assert set(LOG_METRIC_SERIES.findall(query)) <= sums | counts, place


def test_every_metric_is_on_the_dashboard(full: Plan) -> None:
    dashboard = full["google_monitoring_dashboard.this"]["dashboard_json"]

    assert [name for name in metrics_of(full) if f"user_{name}" not in dashboard] == []


def test_queries_name_existing_subscriptions_and_services(full: Plan) -> None:
    names = {made["name"] for address, made in full.items() if "subscription" in address and "name" in made}
    names |= {made["name"] for address, made in full.items() if "cloudfunctions2_function" in address}

    for place, query in queries_of(full).items():
        for named in re.findall(r'(?:subscription_id|service_name)=~?"([^"]+)"', query):
            assert set(named.split("|")) <= names, place


@pytest.mark.parametrize("parentheses", ["()", "[]", "{}"])
def test_queries_are_balanced(full: Plan, parentheses: str) -> None:
    for place, query in queries_of(full).items():
        assert query.count(parentheses[0]) == query.count(parentheses[1]), place


def test_the_operations_guide_explains_exactly_the_alerts(full: Plan) -> None:
    keys = {key for address in full for key in re.findall(r'^google_monitoring_alert_policy\.this\["(\w+)"\]', address)}

    headings = re.findall(r"^### `(\w+)`", (ROOT / "docs" / "operations.md").read_text(encoding="utf-8"), re.MULTILINE)

    assert sorted(headings) == sorted(keys)


def test_every_alert_has_all_notification_channels(full: Plan) -> None:
    for address, made in full.items():
        if address.startswith("google_monitoring_alert_policy."):
            assert len(made["notification_channels"]) == 2, address
