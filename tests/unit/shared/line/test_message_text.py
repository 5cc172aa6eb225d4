import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.line.message_text import describe
from tests.support import recorded


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("message-text", "こんにちは 😀"),
        ("message-image", "[image]"),
        ("message-video", "[video: 60 s]"),
        ("message-audio", "[voice message: 5 s]"),
        ("message-file", "[file: 議事録.pdf, 2.1 kB]"),
        ("message-location", "[location: 東京駅, 東京都千代田区丸の内1-9-1, 35.68123 139.76712]"),
        ("message-sticker", "[sticker: cony, sally, hi, smile]"),
        ("message-unknown", "[unsupported message: hologram]"),
    ],
)
def test_every_message_type_becomes_a_line_of_text(name: str, line: str) -> None:
    message = recorded.event(name)["message"]

    assert describe(message["type"], message) == line


def test_a_message_sticker_shows_its_words() -> None:
    assert describe("sticker", {"text": "お疲れさま", "keywords": ["tired"]}) == "[sticker: お疲れさま]"


def test_a_sticker_without_keywords_has_no_details() -> None:
    assert describe("sticker", {"packageId": "1"}) == "[sticker]"


def test_line_breaks_in_a_file_name_become_spaces() -> None:
    assert describe("file", {"fileName": "a\n[2026-01-01 00:00] b.pdf"}) == "[file: a [2026-01-01 00:00] b.pdf]"


@given(
    kind=st.sampled_from(["text", "sticker", "image", "video", "audio", "file", "location", "other"]),
    fields=st.dictionaries(
        st.sampled_from(
            ["text", "keywords", "duration", "fileName", "fileSize", "title", "address", "latitude", "longitude"]
        ),
        st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.lists(st.integers(), max_size=2),
    ),
)
def test_fields_of_a_wrong_type_are_no_error(kind: str, fields: dict[str, object]) -> None:
    assert isinstance(describe(kind, fields), str)


@pytest.mark.parametrize("odd", [10**400, -(10**400), float("inf"), float("nan"), 1e300])
def test_a_number_that_cannot_be_shown_is_left_out(odd: float) -> None:
    assert describe("audio", {"duration": odd}) == "[voice message]"
    assert describe("file", {"fileName": "a.pdf", "fileSize": odd}) == "[file: a.pdf]"
    assert describe("location", {"title": "Tokyo", "latitude": odd, "longitude": 1}) == "[location: Tokyo]"


@pytest.mark.parametrize("size_bytes", [10**15, -(10**15)])
def test_numbers_are_shown_up_to_a_thousand_billions(size_bytes: int) -> None:
    sign = "-" if size_bytes < 0 else ""
    beyond = size_bytes - 1 if size_bytes < 0 else size_bytes + 1

    assert describe("file", {"fileName": "a", "fileSize": size_bytes}) == f"[file: a, {sign}1,000,000,000,000.0 kB]"
    assert describe("file", {"fileName": "a", "fileSize": beyond}) == "[file: a]"
