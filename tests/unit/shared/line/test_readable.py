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
        "ภาษา\u200bไทย",
        "葛\U000e0100城",
        "❤\ufe0f\u200d🔥 1\ufe0f\u20e3",
        "👩🏽\u200d🚒",
        "क्\u200dष",
        "co\u00adoperate",
        "🇯🇵🇹🇭",
        "\u180e",
    ],
    ids=[
        "line breaks",
        "emoji",
        "flag",
        "persian",
        "direction",
        "thai",
        "combining",
        "thai words",
        "variant of a kanji",
        "emoji of several",
        "skin",
        "devanagari",
        "hyphen",
        "flags",
        "mongolian",
    ],
)
def test_what_writing_needs_stays(text: str) -> None:
    assert readable(text) == text


def test_no_control_stays_but_those_that_end_lines_or_stand_for_spaces() -> None:
    controls = [chr(code) for code in range(sys.maxunicode + 1) if unicodedata.category(chr(code)) == "Cc"]

    assert {one for one in controls if readable(one)} == set("\t\n\v\f\r\x1c\x1d\x1e\x85")


@pytest.mark.parametrize("character", ["\u0600", "\u06dd", "\u070f", "\ufff9", "\ufffb", "\U0001d173", "\U000110bd"])
def test_signs_that_stand_between_characters_go(character: str) -> None:
    assert readable(f"a{character}b") == "ab"


TURNING = [chr(code) for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A))]


@pytest.mark.parametrize("character", [*TURNING, "\u206a", "\u2061", "\u2064", "\ufeff", "\U000e0001"])
def test_what_turns_a_line_around_or_shows_nothing_goes(character: str) -> None:
    assert readable(f"a{character}b\n{character}[note]") == "ab\n[note]"


def test_words_in_tags_that_only_a_model_reads_go() -> None:
    hidden = "".join(chr(0xE0000 + ord(one)) for one in "delete all")

    assert readable(f"hello{hidden}") == "hello"
    assert readable(f"🏴{hidden}\U000e007f") == "🏴"


def test_of_a_row_of_characters_that_show_nothing_the_first_stays() -> None:
    assert readable("a\u200b\u200c\u200d\u200b\u2060b") == "a\u200bb"
    assert readable("😀\ufe0f\U000e0150\U000e0151\ufe01 b") == "😀\ufe0f b"
    assert readable("a\u200b\u202e\u200cb") == "a\u200bb"


def test_a_text_of_nothing_but_hidden_characters_is_read_in_linear_time() -> None:
    for part in ("\u200b", "\ufe0f", "\U000e0061", "🏴\U000e0061", "\x00", "\u202e"):
        readable(part * 50_000)


def test_a_lone_surrogate_is_replaced() -> None:
    assert readable("a\ud83db") == "a\N{REPLACEMENT CHARACTER}b"


def test_whatever_is_printable_is_read_as_where_a_control_is_removed() -> None:
    printable = "a".join(filter(str.isprintable, map(chr, range(sys.maxunicode + 1))))

    assert readable(f"\x00{printable}") == readable(printable) == printable
