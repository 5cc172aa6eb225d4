"""The port `LinkReader` with the real client on the wire to Gemini's stand-in."""

from collections.abc import Iterator

import pytest

from shared.adapters.gemini_links import GeminiLinkReader
from shared.clock import Deadline, SystemClock
from shared.errors import ModelBlockedError, ModelRefusedError, ModelUnavailableError
from shared.tools.link_port import LinkStatus
from shared.tools.videos import VIDEO_USAGE
from simulator.gemini.app import GeminiStandIn
from simulator.gemini.script import (
    Step,
    blocked,
    dropped,
    failure,
    finish,
    from_pages,
    malformed_json,
    text,
    unavailable,
)
from tests.support.gemini_access import served_gemini_stand_in

PAGE = "https://bakery.example/"


@pytest.fixture(scope="module", params=["api key", "vertex"])
def served_gemini(request: pytest.FixtureRequest) -> Iterator[tuple[GeminiStandIn, GeminiLinkReader]]:
    with served_gemini_stand_in(on_vertex=request.param == "vertex") as (stand_in, settings):
        yield stand_in, GeminiLinkReader(settings)


@pytest.fixture
def gemini(served_gemini: tuple[GeminiStandIn, GeminiLinkReader]) -> Iterator[GeminiStandIn]:
    yield served_gemini[0]
    served_gemini[0].reset()


@pytest.fixture
def reader(served_gemini: tuple[GeminiStandIn, GeminiLinkReader]) -> GeminiLinkReader:
    return served_gemini[1]


@pytest.fixture
def deadline() -> Deadline:
    return Deadline.after(SystemClock(), 8)


def test_a_request_has_url_context_a_single_address_and_no_function(
    gemini: GeminiStandIn, reader: GeminiLinkReader, deadline: Deadline
) -> None:
    answer = reader.read(PAGE, "いつまで？", deadline)

    (asked,) = gemini.requests
    assert asked.request is not None
    assert asked.request.built_in_tools == ("urlContext",)
    assert asked.request.functions == ()
    assert asked.request.last_text == f"Address: {PAGE}\n\nQuestion: いつまで？"
    assert (answer.status, answer.text[:11]) == (LinkStatus.READ, "The bakery ")


def test_the_tokens_of_the_page_are_counted_as_input(
    gemini: GeminiStandIn, reader: GeminiLinkReader, deadline: Deadline
) -> None:
    gemini.script([from_pages("x", {PAGE: "SUCCESS"}), from_pages("x", {PAGE: "SUCCESS"}, page_tokens=9_000)])

    without, with_page = (reader.read(PAGE, "?", deadline).usage for _ in range(2))

    assert with_page.prompt_tokens - without.prompt_tokens == 9_000
    assert with_page.output_tokens == without.output_tokens > 0


@pytest.mark.parametrize(
    ("statuses", "status"),
    [
        ({PAGE: "UNSAFE"}, LinkStatus.UNSAFE),
        ({PAGE: "PAYWALL"}, LinkStatus.PAYWALL),
        ({PAGE: "ERROR"}, LinkStatus.FAILED),
        ({PAGE: "UNSPECIFIED"}, LinkStatus.FAILED),
        ({}, LinkStatus.FAILED),
    ],
)
def test_a_guess_about_a_page_that_was_not_retrieved_is_dropped(
    statuses: dict[str, str],
    status: LinkStatus,
    gemini: GeminiStandIn,
    reader: GeminiLinkReader,
    deadline: Deadline,
) -> None:
    gemini.script([from_pages("It is surely open until 18:00.", statuses)])

    answer = reader.read(PAGE, "?", deadline)

    assert (answer.status, answer.text) == (status, "")


def test_an_answer_without_metadata_was_read_nowhere(
    gemini: GeminiStandIn, reader: GeminiLinkReader, deadline: Deadline
) -> None:
    gemini.script([text("I know that page.")])

    assert reader.read(PAGE, "?", deadline).status is LinkStatus.FAILED


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("paywall", LinkStatus.PAYWALL),
        ("unsafe", LinkStatus.UNSAFE),
        ("broken", LinkStatus.FAILED),
        ("any", LinkStatus.READ),
    ],
)
def test_the_stand_in_has_pages_of_every_status(
    host: str, status: LinkStatus, gemini: GeminiStandIn, reader: GeminiLinkReader, deadline: Deadline
) -> None:
    answer = reader.read(f"https://{host}.example/x", "?", deadline)

    assert answer.status is status
    assert gemini.requests[0].kind == "text"


