"""Handles: short names of stored things in a prompt, by which a call changes a thing without a request that only learns its id.

A handle is made of the thing's own id, so it is the same for the thing's whole life and never a position: copied from an earlier turn, a
handle names the same thing, or nothing. For example, the entry of id `7c29cf27-6973-46ee-a166-2ffd0f8ec5b5` is `e-5meqfu` in every prompt.
"""

import base64
import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Final, Generic, TypeVar

from shared.search.folding import fold

ENTRY: Final = "e"
_CHARACTERS: Final = 6  # 30 bits: two of a chat's 1,000 entries share a handle in one chat of 2,000
_MOST_MEANT: Final = 10
_MEANT_SHARE: Final = 0.6  # of the pairs of characters in a name
_T = TypeVar("_T")
_HANDLE: Final = re.compile(r"[a-z]-[a-z2-7]{6}", re.ASCII)


def handle_of(kind: str, thing_id: str) -> str:
    """Return the handle of a thing; `kind` is one letter, for example `e` of entries."""
    digest = hashlib.sha256(thing_id.encode()).digest()
    return f"{kind}-{base64.b32encode(digest).decode()[:_CHARACTERS].lower()}"


def is_handle(text: str) -> bool:
    """Whether the text has the form of a handle: `is_handle("e-5meqfu")`, but not of a path such as `projects/garden.md`."""
    return _HANDLE.fullmatch(text) is not None


def things_meant(asked: Iterable[str], things: Sequence[_T], *, folded_name_of: Callable[[_T], str]) -> tuple[_T, ...]:
    """Return the things that the messages may mean by name, as `NamedThings.meant` does."""
    return NamedThings.of(things, folded_name_of=folded_name_of).meant(asked)


@dataclass(frozen=True, slots=True)
class NamedThings(Generic[_T]):
    """Things by the pairs of characters in their names, so that a message is compared only with what shares a pair with it.

    `_counts` has the number of pairs in each name, `_places` the places of the things whose names hold a pair.
    """

    things: Sequence[_T]
    _counts: Sequence[int]
    _places: Mapping[tuple[str, str], Sequence[int]]

    @classmethod
    def of(cls, things: Sequence[_T], *, folded_name_of: Callable[[_T], str]) -> "NamedThings[_T]":
        """Return the things by their names, which come folded: folding a thousand of them takes longer than all else of a prompt."""
        names = [set(pairwise(folded_name_of(thing))) for thing in things]
        places = defaultdict[tuple[str, str], list[int]](list)
        for place, pairs in enumerate(names):
            for pair in pairs:
                places[pair].append(place)
        return cls(things=things, _counts=[len(pairs) for pairs in names], _places=places)

    def meant(self, asked: Iterable[str]) -> tuple[_T, ...]:
        """Return the things that the messages may mean by name, at most ten, the likeliest first; equal things stay in order.

        A message may mean a thing if it holds at least 60 % of the pairs of characters in the thing's name, in any script: "the garden is
        done" may mean "Garden", and 「庭の工事おわった」 may mean 「庭の工事」. Of two whole names, the longer is meant.
        """
        pairs = {pair for text in asked for pair in pairwise(fold(text))}
        shared = Counter(chain.from_iterable(self._places.get(pair, ()) for pair in pairs))
        ranks = {
            place: (count / self._counts[place], count)
            for place, count in sorted(shared.items())
            if count / self._counts[place] >= _MEANT_SHARE
        }
        likeliest = sorted(ranks, key=ranks.__getitem__, reverse=True)
        return tuple(self.things[place] for place in likeliest[:_MOST_MEANT])
