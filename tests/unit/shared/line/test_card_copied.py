"""What a button of a card copies: the code or the address in the words that the card shows."""

import pytest

from shared.line.cards.copied import code_or_address, copy_button
from shared.locales.language_file import LOCALES


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("hotel: booking AX-48213", "AX-48213"),
        ("予約番号AX48213です", "AX48213"),
        ("佐藤さん、電話は090-1234-5678", "090-1234-5678"),
        ("ring +81-90-1234-5678.", "+81-90-1234-5678"),
        ("write to momo@example.com, please", "momo@example.com"),
        ("see https://example.com/a?b=1.", "https://example.com/a?b=1"),
        ("the code is 471129", "471129"),
        ("AX-48213, again AX-48213", "AX-48213"),
    ],
)
def test_the_only_code_or_address_of_a_text_is_copied(text: str, value: str) -> None:
    assert code_or_address(text) == value


@pytest.mark.parametrize(
    "text",
    [
        "",
        "call the gardener",
        "2026-11-27",
        "2026-11",
        "windows11",
        "4711",
        "a" * 5_000,
        "AX-48213 or AX-48214",
        "booking AX-48213…",
        "庭の工事は来週の月曜から",
        "http://example.com/1234567",
    ],
)
def test_a_date_a_word_a_cut_code_or_one_of_several_is_not_copied(text: str) -> None:
    assert code_or_address(text) == ""


@pytest.mark.parametrize("locale", LOCALES)
def test_the_button_copies_the_value_and_says_so(locale: str) -> None:
    button = copy_button("AX-48213", locale)

    assert (button.action, button.value) == ("copy", "AX-48213")
    assert 0 < len(button.label) <= 20
