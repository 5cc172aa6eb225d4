"""The search by halves: what it finds, and what it costs."""

from collections.abc import Sequence
from math import ceil, log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.agent.suspects import MOST_PROBES, culprits_among


class Provider:
    """Refuses a group that holds any of the `bad`, or all of the `combined`; counts the requests."""

    def __init__(self, bad: Sequence[int] = (), combined: Sequence[int] = ()) -> None:
        self.bad = frozenset(bad)
        self.combined = frozenset(combined)
        self.requests = 0

    def refuses(self, group: Sequence[int]) -> bool:
        self.requests += 1
        held = frozenset(group)
        return bool(held & self.bad) or bool(self.combined and self.combined <= held)


@given(st.integers(1, 92), st.data())
def test_one_culprit_is_found_with_a_request_a_half(size: int, data: st.DataObject) -> None:
    provider = Provider([bad := data.draw(st.integers(0, size - 1))])

    assert culprits_among(range(size), provider.refuses) == [bad]
    assert provider.requests <= 3 + ceil(log2(size)) + (size > 1)


@given(st.sets(st.integers(0, 91), max_size=40))
def test_whatever_is_marked_is_refused_and_the_search_is_bounded(bad: set[int]) -> None:
    provider = Provider(sorted(bad))

    found = culprits_among(range(92), provider.refuses)

    assert set(found) <= bad
    assert provider.requests <= MOST_PROBES
    assert found or not bad


@given(st.sets(st.integers(0, 91), max_size=40))
def test_a_search_that_is_repeated_finds_all(bad: set[int]) -> None:
    left = list(range(92))
    for _ in range(len(bad) + 1):
        found = culprits_among(left, Provider(sorted(bad)).refuses)
        left = [one for one in left if one not in found]

    assert bad.isdisjoint(left)


def test_what_is_refused_only_together_is_left_out_as_the_smallest_group_that_was_refused() -> None:
    provider = Provider(combined=(3, 9))

    found = culprits_among(range(16), provider.refuses)

    assert {3, 9} <= set(found)
    assert provider.requests <= MOST_PROBES


@pytest.mark.parametrize("suspects", [[], [1, 2, 3]])
def test_nothing_is_marked_where_nothing_is_refused(suspects: list[int]) -> None:
    provider = Provider()

    assert culprits_among(suspects, provider.refuses) == []
    assert provider.requests <= 1


def test_a_search_that_has_too_few_requests_marks_no_innocent_one() -> None:
    provider = Provider([50])

    assert culprits_among(range(92), provider.refuses, most_requests=4) in ([], [50])
    assert provider.requests <= 4
