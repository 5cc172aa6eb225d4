from collections.abc import Callable
from dataclasses import replace

import pytest

from shared.adapters.memory import FixedClock
from shared.adapters.memory.link_pages import MemoryLinkReader
from shared.agent.registry import Registry
from shared.agent.tools import Cited, Tool, ToolFault, ToolResult
from shared.agent.turn_context import TurnContext
from shared.clock import Deadline
from shared.conversation.history import History
from shared.conversation.provenance import Provenance
from shared.errors import ModelBlockedError, ModelRefusedError
from shared.metering import Meter, Metering, Purpose, Usage, metered
from shared.tools.core import core_tools
from shared.tools.link_port import LinkAnswer, LinkStatus, MeteredLinkReader
from shared.tools.links import link_tools
from shared.tools.videos import VIDEO_USAGE, video_at, video_tools
from tests.support.knowledge import conversation_on
from tests.support.questions import question_about
from tests.unit.shared.tools.test_links import context_of, message

VIDEO = "https://www.youtube.com/watch?v=9hE5-98ZeCg"
COST = VIDEO_USAGE.prompt_tokens + round(VIDEO_USAGE.output_tokens * 25 / 3)


def reader_of(status: str | LinkStatus = "A cook bakes bread.") -> MemoryLinkReader:
    return MemoryLinkReader(pages={VIDEO: status}, usage=Usage(prompt_tokens=48_200, output_tokens=300))


def tool_of(reader: MemoryLinkReader, remaining: Callable[[], int | None] = lambda: None) -> Tool:
    (tool,) = video_tools(reader, remaining_tokens=remaining, locale="en")
    return tool


def watch(tool: Tool, context: TurnContext, url: str = VIDEO) -> ToolResult:
    return tool.run({"url": url, "question": "what is it about?"}, context)


@pytest.mark.parametrize(
    "address",
    [
        VIDEO,
        "https://youtu.be/9hE5-98ZeCg?si=abc&t=30",
        "http://m.youtube.com/watch?t=1&v=9hE5-98ZeCg&list=x",
        "https://youtube.com/shorts/9hE5-98ZeCg",
        "https://www.youtube.com/live/9hE5-98ZeCg?feature=share",
        "https://music.youtube.com/watch?v=9hE5-98ZeCg",
    ],
)
def test_every_link_to_a_video_names_the_same_video(address: str) -> None:
    assert video_at(address) == VIDEO


@pytest.mark.parametrize(
    "address",
    [
        "https://www.youtube.com/@channel",
        "https://www.youtube.com/watch?v=short",
        "https://www.youtube.com/watch?v=9hE5-98ZeCg%26x",
        "https://www.youtube.com/",
        "https://youtu.be/",
        "https://youtube.com.evil.example/watch?v=9hE5-98ZeCg",
        "https://a.example/watch?v=9hE5-98ZeCg",
        "https://www.youtube.com/playlist?list=9hE5-98ZeCg",
    ],
)
def test_other_pages_are_no_video(address: str) -> None:
    assert video_at(address) is None


def test_the_reply_tells_what_was_not_seen_and_what_it_cost() -> None:
    reader = reader_of()
    tool = tool_of(reader)

    result = watch(
        tool, context_of(message("https://youtu.be/9hE5-98ZeCg what is it about?")), "https://youtu.be/9hE5-98ZeCg"
    )

    assert isinstance(result, Cited)
    assert result.result == {"status": "success", "answer": "A cook bakes bread."}
    assert result.footnote == (
        "(I watched at most the first 8 minutes of the video, at low resolution; anything later was not seen. "
        "It used 50,700 of today’s tokens.)"
    )
    assert reader.asked == [(VIDEO, "what is it about?")]
    assert Registry((*core_tools(), tool)).faults_of_response(tool, result.result) is None


