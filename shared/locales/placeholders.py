"""The placeholders of the texts in the language files: `{name}`, and `{count:vote|votes}` for a word that depends on a number."""

import re
from collections.abc import Iterable
from functools import reduce
from typing import Final

_PLACE: Final = re.compile(r"\{(\w+)(?::([^{}|]*)\|([^{}|]*))?\}")
_SINGULAR: Final = "1"


def filled(text: str, /, **facts: str) -> str:
    """Return the text with its placeholders filled; braces within a fact stay: `filled("{a}", a="{b}")` is `{b}`.

    For example, `filled("{count} {count:vote|votes}", count="1")` is `1 vote`, and with 0 or 2, `0 votes` and `2 votes`.
    Raises: KeyError, for a placeholder without a fact.
    """

    def words_of(place: re.Match[str]) -> str:
        name, singular, plural = place.groups()
        fact = facts[name]
        return fact if singular is None else singular if fact == _SINGULAR else plural

    return _PLACE.sub(words_of, text)


def joined(two: str, words: Iterable[str]) -> str:
    """Return the words, joined by a text for two: `joined("{first} and {second}", ["tea", "milk"])` is `tea and milk`.

    Raises: TypeError, without words.
    """
    return reduce(lambda first, second: filled(two, first=first, second=second), words)


def beginning(text: str) -> str:
    """Return what precedes the first placeholder: `beginning("Filed: {names}")` is `Filed: `."""
    return _PLACE.split(text)[0]
