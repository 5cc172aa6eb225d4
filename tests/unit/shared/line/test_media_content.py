import pytest

from shared.adapters.memory import FixedClock, MemoryMedia
from shared.adapters.memory.line_people import HeldContent
from shared.clock import Deadline
from shared.line.media_content import ArrivingContent, ContentTooLargeError, fetch_when_ready, readable_type

CAT = HeldContent(data=b"cat", content_type="image/jpeg")


def fetch(media: MemoryMedia, *, seconds: float) -> object:
    clock = FixedClock()
    return fetch_when_ready(media, "1", HeldContent.of, clock=clock, deadline=Deadline.after(clock, seconds))


def test_content_that_line_still_prepares_is_asked_for_again() -> None:
    media = MemoryMedia()
    media.contents["1"], media.delays["1"] = CAT, 3

    assert fetch(media, seconds=5) == CAT
    assert media.asked == 4


def test_content_is_not_asked_for_after_the_deadline() -> None:
    media = MemoryMedia()
    media.contents["1"], media.delays["1"] = CAT, 100

    assert fetch(media, seconds=2.5) == "not_ready"
    assert media.asked == 4


def test_content_that_is_gone_is_asked_for_once() -> None:
    media = MemoryMedia()

    assert fetch(media, seconds=5) == "gone"
    assert media.asked == 1


def test_content_that_is_too_large_is_asked_for_once() -> None:
    media = MemoryMedia()
    media.contents["1"] = HeldContent(data=b"x" * 20_000_001, content_type="video/mp4")

    assert fetch(media, seconds=5) == "too_large"
    assert media.asked == 1


@pytest.mark.parametrize(
    ("content_type", "readable"),
    [
        ("image/jpeg", "image/jpeg"),
        ("audio/x-m4a", "audio/mp4"),
        ("Text/Plain; charset=utf-8", "text/plain"),
        ("video/mp4", "video/mp4"),
        ("application/pdf", "application/pdf"),
        ("application/zip", None),
        ("image/gif", None),
        ("", None),
    ],
)
def test_readable_type_is_the_name_that_gemini_knows(content_type: str, readable: str | None) -> None:
    assert readable_type(content_type) == readable


def test_content_of_exactly_its_limit_arrives() -> None:
    def arriving(pieces: tuple[bytes, ...]) -> ArrivingContent:
        return ArrivingContent(pieces, content_type="image/png", at_most_bytes=3)

    assert b"".join(arriving((b"ab", b"c"))) == b"abc"
    with pytest.raises(ContentTooLargeError):
        list(arriving((b"ab", b"cd")))
