"""Ranks texts against queries: literal matches come first, then similar texts by BM25.

The texts are joined and every needle is searched for in the whole, so a search takes time in proportion to the length and builds no
index. Source: S. Robertson, H. Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009.
"""

import math
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Final

from shared.frozen import frozen
from shared.search.folding import fold, loosen, without_okurigana
from shared.search.needles import Needle, needles_of

QUERIES_LIMIT: Final = 4
_SATURATION: Final = 1.2
_LENGTH: Final = 0.4
_LEAST_SHARE: Final = 0.12  # of the score of a text with every needle of the query


@frozen
class Passage:
    """A text of a document, as `fold` returns it, and the weight of a match in it."""

    folded: str = field(repr=False)
    weight: float = 1.0


@frozen
class Found:
    """A document that answers a query: number of the document, number of its best passage, and how often or how well the document matches.

    `count`: literal occurrences of the queries; 0: the document is only similar. `score` compares similar documents, from 0 to about 1.
    """

    document: int
    passage: int
    count: int = 0
    score: float = 0.0

    @property
    def is_literal(self) -> bool:
        """Whether a query occurs literally."""
        return self.count > 0


def rank(documents: Sequence[Sequence[Passage]], queries: Sequence[str]) -> tuple[Found, ...]:
    """Return the documents that hold a query, most matches first, then similar documents, best first; equal documents stay in order.

    Of documents with equally many matches, the one more similar to all queries together comes first: for "year-end party" and "booked", a
    document with "the party is booked" comes before a newer one with "who booked?".

    At most QUERIES_LIMIT queries count; an empty query matches nothing. Width, case and kind of kana make no difference to a literal match.
    Example: for the query "カメラ", a document with "ｶﾒﾗ" twice comes before a document with "かめら" once.
    """
    folded = [query for query in dict.fromkeys(map(fold, queries[:QUERIES_LIMIT])) if query]
    if not folded or not documents:
        return ()
    return _Search(documents).run(folded)


class _Search:
    """One search through the documents."""

    def __init__(self, documents: Sequence[Sequence[Passage]]) -> None:
        passages = [(number, place, passage) for number, of in enumerate(documents) for place, passage in enumerate(of)]
        self._owners = [number for number, _, _ in passages]
        self._places = [place for _, place, _ in passages]
        self._weights = [passage.weight for _, _, passage in passages]
        self._folded = _Joined.of("\n".join(passage.folded.replace("\n", " ") for _, _, passage in passages))
        self._loose = _Joined.of(loosen(self._folded.text))
        self._kanji = _Joined.of(without_okurigana(self._loose.text))
        self._documents = len(documents)
        lengths: defaultdict[int, int] = defaultdict(int)
        for owner, (_, _, passage) in zip(self._owners, passages, strict=True):
            lengths[owner] += len(passage.folded)
        self._lengths = lengths
        self._average_length = max(1.0, sum(lengths.values()) / len(documents))

    def run(self, queries: Sequence[str]) -> tuple[Found, ...]:
        literal = self._literal(queries)
        similar, together = self._similar(queries)
        similar_only = (one for number, one in similar.items() if number not in literal)
        return (
            *sorted(literal.values(), key=lambda match: (-match.count, -together[match.document], match.document)),
            *sorted(similar_only, key=lambda match: (-match.score, match.document)),
        )

    def _literal(self, queries: Sequence[str]) -> dict[int, Found]:
        counts: defaultdict[int, int] = defaultdict(int)
        for query in queries:
            for passage, count in self._folded.find(query):
                counts[passage] += count
        matches: dict[int, Found] = {}
        best: dict[int, int] = {}
        for passage in sorted(counts):
            owner, count = self._owners[passage], counts[passage]
            before = matches.get(owner)
            is_best = count > best.get(owner, 0)
            best[owner] = max(count, best.get(owner, 0))
            place = self._places[passage] if is_best or before is None else before.passage
            matches[owner] = Found(document=owner, passage=place, count=count + (before.count if before else 0))
        return matches

    def _similar(self, queries: Sequence[str]) -> tuple[dict[int, Found], Mapping[int, float]]:
        """Return each similar document with its score for the query that it fits best, and the sum of its scores for all queries."""
        matches: dict[int, Found] = {}
        together: defaultdict[int, float] = defaultdict(float)
        for query in queries:
            for match in self._similar_to(needles_of(query)):
                together[match.document] += match.score
                if match.document not in matches or matches[match.document].score < match.score:
                    matches[match.document] = match
        return matches, together

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
            holders = len(frequencies)
            worth = needle.weight * math.log(1 + (self._documents - holders + 0.5) / (holders + 0.5))
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
    """Texts joined by line ends, and the start of each."""

    text: str
    starts: tuple[int, ...]

    @classmethod
    def of(cls, text: str) -> "_Joined":
        return cls(text, tuple(accumulate((len(line) + 1 for line in text.split("\n")), initial=0)))

    def find(self, needle: str) -> Iterator[tuple[int, int]]:
        """Yield the number of each text that holds `needle`, and how often; overlapping occurrences count once."""
        at = self.text.find(needle)
        while at >= 0:
            number = bisect_right(self.starts, at) - 1
            end = self.starts[number + 1]
            yield number, self.text.count(needle, at, end)
            at = self.text.find(needle, end)
