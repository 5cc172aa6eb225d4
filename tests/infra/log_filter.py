"""The part of Cloud Logging's query language that the metrics use: comparisons of fields, lists of values, AND, OR, NOT.

Source: Cloud Logging, "Logging query language": a missing field matches no comparison; NOT binds closest.
"""

import re
from collections.abc import Mapping
from typing import Final

_TOKEN: Final = re.compile(r'\s*(\(|\)|AND\b|OR\b|NOT\b|<=|>=|=|<|>|"[^"]*"|[\w.]+)')
Entry = Mapping[str, object]


def matches(filter_: str, entry: Entry) -> bool:
    """Whether the entry, by the full names of its fields, matches the filter."""
    parser = _Parser(_TOKEN.findall(filter_), entry)
    result = parser.either()
    assert not parser.tokens, parser.tokens
    return result


class _Parser:
    def __init__(self, tokens: list[str], entry: Entry) -> None:
        self.tokens = tokens
        self._entry = entry

    def either(self) -> bool:
        found = self._all()
        while self._take("OR"):
            found = self._all() or found
        return found

    def _all(self) -> bool:
        found = self._one()
        while self._take("AND"):
            found = self._one() and found
        return found

    def _one(self) -> bool:
        if self._take("NOT"):
            return not self._one()
        if self._take("("):
            inner = self.either()
            assert self._take(")")
            return inner
        field, operator = self.tokens.pop(0), self.tokens.pop(0)
        if not self._take("("):
            return _compares(self._entry.get(field), operator, self.tokens.pop(0))
        values = [self.tokens.pop(0)]
        while self._take("OR"):
            values.append(self.tokens.pop(0))
        assert self._take(")")
        return any(_compares(self._entry.get(field), operator, value) for value in values)

    def _take(self, token: str) -> bool:
        if self.tokens[:1] == [token]:
            self.tokens.pop(0)
            return True
        return False


def _compares(actual: object, operator: str, text: str) -> bool:
    if actual is None:
        return False
    if text in {"true", "false"}:
        return actual is (text == "true")
    if text.startswith('"'):
        assert operator == "="
        return str(actual) == text[1:-1]
    number, bound = float(str(actual)), float(text)
    return {
        "=": number == bound,
        "<": number < bound,
        ">": number > bound,
        "<=": number <= bound,
        ">=": number >= bound,
    }[operator]
