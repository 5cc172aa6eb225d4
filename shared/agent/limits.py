"""What a turn may cost: a value, so that the loop has nothing to look up."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """`model_calls` counts every request to the model, also those whose answer could not be used.

    `seconds` covers everything between the first request and the decision; a request is not begun with less than `least_call_s` left.
    """

    model_calls: int = 8
    seconds: float = 40.0
    least_call_s: float = 1.0
    tool_seconds: float = 10.0
    max_output_tokens: int = 2_048
