"""The price of tokens, for example `dollars("gemini-3.6-flash", usage)`.

Source: Google, "Gemini Developer API pricing", paid tier, as of 2026-11; thoughts are billed as output.
"""

from typing import Final

from shared.agent.token_estimate import estimated_tokens
from shared.metering import Usage

_DOLLARS_A_MILLION: Final = {
    "gemini-3.5-flash-lite": (0.30, 2.50),
    "gemini-3.8-flash": (1.50, 7.50),
    "gemini-3.6-flash": (1.50, 7.50),
    "gemini-3.1-flash-lite": (0.25, 1.50),
}
_OF_CACHED: Final = 0.1  # price of a cached token, relative to an input token
_MILLION: Final = 1_000_000


def dollars(model_name: str, usage: Usage) -> float | None:
    """Return the price of the tokens; None for a model without a known price.

    For example, a million prompt tokens of gemini-3.6-flash cost 1.50.
    """
    price = _DOLLARS_A_MILLION.get(model_name)
    if price is None:
        return None
    fresh = usage.prompt_tokens - usage.cached_tokens
    output = usage.output_tokens + usage.thought_tokens
    return (price[0] * (fresh + _OF_CACHED * usage.cached_tokens) + price[1] * output) / _MILLION


def estimated_usage(prompt: str, *, answers: int) -> Usage:
    """Return an upper estimate of the tokens of some requests by their texts, with 250 tokens of thought and call for each answer."""
    return Usage(prompt_tokens=estimated_tokens(prompt), output_tokens=100 * answers, thought_tokens=150 * answers)
