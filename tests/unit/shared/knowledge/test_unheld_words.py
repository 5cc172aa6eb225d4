import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.knowledge.unheld_words import UnheldWords
from shared.search.literal_runs import shares_run

WORDS = st.text(st.sampled_from("ab 1い漢。"), max_size=40)


@pytest.mark.parametrize(
    ("text", "said", "other", "shared"),
    [
        ("会議の資料を先方に送る", "会議の資料は先方に送って", "会議の資料を", 0),
        ("会議の資料から先方へ", "会議の資料は先方に送って", "会議の資料から", 2),  # two kana are a word
        ("会議の資料案を先方に", "会議の資料は先方に送って", "会議の資料案", 1),
        ("会議の資料、先方に送る", "会議の資料と 先方に送る", "会議の資料、先", 0),  # a comma says nothing
        ("the code is red, swordfish", "the code is red", "is red, swordfish", 9),
        ("the code is red", "it said the code is red!", "the code is red", 0),
        ("1 abcdefghijkl 2", "", "3 abcdefghijkl 4", 14),
        ("", "anything", "anything", 0),
    ],
)
def test_a_run_counts_only_for_what_no_message_holds(text: str, said: str, other: str, shared: int) -> None:
    assert UnheldWords.of(text).without(said).shared_with(other) == shared


@given(WORDS, WORDS)
def test_where_no_message_is_known_every_shared_run_counts(text: str, other: str) -> None:
    assert (UnheldWords.of(text).shared_with(other) > 0) is shares_run(text, other)


@given(WORDS, WORDS, WORDS)
def test_a_message_that_holds_the_text_leaves_nothing_to_others(text: str, around: str, other: str) -> None:
    assert UnheldWords.of(text).without(f"{around} {text} {around}").shared_with(other) == 0


@given(WORDS, WORDS, WORDS)
def test_another_message_never_adds_to_what_is_left(text: str, said: str, other: str) -> None:
    words = UnheldWords.of(text)

    assert words.without(said).shared_with(other) <= words.shared_with(other)
