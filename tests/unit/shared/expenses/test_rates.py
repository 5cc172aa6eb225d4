from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.expenses.money import AmountError
from shared.expenses.rates import MOST_RATES, Rate, Rates, number_in, rate_of, rounded_together
from shared.expenses.settlement import balances, transfers
from shared.expenses.shares import divided

_PEOPLE = tuple(f"p{number}" for number in range(7))
_CURRENCIES = ("JPY", "USD", "KWD", "THB")
_NUMBERS = st.decimals(min_value="0.000001", max_value="99999", places=6).map(lambda number: Fraction(str(number)))


@st.composite
def _balances(draw: st.DrawFn) -> dict[str, dict[str, int]]:
    payments: dict[str, list[tuple[str, dict[str, int]]]] = {}
    for _ in range(draw(st.integers(1, 8))):
        payer = draw(st.sampled_from(_PEOPLE))
        weights = draw(st.dictionaries(st.sampled_from(_PEOPLE), st.integers(1, 5), min_size=1))
        shares = divided(draw(st.integers(1, 10**9)), weights, payer=payer)
        payments.setdefault(draw(st.sampled_from(_CURRENCIES)), []).append((payer, shares))
    return {currency: balances(paid) for currency, paid in payments.items()}


@st.composite
def _rates(draw: st.DrawFn) -> Rates:
    target = draw(st.sampled_from(_CURRENCIES))
    sources = draw(st.sets(st.sampled_from([code for code in _CURRENCIES if code != target]), min_size=1))
    return Rates(
        tuple(
            Rate(source=source, amount=draw(_NUMBERS), target=target, makes=draw(_NUMBERS))
            for source in sorted(sources)
        )
    )


@given(kept=_balances(), rates=_rates())
def test_no_amount_is_lost_to_a_rate(kept: dict[str, dict[str, int]], rates: Rates) -> None:
    factors = {rates.target: Fraction(1), **{rate.source: rate.minor_factor for rate in rates.rates}}
    converted = rates.converted(kept)

    assert converted.keys() <= {*kept, rates.target}
    for currency, totals in converted.items():
        assert sum(totals.values()) == 0
        if currency != rates.target:
            assert totals == kept[currency]
        else:
            for person, minor in totals.items():
                exact = sum((kept[code].get(person, 0) * factors[code] for code in kept if code in factors), Fraction())
                assert abs(minor - exact) < 1


@given(kept=_balances(), rates=_rates())
def test_a_settlement_at_a_rate_clears_everybody_in_fewer_transfers_than_people(
    kept: dict[str, dict[str, int]], rates: Rates
) -> None:
    for totals in rates.converted(kept).values():
        settled = transfers(totals)
        for transfer in settled:
            totals[transfer.debtor] += transfer.minor
            totals[transfer.creditor] -= transfer.minor
        assert not any(totals.values())
        assert len(settled) < max(1, len(totals))


@given(kept=_balances())
def test_without_a_rate_currencies_are_kept_apart(kept: dict[str, dict[str, int]]) -> None:
    assert Rates().converted(kept) == kept


def test_what_nobody_can_pay_is_rounded_to_what_people_pay() -> None:
    exact = {"ann": Fraction(250), "ben": Fraction(-125), "cho": Fraction(-125)}
    assert rounded_together(exact, unit=100) == {"ann": 200, "ben": -100, "cho": -100}


def test_what_rounding_leaves_goes_to_the_largest_fractions() -> None:
    exact = {"ann": Fraction(5, 3), "ben": Fraction(-4, 3), "cho": Fraction(-1, 3)}
    assert rounded_together(exact) == {"ann": 2, "ben": -1, "cho": -1}
    with pytest.raises(ValueError, match="zero"):
        rounded_together({"ann": Fraction(1)})


@pytest.mark.parametrize(
    ("rate", "shown", "factor"),
    [
        (
            rate_of(amount="1", source="usd", makes="149.87", target="jpy"),
            "1 USD = 149.87 JPY",
            Fraction(14_987, 10_000),
        ),
        (rate_of(amount="100", source="JPY", makes="22", target="THB"), "100 JPY = 22 THB", Fraction(22)),
        (
            rate_of(amount="1,000", source="KWD", makes="3,250.5", target="USD"),
            "1,000 KWD = 3,250.5 USD",
            Fraction(6_501, 20_000),
        ),
    ],
)
def test_a_rate_is_read_in_major_units_and_shown_as_people_said_it(rate: Rate, shown: str, factor: Fraction) -> None:
    assert str(rate) == shown
    assert rate.minor_factor == factor


@pytest.mark.parametrize("written", ["0", "-1", "", "1e3", "1/3", "150円", "12,34", "0.0000001", "9" * 13])
def test_what_is_no_number_makes_no_rate(written: str) -> None:
    with pytest.raises(AmountError):
        number_in(written)


def test_rates_are_between_two_currencies_and_lead_into_one() -> None:
    def rate(source: str, target: str) -> Rate:
        return rate_of(amount="1", source=source, makes="2", target=target)

    for source, target in (("USD", "USD"), ("$", "JPY")):
        with pytest.raises(AmountError):
            rate(source, target)
    for rates in (
        (rate("USD", "JPY"), rate("USD", "JPY")),
        (rate("USD", "JPY"), rate("JPY", "THB")),
        tuple(rate(f"AA{letter}", "JPY") for letter in "ABCDEFGH"[: MOST_RATES + 1]),
    ):
        with pytest.raises(AmountError):
            Rates(rates)
