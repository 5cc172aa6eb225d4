import pytest

from shared.adapters.memory import FixedClock
from shared.agent.registry import Registry
from shared.agent.tools import Cited, ToolFault
from shared.agent.turn_context import TurnContext
from shared.clock import Deadline
from shared.errors import ModelBlockedError
from shared.metering import Metering
from shared.tools.core import core_tools
from shared.tools.web import FOOTNOTE_LIMIT, SOURCES_SHOWN, MeteredWebSearch, WebAnswer, WebSource, footnote, web_tools
from tests.support.knowledge import conversation_on

LONG_URL = "https://vertexaisearch.cloud.google.com/grounding-api-redirect/" + "x" * 400
ANSWER = WebAnswer(
    text="It rains.[1][2]",
    sources=(
        WebSource(title="weather.example", url=LONG_URL),
        WebSource(title="sky.example", url="http://sky.example/a?b=c"),
    ),
    searches=("東京 天気",),
)


def context() -> TurnContext:
    return TurnContext(conversation=conversation_on(), deadline=Deadline.after(FixedClock(), 7))


class Web:
    """A search engine that gives one answer to every query."""

    name = "web"

    def __init__(self, answer: WebAnswer | Exception = ANSWER) -> None:
        self.answer = answer
        self.queries: list[tuple[str, float]] = []

    def search(self, query: str, deadline: Deadline) -> WebAnswer:
        self.queries.append((query, deadline.left_s))
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def test_the_model_reads_the_answer_and_the_footnote_holds_the_links() -> None:
    web = Web()
    (tool,) = web_tools(web)

    result = tool.run({"query": "東京の天気は？\ud83d"}, context())

    assert isinstance(result, Cited)
    assert result.result == {
        "status": "success",
        "answer": "It rains.[1][2]",
        "sources": [{"number": 1, "title": "weather.example"}, {"number": 2, "title": "sky.example"}],
    }
    assert result.footnote == (
        f"[1] weather.example\n{LONG_URL}\n[2] sky.example\nhttp://sky.example/a?b=c\n"
        "Google: 東京 天気\nhttps://www.google.com/search?q=%E6%9D%B1%E4%BA%AC%20%E5%A4%A9%E6%B0%97"
    )
    assert web.queries == [("東京の天気は？\N{REPLACEMENT CHARACTER}", 7.0)]
    registry = Registry((*core_tools(), tool))
    assert registry.faults_of_response(tool, result.result) is None


def test_an_answer_without_sources_has_no_links() -> None:
    (tool,) = web_tools(Web(WebAnswer(text="I found nothing.")))

    result = tool.run({"query": "x"}, context())

    assert isinstance(result, Cited)
    assert result.footnote == ""
    assert result.result["sources"] == []


def test_the_sources_of_a_turns_second_search_have_numbers_of_their_own() -> None:
    weather = WebAnswer(text="Rain [1].", sources=(WebSource(title="a", url="https://a.example/"),))
    (tool,) = web_tools(Web(weather))
    turn = context()

    first, second = (tool.run({"query": query}, turn) for query in ("Osaka", "Tokyo"))

    assert isinstance(first, Cited)
    assert isinstance(second, Cited)
    assert [first.result["answer"], second.result["answer"]] == ["Rain [1].", "Rain [2]."]
    assert second.result["sources"] == [{"number": 2, "title": "a"}]
    assert second.footnote == "[2] a\nhttps://a.example/"


def test_an_answer_names_no_source_whose_link_is_not_shown() -> None:
    many = tuple(WebSource(title=str(number), url=f"https://example.com/{number}") for number in range(7))
    (tool,) = web_tools(Web(WebAnswer(text="Rain [1][6], sun [7]; as of [2026], [0] and [8].", sources=many)))

    result = tool.run({"query": "x"}, context())

    assert isinstance(result, Cited)
    assert result.result["answer"] == "Rain [1], sun; as of [2026], [0] and [8]."


