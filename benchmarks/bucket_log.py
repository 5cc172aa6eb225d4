"""Requests to Cloud Storage, as its stand-in logged them: their kinds, and their sequential round trips."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

KINDS: Final = ("list", "read", "write", "delete", "other")
_KIND_OF_OPERATION: Final = {"list": "list", "media": "read", "get": "read", "insert": "write", "delete": "delete"}


@dataclass(frozen=True, slots=True, kw_only=True)
class BucketRequest:
    """One request; `operation` is as the stand-in names it; the times are on the machine's monotonic clock."""

    operation: str
    started_s: float
    ended_s: float
    body_bytes: int = 0

    @property
    def kind(self) -> str:
        """One of KINDS."""
        return _KIND_OF_OPERATION.get(self.operation, "other")


def counts(requests: Iterable[BucketRequest]) -> dict[str, int]:
    """Return the number of requests of every kind."""
    counted = Counter(request.kind for request in requests)
    return {kind: counted[kind] for kind in KINDS}


def round_trips(requests: Iterable[BucketRequest]) -> int:
    """Return the number of round trips: the length of the longest chain of requests in which each began after the previous one ended.

    Requests that overlap count as one, so answers must be slow enough for concurrent requests to overlap.
    """
    chain, free_s = 0, float("-inf")
    for request in sorted(requests, key=lambda request: request.ended_s):
        if request.started_s >= free_s:
            chain, free_s = chain + 1, request.ended_s
    return chain
