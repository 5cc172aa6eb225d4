"""Slugs: names of people, in their own script, made fit for an object's name."""

import unicodedata
from collections.abc import Callable, Iterator
from typing import Final

from shared.conversation.names import is_slug
from shared.line.text import split_at_graphemes

SLUG_LIMIT: Final = 50
_FALLBACK: Final = "entry"
_SUFFIXES: Final = 998  # three digits


def slug_of(name: str) -> str:
    """Return the name in NFKC and lower case, its letters and digits of whatever script kept and everything else a hyphen; never empty."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).lower())
    kept = "".join(one if unicodedata.category(one)[0] in "LMN" else "-" for one in folded)
    slug = "-".join(part for part in kept.split("-") if part)
    pieces = split_at_graphemes(slug, limit_utf16=SLUG_LIMIT)
    slug = unicodedata.normalize("NFKC", pieces[0]).strip("-") if pieces else ""
    return slug if is_slug(slug) else _FALLBACK


def free_slug(wanted: str, is_taken: Callable[[str], bool]) -> str:
    """Return the slug, with the first numeric suffix that nobody has where it is taken."""
    return next(one for one in numbered(wanted) if not is_taken(one))


def numbered(slug: str) -> Iterator[str]:
    """Return the slug, then the slug with suffixes."""
    yield slug
    yield from (f"{slug}-{number}" for number in range(2, _SUFFIXES + 2))
