"""Balances of people, and the fewest transfers to clear the balances.

The smallest number of transfers is the number of people less the largest number of groups whose balances add up to zero. Finding the
groups is hard in general (a subset sum problem), so groups are found for up to MOST_EXACT people; beyond, every transfer still clears at
least a person, so there are at most n - 1.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

MOST_EXACT: Final = 12


@dataclass(frozen=True, slots=True, order=True)
class Transfer:
    """`debtor` gives `minor` units to `creditor`."""

    debtor: str
    creditor: str
    minor: int


def balances(payments: Iterable[tuple[str, Mapping[str, int]]]) -> dict[str, int]:
    """Return what each person is owed (above zero) or owes (below), of pairs of a payer and everybody's shares.

    The balances add up to zero. For example, Ann pays 900 for Ann, Ben and Cho: `{"ann": 600, "ben": -300, "cho": -300}`.
    """
    totals: dict[str, int] = {}
    for payer, shares in payments:
        for person, share in shares.items():
            totals[payer] = totals.get(payer, 0) + share
            totals[person] = totals.get(person, 0) - share
    return totals


def transfers(totals: Mapping[str, int]) -> tuple[Transfer, ...]:
    """Return transfers that clear the balances: as few as possible for up to MOST_EXACT people, at most n - 1 for more.

    For example, `transfers({"ann": 600, "ben": -300, "cho": -300})` -> Ben gives Ann 300, Cho gives Ann 300. Equal balances always give
    equal transfers, because people are taken in the order of their amounts and names.
    """
    open_totals = {person: minor for person, minor in sorted(totals.items()) if minor}
    if sum(open_totals.values()):
        raise ValueError("balances add up to zero")
    groups = _zero_groups(tuple(open_totals.items())) if len(open_totals) <= MOST_EXACT else [open_totals]
    return tuple(transfer for group in groups for transfer in _cleared(group))


def _zero_groups(people: Sequence[tuple[str, int]]) -> list[dict[str, int]]:
    """Return the people in as many groups as possible, each of balances that add up to zero.

    `most[subset]` is the largest number of zero sums met while the subset is filled person by person: each of them ends a group.
    """
    size = 1 << len(people)
    sums, most, last = [0] * size, [0] * size, [0] * size
    for subset in range(1, size):
        lowest = (subset & -subset).bit_length() - 1
        sums[subset] = sums[subset & (subset - 1)] + people[lowest][1]
        members = [number for number in range(len(people)) if subset >> number & 1]
        last[subset] = max(members, key=lambda number: (most[subset ^ (1 << number)], -number))
        most[subset] = most[subset ^ (1 << last[subset])] + (sums[subset] == 0)
    groups: list[dict[str, int]] = []
    subset = size - 1
    while subset:
        if sums[subset] == 0:
            groups.append({})
        person, minor = people[last[subset]]
        groups[-1][person] = minor
        subset ^= 1 << last[subset]
    return groups


def _cleared(group: Mapping[str, int]) -> list[Transfer]:
    """Return transfers that clear the group, the largest amounts first; each clears at least one person, and the last clears two."""
    debts = sorted(((-minor, person) for person, minor in group.items() if minor < 0), key=_largest_first)
    claims = sorted(((minor, person) for person, minor in group.items() if minor > 0), key=_largest_first)
    result: list[Transfer] = []
    while debts and claims:
        (debt, debtor), (claim, creditor) = debts.pop(0), claims.pop(0)
        minor = min(debt, claim)
        result.append(Transfer(debtor, creditor, minor))
        if debt > minor:
            debts = sorted([(debt - minor, debtor), *debts], key=_largest_first)
        if claim > minor:
            claims = sorted([(claim - minor, creditor), *claims], key=_largest_first)
    return result


def _largest_first(item: tuple[int, str]) -> tuple[int, str]:
    return -item[0], item[1]
