"""The budget of a tool's result: what is longer is cut, and says how to get more.

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
    """Return the estimated tokens of data as JSON."""
    return estimated_tokens(json.dumps(data, ensure_ascii=False, default=str))


def fitted(data: Json, *, limit_tokens: int = RESULT_TOKENS) -> Json:
    """Return the data, or as much of it as the limit allows, with a remark under `cut`: shorter texts first, then shorter lists."""
    if tokens_of(data) <= limit_tokens:
        return data
    cut: object = data
    for limit in _STRING_CHARACTERS:
        cut = _with_short_strings(data, limit)
        if tokens_of(cut) <= limit_tokens:
            break
    kept = _longest_list(cut)
    while tokens_of(cut) > limit_tokens and kept > 0:
        kept //= 2
        cut = _with_short_lists(cut, kept)
    if not isinstance(cut, Mapping) or tokens_of(cut) > limit_tokens:
        return {"cut": _CUT}
    return {**cut, "cut": _CUT}


def within_turn(contents: Sequence[Content], *, limit_tokens: int = TURN_TOKENS) -> tuple[Content, ...]:
    """Return the contents of a turn; of results beyond the limit, the oldest first, only a remark is left.  The newest round stays."""
    left, is_newest = limit_tokens, True
    kept: list[Content] = []
    for content in reversed(contents):
        if isinstance(content, FunctionResponses):
            left -= sum(tokens_of(one.response) for one in content.responses)
            if left < 0 and not is_newest:
                content = FunctionResponses(responses=tuple(map(_left_out, content.responses)))  # noqa: PLW2901 - as it is sent
            is_newest = False
        kept.append(content)
    return tuple(reversed(kept))


def _left_out(response: FunctionResponse) -> FunctionResponse:
    """Return the remark that a result is left out; the result itself where it is as short as that."""
    remark = FunctionResponse(call=response.call, response={"output": {"note": _LEFT_OUT}})
    return min(response, remark, key=lambda one: tokens_of(one.response))


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
