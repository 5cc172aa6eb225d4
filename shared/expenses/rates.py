"""Rates between currencies, in people's words: 「1ドル150円で」, or "100 yen is 22 baht".  Balances are converted, never expenses.

The balances of a chat are rounded once, together: the converted balances add up to zero, and none is a whole minor unit off.
"""

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Final

from shared.expenses.money import AmountError, currency_code, decimals_of, is_currency, unit_of_share
from shared.frozen import frozen
from shared.search.folding import with_western_digits

MOST_RATES: Final = 5
_NUMBER: Final = re.compile(r"([0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,12})(?:\.([0-9]{1,6}))?")


@frozen
class Rate:
    """`amount` of the currency `source` makes `makes` of `target`.  Example: 1 USD makes 150 JPY."""

    source: str
    amount: Fraction
    target: str
    makes: Fraction

    def __str__(self) -> str:
        """Return the rate for people, such as "1 USD = 150 JPY"."""
        return f"{_written(self.amount)} {self.source} = {_written(self.makes)} {self.target}"

    @property
    def minor_factor(self) -> Fraction:
        """How many minor units of the target a minor unit of the source makes: of 1 USD = 150 JPY, 3/2 yen a cent."""
        scale = Fraction(10 ** decimals_of(self.target), 10 ** decimals_of(self.source))
        return self.makes / self.amount * scale


def _written(number: Fraction) -> str:
    """Return a number of at most six decimals: "1,234.5"."""
    whole, _, part = f"{Decimal(number.numerator) / number.denominator:,.6f}".partition(".")
    part = part.rstrip("0")
    return f"{whole}.{part}" if part else whole


def number_in(written: str) -> Fraction:
    """Return a number above zero: `number_in("1,234.5")` is 2469/2.  Raises: AmountError."""
    text = with_western_digits(written).strip()
    if _NUMBER.fullmatch(text) is None or not (number := Fraction(text.replace(",", ""))):
        raise AmountError(f"{written[:20]!r} is no number of a rate: write digits, such as 150 or 0.22.")
    return number


def rate_of(*, amount: str, source: str, makes: str, target: str) -> Rate:
    """Return the rate.  Raises: AmountError.  Example: `rate_of(amount="1", source="usd", makes="150", target="jpy")`."""
    codes = [currency_code(code) for code in (source, target)]
    if not all(map(is_currency, codes)) or codes[0] == codes[1]:
        raise AmountError("A rate is between two currency codes, such as USD and JPY.")
    return Rate(source=codes[0], amount=number_in(amount), target=codes[1], makes=number_in(makes))


@dataclass(frozen=True, slots=True)
class Rates:
    """The rates of one call, all into one currency; none: every currency is kept apart."""

    rates: tuple[Rate, ...] = ()

    def __post_init__(self) -> None:
        """Check the rates.  Raises: AmountError, if a currency has two rates, or the rates lead into several currencies."""
        sources = [rate.source for rate in self.rates]
        if len(self.rates) > MOST_RATES or len(set(sources)) < len(sources):
            raise AmountError(f"Pass at most {MOST_RATES} rates, one for each currency.")
        if len({rate.target for rate in self.rates}) > 1:
            raise AmountError("Pass rates into one currency only.")

    @property
    def target(self) -> str:
        """The currency that everything is converted into; empty without rates."""
        return self.rates[0].target if self.rates else ""

    def sources_of(self, currency: str) -> frozenset[str]:
        """Return `currency` and the currencies with a rate into `currency`."""
        return frozenset({currency, *(rate.source for rate in self.rates if rate.target == currency)})

    def converted(self, balances: Mapping[str, Mapping[str, int]]) -> dict[str, dict[str, int]]:
        """Return the balances by currency; a currency with a rate is added to the balances of the target.

        For example, at 1 USD = 150 JPY, `{"USD": {"ann": 1000, "ben": -1000}}` becomes `{"JPY": {"ann": 1500, "ben": -1500}}`.
        """
        factors = {rate.source: rate.minor_factor for rate in self.rates}
        if factors.keys().isdisjoint(balances):
            return {code: dict(totals) for code, totals in balances.items()}
        exact: dict[str, Fraction] = {}
        for code in sorted(balances.keys() & {*factors, self.target}):
            for person, minor in balances[code].items():
                exact[person] = exact.get(person, Fraction()) + minor * factors.get(code, Fraction(1))
        apart = {code: dict(totals) for code, totals in balances.items() if code not in {*factors, self.target}}
        return dict(sorted({**apart, self.target: rounded_together(exact, unit=unit_of_share(self.target))}.items()))


def rounded_together(exact: Mapping[str, Fraction], *, unit: int = 1) -> dict[str, int]:
    """Return whole multiples of `unit` for exact amounts; both add up to zero, and no difference is a whole unit.

    The rest of rounding down goes to the amounts with the largest fractions, a unit each: `{"ann": 1.5, "ben": -1.5}` becomes
    `{"ann": 2, "ben": -2}`. Raises: ValueError, if the sum is not zero.
    """
    if sum(exact.values(), Fraction()):
        raise ValueError("balances add up to zero")
    whole = {person: math.floor(amount / unit) for person, amount in exact.items()}
    short_units = -sum(whole.values())
    largest_first: Iterable[str] = sorted(exact, key=lambda person: (whole[person] - exact[person] / unit, person))
    for person in list(largest_first)[:short_units]:
        whole[person] += 1
    return {person: units * unit for person, units in whole.items()}
