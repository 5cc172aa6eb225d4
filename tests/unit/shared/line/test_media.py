import pytest

from shared.adapters.memory import FixedClock, MemoryMedia
from shared.clock import Deadline
from shared.line.media import Fetched, fetch_when_ready, readable_type

CAT = Fetched(data=b"cat", content_type="image/jpeg")


def fetch(media: MemoryMedia, *, seconds: float) -> object:
    clock = FixedClock()
    return fetch_when_ready(media, "1", clock=clock, deadline=Deadline.after(clock, seconds))


def test_a_content_that_line_prepares_is_waited_for() -> None:
    media = MemoryMedia()
    media.contents["1"], media.delays["1"] = CAT, 3

    assert fetch(media, seconds=5) == CAT
    assert media.asked == 4


def test_nobody_waits_longer_than_the_turn() -> None:
    media = MemoryMedia()
    media.contents["1"], media.delays["1"] = CAT, 100

    assert fetch(media, seconds=2.5) == "not_ready"
    assert media.asked == 4


def test_what_is_gone_is_not_waited_for() -> None:
    media = MemoryMedia()

    assert fetch(media, seconds=5) == "gone"
    assert media.asked == 1


def test_what_is_too_large_is_not_waited_for() -> None:
    media = MemoryMedia()
    media.contents["1"] = Fetched(data=b"x" * 20_000_001, content_type="video/mp4")

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
def test_gemini_reads_some_types_and_knows_some_by_another_name(content_type: str, readable: str | None) -> None:
    assert readable_type(content_type) == readable
