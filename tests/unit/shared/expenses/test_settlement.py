from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.expenses.settlement import MOST_EXACT, Transfer, balances, transfers
from shared.expenses.shares import divided, with_exact

_PEOPLE = tuple(f"p{number}" for number in range(9))


@st.composite
def _payments(draw: st.DrawFn, people: int = 7) -> list[tuple[str, dict[str, int]]]:
    names = _PEOPLE[: draw(st.integers(1, people))]
    payments = []
    for _ in range(draw(st.integers(0, 8))):
        payer = draw(st.sampled_from(names))
        weights = draw(st.dictionaries(st.sampled_from(names), st.integers(1, 5), min_size=1))
        payments.append((payer, divided(draw(st.integers(1, 10**9)), weights, payer=payer)))
    return payments


@given(
    minor=st.integers(1, 10**12),
    weights=st.dictionaries(st.sampled_from(_PEOPLE), st.integers(1, 1_000), min_size=1),
    payer=st.sampled_from(_PEOPLE),
)
def test_no_amount_is_lost_to_rounding(minor: int, weights: dict[str, int], payer: str) -> None:
    shares = divided(minor, weights, payer=payer)
    assert sum(shares.values()) == minor
    total = sum(weights.values())
    for person, weight in weights.items():
        if person != payer:
            assert shares[person] == minor * weight // total  # only the payer bears what does not divide


def test_the_payer_bears_what_does_not_divide_even_without_a_part() -> None:
    assert divided(1_000, {"ben": 1, "cho": 1, "dan": 1}, payer="ann") == {"ben": 333, "cho": 333, "dan": 333, "ann": 1}


def test_exact_amounts_come_first_and_the_rest_is_divided() -> None:
    shares = with_exact(1_000, {"ben": 400}, {"ann": 1, "cho": 1}, payer="ann")
    assert shares == {"ben": 400, "ann": 300, "cho": 300}


@pytest.mark.parametrize(
    ("exact", "weights"),
    [({"ben": 1_001}, {"ann": 1}), ({"ben": 999}, {}), ({"ben": 400}, {"ben": 1})],
)
def test_exact_amounts_that_do_not_add_up_are_refused(exact: dict[str, int], weights: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="add up"):
        with_exact(1_000, exact, weights, payer="ann")


@given(payments=_payments())
def test_balances_add_up_to_zero(payments: list[tuple[str, dict[str, int]]]) -> None:
    assert sum(balances(payments).values()) == 0


@given(payments=_payments())
def test_a_settlement_clears_everybody_in_fewer_transfers_than_people(
    payments: list[tuple[str, dict[str, int]]],
) -> None:
    totals = balances(payments)
    settled = transfers(totals)
    for transfer in settled:
        assert transfer.minor > 0
        totals[transfer.debtor] += transfer.minor
        totals[transfer.creditor] -= transfer.minor
    assert not any(totals.values())
    people = [person for person, minor in balances(payments).items() if minor]
    assert len(settled) <= max(0, len(people) - 1)


@given(payments=_payments(people=6))
def test_no_settlement_has_fewer_transfers(payments: list[tuple[str, dict[str, int]]]) -> None:
    totals = {person: minor for person, minor in balances(payments).items() if minor}
    assert len(transfers(totals)) == len(totals) - _most_zero_groups(totals)


def _most_zero_groups(totals: dict[str, int]) -> int:
    """Return the largest number of groups with a sum of zero, by trying every group of the first person."""
    if not totals:
        return 0
    first, *others = totals
    best = 0
    for size in range(len(others) + 1):
        for chosen in combinations(others, size):
            group = {first, *chosen}
            if sum(totals[person] for person in group) == 0:
                rest = {person: minor for person, minor in totals.items() if person not in group}
                best = max(best, 1 + _most_zero_groups(rest))
    return best


def test_more_people_than_are_tried_exactly_are_cleared_too() -> None:
    totals = {f"p{number:02}": number + 1 for number in range(MOST_EXACT)}
    totals["q"] = -sum(totals.values())
    assert len(transfers(totals)) == MOST_EXACT


def test_two_pairs_settle_among_themselves() -> None:
    settled = transfers({"ann": 300, "ben": -300, "cho": 500, "dan": -500})
    assert set(settled) == {Transfer("ben", "ann", 300), Transfer("dan", "cho", 500)}