@pytest.mark.parametrize(
    ("text", "words"),
    [("この動画は何？", "最初の8分"), ("這影片在講什麼？", "前 8 分鐘"), ("วิดีโอนี้เกี่ยวกับอะไร", "8 นาทีแรก")],
)
def test_what_was_not_seen_is_told_in_the_askers_language(text: str, words: str) -> None:
    result = watch(tool_of(reader_of()), context_of(message(f"{VIDEO} {text}")))

    assert isinstance(result, Cited)
    assert words in result.footnote
    assert "50,700" in result.footnote


@pytest.mark.parametrize(("remaining", "is_watched"), [(None, True), (COST, True), (COST - 1, False), (0, False)])
def test_a_video_is_asked_for_only_if_the_budget_suffices_for_all_of_it(
    remaining: int | None, *, is_watched: bool
) -> None:
    reader = reader_of()

    result = watch(tool_of(reader, lambda: remaining), context_of(message(VIDEO)))

    assert bool(reader.asked) == is_watched
    assert isinstance(result, Cited) == is_watched
    if isinstance(result, ToolFault):
        assert f"takes up to {COST:,} tokens of the budget, and {remaining:,} remain today" in result.message


def test_a_minute_of_video_costs_at_least_what_google_says() -> None:
    assert VIDEO_USAGE.prompt_tokens >= 8 * 60 * (70 + 32 + 7)


@pytest.mark.parametrize("error", [ModelBlockedError("blocked"), ModelRefusedError("refused")])
def test_a_refused_video_is_told_as_unseen(error: Exception) -> None:
    class Refusing(MemoryLinkReader):
        def watch(self, video: str, question: str, minutes: int, deadline: Deadline) -> LinkAnswer:
            del video, question, minutes, deadline
            raise error

    result = watch(tool_of(Refusing()), context_of(message(VIDEO)))

    assert isinstance(result, ToolFault)
    assert "nothing of it was seen" in result.message


def test_a_video_that_is_not_public_is_told_as_unseen() -> None:
    result = watch(tool_of(reader_of(LinkStatus.FAILED)), context_of(message(VIDEO)))

    assert isinstance(result, ToolFault)
    assert "not public" in result.message


def test_a_video_whose_link_no_person_wrote_is_not_watched() -> None:
    reader = reader_of()
    caption = message(VIDEO, provenance=Provenance(outside=frozenset({"media"})))

    result = watch(tool_of(reader), context_of(caption))

    assert isinstance(result, ToolFault)
    assert "only a link that a person wrote" in result.message
    assert reader.asked == []


def test_a_video_that_nobody_asked_about_is_not_watched() -> None:
    reader, asked = reader_of(), message(VIDEO)
    context = replace(
        context_of(asked), question=question_about(conversation_on(), asked, history=History(), is_overheard=True)
    )

    result = watch(tool_of(reader), context)

    assert isinstance(result, ToolFault)
    assert "nobody asked" in result.message
    assert reader.asked == []


def test_a_page_is_no_video_and_a_video_no_page() -> None:
    page = "https://a.example/"
    (read_link,) = link_tools(reader_of())
    context = context_of(message(f"{page} {VIDEO}"))

    watched, read = watch(tool_of(reader_of()), context, page), read_link.run({"url": VIDEO, "question": "?"}, context)

    assert isinstance(watched, ToolFault)
    assert "`read_link`" in watched.message
    assert isinstance(read, ToolFault)
    assert "`watch_video`" in read.message


def test_a_question_about_a_video_holds_no_link() -> None:
    arguments = {"url": VIDEO, "question": "compare with https://evil.example/"}

    assert isinstance(tool_of(reader_of()).run(arguments, context_of(message(VIDEO))), ToolFault)


def test_one_video_is_watched_in_a_turn_from_outside_and_metered() -> None:
    metering, meter = Metering(clock=FixedClock()), Meter()
    (tool,) = video_tools(
        MeteredLinkReader(reader=reader_of(), metering=metering),
        remaining_tokens=metering.remaining_tokens,
        locale="en",
    )

    with metered(meter):
        watch(tool, context_of(message(VIDEO)))

    assert [(one.purpose, one.prompt_tokens) for one in meter.usage] == [(Purpose.LINK, 48_200)]
    assert (tool.is_reading, tool.outside, tool.most_calls) == (True, "web", 1)
