"""Needles, the pieces of a query: whole words in scripts with spaces, pairs and triples of characters in scripts without spaces.

A needle is compared with loosened texts (folding.py), or, if it stands `between_kanji`, with texts without okurigana.
"""

from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Final

import regex

from shared.frozen import frozen
from shared.late_patterns import late
from shared.search.folding import fold, loosen, without_okurigana

NEEDLES_LIMIT: Final = 96  # of one query, so that a pasted message costs no more than a long question
_WORD: Final = 1.0
_SAME_STEM: Final = 0.9
_SAME_BEGINNING: Final = 0.6
_INSIDE: Final = 0.5
_KANJI_PAIR: Final = 1.0
_KANJI: Final = 0.35
_MIXED_PAIR: Final = 0.3
_KANA_TRIPLE: Final = 0.8
_KANA_PAIR: Final = 0.25
_TRIPLE: Final = 0.4
_LEAST_BEGINNING: Final = 4
_LONGEST_BEGINNING: Final = 5
_LEAST_INSIDE: Final = 4
_LEAST_PLURAL: Final = 4
_QUESTION_WORDS: Final = Path(__file__).with_name("question_words.txt")

_RUNS: Final = late(
    regex.compile,
    r"(?P<kanji>[\p{Han}々〆]+)|(?P<kana>\p{Hiragana}+)|(?P<dense>[\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]+)|(?P<hangul>\p{Hangul}+)"
    r"|(?P<word>(?:(?![\p{Han}\p{Hiragana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Hangul}])\S)+)",
)
_DENSE_PAIRS: Final = ((3, _TRIPLE),)
_SHORT_ENDINGS: Final = ("xes", "ses", "zes", "ches", "shes")


@frozen
class Needle:
    """A piece of a query, and the weight of a match."""

    text: str
    weight: float
    between_kanji: bool = False


def needles_of(query: str) -> tuple[Needle, ...]:
    """Return the pieces of a query, at most NEEDLES_LIMIT, the largest weight first; none for a query without letters and digits.

    Example: `needles_of("大阪")` holds `大阪` with weight 1.0, and `大` and `阪` with weight 0.35.
    """
    best: dict[tuple[str, bool], Needle] = {}
    for needle in _needles(loosen(fold(query))):
        key = needle.text, needle.between_kanji
        if key not in best or best[key].weight < needle.weight:
            best[key] = needle
    return tuple(sorted(best.values(), key=lambda needle: -needle.weight)[:NEEDLES_LIMIT])


def _needles(loose: str) -> Iterator[Needle]:
    asking, phrases = _question_words()
    asked = phrases.sub(" ", loose)
    if not asked.strip():
        asked = loose
    words: list[str] = []
    for run in _RUNS.finditer(asked):
        match run.lastgroup:
            case "word":
                words.append(run[0])
            case "kanji":
                yield from _pieces(run[0], ((1, _KANJI),), between_kanji=True)
            case "kana":
                yield from _pieces(run[0], ((2, _KANA_PAIR), (3, _KANA_TRIPLE)))
            case "hangul":
                yield from _pieces(run[0], ((2, _KANA_TRIPLE),))
            case _:
                yield from _pieces(run[0], _DENSE_PAIRS)
    for run in regex.finditer(r"[\p{Han}々〆]{2,}", without_okurigana(asked)):
        yield from _pieces(run[0], ((2, _KANJI_PAIR),), between_kanji=True)
    for run in regex.finditer(r"[\p{Han}々〆]\p{Hiragana}", asked, overlapped=True):
        yield Needle(text=run[0], weight=_MIXED_PAIR)
    yield from _words([one for one in words if one not in asking] or words)


def _pieces(run: str, sizes: tuple[tuple[int, float], ...], *, between_kanji: bool = False) -> Iterator[Needle]:
    """Yield every piece of these sizes; the whole run if it is shorter than every size."""
    for size, weight in sizes:
        for start in range(len(run) - size + 1):
            yield Needle(text=run[start : start + size], weight=weight, between_kanji=between_kanji)
    if len(run) < min(size for size, _ in sizes):
        yield Needle(text=run, weight=sizes[0][1], between_kanji=between_kanji)


def _words(words: list[str]) -> Iterator[Needle]:
    for word in words:
        stem = _stem(word)
        yield Needle(text=f" {word} ", weight=_WORD)
        if stem != word:
            yield Needle(text=f" {stem} ", weight=_SAME_STEM)
        if len(stem) >= _LEAST_BEGINNING and stem.isalpha():
            size = _LONGEST_BEGINNING if len(stem) > _LONGEST_BEGINNING else _LEAST_BEGINNING
            yield Needle(text=f" {stem[:size]}", weight=_SAME_BEGINNING)
        if len(word) >= _LEAST_INSIDE:
            yield Needle(text=word, weight=_INSIDE, between_kanji=True)
    for first, second in pairwise(words):
        yield Needle(text=f" {first}{second} ", weight=_WORD)


def _stem(word: str) -> str:
    """Return an English word without the ending of a plural: `_stem("berries") == "berry"`."""
    if word.endswith("ies") and len(word) > _LEAST_BEGINNING:
        return f"{word[:-3]}y"
    if word.endswith(_SHORT_ENDINGS):
        return word[:-2]
    is_plural = word.endswith("s") and not word.endswith("ss") and len(word) >= _LEAST_PLURAL
    return word[:-1] if is_plural else word


@cache
def _question_words() -> tuple[frozenset[str], regex.Pattern[str]]:
    """Return the question words of scripts with spaces, and a pattern of the question words of other scripts."""
    lines = _QUESTION_WORDS.read_text(encoding="utf-8").splitlines()
    every = [one for line in lines if not line.startswith("#") for one in line.split()]
    without_spaces = sorted((loosen(fold(one)).strip() for one in every if not one.isascii()), key=len, reverse=True)
    return frozenset(one for one in every if one.isascii()), regex.compile("|".join(without_spaces))
