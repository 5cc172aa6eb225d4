"""One rule for estimates of tokens, which budgets, tables and benchmarks share."""

import math


def estimated_tokens(text: str) -> int:
    """Return an upper estimate: one token for four ASCII characters, one for each character of any other script."""
    ascii_characters = len(text.encode("ascii", "ignore"))
    return len(text) - ascii_characters + math.ceil(ascii_characters / 4)


def within_tokens(text: str, limit_tokens: int) -> str:
    """Return as much of the beginning of the text as stays within the limit; it may end inside a word, never inside a code point."""
    kept = text[: limit_tokens * 4]
    while kept and (tokens := estimated_tokens(kept)) > limit_tokens:
        kept = kept[: len(kept) * limit_tokens // tokens]
    return kept
