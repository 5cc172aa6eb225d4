from shared.adapters.memory import FixedClock
from shared.agent.tools import Cited, Registry, ToolFault, TurnContext
from shared.clock import Deadline
from shared.errors import ModelBlockedError
from shared.tools.core import core_tools
from shared.tools.web import SOURCES_SHOWN, Source, WebAnswer, footnote, web_tools

CONTEXT = TurnContext(conversation_id="U" + "1" * 32, deadline=Deadline.after(FixedClock(), 7))
LONG_URL = "https://vertexaisearch.cloud.google.com/grounding-api-redirect/" + "x" * 400
FOUND = WebAnswer(
    text="It rains.[1][2]",
    sources=(
        Source(title="weather.example", url=LONG_URL),
        Source(title="sky.example", url="http://sky.example/a?b=c"),
    ),
    searches=("東京 天気",),
)


class Web:
    """A search engine that finds the same for everything."""

    def __init__(self, found: WebAnswer | Exception = FOUND) -> None:
        self.found = found
        self.asked: list[tuple[str, float]] = []

    def search(self, query: str, deadline: Deadline) -> WebAnswer:
        self.asked.append((query, deadline.left_s))
        if isinstance(self.found, Exception):
            raise self.found
        return self.found


def test_the_model_reads_the_answer_and_the_reply_carries_the_links() -> None:
    web = Web()
    (tool,) = web_tools(web)

    answer = tool.run({"query": "東京の天気は？\ud83d"}, CONTEXT)

    assert isinstance(answer, Cited)
    assert answer.result == {
        "status": "success",
        "answer": "It rains.[1][2]",
        "sources": [{"number": 1, "title": "weather.example"}, {"number": 2, "title": "sky.example"}],
    }
    assert answer.footnote == (
        f"[1] weather.example\n{LONG_URL}\n[2] sky.example\nhttp://sky.example/a?b=c\n"
        "Google: 東京 天気\nhttps://www.google.com/search?q=%E6%9D%B1%E4%BA%AC%20%E5%A4%A9%E6%B0%97"
    )
    assert web.asked == [("東京の天気は？\N{REPLACEMENT CHARACTER}", 7.0)]
    registry = Registry((*core_tools(), tool))
    assert registry.faults_of_response(tool, answer.result) is None


def test_nothing_found_has_no_links() -> None:
    (tool,) = web_tools(Web(WebAnswer(text="I found nothing.")))

    answer = tool.run({"query": "x"}, CONTEXT)

    assert isinstance(answer, Cited)
    assert answer.footnote == ""
    assert answer.result["sources"] == []


def test_what_is_not_answered_is_not_asked_again() -> None:
    (tool,) = web_tools(Web(ModelBlockedError("blocked")))

    assert tool.run({"query": "x"}, CONTEXT) == ToolFault(message="The search does not answer this.", may_retry=False)


def test_links_that_lead_nowhere_on_the_web_are_left_out_and_there_are_few() -> None:
    many = tuple(Source(title=str(number), url=f"https://example.com/{number}") for number in range(9))
    odd = (Source(title="x", url="javascript:alert(1)"), *many)

    links = footnote(WebAnswer(text="", sources=odd))

    assert "javascript" not in links
    assert links.count("https://") == SOURCES_SHOWN - 1
    assert links.startswith("[2] 0\n")
