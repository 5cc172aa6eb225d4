from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.bucket_log import KINDS, BucketRequest, counts, round_trips
from simulator.storage import Operation


def asked(*moments: tuple[float, float], operation: str = "media") -> list[BucketRequest]:
    return [BucketRequest(operation=operation, started_s=started_s, ended_s=ended_s) for started_s, ended_s in moments]


def test_requests_are_counted_by_their_kind() -> None:
    log = [
        *asked((0, 1), (0, 1), operation="media"),
        *asked((0, 1), operation="get"),
        *asked((1, 2), operation="insert"),
        *asked((2, 3), operation="list"),
        *asked((3, 4), operation="rewrite"),
    ]

    assert counts(log) == {"list": 1, "read": 3, "write": 1, "delete": 0, "other": 1}


@pytest.mark.parametrize("operation", get_args(Operation))
def test_every_operation_has_a_kind(operation: str) -> None:
    assert asked((0, 1), operation=operation)[0].kind in KINDS


@pytest.mark.parametrize(
    ("moments", "expected"),
    [
        ([], 0),
        ([(0, 1)], 1),
        ([(0, 1), (1, 2), (2, 3)], 3),
        ([(0, 1), (0, 1), (0, 1)], 1),
        ([(0, 3), (1, 2)], 1),
        ([(0, 1), (0.1, 1.1), (1.2, 2.2), (1.3, 2.3), (2.4, 3)], 3),
        ([(2, 3), (0, 1), (1, 2)], 3),
        ([(0, 10), (0, 1), (1, 2), (2, 3)], 3),
    ],
    ids=[
        "nothing",
        "one",
        "one after another",
        "all at once",
        "one inside another",
        "two pairs and one",
        "logged in another order",
        "a long one beside a chain",
    ],
)
def test_sequential_requests_count_as_round_trips(moments: list[tuple[float, float]], expected: int) -> None:
    assert round_trips(asked(*moments)) == expected


@given(st.integers(min_value=1, max_value=40), st.integers(min_value=1, max_value=8))
def test_more_requests_than_threads_take_more_round_trips(requests: int, threads: int) -> None:
    moments = [(float(number // threads), number // threads + 0.9) for number in range(requests)]

    assert round_trips(asked(*moments)) == -(-requests // threads)
