import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.agent.receipts import Deed, DeedKind, Place, receipt
from shared.conversation.receipt_lines import compared_texts

LOCALES = ("ja", "en", "zh-TW", "th")


@pytest.mark.parametrize("locale", LOCALES)
def test_of_a_receipt_only_its_names_are_compared(locale: str) -> None:
    deeds = [
        Deed(kind=DeedKind.FILED, name="flowers for Hana", place=Place.IDEAS),
        Deed(kind=DeedKind.PAGE_CREATED, name="二冊の本"),
        Deed(kind=DeedKind.PAGE_CREATED, name="tyres"),
    ]

    text = f"All right.\n\n{receipt(deeds, locale=locale)}"

    assert [one.strip() for one in compared_texts(text)] == ["All right.", "flowers for Hana", "二冊の本", "tyres"]


def test_a_proposal_is_a_line_of_the_code_too() -> None:
    assert compared_texts("Shall I?\n\n☐ Delete “lunch”\n☐ Delete “dinner”") == ("Shall I?\n", "lunch", "dinner")


def test_an_answer_without_receipt_is_compared_whole() -> None:
    for text in ("one\ntwo “three”", "✓done", " ✓ done", "✓ Done.", "✓ “”"):
        assert compared_texts(text) == (text,)


def test_no_text_has_nothing_to_compare() -> None:
    assert compared_texts("") == ()


@given(st.text(alphabet="a “”「」✓☐\n"))
def test_a_text_is_never_without_anything_to_compare(text: str) -> None:
    assert bool(compared_texts(text)) == bool(text)
