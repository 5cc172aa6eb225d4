"""What the benchmark of prompts counts, and how much of its prompts is byte-stable."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from benchmarks.prompts import (
    LEAST_CACHED_TOKENS,
    SITUATIONS,
    Bot,
    Situation,
    conversation_of,
    fixed_tokens,
    play_conversation,
    text_of,
    tokens,
)
from shared.agent.model import FunctionDeclaration, ModelRequest, TextContent

REQUEST = ModelRequest(
    system_instruction="x" * 4 * LEAST_CACHED_TOKENS,
    declarations=(),
    contents=(TextContent(role="user", texts=("hello",)),),
    max_output_tokens=1,
    timeout_s=1.0,
)


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(16) as threads:
        yield threads


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


def test_nearly_all_of_a_conversation_stands_in_a_prefix_that_the_turn_before_has_sent(
    pool: ThreadPoolExecutor,
) -> None:
    assert play_conversation(pool).cached_share > 0.93


@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda situation: situation.name)
def test_a_situation_takes_no_more_requests_than_it_needs(situation: Situation, pool: ThreadPoolExecutor) -> None:
    bot = Bot(pool, is_group=situation.is_group, toolsets=situation.toolsets, policy=situation.policy)

    requests = situation.say(bot)

    assert len(requests) == 1 + bool(situation.toolsets)  # what is looked up is read by a second request
    assert len({fixed_tokens(request) for request in requests}) == 1
    is_addressed = situation.name != "group, unaddressed"
    assert fixed_tokens(requests[0]) > (LEAST_CACHED_TOKENS if is_addressed else 3_800)
