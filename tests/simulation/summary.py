"""What many schedules came to, as one line of JSON; the lines of several runs are added up."""

import json
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from tests.simulation.schedule import Verdict

_SEEDS_NAMED: Final = 3
_CONVERSATION_ID: Final = re.compile(r"[UC]\d{32}(/[\da-f]+-[\da-f]+)?")
_NUMBER: Final = re.compile(r"(?<!^I)\d+[a-z]?")


@dataclass(slots=True, kw_only=True)
class Summary:
    """What many schedules came to.  `sentences` are violations without their numbers, known or not, with the seeds that show them."""

    seeds: int = 0
    steps: int = 0
    calm: int = 0
    broken: list[int] = field(default_factory=list)
    sentences: dict[str, list[int]] = field(default_factory=dict)
    failures: Counter[str] = field(default_factory=Counter)
    failures_when_calm: Counter[str] = field(default_factory=Counter)
    most_attempts: dict[str, int] = field(default_factory=dict)
    most_asked: int = 0
    longest_s: float = 0.0
    longest_wait_s: float = 0.0

    def add(self, seed: int, verdict: Verdict) -> None:
        """Add a schedule."""
        self.seeds += 1
        self.steps += verdict.steps
        self.calm += verdict.is_calm
        if verdict.violations:
            self.broken.append(seed)
        for sentence in set(map(without_numbers, verdict.violations)):
            self.sentences.setdefault(sentence, []).append(seed)
        (self.failures_when_calm if verdict.is_calm else self.failures).update(verdict.failures)
        for kind, attempts in verdict.most_attempts.items():
            self.most_attempts[kind] = max(self.most_attempts.get(kind, 0), attempts)
        self.most_asked = max(self.most_asked, verdict.most_asked)
        self.longest_s = max(self.longest_s, verdict.longest_s)
        self.longest_wait_s = max(self.longest_wait_s, verdict.longest_wait_s)

    def line(self, seconds: float) -> str:
        """Return the summary as one line of JSON."""
        return json.dumps(
            {
                "seeds": self.seeds,
                "broken": len(self.broken),
                "first_broken": self.broken[:_SEEDS_NAMED],
                "calm": self.calm,
                "steps": self.steps,
                "seconds": round(seconds, 1),
                "seeds_per_s": round(self.seeds / seconds, 1),
                "sentences": {
                    one: {"schedules": len(seeds), "first": seeds[:_SEEDS_NAMED]}
                    for one, seeds in sorted(self.sentences.items(), key=lambda item: -len(item[1]))
                },
                "failed_requests": dict(self.failures.most_common()),
                "failed_requests_when_calm": dict(self.failures_when_calm.most_common()),
                "most_attempts_to_write_in_a_second": self.most_attempts,
                "most_model_calls_about_a_message": self.most_asked,
                "longest_request_s": round(self.longest_s, 1),
                "longest_wait_for_a_thread_s": round(self.longest_wait_s, 1),
            },
            ensure_ascii=False,
        )


def add_up(lines: Iterable[str]) -> str:
    """Return the line of all runs together: what is counted is added, of what is measured the most is kept."""
    total: dict[str, Any] = {}
    for line in lines:
        total = _added(total, json.loads(line)) if total else json.loads(line)
    total["seeds_per_s"] = round(total["seeds"] / total["seconds"], 1)
    return json.dumps(total, ensure_ascii=False)


def _added(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    return {key: _together(key, one.get(key), other.get(key)) for key in (one | other)}


def _together(key: str, one: Any, other: Any) -> Any:  # noqa: ANN401 - a value of JSON
    if one is None or other is None:
        return other if one is None else one
    match one:
        case dict():
            rest = key if key.startswith("most_") else ""
            return {name: _together(rest or name, one.get(name), other.get(name)) for name in (one | other)}
        case list():
            return sorted({*one, *other})[:_SEEDS_NAMED]
        case _:
            return max(one, other) if key.startswith(("most_", "longest_")) else round(one + other, 1)


def without_numbers(sentence: str) -> str:
    """Return the sentence of a check as schedules share it: `"I1: m0 was never answered" -> "I1: mN was never answered"`."""
    return _NUMBER.sub("N", _CONVERSATION_ID.sub("CHAT", sentence))
