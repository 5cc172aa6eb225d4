import sys
import unicodedata

import pytest

from shared.line.readable import readable


@pytest.mark.parametrize(
    "text",
    [
        "a\tb\nc\r\nd\u2028e",
        "👨\u200d👩\u200d👧 ❤\ufe0f",
        "🏴\U000e0067\U000e0062\U000e007f",
        "می\u200cخواهم",
        "\u200fשלום",
        "น้ำ",
        "が",
    ],
    ids=["line breaks", "emoji", "flag", "persian", "direction", "thai", "combining"],
)
def test_what_writing_needs_stays(text: str) -> None:
    assert readable(text) == text


def test_no_control_stays_but_those_that_end_lines_or_stand_for_spaces() -> None:
    controls = [chr(code) for code in range(sys.maxunicode + 1) if unicodedata.category(chr(code)) == "Cc"]

    assert {one for one in controls if readable(one)} == set("\t\n\v\f\r\x1c\x1d\x1e\x85")


@pytest.mark.parametrize("character", ["\u0600", "\u06dd", "\u070f", "\ufff9", "\ufffb", "\U0001d173", "\U000110bd"])
def test_signs_that_stand_between_characters_go(character: str) -> None:
    assert readable(f"a{character}b") == "ab"


def test_a_lone_surrogate_is_replaced() -> None:
    assert readable("a\ud83db") == "a\N{REPLACEMENT CHARACTER}b"
