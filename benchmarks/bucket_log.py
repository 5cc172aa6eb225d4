"""Requests to Cloud Storage from the stand-in's log: kinds, and sequential round trips."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

KINDS: Final = ("list", "read", "write", "delete", "other")
_KIND_OF_OPERATION: Final = {"list": "list", "media": "read", "get": "read", "insert": "write", "delete": "delete"}


@dataclass(frozen=True, slots=True, kw_only=True)
class BucketRequest:
    """One request; `operation` is the stand-in's name for the operation; times are on the machine's monotonic clock."""

    operation: str
    started_s: float
    ended_s: float
    body_bytes: int = 0

    @property
    def kind(self) -> str:
        """An element of KINDS."""
        return _KIND_OF_OPERATION.get(self.operation, "other")


def counts(requests: Iterable[BucketRequest]) -> dict[str, int]:
    """Return the number of requests of every kind."""
    counts_by_kind = Counter(request.kind for request in requests)
    return {kind: counts_by_kind[kind] for kind in KINDS}


def round_trips(requests: Iterable[BucketRequest]) -> int:
    """Return the length of the longest chain of requests, each begun after the end of the previous request.

    For example, requests at 0 to 20 ms, 5 to 25 ms and 30 to 50 ms are two round trips. Overlapping requests count once, so answers must be
    slow enough for concurrent requests to overlap.
    """
    chain, free_s = 0, float("-inf")
    for request in sorted(requests, key=lambda request: request.ended_s):
        if request.started_s >= free_s:
            chain, free_s = chain + 1, request.ended_s
    return chain
