"""Divides an amount among people, to the last minor unit: the shares add up to the amount, and the payer bears what does not divide."""

from collections.abc import Mapping
from itertools import chain
from typing import Final

MOST_WEIGHT: Final = 1_000


def divided(minor: int, weights: Mapping[str, int], *, payer: str, unit: int = 1) -> dict[str, int]:
    """Return each person's share of the amount, in minor units.  `weights` are positive, at most MOST_WEIGHT each.

    Shares are whole multiples of `unit` where the amount is: NT$1,000 gives NT$334, NT$333 and NT$333 with a unit of 100.

    For example, `divided(1000, {"ann": 1, "ben": 1, "cho": 1}, payer="ann")` -> `{"ann": 334, "ben": 333, "cho": 333}`: the payer bears the
    remainder, also a payer who takes no part.
    """
    if not weights or any(not 0 < weight <= MOST_WEIGHT for weight in weights.values()):
        raise ValueError("an amount is divided among at least one person, by positive weights")
    total, step = sum(weights.values()), 1 if minor % unit else unit
    shares = {person: minor // step * weight // total * step for person, weight in weights.items()}
    return _with_remainder(shares, minor, payer)


def _with_remainder(shares: Mapping[str, int], minor: int, payer: str) -> dict[str, int]:
    """Return the shares, of which the payer's also bears what the shares leave of the amount; a payer without a share gets none of 0."""
    remainder = minor - sum(shares.values())
    return {**shares, payer: shares.get(payer, 0) + remainder} if remainder else dict(shares)


def with_exact(
    minor: int, exact: Mapping[str, int], weights: Mapping[str, int], *, payer: str, unit: int = 1
) -> dict[str, int]:
    """Return the shares where some people bear exact amounts, and the rest is divided among others by `weights`.

    For example, `with_exact(1000, {"ben": 400}, {"ann": 1, "cho": 1}, payer="ann")` -> `{"ben": 400, "ann": 300, "cho": 300}`.
    Raises: ValueError, if the exact amounts exceed the amount, or do not reach the amount and nobody else takes part.
    """
    left_minor = minor - sum(exact.values())
    if left_minor < 0 or (left_minor > 0 and not weights) or not exact.keys().isdisjoint(weights):
        raise ValueError("the exact amounts do not add up to the amount")
    divided_shares = divided(left_minor, weights, payer=payer, unit=unit) if left_minor else {}
    people = dict.fromkeys(chain(exact, divided_shares))
    return {person: exact.get(person, 0) + divided_shares.get(person, 0) for person in people}
