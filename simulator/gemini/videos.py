"""Videos of YouTube by address: the stand-in's rules, lengths and tokens.

Every public id has a video of ten minutes, except those of `_LENGTHS_S`; ids that begin with `private` are not public.
Source: https://ai.google.dev/gemini-api/docs/video-understanding: public videos only, ten a request (one on Vertex AI), a frame a second
with 66 tokens in low resolution (70 of Gemini 3) or 258, 32 tokens of audio a second; google-genai 3.4.0, `VideoMetadata`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from simulator.gemini.errors import GoogleError, RefusedError, invalid_argument

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simulator.gemini.request import GenerateContentRequest, Media

MAX_VIDEOS: Final = {"developer": 10, "vertex": 1}
AUDIO_TOKENS: Final = 32
_FRAME_TOKENS: Final = {True: 70, False: 258}
_ADDRESS: Final = re.compile(r"https?://(?:(?:www\.|m\.)?youtube\.com/watch\?v=|youtu\.be/)(?P<id>[A-Za-z0-9_-]{11})")
_OF_YOUTUBE: Final = re.compile(r"https?://(?:[a-z]+\.)?(?:youtube\.com|youtu\.be)/")
_OFFSET: Final = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)s")
_LENGTHS_S: Final = {"short-video": 90.0, "long-video1": 7_200.0}
_ANY_LENGTH_S: Final = 600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Video:
    """A video of a request, and the seconds of it that are seen."""

    id: str
    seconds: float
    is_low: bool

    @property
    def tokens(self) -> int:
        """The tokens of frames and sound."""
        return round(self.seconds * (_FRAME_TOKENS[self.is_low] + AUDIO_TOKENS))


def is_watching(request: GenerateContentRequest) -> bool:
    """Whether the request holds a video of YouTube, and no function."""
    return not request.functions and any(True for _ in _media(request))


def refuse_bad_videos(request: GenerateContentRequest) -> None:
    """Check the videos of YouTube, and every cut.  Raises: RefusedError."""
    for part in (part for content in request.contents for part in content.parts):
        for offset in part.video_offsets:
            if not _OFFSET.fullmatch(offset):
                raise invalid_argument(
                    f"Invalid value at 'video_metadata' (type.googleapis.com/google.protobuf.Duration), \"{offset}\""
                )
        if part.video_offsets and (part.media is None or not part.media.media_type.startswith("video/")):
            raise invalid_argument("video_metadata is only supported for video parts.")
    watched = list(_media(request))
    if len(watched) > MAX_VIDEOS[request.backend]:
        raise invalid_argument(f"At most {MAX_VIDEOS[request.backend]} YouTube videos are allowed in a request.")
    for medium, _ in watched:
        match = _ADDRESS.match(medium.uri or "")
        if match is None or not medium.media_type.startswith("video/"):
            raise invalid_argument(f"Invalid or unsupported file uri: {medium.uri}")
        if match["id"].startswith("private"):
            message = "You do not have permission to access the file, or it may not exist."
            raise RefusedError(GoogleError(code=403, status="PERMISSION_DENIED", message=message))


def videos_of(request: GenerateContentRequest) -> tuple[Video, ...]:
    """Return the videos of YouTube in a valid request."""
    is_low = request.media_resolution == "MEDIA_RESOLUTION_LOW"
    videos = []
    for medium, offsets in _media(request):
        match = _ADDRESS.match(medium.uri or "")
        video_id = match["id"] if match else ""
        start_s, end_s = (_seconds(offset) for offset in offsets)
        length_s = _LENGTHS_S.get(video_id, _ANY_LENGTH_S)
        seen_s = min(length_s, length_s if end_s is None else end_s) - (start_s or 0.0)
        videos.append(Video(id=video_id, seconds=max(0.0, seen_s), is_low=is_low))
    return tuple(videos)


def answer(videos: tuple[Video, ...]) -> str:
    """Return the words about the first video."""
    return f"In the first {videos[0].seconds:.0f} seconds of the video, a cook bakes bread in a harbour town."


def is_of_youtube(medium: Media) -> bool:
    """Whether the medium is named by an address of YouTube."""
    return _OF_YOUTUBE.match(medium.uri or "") is not None


def _media(request: GenerateContentRequest) -> Iterator[tuple[Media, tuple[str, str]]]:
    for part in (part for content in request.contents for part in content.parts):
        if part.media is not None and is_of_youtube(part.media):
            yield part.media, (part.video_start, part.video_end)


def _seconds(offset: str) -> float | None:
    match = _OFFSET.fullmatch(offset)
    return float(match[1]) if match else None
