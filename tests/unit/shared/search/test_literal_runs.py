import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.search.folding import fold
from shared.search.literal_runs import Runs, Signs, shares_run, weight_of


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


def test_no_character_is_written_out_in_more_than_six() -> None:
    every = (chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code < 0xE000)

    assert max(len(fold(one)) for one in every) == 6
    assert fold("㌖") == fold("キロメートル")
    assert fold("ﷺ ﷻ") == "ﷺ ﷻ"


@given(st.text(st.sampled_from("ﷺﷻ㌖㎯ΐａﾞ\u0301\u0316 "), max_size=60))
def test_a_folded_text_is_at_most_six_times_as_long(text: str) -> None:
    folded = fold(text)

    assert len(folded) <= 6 * len(text)
    assert fold(folded) == folded


def test_folding_twice_changes_no_long_run_of_marks() -> None:
    assert fold(fold("a" + "\u0301\u0316" * 100)) == fold("a" + "\u0301\u0316" * 100)


@pytest.mark.parametrize(
    ("one", "other", "is_shared"),
    [
        ("on wednesday with sato", "WEDNESDAY WITH nobody", True),
        ("駐輪場の暗証番号は9", "駐輪場の暗証番号を決めた", True),
        ("tomorrow at", "tomorrow at", False),
        ("来週の月曜", "来週の月曜", False),
        ("来週wedne", "来週wednesday", False),
        ("来週wednesda", "来週wednesday", True),
        ("the number is 4711", "4711", False),
        ("", "", False),
    ],
)
def test_a_run_counts_from_twelve_ascii_characters_or_six_others(one: str, other: str, *, is_shared: bool) -> None:
    assert shares_run(one, other) is is_shared
    assert shares_run(other, one) is is_shared


def test_runs_of_several_texts_can_be_taken_out_of_others() -> None:
    runs = Runs.of("庭の工事は来週の月曜から").without(Runs.of_any(["庭の工事は来週の火曜", "雨だ"]))

    assert not runs.shares("庭の工事は来週")
    assert runs.shares("来週の月曜から")
    assert not Runs().shares("庭の工事は来週")


@given(st.text(max_size=20), st.text(alphabet="abcdef漢字", min_size=12, max_size=20), st.text(max_size=20))
def test_a_text_shares_a_run_with_any_text_that_holds_it(before: str, text: str, after: str) -> None:
    runs = Runs.of(text)

    assert runs.shares(f"{before} {text} {after}")
    assert runs.shares(Runs.of(f"{before} {text} {after}"))


def test_signs_of_several_texts_are_in_any_that_repeats_one() -> None:
    signs = Signs()
    signs.add(["behind the third bookshelf", "庭の工事は来週"])

    assert signs.are_in(["rain today", "look behind the third one"])
    assert signs.are_in(["庭の工事は来週だ", "rain today"])
    assert not signs.are_in(["rain today", "snow tomorrow"])
    assert not signs.are_in([])


@pytest.mark.parametrize(
    ("text", "repeats", "is_sign"),
    [
        ("dinner", "a dinner", True),
        ("lunch", "a lunch", False),
        ("8時", "朝8時", False),
        ("18時", "朝18時", True),
        ("elevenchars", "elevenchars!", True),
        ("elevenchars", "elevencharz!", False),
        ("twelve chars", "twelve chars!", True),
        ("twelve chars and more", "twelve chars!", True),
    ],
)
def test_a_short_text_is_a_sign_as_a_whole_and_a_longer_one_by_its_runs(text: str, repeats: str, is_sign: bool) -> None:
    signs = Signs()
    signs.add([text])

    assert signs.are_in([repeats]) is is_sign


def test_weight_counts_ascii_once_and_other_characters_twice() -> None:
    assert weight_of("8時") == 3
