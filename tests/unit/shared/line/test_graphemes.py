from itertools import accumulate

import pytest
import regex
from hypothesis import example, given
from hypothesis import strategies as st

from shared.line.graphemes import boundary_before, cut, graphemes, short_line, split_at_graphemes
from shared.line.utf16 import utf16_length

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=80) | st.text(
    st.sampled_from("a 。はがか\u3099กำไทย한글👨‍👩‍👧🇯🇵👍🏽\n\r"), max_size=80
)


@given(TEXTS, st.integers(2, 30))
def test_splitting_loses_nothing_and_every_piece_fits(text: str, limit: int) -> None:
    pieces = split_at_graphemes(text, limit_utf16=limit)

    assert "".join(pieces) == text
    assert all(0 < utf16_length(piece) <= limit for piece in pieces)


@given(TEXTS)
def test_no_grapheme_is_cut_where_it_fits(text: str) -> None:
    graphemes = regex.findall(r"\X", text)
    limit = max((utf16_length(one) for one in graphemes), default=2)

    pieces = split_at_graphemes(text, limit_utf16=max(limit, 2))

    assert [one for piece in pieces for one in regex.findall(r"\X", piece)] == graphemes


@pytest.mark.parametrize(
    ("text", "line"),
    [("a\nb  c", "a b c"), ("👨‍👩‍👧" * 5, "👨‍👩‍👧" * 5), ("กำ" * 6, "กำ" * 4 + "…"), ("a b c d", "a b …")],
)
def test_a_short_line_is_cut_between_graphemes(text: str, line: str) -> None:
    assert short_line(text, limit=5) == line


def test_a_short_line_is_short_whatever_marks_its_letters_have() -> None:
    assert short_line("a" + "\u0301" * 5_000 + "b", limit=5) == "a" + "\u0301" * 11 + "b"


@pytest.mark.parametrize(
    ("text", "limit", "left"),
    [
        ("庭の工事", 4, "庭の工事"),
        ("庭の工事", 3, "庭の…"),
        ("庭庭庭庭👨‍👩‍👧", 11, "庭庭庭庭…"),
        ("庭庭👨‍👩‍👧", 10, "庭庭👨‍👩‍👧"),
        ("garden shed", 8, "garden…"),
        ("", 1, ""),
    ],
)
def test_a_text_that_is_cut_between_graphemes_tells_so(text: str, limit: int, left: str) -> None:
    assert cut(text, limit_utf16=limit) == left


@given(TEXTS, st.integers(3, 30))
def test_a_text_is_cut_only_where_it_does_not_fit(text: str, limit: int) -> None:
    shown = cut(text, limit_utf16=limit)

    assert utf16_length(shown) <= limit
    assert (shown == text) is (utf16_length(text) <= limit)


def test_an_emoji_of_a_family_is_not_split() -> None:
    assert split_at_graphemes("ab👨‍👩‍👧cd", limit_utf16=9) == ("ab", "👨‍👩‍👧c", "d")


@given(TEXTS, st.integers(0, 90), st.sampled_from(["", "x" * 300]))
@example("ั", 0, "x" * 300)  # it joins what comes before it
def test_a_text_is_cut_between_graphemes(text: str, end: int, before: str) -> None:
    places = {0, *accumulate(map(len, graphemes(before + text)))}
    end += len(before)

    cut = boundary_before(before + text, end)

    assert cut in places or cut == end < min(places - {0}, default=end + 1)
    assert not any(cut < place <= end for place in places)


@pytest.mark.parametrize(("end", "place"), [(7, 5), (500_003, 500_000), (999_999, 999_995), (10**9, 1_000_000)])
def test_a_cut_is_found_anywhere_in_a_long_text(end: int, place: int) -> None:
    assert boundary_before("👨‍👩‍👧" * 200_000, end) == place
