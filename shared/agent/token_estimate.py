"""The common estimate of tokens for budgets, tables and benchmarks."""

import math


def estimated_tokens(text: str) -> int:
    """Return an upper estimate: one token for four ASCII characters, one for each other character; `estimated_tokens("牛乳 x2")` is 3."""
    ascii_characters = len(text.encode("ascii", "ignore"))
    return len(text) - ascii_characters + math.ceil(ascii_characters / 4)


def within_tokens(text: str, limit_tokens: int) -> str:
    """Return the beginning of the text within the limit; it may end inside a word, never inside a code point."""
    beginning = text[: limit_tokens * 4]
    while beginning and (tokens := estimated_tokens(beginning)) > limit_tokens:
        beginning = beginning[: len(beginning) * limit_tokens // tokens]
    return beginning
