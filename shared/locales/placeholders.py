"""The placeholders of the texts in the language files, such as `{name}`."""

import re
from collections.abc import Iterable
from functools import reduce
from typing import Final

_PLACE: Final = re.compile(r"\{(\w+)\}")


def filled(text: str, /, **facts: str) -> str:
    """Return the text with its placeholders filled; braces within a fact stay: `filled("{a}", a="{b}")` is `{b}`.

    Raises: KeyError, for a placeholder without a fact.
    """
    return _PLACE.sub(lambda place: facts[place[1]], text)


def joined(two: str, words: Iterable[str]) -> str:
    """Return the words, joined by a text for two: `joined("{first} and {second}", ["tea", "milk"])` is `tea and milk`.

    Raises: TypeError, without words.
    """
    return reduce(lambda first, second: filled(two, first=first, second=second), words)


def beginning(text: str) -> str:
    """Return what precedes the first placeholder: `beginning("Filed: {names}")` is `Filed: `."""
    return _PLACE.split(text)[0]
