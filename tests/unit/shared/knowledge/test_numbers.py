"""Numbers that prove, or do not prove, which message a text came from."""

import pytest

from shared.knowledge.numbers import Numbers

BRIEF = "my pin is 1987, do not tell them"
SIX_SHORT = "4711 4712 4713 4714 4715 4716 and so on and so forth"


def proves(message: str, text: str, *, explained: str = "") -> bool:
    return Numbers.of(message).prove(Numbers.of(text), explained=Numbers.of(explained).all_numbers)


def test_a_text_without_a_number_or_with_a_date_alone_has_nothing_to_prove() -> None:
    assert not Numbers.of("no number, only 12 of them").are_provable
    assert not Numbers.of("in 2026-12-24 for 5000円").are_provable
    assert Numbers.of("the code is 4711").are_provable
    assert Numbers.of("the code is 471147").are_provable


def test_groups_count_as_a_whole_from_six_digits_on() -> None:
    assert Numbers.of("12-34-56").distinctive == {"123456"}
    assert not Numbers.of("12-34-5").are_provable


@pytest.mark.parametrize(
    ("one", "other", "share"),
    [
        ("it is 471147", "471147 opens it", True),
        ("it is 4711", "4711 opens it", True),
        ("it is 471147", "471148 opens it", False),
        ("it is 471147", "4711 opens it", False),
        ("it is 4711 or 471147", "471147 opens it", True),
        ("it is 471147", "4711 or 471147 opens it", True),
    ],
)
def test_two_texts_share_a_number_of_any_length_that_both_say(one: str, other: str, *, share: bool) -> None:
    assert bool(Numbers.of(one).common(Numbers.of(other))) is share
    assert bool(Numbers.of(other).common(Numbers.of(one))) is share


def test_a_year_proves_what_a_brief_message_says() -> None:
    assert len(BRIEF) == 32

    assert proves(BRIEF, "the pin: 1987")
    assert not proves(f"{BRIEF}!", "the pin: 1987")


def test_a_list_of_short_numbers_proves_nothing() -> None:
    assert proves(SIX_SHORT, "the code: 4713")
    assert not proves(f"{SIX_SHORT} 4717", "the code: 4713")


@pytest.mark.parametrize("number", ["4711", "471147"])
def test_a_number_that_another_message_says_proves_nothing(number: str) -> None:
    assert proves(f"it is {number}", f"the code: {number}")
    assert not proves(f"it is {number}", f"the code: {number}", explained=f"{number}, please")


@pytest.mark.parametrize("first", [0x10D40, 0x1CCF0])  # of Unicode 16: Garay and outlined digits
def test_digits_that_only_a_newer_unicode_knows_stand_for_themselves(first: int) -> None:
    written = "".join(map(chr, range(first, first + 6)))

    assert Numbers.of(written).common(Numbers.of(f"the code is {written}"))
