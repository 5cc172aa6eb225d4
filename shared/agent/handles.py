"""Handles: short names of stored things in a prompt, by which a call changes a thing without a request that only learns its id.

A handle is made of the thing's own id, so it is the same for the thing's whole life and never a position: copied from an earlier turn, a
handle names the same thing, or nothing. For example, the entry of id `7c29cf27-6973-46ee-a166-2ffd0f8ec5b5` is `e-5meqfu` in every prompt.
"""

import base64
import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Final, TypeVar

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
    """Return the things that the messages may mean by name, at most ten, the likeliest first; equal things stay in order.

    The names come folded, since folding a thousand of them takes longer than all else of a prompt. A message may mean a thing if it holds
    at least 60 % of the pairs of characters in the thing's name, in any script: "the garden is done" may mean "Garden", and
    「庭の工事おわった」 may mean 「庭の工事」.
    """
    pairs = {pair for text in asked for pair in pairwise(fold(text))}
    ranks = [_rank_of(folded_name_of(thing), pairs) for thing in things] if pairs else []
    likeliest = sorted(
        (place for place, (share, _) in enumerate(ranks) if share >= _MEANT_SHARE), key=ranks.__getitem__, reverse=True
    )
    return tuple(things[place] for place in likeliest[:_MOST_MEANT])


def _rank_of(folded_name: str, pairs: set[tuple[str, str]]) -> tuple[float, int]:
    """Return the share of the name's pairs that the messages hold, and their number: of two whole names, the longer is meant."""
    own = set(pairwise(folded_name))
    shared_count = len(own & pairs)
    return (shared_count / len(own) if own else 0.0), shared_count
