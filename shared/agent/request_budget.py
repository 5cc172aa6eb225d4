"""The budget of a whole request to the model: instructions, declarations, the chat, and every round of the turn.

Each part has its own budget; the budget of the request holds even if many parts are full at once. Parts are dropped in order: results of
earlier rounds; whole earlier rounds, if the model's contents take more than half; a part of the newest results; words of the chat, the
oldest first. Instructions and declarations belong to the deployment and stay. A remaining round is sent unchanged, because the provider
checks its signatures.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Final

from shared.agent.model import (
    DECLARATIONS_CACHED,
    Content,
    FilePart,
    FunctionDeclaration,
    FunctionResponse,
    FunctionResponses,
    Json,
    MediaPart,
    MixedContent,
    ModelContent,
    Part,
    TextContent,
)
from shared.agent.result_budget import fitted, tokens_of, within_turn
from shared.agent.token_estimate import estimated_tokens
from shared.agent.transcript import DAY_NOTE_TOKENS, is_day_note, shortened

REQUEST_TOKENS: Final = 60_000
MEDIUM_TOKENS: Final = 1_200
"""Tokens that this budget counts for a medium; its bytes are bounded by INLINE_LIMIT_BYTES."""
_REMARK_TOKENS: Final = 60  # of "more characters are left out", or of `cut`
_LEAST_TOKENS: Final = 100  # of a result or a text that is cut
_LINE: Final = "\n["  # where a line of the transcript begins
_CUT: Final = "[note] What was said before is not shown here."


def within_request(
    system_instruction: str,
    declarations: Sequence[FunctionDeclaration],
    contents: Sequence[Content],
    *,
    limit_tokens: int = REQUEST_TOKENS,
) -> tuple[Content, ...]:
    """Return the contents of a request within the limit, the newest as whole as possible.

    For example, a request of 80,000 tokens loses the results of its earlier rounds first.
    """
    available_tokens = limit_tokens - tokens_of_request(system_instruction, declarations, ())
    fitting = within_turn(contents)
    steps: tuple[Callable[[tuple[Content, ...], int], tuple[Content, ...]], ...] = (
        _without_earlier_results,
        _without_earlier_rounds,
        _with_short_results,
        _with_short_texts,
    )
    for shorten in steps:
        if tokens_of_contents(fitting) <= available_tokens:
            break
        fitting = shorten(fitting, available_tokens)
    return fitting


def tokens_of_request(
    system_instruction: str, declarations: Sequence[FunctionDeclaration], contents: Sequence[Content]
) -> int:
    """Return the estimated tokens of a whole request."""
    stays = estimated_tokens(system_instruction) + sum(map(_tokens_of_declaration, declarations))
    return stays + tokens_of_contents(contents)


def tokens_of_contents(contents: Sequence[Content]) -> int:
    """Return the estimated tokens of contents, with MEDIUM_TOKENS for each medium."""
    return sum(map(_tokens_of_content, contents))


@lru_cache(maxsize=DECLARATIONS_CACHED)
def _tokens_of_declaration(declaration: FunctionDeclaration) -> int:
    return tokens_of([declaration.name, declaration.description, declaration.parameters])


def _tokens_of_content(content: Content) -> int:
    match content:
        case TextContent():
            return sum(map(estimated_tokens, content.texts))
        case MixedContent():
            media = sum(isinstance(part, MediaPart) for part in content.parts)
            return sum(map(estimated_tokens, content.texts)) + media * MEDIUM_TOKENS
        case FunctionResponses():
            return sum(tokens_of(one.response) for one in content.responses)
        case ModelContent():
            return tokens_of(content.wire)


def _without_earlier_results(contents: tuple[Content, ...], available_tokens: int) -> tuple[Content, ...]:
    other_tokens = sum(_tokens_of_content(one) for one in contents if not isinstance(one, FunctionResponses))
    fitting = within_turn(contents, limit_tokens=max(0, available_tokens - other_tokens))
    # The remarks take tokens, too: if they do not fit, no earlier result stays
    return fitting if tokens_of_contents(fitting) <= available_tokens else within_turn(contents, limit_tokens=0)


def _without_earlier_rounds(contents: tuple[Content, ...], available_tokens: int) -> tuple[Content, ...]:
    """Return the contents without the oldest rounds of the turn, so that the model's contents take at most half.

    A round is dropped whole: the model's content with the answers to its calls.
    """
    remaining = list(contents)
    while tokens_of_contents([one for one in remaining if isinstance(one, ModelContent)]) > available_tokens // 2:
        begins = next((index for index, one in enumerate(remaining) if isinstance(one, ModelContent)), None)
        if begins is None or not any(isinstance(one, ModelContent) for one in remaining[begins + 1 :]):
            break
        ends = next(index for index, one in enumerate(remaining) if index > begins and isinstance(one, ModelContent))
        del remaining[begins:ends]
    return tuple(remaining)


def _with_short_results(contents: tuple[Content, ...], available_tokens: int) -> tuple[Content, ...]:
    """Return the contents with the newest results cut, all to the same length."""
    newest = max(
        (index for index, answer in enumerate(contents) if isinstance(answer, FunctionResponses)), default=None
    )
    if newest is None:
        return contents
    round_ = contents[newest]
    assert isinstance(round_, FunctionResponses)  # noqa: S101 - as it was found
    other_tokens = tokens_of_contents(contents) - _tokens_of_content(round_)
    each = _fair_limit([tokens_of(answer.response) for answer in round_.responses], available_tokens - other_tokens)
    cut = tuple(
        FunctionResponse(call=answer.call, response=_short_response(answer.response, each))
        for answer in round_.responses
    )
    return (*contents[:newest], FunctionResponses(responses=cut), *contents[newest + 1 :])


def _short_response(response: Json, limit_tokens: int) -> Json:
    output = response.get("output")
    if tokens_of(response) <= limit_tokens or not isinstance(output, dict):
        return response
    cut = {"output": fitted(output, limit_tokens=max(_LEAST_TOKENS, limit_tokens) - _REMARK_TOKENS)}
    return min(response, cut, key=tokens_of)


def _with_short_texts(contents: tuple[Content, ...], available_tokens: int) -> tuple[Content, ...]:
    """Return the contents with the longest texts cut to the same length: the transcript at its beginning, other texts at the end."""
    texts = [text for one in contents if isinstance(one, TextContent | MixedContent) for text in one.texts]
    sizes = [estimated_tokens(text) for text in texts]
    each = _fair_limit(sizes, available_tokens - (tokens_of_contents(contents) - sum(sizes)))
    is_transcript = True

    def short(part: Part) -> Part:
        nonlocal is_transcript
        if isinstance(part, MediaPart):
            return part
        if isinstance(part, FilePart):
            return FilePart(text=min(part.text, _beginning(part.text, each), key=estimated_tokens))
        cut = _newest_lines if is_transcript else _beginning
        is_transcript = False
        return min(part, cut(part, each), key=estimated_tokens)

    return tuple(_with_parts(one, short) for one in contents)


def _with_parts(content: Content, change: Callable[[Part], Part]) -> Content:
    match content:
        case TextContent():
            texts = (change(text) for text in content.texts)
            return TextContent(role=content.role, texts=tuple(one for one in texts if isinstance(one, str)))
        case MixedContent():
            return MixedContent(parts=tuple(map(change, content.parts)))
        case FunctionResponses() | ModelContent():
            return content


def _newest_lines(text: str, limit_tokens: int) -> str:
    """Return the text with a remark in place of its oldest lines; the note of the day from which the first remaining line is stays."""
    if estimated_tokens(text) <= limit_tokens:
        return text
    opening, *lines = text.split(_LINE)
    available_tokens = limit_tokens - estimated_tokens(opening) - estimated_tokens(_CUT) - DAY_NOTE_TOKENS - 2
    newest: list[str] = []
    for line in reversed(lines):
        available_tokens -= estimated_tokens(line) + 1
        if available_tokens < 0:
            break
        newest.append(line)
    earlier = lines[: len(lines) - len(newest) + 1]
    day = next((line for line in reversed(earlier) if is_day_note(f"[{line}")), None)
    if newest and day is not None and day != newest[-1]:
        newest.append(day)
    return _LINE.join((_beginning(opening, limit_tokens) + f"\n{_CUT}", *reversed(newest)))


def _beginning(text: str, limit_tokens: int) -> str:
    if estimated_tokens(text) <= limit_tokens:
        return text
    return shortened(text, limit_tokens=max(_LEAST_TOKENS, limit_tokens) - _REMARK_TOKENS)


def _fair_limit(sizes: Sequence[int], total: int) -> int:
    """Return the common limit at which all sizes together fit into `total`; uncut, the sizes exceed the total.

    For example, `_fair_limit([100, 900, 900], 1_000)` is 450.
    """
    available_tokens = total
    for place, size in enumerate(sorted(sizes)):
        share = available_tokens // (len(sizes) - place)
        if size > share:
            return max(0, share)
        available_tokens -= size
    return 0
