from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from simulator.gemini import videos
from simulator.gemini.answers import Candidate, render
from simulator.gemini.default_model import model as default_model
from simulator.gemini.errors import RefusedError
from tests.unit.simulator.gemini.contents import SIGNER

if TYPE_CHECKING:
    from collections.abc import Callable

    from simulator.gemini.request import GenerateContentRequest

VIDEO = "https://www.youtube.com/watch?v=9hE5-98ZeCg"


@pytest.fixture
def watching(
    body: Callable[..., dict[str, Any]], read: Callable[..., GenerateContentRequest]
) -> Callable[..., GenerateContentRequest]:
    """Returns a request with parts of videos, by default of one."""

    def watching(
        *uris: str, resolution: str = "MEDIA_RESOLUTION_LOW", cut: dict[str, Any] | None = None, **changes: str
    ) -> GenerateContentRequest:
        parts: list[dict[str, Any]] = [
            {"fileData": {"fileUri": uri, "mimeType": "video/mp4"}, **({"videoMetadata": cut} if cut else {})}
            for uri in uris or (VIDEO,)
        ]
        request = body(tools=None, toolConfig=None, generationConfig={"mediaResolution": resolution})
        request["contents"] = [{"role": "user", "parts": [*parts, {"text": "?"}]}]
        return read(request, **changes)

    return watching


def tokens_of(request: GenerateContentRequest) -> int:
    details = json.loads(render(Candidate(parts=("x",)), request, SIGNER))["usageMetadata"]["promptTokensDetails"]
    return sum(int(one["tokenCount"]) for one in details if one["modality"] == "VIDEO")


@pytest.mark.parametrize(
    ("cut", "resolution", "tokens"),
    [
        (None, "MEDIA_RESOLUTION_LOW", 600 * 102),
        ({"endOffset": "480s"}, "MEDIA_RESOLUTION_LOW", 480 * 102),
        ({"end_offset": "480s", "start_offset": "60s"}, "MEDIA_RESOLUTION_LOW", 420 * 102),
        ({"endOffset": "480s"}, "MEDIA_RESOLUTION_MEDIUM", 480 * 290),
        ({"endOffset": "900s"}, "MEDIA_RESOLUTION_LOW", 600 * 102),
    ],
)
def test_a_video_costs_by_the_seconds_seen_and_the_resolution(
    watching: Callable[..., GenerateContentRequest], cut: dict[str, Any] | None, resolution: str, tokens: int
) -> None:
    request = watching(cut=cut, resolution=resolution)

    videos.refuse_bad_videos(request)

    assert tokens_of(request) == tokens


def test_the_default_model_tells_how_much_it_saw(watching: Callable[..., GenerateContentRequest]) -> None:
    answer = default_model.answer(watching(cut={"endOffset": "480s"}))

    assert "first 480 seconds" in str(answer.parts[0])


@pytest.mark.parametrize(
    ("uri", "message"),
    [
        ("https://www.youtube.com/@channel", "Invalid or unsupported file uri"),
        ("https://youtu.be/short", "Invalid or unsupported file uri"),
        ("https://youtu.be/private-vid", "do not have permission"),
    ],
)
def test_only_public_videos_are_watched(
    watching: Callable[..., GenerateContentRequest], uri: str, message: str
) -> None:
    with pytest.raises(RefusedError, match=message):
        videos.refuse_bad_videos(watching(uri))


@pytest.mark.parametrize(("backend", "most"), [("developer", 10), ("vertex", 1)])
def test_a_request_holds_ten_videos_and_one_on_vertex(
    watching: Callable[..., GenerateContentRequest], backend: str, most: int
) -> None:
    videos.refuse_bad_videos(watching(*[VIDEO] * most, backend=backend))

    with pytest.raises(RefusedError, match=f"At most {most} YouTube videos"):
        videos.refuse_bad_videos(watching(*[VIDEO] * (most + 1), backend=backend))


@pytest.mark.parametrize("offset", ["480", "8m", "-1s", "s"])
def test_an_offset_is_a_duration(watching: Callable[..., GenerateContentRequest], offset: str) -> None:
    with pytest.raises(RefusedError, match=r"protobuf\.Duration"):
        videos.refuse_bad_videos(watching(cut={"endOffset": offset}))


def test_only_a_video_is_cut(body: Callable[..., dict[str, Any]], read: Callable[..., GenerateContentRequest]) -> None:
    request = body()
    request["contents"][0]["parts"][0]["videoMetadata"] = {"endOffset": "480s"}

    with pytest.raises(RefusedError, match="only supported for video"):
        videos.refuse_bad_videos(read(request))
