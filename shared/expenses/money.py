"""Amounts of money as integers of a currency's minor unit: 1,200 yen are 1200, and 12.50 dollars are 1250.

Sources: ISO 4217, table A.1: the number of decimals of each currency; CLDR, supplementalData, `fractions`: `cashDigits`.
"""

import re
from dataclasses import dataclass
from typing import Final

from shared.search.folding import with_western_digits

_NO_DECIMALS: Final = frozenset(
    {"BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "VND", "VUV", "XAF", "XOF", "XPF"}
)
_THREE_DECIMALS: Final = frozenset({"BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"})
_USUAL_DECIMALS: Final = 2
_PAID_WHOLE: Final = frozenset(
    {
        "ALL",
        "AMD",
        "COP",
        "HUF",
        "IDR",
        "IRR",
        "KHR",
        "LAK",
        "LBP",
        "MGA",
        "MMK",
        "MNT",
        "PKR",
        "RSD",
        "TWD",
        "TZS",
        "UZS",
    }
)
"""Currencies with decimals that nobody pays."""
_CODE: Final = re.compile(r"[A-Z]{3}")
_OTHER_CODES: Final = {"NTD": "TWD", "RMB": "CNY", "CNH": "CNY", "YEN": "JPY"}
"""What people write for a code: without this, NTD and TWD would be two currencies of a chat."""
_NUMBER: Final = re.compile(r"([0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,12})(?:\.([0-9]{1,3}))?")
MOST: Final = 10**13
"""No amount is larger, in minor units: a hundred billion dollars."""
_SIGNS: Final = {
    "JPY": "¥",
    "USD": "$",
    "EUR": "€",
    "GBP": "£",
    "KRW": "₩",
    "THB": "฿",
    "TWD": "NT$",
    "VND": "₫",
    "PHP": "₱",
}


class AmountError(ValueError):
    """The text is no amount of the currency; the message says why, as a plain sentence."""


@dataclass(frozen=True, slots=True, order=True)
class Money:
    """An amount of a currency, by its code of ISO 4217.  Example: `Money("JPY", 1200)`."""

    currency: str
    minor: int

    def __str__(self) -> str:
        """Return the amount as people write it, for example "¥1,200", "$12.50" or "CHF 12.50"."""
        sign = _SIGNS.get(self.currency, f"{self.currency} ")
        return f"{'-' if self.minor < 0 else ''}{sign}{self.digits}"

    @property
    def digits(self) -> str:
        """The amount without currency and sign, such as "1,200" or "12.50": `money_in` reads it as the same amount."""
        decimals = decimals_of(self.currency)
        whole, part = divmod(abs(self.minor), 10**decimals)
        return f"{whole:,}" + (f".{part:0{decimals}d}" if part else "")


def currency_code(written: str) -> str:
    """Return the code that is meant: "usd" is USD, and "NTD" is TWD; any other text only in capital letters."""
    code = written.strip().upper()
    return _OTHER_CODES.get(code, code)


def is_currency(code: str) -> bool:
    """Whether the text has the form of a currency's code, such as JPY."""
    return _CODE.fullmatch(code) is not None


def decimals_of(currency: str) -> int:
    """Return the currency's decimals: 0 for JPY, 2 for USD, 3 for KWD."""
    if currency in _NO_DECIMALS:
        return 0
    return 3 if currency in _THREE_DECIMALS else _USUAL_DECIMALS


def unit_of_share(currency: str) -> int:
    """Return the least amount to give somebody, in minor units: 1 cent for USD, but 100 for TWD, because nobody pays a part of a dollar."""
    return 10 ** decimals_of(currency) if currency in _PAID_WHOLE else 1


def money_in(amount: str, currency: str) -> Money:
    """Return the amount of the currency.  Raises: AmountError.

    For example, `money_in("1,234.5", "USD")` is `Money("USD", 123450)`. An amount of a half yen is refused, because no rounding is silent.
    """
    code = currency_code(currency)
    if not is_currency(code):
        raise AmountError(f"{currency[:20]!r} is no currency code such as JPY.")
    written = _NUMBER.fullmatch(with_western_digits(amount).strip())
    if written is None:
        raise AmountError(f"{amount[:20]!r} is no amount: write digits, such as 1200 or 12.50.")
    decimals, part = decimals_of(code), (written[2] or "").rstrip("0")
    if len(part) > decimals:
        raise AmountError(f"{code} has {decimals} decimals, and {amount[:20]!r} has {len(part)}.")
    minor = int(written[1].replace(",", "")) * 10**decimals + int(part.ljust(decimals, "0") or "0")
    if not 0 < minor <= MOST:
        raise AmountError("An amount is above zero, and at most 100,000,000,000.")
    return Money(code, minor)
