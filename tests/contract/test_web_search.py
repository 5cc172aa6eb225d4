"""The port `WebSearch` with the real client on the wire to Gemini's stand-in."""

from collections.abc import Iterator

import pytest

from shared.adapters.gemini_search import GeminiWebSearch
from shared.clock import Deadline, SystemClock
from shared.errors import ModelBlockedError, ModelRefusedError, ModelUnavailableError
from shared.tools.web import WebSource
from simulator.gemini.app import GeminiStandIn
from simulator.gemini.script import blocked, dropped, empty, failure, finish, grounded, malformed_json, unavailable
from tests.support.gemini_access import served_gemini_stand_in

TEXT = "東京は晴れです。大阪は雨です。"
FIRST = len("東京は晴れです。".encode())


def chunk(url: str, title: str) -> dict[str, object]:
    return {"web": {"uri": url, "title": title}}


def support(end: int, *chunks: int) -> dict[str, object]:
    return {"segment": {"endIndex": end}, "groundingChunkIndices": list(chunks)}


@pytest.fixture(scope="module", params=["api key", "vertex"])
def served_gemini(request: pytest.FixtureRequest) -> Iterator[tuple[GeminiStandIn, GeminiWebSearch]]:
    with served_gemini_stand_in(on_vertex=request.param == "vertex") as (stand_in, settings):
        yield stand_in, GeminiWebSearch(settings)


@pytest.fixture
def gemini(served_gemini: tuple[GeminiStandIn, GeminiWebSearch]) -> Iterator[GeminiStandIn]:
    yield served_gemini[0]
    served_gemini[0].reset()


@pytest.fixture
def web(served_gemini: tuple[GeminiStandIn, GeminiWebSearch]) -> GeminiWebSearch:
    return served_gemini[1]


@pytest.fixture
def deadline() -> Deadline:
    return Deadline.after(SystemClock(), 8)


def test_an_answer_cites_its_sources_by_number(gemini: GeminiStandIn, web: GeminiWebSearch, deadline: Deadline) -> None:
    grounding = {
        "webSearchQueries": ["東京 天気", "大阪 天気", "東京 天気"],
        "groundingChunks": [
            chunk("https://a.example", "a"),
            chunk("https://b.example", "b"),
            chunk("https://a.example", "a"),
        ],
        "groundingSupports": [support(FIRST, 0), support(len(TEXT.encode()), 1, 2)],
    }
    gemini.script([grounded(TEXT, grounding)])

    found = web.search("東京と大阪の天気は？", deadline)

    assert found.text == "東京は晴れです。[1]大阪は雨です。[1][2]"
    assert found.sources == (
        WebSource(title="a", url="https://a.example"),
        WebSource(title="b", url="https://b.example"),
    )
    assert found.searches == ("東京 天気", "大阪 天気")


def test_a_request_has_the_search_tool_only(gemini: GeminiStandIn, web: GeminiWebSearch, deadline: Deadline) -> None:

    found = web.search("紅葉の見頃", deadline)

    (asked,) = gemini.requests
    assert asked.request is not None
    assert asked.request.built_in_tools == ("googleSearch",)
    assert asked.request.functions == ()
    assert found.sources
    assert "[1]" in found.text


def test_invalid_offsets_and_sources_are_ignored(
    gemini: GeminiStandIn, web: GeminiWebSearch, deadline: Deadline
) -> None:
    nowhere = [chunk(url, "b") for url in ("ftp://b.example", "https://[b.example", "https://", "")]
    grounding = {
        "groundingChunks": [chunk("https://a.example", "a"), *nowhere, {"web": {}}],
        "groundingSupports": [support(1, 0), support(10_000, 0), support(FIRST, 7), support(FIRST, 1), {}],
    }
    gemini.script([grounded(TEXT, grounding)])

    found = web.search("x", deadline)

    assert found.text == TEXT
    assert [one.url for one in found.sources] == ["https://a.example"]


def test_an_answer_without_a_search_has_no_sources(
    gemini: GeminiStandIn, web: GeminiWebSearch, deadline: Deadline
) -> None:
    gemini.script([grounded("I know.", {})])

    assert web.search("x", deadline).sources == ()


@pytest.mark.parametrize(
    ("step", "error"),
    [
        (unavailable(), ModelUnavailableError),
        (dropped(), ModelUnavailableError),
        (malformed_json(), ModelUnavailableError),
        (empty(), ModelUnavailableError),
        (finish("SAFETY"), ModelBlockedError),
        (blocked(), ModelBlockedError),
        (failure(403, "PERMISSION_DENIED", "no"), ModelRefusedError),
    ],
    ids=lambda value: str(value)[:40],
)
def test_an_error_class_tells_whether_a_retry_can_help(
    step: object, error: type[Exception], gemini: GeminiStandIn, web: GeminiWebSearch, deadline: Deadline
) -> None:
    gemini.script([step])  # type: ignore[list-item]

    with pytest.raises(error):
        web.search("x", deadline)


def test_a_search_without_time_sends_no_request(gemini: GeminiStandIn, web: GeminiWebSearch) -> None:

    with pytest.raises(ModelUnavailableError, match="no time is left"):
        web.search("x", Deadline.after(SystemClock(), 0))

    assert gemini.requests == ()
