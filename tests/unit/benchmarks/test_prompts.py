"""What the benchmark of prompts counts."""

from dataclasses import replace

from benchmarks.prompts import LEAST_CACHED_TOKENS, conversation_of, text_of, tokens
from shared.agent.model import FunctionDeclaration, ModelRequest, TextContent

REQUEST = ModelRequest(
    system_instruction="x" * 4 * LEAST_CACHED_TOKENS,
    declarations=(),
    contents=(TextContent(role="user", texts=("hello",)),),
    max_output_tokens=1,
    timeout_s=1.0,
)


def saying(text: str) -> ModelRequest:
    """Return the request with another content."""
    return replace(REQUEST, contents=(TextContent(role="user", texts=(text,)),))


def test_the_tokens_of_a_common_prefix_are_cached_from_the_second_request_on() -> None:
    talk = conversation_of([saying("hello"), saying("hello there"), saying("hello there, you")])

    sizes = [tokens(text_of(saying(text))) for text in ("hello", "hello there", "hello there, you")]
    assert (talk.requests, talk.prompt_tokens) == (3, sum(sizes))
    assert talk.cached_tokens == sum(sizes[:2])
    assert talk.cached_share == talk.cached_tokens / talk.prompt_tokens


def test_a_short_common_prefix_is_not_cached() -> None:
    short = replace(REQUEST, system_instruction="x" * 400)

    assert conversation_of([short, short]).cached_tokens == 0


def test_a_declaration_counts_without_the_keywords_that_are_not_sent() -> None:
    parameters = {"type": "object", "properties": {"text": {"type": "string"}}}
    checked = {**parameters, "properties": {"text": {"type": "string", "maxLength": 300}}}
    plain, with_limit = (
        replace(REQUEST, declarations=(FunctionDeclaration(name="a", description="b", parameters=schema),))
        for schema in (parameters, checked)
    )

    assert text_of(plain) == text_of(with_limit)
