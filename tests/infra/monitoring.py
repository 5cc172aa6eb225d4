"""Cloud Monitoring in memory: the plan's metrics count log lines, and the plan's alerts query them."""

import datetime as dt
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from tests.infra.log_filter import matches
from tests.infra.offline import Plan
from tests.infra.promql import Sample, evaluate

_RESOURCE: Final = {"monitored_resource": "cloud_run_revision"}
_STEP_S: Final = 60.0


@dataclass(kw_only=True)
class Monitoring:
    """What is measured, of the deployment that the plan describes."""

    plan: Plan
    samples: list[Sample] = field(default_factory=list)

    def log(self, function: str, line: Mapping[str, Any], *, at_s: float) -> None:
        """Count a line that a function logged, and the request that it closes."""
        service = f"aizuchi-{function.replace('_', '-')}"
        entry: dict[str, object] = {f"jsonPayload.{name}": value for name, value in line.items()}
        entry |= {"resource.type": "cloud_run_revision", "resource.labels.service_name": service}
        for metric in self._planned("google_logging_metric.this["):
            if matches(metric["filter"], entry):
                self._count(metric, entry, at_s=at_s)
        if function == "webhook" and line["message"] in {"webhook_failed", "webhook_crashed"}:
            labels = {**_RESOURCE, "service_name": service, "response_code_class": "5xx"}
            self.samples.append(Sample(name="run_googleapis_com:request_count", at_s=at_s, labels=labels))

    def read_log(self, function: str, lines: Iterable[Mapping[str, Any]]) -> None:
        """Count lines at the times that they carry."""
        for line in lines:
            self.log(function, line, at_s=dt.datetime.fromisoformat(line["time"]).timestamp())

    def gauge(self, name: str, amount: float, *, at_s: float, **labels: str) -> None:
        """Measure a value of Google's own, such as a backlog."""
        self.samples.append(Sample(name=name, at_s=at_s, amount=amount, labels=labels))

    def firing(self, *, at_s: float) -> set[str]:
        """Return the keys of the alerts whose condition has held for its duration at that time."""
        return {key for key in self.alerts if self._holds(key, at_s)}

    @property
    def alerts(self) -> dict[str, Mapping[str, Any]]:
        """Return the condition of each alert, by key."""
        found = {
            re.findall(r'\["(\w+)"\]', address)[0]: made
            for address, made in self.plan.items()
            if address.startswith("google_monitoring_alert_policy.this[")
        }
        return {key: made["conditions"][0]["condition_prometheus_query_language"][0] for key, made in found.items()}

    def _holds(self, key: str, at_s: float) -> bool:
        condition = self.alerts[key]
        duration_s = float(condition["duration"].removesuffix("s"))
        moments = [at_s - back * _STEP_S for back in range(int(duration_s // _STEP_S) + 1)]
        return all(evaluate(condition["query"], self.samples, at_s=moment) is not None for moment in moments)

    def _count(self, metric: Plan, entry: Mapping[str, object], *, at_s: float) -> None:
        name = f"logging_googleapis_com:user_{metric['name']}"
        value = re.fullmatch(r"EXTRACT\((.+)\)", metric.get("value_extractor") or "")
        labels = {label: str(entry[_field(path)]) for label, path in metric.get("label_extractors", {}).items()}
        labels |= _RESOURCE
        if value is None:
            self.samples.append(Sample(name=name, at_s=at_s, labels=labels))
        elif entry.get(value[1]) is not None:
            amount = float(str(entry[value[1]]))
            self.samples.append(Sample(name=f"{name}_sum", at_s=at_s, amount=amount, labels=labels))

    def _planned(self, prefix: str) -> Sequence[Plan]:
        return [made for address, made in self.plan.items() if address.startswith(prefix)]


def _field(extractor: str) -> str:
    found = re.fullmatch(r"EXTRACT\((.+)\)", extractor)
    assert found is not None
    return found[1]
