"""Numbers as proof of a text's source: people say 「今の覚えておいて」 after a PIN, and the model files the PIN in other words.

Years, dates, times and prices occur in unrelated texts and prove nothing.
"""

import unicodedata
from dataclasses import dataclass, field
from typing import Final

import regex

from shared.late_patterns import late

_DISTINCTIVE_DIGITS: Final = 6
_LISTED: Final = 6  # a message with more short numbers is a list, likely to hold any number
_BRIEF: Final = 32  # characters of a message about hardly more than a number, such as "my PIN is 1987"
_GROUP: Final = late(regex.compile, r"\d{4,}")
_JOINED: Final = late(regex.compile, r"(?<!\d)\d++(?:[- \u2010-\u2015\u2212ー]\d++)++")
_DIGIT: Final = late(regex.compile, r"\d")
_YEAR: Final = late(regex.compile, r"(?:19|20)\d\d(?:(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01]))?")
_DATE_OR_PRICE: Final = late(
    regex.compile,
    r"""
    (?<!\d)(?<!\d[-/.])(?:19|20)\d\d(?:年|[-/.]\d{1,2}(?!\d)(?:[-/.]\d{1,2}(?!\d))?)
    | (?<!\d)(?<!\d[-/.])\d{1,2}[-/.]\d{1,2}[-/.](?:19|20)\d\d(?!\d)
    | [$€£¥฿₩][ ]?\d[\d,.]*+
    | (?<!\d)(?<!\d[,.])\d[\d,.]*+[ ]?(?:[$€£¥฿₩]|円|元|圓|원|บาท|どる|ゆーろ|yen|jpy|usd|twd|eur|thb|dollar|euro|baht)
    """,
    regex.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Numbers:
    """The numbers of a folded text: `distinctive` numbers have six digits and more, `short` numbers four and five.

    A number in groups, such as 090-1234-5678, counts as a whole and in groups of at least four digits. `all_numbers` also has the numbers
    in dates and prices. For example, "my pin is 4711, since 2024-05-01" has the short number 4711, and 2024 only among all numbers.
    """

    distinctive: frozenset[str] = field(repr=False)
    short: frozenset[str] = field(repr=False)
    all_numbers: frozenset[str] = field(repr=False)
    is_brief: bool

    @classmethod
    def of(cls, folded: str) -> "Numbers":
        """Return the numbers of a folded text: `Numbers.of("my pin is 4711").short` holds "4711"."""
        proving = _numbers(_DATE_OR_PRICE.sub(" / ", folded))
        distinctive = frozenset(one for one in proving if len(one) >= _DISTINCTIVE_DIGITS and not _YEAR.fullmatch(one))
        return cls(
            distinctive=distinctive,
            short=proving - distinctive,
            all_numbers=_numbers(folded),
            is_brief=len(folded) <= _BRIEF,
        )

    @property
    def are_provable(self) -> bool:
        """Whether any number can have a source."""
        return bool(self.distinctive or self.short)

    def common(self, other: "Numbers") -> frozenset[str]:
        """Return the distinctive and short numbers that are in both texts."""
        return (self.distinctive | self.short) & (other.distinctive | other.short)

    def prove(self, text: "Numbers", *, explained: frozenset[str]) -> bool:
        """Whether a message with these numbers is a source of the text.

        An `explained` number, said by another message, proves nothing. A short number proves nothing if the message is a list of numbers; a
        possible year, such as 1987, counts only in a brief message.
        """
        if not (self.distinctive & text.distinctive) <= explained:
            return True
        shared = (self.short & text.short) - explained
        return len(self.short) <= _LISTED and any(self.is_brief or not _YEAR.fullmatch(one) for one in shared)


def _numbers(folded: str) -> frozenset[str]:
    joined = ("".join(_DIGIT.findall(one)) for one in _JOINED.findall(folded))
    digit_groups = (*_GROUP.findall(folded), *(one for one in joined if len(one) >= _DISTINCTIVE_DIGITS))
    return frozenset("".join(map(_plain, one)) for one in digit_groups)


def _plain(digit: str) -> str:
    """Return the ASCII digit, or the digit itself where only the newer Unicode of the `regex` library knows the digit."""
    value = unicodedata.digit(digit, None)
    return digit if value is None else str(value)
