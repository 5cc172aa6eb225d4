"""Ranks texts against queries: those that hold a query literally come first, then similar ones by BM25.

The texts are joined and each needle is looked for in the whole, so a search takes time in proportion to their length and builds no index.
Source: S. Robertson, H. Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009.
"""

import math
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Final

from shared.search.folding import fold, loosen, without_okurigana
from shared.search.needles import Needle, needles_of

QUERIES_LIMIT: Final = 4
_SATURATION: Final = 1.2
_LENGTH: Final = 0.4
_LEAST_SHARE: Final = 0.12  # of what a text that holds every needle of the query would score


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A text of a document, as `fold` returns it, and how much a needle counts in it."""

    folded: str = field(repr=False)
    weight: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A document that answers a query: the number of the document and of the passage that answers best, and how often or how well.

    `count`: how often the queries stand there literally; 0: it is similar. `score` compares similar documents, from 0 to about 1.
    """

    document: int
    passage: int
    count: int = 0
    score: float = 0.0

    @property
    def is_literal(self) -> bool:
        """Whether one of the queries stands there as it is."""
        return self.count > 0


def rank(documents: Sequence[Sequence[Passage]], queries: Sequence[str]) -> tuple[Found, ...]:
    """Return the documents that hold a query, most matches first, then similar ones, best first; documents that are equal stay in order.

    At most QUERIES_LIMIT queries count; an empty one finds nothing. Width, case and kind of kana make no difference to a literal match.
    """
    wanted = [query for query in dict.fromkeys(map(fold, queries[:QUERIES_LIMIT])) if query]
    if not wanted or not documents:
        return ()
    return _Search(documents).run(wanted)


class _Search:
    """One search through the documents."""

    def __init__(self, documents: Sequence[Sequence[Passage]]) -> None:
        passages = [(number, place, one) for number, of in enumerate(documents) for place, one in enumerate(of)]
        self._owners = [number for number, _, _ in passages]
        self._places = [place for _, place, _ in passages]
        self._weights = [one.weight for _, _, one in passages]
        self._folded = _Joined.of("\n".join(one.folded.replace("\n", " ") for _, _, one in passages))
        self._loose = _Joined.of(loosen(self._folded.text))
        self._kanji = _Joined.of(without_okurigana(self._loose.text))
        self._documents = len(documents)
        lengths: defaultdict[int, int] = defaultdict(int)
        for owner, (_, _, one) in zip(self._owners, passages, strict=True):
            lengths[owner] += len(one.folded)
        self._lengths = lengths
        self._average_length = max(1.0, sum(lengths.values()) / len(documents))

    def run(self, queries: Sequence[str]) -> tuple[Found, ...]:
        literal = self._literal(queries)
        similar = self._similar(queries)
        rest = (one for number, one in similar.items() if number not in literal)
        return (
            *sorted(literal.values(), key=lambda one: (-one.count, one.document)),
            *sorted(rest, key=lambda one: (-one.score, one.document)),
        )

    def _literal(self, queries: Sequence[str]) -> dict[int, Found]:
        counts: defaultdict[int, int] = defaultdict(int)
        for query in queries:
            for passage, count in self._folded.find(query):
                counts[passage] += count
        found: dict[int, Found] = {}
        best: dict[int, int] = {}
        for passage in sorted(counts):
            owner, count = self._owners[passage], counts[passage]
            before = found.get(owner)
            is_best = count > best.get(owner, 0)
            best[owner] = max(count, best.get(owner, 0))
            place = self._places[passage] if is_best or before is None else before.passage
            found[owner] = Found(document=owner, passage=place, count=count + (before.count if before else 0))
        return found

    def _similar(self, queries: Sequence[str]) -> dict[int, Found]:
        found: dict[int, Found] = {}
        for query in queries:
            for one in self._similar_to(needles_of(query)):
                if one.document not in found or found[one.document].score < one.score:
                    found[one.document] = one
        return found

    def _similar_to(self, needles: Sequence[Needle]) -> Iterator[Found]:
        scores: defaultdict[int, float] = defaultdict(float)
        best: dict[int, tuple[float, int]] = {}
        whole = 0.0
        for needle in needles:
            frequencies: defaultdict[int, float] = defaultdict(float)
            at: dict[int, int] = {}
            for passage, count in (self._kanji if needle.between_kanji else self._loose).find(needle.text):
                owner = self._owners[passage]
                frequencies[owner] += self._weights[passage] * count
                if self._weights[passage] >= self._weights[at.setdefault(owner, passage)]:
                    at[owner] = passage
            held = len(frequencies)
            worth = needle.weight * math.log(1 + (self._documents - held + 0.5) / (held + 0.5))
            whole += worth
            for owner, frequency in frequencies.items():
                length = 1 - _LENGTH + _LENGTH * self._lengths[owner] / self._average_length
                gain = worth * frequency * (_SATURATION + 1) / (frequency + _SATURATION * length)
                scores[owner] += gain
                if gain > best.get(owner, (0.0, 0))[0]:
                    best[owner] = gain, at[owner]
        for owner, score in scores.items():
            share = score / whole
            if share >= _LEAST_SHARE:
                yield Found(document=owner, passage=self._places[best[owner][1]], score=share)


@dataclass(frozen=True, slots=True)
class _Joined:
    """Texts joined by line ends, and where each begins."""

    text: str
    starts: tuple[int, ...]

    @classmethod
    def of(cls, text: str) -> "_Joined":
        return cls(text, tuple(accumulate((len(line) + 1 for line in text.split("\n")), initial=0)))

    def find(self, wanted: str) -> Iterator[tuple[int, int]]:
        """Yield the number of each text that holds the wanted one, and how often; places that overlap count once."""
        at = self.text.find(wanted)
        while at >= 0:
            number = bisect_right(self.starts, at) - 1
            end = self.starts[number + 1]
            yield number, self.text.count(wanted, at, end)
            at = self.text.find(wanted, end)
