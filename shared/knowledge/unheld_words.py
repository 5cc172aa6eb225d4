"""Unheld words: the words of a text that no known message of the text says.

A filed text comes from the messages with the text's words. Another message counts as a source only for words that none of these messages
holds. So when a member says something common and takes it back, the words of others stay.
"""

import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from shared.search.folding import fold
from shared.search.literal_runs import RUN_WEIGHT, spans

_PIECE_WEIGHT: Final = 8
"""A common piece of eight ASCII characters, or four of another script, is held; shorter pieces are alike by chance."""
_KANA: Final = range(0x3041, 0x3100)
_LEAST_KANA: Final = 2
"""One kana between held words is a particle or an ending, which says nothing."""
_SILENT: Final = frozenset("PZC")
"""Categories of Unicode without a meaning next to held words: punctuation, spaces, control characters."""


@dataclass(frozen=True, slots=True)
class UnheldWords:
    """A folded text, the places of the text's runs, and the places of the characters held by some message.

    For example, of 「会議の資料を先方に送る」, the message 「会議の資料は先方に送って」 leaves を and る. So 「会議の資料を」 shares
    nothing more with the text.
    """

    folded: str = field(repr=False)
    runs: Mapping[str, tuple[int, int]] = field(repr=False)
    held_places: frozenset[int] = frozenset()

    @classmethod
    def of(cls, text: str) -> "UnheldWords":
        """Return the text with no character held."""
        folded = fold(text)
        return cls(folded, {folded[start:end]: (start, end) for start, end in spans(folded, RUN_WEIGHT)})

    def without(self, text: str) -> "UnheldWords":
        """Return the text after a message says the given words: the pieces in common are held."""
        folded = fold(text)
        if self.folded in folded:
            return replace(self, held_places=frozenset(range(len(self.folded))))
        pieces = {folded[start:end] for start, end in spans(folded, _PIECE_WEIGHT)}
        common_spans = (one for one in spans(self.folded, _PIECE_WEIGHT) if self.folded[slice(*one)] in pieces)
        return replace(self, held_places=self.held_places.union(*(range(*one) for one in common_spans)))

    def shared_with(self, text: str) -> int:
        """Return the number of unheld characters in runs that the other text has too; 0: no source."""
        if not self.runs:
            return 0
        folded = fold(text)
        common_runs = self.runs.keys() & {folded[start:end] for start, end in spans(folded, RUN_WEIGHT)}
        return len({place for run in common_runs for place in self._meaningful_places(*self.runs[run])})

    def _meaningful_places(self, start: int, end: int) -> Iterator[int]:
        """Yield the places in the run that say something no message holds: all places, if no character of the run is held."""
        if self.held_places.isdisjoint(range(start, end)):
            yield from range(start, end)
            return
        kana: list[int] = []
        for place in range(start, end + 1):
            character = self.folded[place] if place < end and place not in self.held_places else ""
            if character and ord(character) in _KANA:
                kana.append(place)
                continue
            if len(kana) >= _LEAST_KANA:
                yield from kana
            kana = []
            if character and unicodedata.category(character)[0] not in _SILENT:
                yield place
