r"""The symbols at the beginning of receipts (✓) and proposals (☐), in every form that a model may forge.

Only a letter or a digit before a symbol hides the symbol: `「✓ …」`, `🗑 ✓ …`, `① ✓ …` also count as such lines.
Source: Unicode 15, blocks Dingbats and Miscellaneous Symbols; UAX #44, `Default_Ignorable_Code_Point` (`\p{DI}`).
"""

from collections.abc import Iterable
from typing import Final

import regex

from shared.late_patterns import late

_BREAKS: Final = r"\n\v\f\r\x1c-\x1e\x85\u2028\u2029"
BLANKS: Final = r"\s\u115f\u1160\u2800\u3164\uffa0"
"""Spaces, and letters that look like one."""
_OPEN_SYMBOL: Final = "\u2610"
_SYMBOL: Final = r"\u237b\u2610-\u2612\u2705\u2713\u2714\U0001f5f5\U0001f5f7-\U0001f5f9"
# Invisible characters hide no symbol, before or after it: many symbols are written with a variation selector.
_HIDDEN: Final = rf"(?:(?![{_BREAKS}])[{BLANKS}\p{{DI}}])*+"
_LIST_SIGN: Final = (
    r"(?:[-\u2010-\u2015*+\u2022\u2023\u2043\u25a0-\u25ff\u30fb\uff65\u00b7>#]{1,6}"
    r"|[(\uff08]?(?:[0-9a-zA-Z]{1,3}|[一二三四五六七八九十]{1,3})[.)\uff0e\uff09\u3001:]|[0-9]\ufe0f?\u20e3|\p{No})"
)
_OTHER_SIGN: Final = rf"(?![{_BREAKS}{_SYMBOL}])(?:[^\p{{L}}\p{{Nd}}]|[{BLANKS}\p{{DI}}])"
_LEADING: Final = late(
    regex.compile,
    rf"(?<![^{_BREAKS}])((?:{_LIST_SIGN}|{_OTHER_SIGN})*+)([{_SYMBOL}](?:(?![{BLANKS}])\p{{DI}})*+)++([{BLANKS}]?)(?=(.?))",
)
_LIST: Final = late(
    regex.compile, rf"{_HIDDEN}(?:{_LIST_SIGN}{_HIDDEN})++|.*[\p{{Ps}}\p{{Pi}}\"'|]{_HIDDEN}", regex.DOTALL
)
# Characters that look like a symbol before the words of a receipt: signs of a square root, boxes, and letters like a tick
_LIKE_A_SYMBOL: Final = rf"{_SYMBOL}\u221a\u23b7\u2228\u22c1\u25a1\u25a2\u25fb\u2b1cvVｖＶⅴⅤѵѴ"  # noqa: RUF001


def without_leading_symbols(text: str) -> str:
    """Return the text without a symbol at the beginning of any line.

    After a list sign or an opening bracket, a symbol becomes a box, because a list may report finished items: `- ✓ milk` becomes `- [x]
    milk`. After other signs the symbol is removed. For example, `without_leading_symbols("✓ milk")` is `- milk`.
    """
    return _LEADING.sub(_without_symbol, text)


def symbol_before(words: Iterable[str], *, followed_by: str) -> "regex.Pattern[str]":
    """Return the pattern of a symbol, or of a character like a symbol, before any of the words, `followed_by` another pattern."""
    several = "|".join(r"\s*+".join(map(regex.escape, one.split())) for one in sorted(words, key=len, reverse=True))
    return regex.compile(
        rf"(?<![\p{{L}}\p{{Nd}}])[{_LIKE_A_SYMBOL}]{_HIDDEN}(?=[\p{{Ps}}\p{{Pi}}]?+{_HIDDEN}(?:{several}){_HIDDEN}{followed_by})",
        regex.IGNORECASE,
    )


def _without_symbol(match: "regex.Match[str]") -> str:
    before, symbol, blank, following = match[1], match[2], match[3], match[4]
    blank = blank or (" " if following.isalnum() else "")
    if regex.fullmatch(_HIDDEN, before):
        return f"{before}-{blank or ' '}"
    if _LIST.fullmatch(before) is None:
        return str(before)
    sign = " " if symbol.startswith(_OPEN_SYMBOL) else "x"
    return f"{before}{sign if before.endswith('[') and following == ']' else f'[{sign}]'}{blank}"