def test_a_blocked_search_may_not_be_retried() -> None:
    (tool,) = web_tools(Web(ModelBlockedError("blocked")))

    assert tool.run({"query": "x"}, context()) == ToolFault(message="The search does not answer this.", may_retry=False)


@pytest.mark.parametrize(
    ("title", "line"),
    [
        ("Sun\nand\r\n rain\u2028", "Sun and rain"),
        (" \n ", "example.com"),
        ("👨‍👩‍👧‍👦" * 100, "👨‍👩‍👧‍👦" * 79 + "…"),
        ("a" * 5_000, "a" * 79 + "…"),
    ],
    ids=["lines", "blank", "graphemes", "long"],
)
def test_a_title_is_one_short_line_for_people_and_the_model(title: str, line: str) -> None:
    answer = WebAnswer(text="x", sources=(WebSource(title=title, url="https://example.com/a"),))

    result = web_tools(Web(answer))[0].run({"query": "x"}, context())

    assert isinstance(result, Cited)
    assert result.footnote == f"[1] {line}\nhttps://example.com/a"
    assert result.result["sources"] == [{"number": 1, "title": line}]


@pytest.mark.parametrize(
    "url", ["https://example.com/" + "x" * 1_000, "https://example.com/a b", "https://例え.jp/", "https://"]
)
def test_a_link_that_people_could_not_follow_whole_is_left_out(url: str) -> None:
    answer = WebAnswer(text="x", sources=(WebSource(title="odd", url=url), *ANSWER.sources))

    links = footnote(answer)

    assert "odd" not in links
    assert links.startswith(f"[2] weather.example\n{LONG_URL}\n[3] sky.example\n")


def test_a_search_whose_link_is_too_long_is_left_out() -> None:
    assert footnote(WebAnswer(text="x", searches=("天気" * 200,))) == ""


def test_a_footnote_is_bounded_and_ends_with_a_whole_link() -> None:
    sources = tuple(WebSource(title="t" * 80, url=f"https://example.com/{number}/" + "x" * 900) for number in range(5))

    links = footnote(WebAnswer(text="x", sources=sources, searches=("a", "b", "c")))

    assert len(links) <= FOOTNOTE_LIMIT
    assert all(line.endswith("x" * 900) for line in links.splitlines() if line.startswith("https://example.com"))


def test_footnotes_hold_few_links_and_web_links_only() -> None:
    many = tuple(WebSource(title=str(number), url=f"https://example.com/{number}") for number in range(9))
    odd = (WebSource(title="x", url="javascript:alert(1)"), *many)

    links = footnote(WebAnswer(text="", sources=odd))

    assert "javascript" not in links
    assert links.count("https://") == SOURCES_SHOWN - 1
    assert links.startswith("[2] 0\n")


def test_a_footnote_of_exactly_its_limit_is_whole() -> None:
    def of_length(more: int) -> str:
        urls = [f"https://example.com/{number}/{'x' * 800}" for number in range(3)]
        noted = footnote(WebAnswer(text="", sources=tuple(WebSource(title="t", url=url) for url in urls)))
        last = FOOTNOTE_LIMIT - len(noted) - len("\n[4] t\n") + more
        urls.append(f"https://example.com/{'y' * (last - len('https://example.com/'))}")
        return footnote(WebAnswer(text="", sources=tuple(WebSource(title="t", url=url) for url in urls)))

    assert len(of_length(0)) == FOOTNOTE_LIMIT
    assert len(of_length(1)) < FOOTNOTE_LIMIT


def test_a_search_reads_from_outside_and_changes_nothing() -> None:
    (tool,) = web_tools(MeteredWebSearch(web=Web(), metering=Metering(clock=FixedClock())))

    assert (tool.is_reading, tool.outside) == (True, "web")
    assert MeteredWebSearch(web=Web(), metering=Metering(clock=FixedClock())).name == "web"
