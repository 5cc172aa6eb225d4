"""The budget of a tool's result: a longer result is cut, and a remark says how to get more.

Results are sent again in every later request of the turn, so a long one costs its length several times.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Final

from shared.agent.model import Content, FunctionResponse, FunctionResponses, Json
from shared.agent.token_estimate import estimated_tokens

RESULT_TOKENS: Final = 6_000
"""Tokens of one result."""
TURN_TOKENS: Final = 24_000
"""Tokens of all results in a request; the oldest are left out first."""
_STRING_CHARACTERS: Final = (2_000, 500, 120)
_CUT: Final = "Only a part of the result is shown. For the rest ask for less at once: a narrower query, a filter or a smaller limit."
_LEFT_OUT: Final = "This result was left out, because later ones took its place. Call again if it is needed."


def tokens_of(data: object) -> int:
    """Return the estimated tokens of data as JSON: `tokens_of({"name": "milk"})` is 4."""
    return estimated_tokens(json.dumps(data, ensure_ascii=False, default=str))


def fitted(data: Json, *, limit_tokens: int = RESULT_TOKENS) -> Json:
    """Return the data, cut to the limit, with a remark under `cut`: shorter texts first, then shorter lists.

    For example, a list of 1,000 rows becomes `{"rows": [...], "cut": "Only a part of the result is shown. ..."}`.
    """
    if tokens_of(data) <= limit_tokens:
        return data
    cut: object = data
    for limit in _STRING_CHARACTERS:
        cut = _with_short_strings(data, limit)
        if tokens_of(cut) <= limit_tokens:
            break
    list_length = _longest_list(cut)
    while tokens_of(cut) > limit_tokens and list_length > 0:
        list_length //= 2
        cut = _with_short_lists(cut, list_length)
    if not isinstance(cut, Mapping) or tokens_of(cut) > limit_tokens:
        return {"cut": _CUT}
    return {**cut, "cut": _CUT}


def within_turn(contents: Sequence[Content], *, limit_tokens: int = TURN_TOKENS) -> tuple[Content, ...]:
    """Return the contents of a turn; results beyond the limit, the oldest first, become a remark.  The newest round stays."""
    remaining_tokens, is_newest = limit_tokens, True
    newest_first: list[Content] = []
    for content in reversed(contents):
        if isinstance(content, FunctionResponses):
            remaining_tokens -= sum(tokens_of(one.response) for one in content.responses)
            if remaining_tokens < 0 and not is_newest:
                content = FunctionResponses(responses=tuple(map(_left_out, content.responses)))  # noqa: PLW2901 - as it is sent
            is_newest = False
        newest_first.append(content)
    return tuple(reversed(newest_first))


def _left_out(response: FunctionResponse) -> FunctionResponse:
    """Return the remark on a result that was left out; a result no longer than the remark stays."""
    remark = FunctionResponse(call=response.call, response={"output": {"note": _LEFT_OUT}})
    return min(response, remark, key=lambda shown: tokens_of(shown.response))


def _with_short_strings(data: object, limit: int) -> object:
    if isinstance(data, str):
        return data if len(data) <= limit else f"{data[:limit]}…"
    if isinstance(data, Mapping):
        return {name: _with_short_strings(value, limit) for name, value in data.items()}
    if isinstance(data, list | tuple):
        return [_with_short_strings(value, limit) for value in data]
    return data


def _with_short_lists(data: object, limit: int) -> object:
    if isinstance(data, Mapping):
        return {name: _with_short_lists(value, limit) for name, value in data.items()}
    if isinstance(data, list | tuple):
        return [_with_short_lists(value, limit) for value in data[:limit]]
    return data


def _longest_list(data: object) -> int:
    if isinstance(data, Mapping):
        return max(map(_longest_list, data.values()), default=0)
    if isinstance(data, list | tuple):
        return max((len(data), *map(_longest_list, data)))
    return 0
