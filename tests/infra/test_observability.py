"""Metrics count events that the code logs, alerts and charts query these metrics, and each alert is documented."""

import ast
import json
import re

import pytest

from tests.infra.offline import ROOT, Plan
from tests.infra.written_lines import logged_events, texts_of

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
        assert events - logged_events(ROOT).keys() == set(), f"{name} counts events that nothing logs"


def test_every_field_of_a_metric_is_logged(full: Plan) -> None:
    for name, metric in metrics_of(full).items():
        extracted = (metric.get("value_extractor", ""), *metric.get("label_extractors", {}).values())
        fields = set(re.findall(r"jsonPayload\.(\w+)", " ".join([metric["filter"], *extracted])))
        fields -= {"message", "delivery_attempt"}  # they are on every line of a delivery
        for event in values_of("jsonPayload.message", metric["filter"]):
            assert fields <= logged_events(ROOT)[event], f"{name} reads fields that {event} does not have"


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
    sections = {
        made["documentation"][0]["links"][0]["url"].split("#")[1]
        for address, made in full.items()
        if address.startswith("google_monitoring_alert_policy.")
    }

    headings = re.findall(r"^### `(\w+)`", (ROOT / "docs" / "operations.md").read_text(encoding="utf-8"), re.MULTILINE)

    assert sorted(headings) == sorted(sections)


def test_the_table_of_alerts_tells_of_each_and_whom_it_reaches(full: Plan) -> None:
    reaches = {True: "page", False: "ticket"}
    planned = {
        re.findall(r'\["(\w+)"\]', address)[0]: reaches[made["severity"] == "CRITICAL"]
        for address, made in full.items()
        if address.startswith("google_monitoring_alert_policy.")
    }

    guide = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \| ((?:page|ticket)(?:, ticket)?) \|", guide, re.MULTILINE)
    told: dict[str, str] = {}
    for names, whom in rows:
        keys = re.findall(r"\w+", names)
        told |= dict(zip(keys, whom.split(", "), strict=True))

    assert told == planned


def test_what_cannot_wait_pages_and_the_rest_makes_tickets(full: Plan) -> None:
    told = {
        address: (made["severity"] == "CRITICAL", [channel for channel in made["notification_channels"] if channel])
        for address, made in full.items()
        if address.startswith("google_monitoring_alert_policy.")
    }

    existing = (
        "projects/aizuchi-test/notificationChannels"  # the id of the e-mail's own channel is not known before apply
    )
    assert {address: [f"{existing}/{1 if is_critical else 2}"] for address, (is_critical, _) in told.items()} == {
        address: channels for address, (_, channels) in told.items()
    }


def test_every_alert_links_to_its_section_of_the_handbook(full: Plan) -> None:
    for address, made in full.items():
        if address.startswith("google_monitoring_alert_policy."):
            (documentation,) = made["documentation"]
            section = documentation["links"][0]["url"].removeprefix(
                "https://git.example.com/aizuchi/docs/operations.md#"
            )
            assert f'docs/operations.md, "{section}"' in documentation["content"], address


def test_every_series_of_a_query_names_its_resource(full: Plan) -> None:
    for place, query in queries_of(full).items():
        for series in re.findall(r"[a-z]+_googleapis_com:\w+(\{[^}]*\})?", query):
            assert 'monitored_resource="' in series, place


def test_the_objectives_are_the_first_row_of_the_dashboard(full: Plan) -> None:
    layout = json.loads(full["google_monitoring_dashboard.this"]["dashboard_json"])["gridLayout"]

    first_row = [widget["title"] for widget in layout["widgets"][: int(layout["columns"])]]

    assert first_row == [
        "Answers come within ten seconds: 95 %",
        "Events are handled at their first delivery: 99.5 %",
        "Withdrawn words are gone within two minutes: 99 %",
    ]
