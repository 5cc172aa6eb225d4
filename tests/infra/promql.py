"""The part of PromQL that the alerts use, over samples in memory: sums of increases, gauges, arithmetic, filters, `and`, `or`.

Every aggregate here drops all labels, so that a value is one number or nothing. An increase is the sum of the samples in its window, as for
a DELTA metric; a gauge is each series' last sample within five minutes.
Source: Prometheus, "Operators" (precedence; a comparison filters; no match where a side is empty); "Query functions", `increase`, `vector`.
"""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

_TOKEN: Final = re.compile(r'\s*(>=|<=|==|!=|=~|[-+*/()<>=,{}\[\]]|"[^"]*"|\d+(?:\.\d+)?(?:e-?\d+)?[smhd]?|[\w:]+)')
_UNITS_S: Final = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}
_STALE_S: Final = 300.0
_COMPARES: Final[dict[str, Callable[[float, float], bool]]] = {
    ">": lambda a, b: a > b,
    "<": lambda a, b: a < b,
    ">=": lambda a, b: a >= b,
    "<=": lambda a, b: a <= b,
}
_AGGREGATES: Final[dict[str, Callable[[Sequence[float]], float]]] = {"sum": math.fsum, "max": max, "min": min}


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """A point of a series.  `amount` is what was added, or the gauge's value."""

    name: str
    at_s: float
    amount: float = 1.0
    labels: dict[str, str] = field(default_factory=dict)


def evaluate(query: str, samples: Sequence[Sample], *, at_s: float) -> float | None:
    """Return the query's value; None: nothing, so that an alert does not fire."""
    parser = _Parser(_TOKEN.findall(query), samples, at_s)
    value = parser.either()
    assert not parser.tokens, parser.tokens
    return value


class _Parser:
    def __init__(self, tokens: list[str], samples: Sequence[Sample], at_s: float) -> None:
        self.tokens = tokens
        self._samples = samples
        self._at_s = at_s

    def either(self) -> float | None:
        value = self._both()
        while self._take("or"):
            other = self._both()
            value = other if value is None else value
        return value

    def _both(self) -> float | None:
        value = self._compared()
        while self._take("and"):
            other = self._compared()
            value = None if other is None else value
        return value

    def _compared(self) -> float | None:
        value = self._added()
        while self.tokens and self.tokens[0] in _COMPARES:
            compares = _COMPARES[self.tokens.pop(0)]
            other = self._added()
            value = value if value is not None and other is not None and compares(value, other) else None
        return value

    def _added(self) -> float | None:
        value = self._multiplied()
        while self.tokens and self.tokens[0] in {"+", "-"}:
            sign = 1 if self.tokens.pop(0) == "+" else -1
            other = self._multiplied()
            value = None if value is None or other is None else value + sign * other
        return value

    def _multiplied(self) -> float | None:
        value = self._one()
        while self.tokens and self.tokens[0] in {"*", "/"}:
            divides = self.tokens.pop(0) == "/"
            other = self._one()
            if value is None or other is None:
                value = None
            elif divides:
                value = value / other if other else (math.nan if not value else math.inf)
            else:
                value = value * other
        return value

    def _one(self) -> float | None:
        token = self.tokens.pop(0)
        if token == "(":
            return self._closed(self.either())
        if token in _AGGREGATES:
            assert self._take("(")
            values = self._series()
            return self._closed(_AGGREGATES[token](values) if values else None)
        if token == "vector":
            assert self._take("(")
            return self._closed(float(self.tokens.pop(0)))
        return float(token)

    def _closed(self, value: float | None) -> float | None:
        assert self._take(")"), self.tokens[:5]
        return value

    def _series(self) -> list[float]:
        """Return a value for each series of `increase(name{...}[5m])`, or of the gauge `name{...}`."""
        if self._take("increase"):
            assert self._take("(")
            matching = self._selected()
            assert self._take("[")
            window_s = _seconds(self.tokens.pop(0))
            assert self._take("]")
            assert self._take(")")
            amounts: dict[tuple[tuple[str, str], ...], float] = {}
            for sample in matching:
                if self._at_s - window_s < sample.at_s <= self._at_s:
                    key = tuple(sorted(sample.labels.items()))
                    amounts[key] = amounts.get(key, 0.0) + sample.amount
            return list(amounts.values())
        last: dict[tuple[tuple[str, str], ...], float] = {}
        for sample in sorted(self._selected(), key=lambda sample: sample.at_s):
            if self._at_s - _STALE_S < sample.at_s <= self._at_s:
                last[tuple(sorted(sample.labels.items()))] = sample.amount
        return list(last.values())

    def _selected(self) -> list[Sample]:
        name = self.tokens.pop(0)
        found = [one for one in self._samples if one.name == name]
        if self._take("{"):
            while not self._take("}"):
                label, operator, value = self.tokens.pop(0), self.tokens.pop(0), self.tokens.pop(0)[1:-1]
                wanted = re.compile(value if operator == "=~" else re.escape(value))
                found = [one for one in found if wanted.fullmatch(one.labels.get(label, ""))]
                self._take(",")
        return found

    def _take(self, token: str) -> bool:
        if self.tokens[:1] == [token]:
            self.tokens.pop(0)
            return True
        return False


def _seconds(duration: str) -> float:
    return float(duration[:-1]) * _UNITS_S[duration[-1]]
