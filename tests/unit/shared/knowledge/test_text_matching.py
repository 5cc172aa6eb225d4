import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.knowledge.text_matching import SNIPPET_LIMIT, fold, snippet
from shared.line.utf16 import utf16_length


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ガレージ", "がれーじ"),
        ("ｶﾞﾚｰｼﾞ", "がれーじ"),
        ("ＧＡＲＤＥＮ", "garden"),
        ("Straße", "STRASSE"),
        ("a \n\u3000 b", "a b"),
        ("ヴァイオリン", "ゔぁいおりん"),
    ],
)
def test_width_case_kana_and_spaces_make_no_difference(one: str, other: str) -> None:
    assert fold(one) == fold(other)


def test_letters_that_differ_stay_different() -> None:
    assert fold("はは") != fold("ぱぱ")
    assert fold("garden") != fold("gardén")


@settings(max_examples=500)
@given(st.text(max_size=60))
def test_folding_is_idempotent(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@settings(max_examples=300)
@given(st.text(max_size=300), st.text(max_size=5))
def test_a_snippet_is_within_its_limit_and_cuts_no_grapheme(text: str, query: str) -> None:
    shown = snippet(text, query)
    graphemes = regex.findall(r"\X", " ".join(text.split()))

    assert utf16_length(shown) <= SNIPPET_LIMIT
    inside = shown.removeprefix("…").removesuffix("…")
    assert inside in " ".join(text.split())
    assert all(
        utf16_length(one) > SNIPPET_LIMIT - 2 or one in graphemes for one in regex.findall(r"\X", inside.strip())
    )


def test_a_snippet_surrounds_the_match() -> None:
    shown = snippet("あ" * 200 + "ガレージの鍵" + "い" * 200, "がれーじ")

    assert "ガレージの鍵" in shown
    assert shown.startswith("…")
    assert shown.endswith("…")


def test_a_sign_and_its_phrase_fold_to_one_character() -> None:
    assert fold("ﷺ" * 3) == fold("صلى الله عليه وسلم" * 3) == "ﷺ" * 3


def test_folding_twice_changes_no_long_run_of_marks() -> None:
    assert fold(fold("a" + "\u0301\u0316" * 100)) == fold("a" + "\u0301\u0316" * 100)