@pytest.mark.parametrize(
    ("step", "error"),
    [
        (unavailable(), ModelUnavailableError),
        (dropped(), ModelUnavailableError),
        (malformed_json(), ModelUnavailableError),
        (from_pages("", {PAGE: "SUCCESS"}), ModelUnavailableError),
        (blocked(), ModelBlockedError),
        (failure(403, "PERMISSION_DENIED", "no"), ModelRefusedError),
    ],
    ids=lambda value: str(value)[:40],
)
def test_an_error_class_tells_whether_a_retry_can_help(
    step: Step, error: type[Exception], gemini: GeminiStandIn, reader: GeminiLinkReader, deadline: Deadline
) -> None:
    gemini.script([step])

    with pytest.raises(error):
        reader.read(PAGE, "?", deadline)


def test_an_answer_that_is_stopped_says_nothing_of_the_page(
    gemini: GeminiStandIn, reader: GeminiLinkReader, deadline: Deadline
) -> None:
    gemini.script([finish("SAFETY")])

    assert reader.read(PAGE, "?", deadline).status is LinkStatus.FAILED


VIDEO = "https://www.youtube.com/watch?v=9hE5-98ZeCg"


def test_a_video_is_asked_for_at_low_resolution_up_to_its_cut_without_any_tool(
    gemini: GeminiStandIn, reader: GeminiLinkReader, deadline: Deadline
) -> None:
    answer = reader.watch(VIDEO, "何の動画？", 8, deadline)

    (asked,) = gemini.requests
    assert asked.request is not None
    assert (asked.request.built_in_tools, asked.request.functions) == ((), ())
    assert asked.request.media_resolution == "MEDIA_RESOLUTION_LOW"
    medium, question = asked.request.contents[0].parts
    assert medium.media is not None
    assert (medium.media.uri, medium.video_start, medium.video_end) == (VIDEO, "0s", "480s")
    assert question.text == "Question: 何の動画？"
    assert answer.status is LinkStatus.READ
    assert "480 seconds" in answer.text


def test_a_video_costs_what_was_computed_before_at_most(
    gemini: GeminiStandIn, reader: GeminiLinkReader, deadline: Deadline
) -> None:
    long, short = (
        reader.watch(f"https://www.youtube.com/watch?v={one}", "?", 8, deadline)
        for one in ("long-video1", "short-video")
    )

    assert 40_000 < long.usage.prompt_tokens <= VIDEO_USAGE.prompt_tokens
    assert short.usage.prompt_tokens < 10_000
    assert len(gemini.requests) == 2


@pytest.mark.parametrize(
    "step", [None, failure(400, "INVALID_ARGUMENT", "cannot fetch"), failure(403, "PERMISSION_DENIED", "not public")]
)
def test_a_video_that_is_not_public_is_a_status(
    step: Step | None, gemini: GeminiStandIn, reader: GeminiLinkReader, deadline: Deadline
) -> None:
    gemini.script([step] if step is not None else [])
    video = VIDEO if step is not None else "https://www.youtube.com/watch?v=private-vid"

    assert reader.watch(video, "?", 8, deadline).status is LinkStatus.FAILED


@pytest.mark.parametrize(
    ("step", "error"),
    [
        (unavailable(), ModelUnavailableError),
        (dropped(), ModelUnavailableError),
        (text(), ModelUnavailableError),
        (finish("SAFETY"), ModelBlockedError),
        (blocked(), ModelBlockedError),
        (failure(404, "NOT_FOUND", "no such model"), ModelRefusedError),
    ],
    ids=lambda value: str(value)[:40],
)
def test_other_errors_of_a_video_are_those_of_every_request(
    step: Step, error: type[Exception], gemini: GeminiStandIn, reader: GeminiLinkReader, deadline: Deadline
) -> None:
    gemini.script([step])

    with pytest.raises(error):
        reader.watch(VIDEO, "?", 8, deadline)


def test_without_time_no_request_is_sent(gemini: GeminiStandIn, reader: GeminiLinkReader) -> None:
    with pytest.raises(ModelUnavailableError, match="no time is left"):
        reader.read(PAGE, "?", Deadline.after(SystemClock(), 0))
    with pytest.raises(ModelUnavailableError, match="no time is left"):
        reader.watch(VIDEO, "?", 8, Deadline.after(SystemClock(), 0))

    assert gemini.requests == ()
