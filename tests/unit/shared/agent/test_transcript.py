"""Words of people as data: no line of them is a header, and what is too long says how much is missing."""

import re

import pytest

from shared.agent.transcript import placeholder, shortened, words


def test_a_bracket_at_the_beginning_of_a_line_is_escaped_where_it_stands() -> None:
    assert words("a\n  [you | now] b [c]") == "a\n  \\[you | now] b [c]"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("[file: plan.pdf, 2 kB]", "[file: plan.pdf, 2 kB]"),
        ("[file: [a]\n b.pdf]", "[file: (a) b.pdf]"),
        ("sticker", "[sticker]"),
    ],
)
def test_a_placeholder_is_one_line_in_one_pair_of_brackets(text: str, shown: str) -> None:
    assert placeholder(text) == shown


def test_a_placeholder_that_is_too_long_loses_its_end_and_has_its_brackets() -> None:
    shown = placeholder(f"[file: {'x' * 100}]", limit_tokens=10)

    assert shown.startswith("[(file: xxx")
    assert shown.endswith("x … (68 more characters are left out here)]")


def test_a_text_of_exactly_its_limit_is_whole() -> None:
    assert shortened("x" * 100, limit_tokens=25) == "x" * 100
    assert shortened("x" * 101, limit_tokens=25) == f"{'x' * 100} … (1 more characters are left out here)"


@pytest.mark.parametrize(
    "hidden", ["\x00", "\x08", "\x1b", "\x7f", "\u0600", "\ufff9", "\x00\x01", "\u200b\x1b\u200d", "\U0001d173"]
)
def test_no_character_that_shows_nothing_hides_a_bracket_at_the_beginning_of_a_line(hidden: str) -> None:
    assert re.fullmatch(r"a\n[\u200b\u200d]*\\\[note\]", words(f"a\n{hidden}[note]"))
