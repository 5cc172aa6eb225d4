from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.search.folding import fold
from shared.search.needles import NEEDLES_LIMIT, needles_of
from shared.search.ranking import Passage, rank

WORDS = st.text(st.sampled_from("引っ越しカード台臺ab ー1กา、\n"), max_size=12)


def documents(*texts: str | Sequence[str]) -> list[list[Passage]]:
    return [[Passage(folded=fold(one)) for one in ([of] if isinstance(of, str) else of)] for of in texts]


def found(query: str, *texts: str) -> list[int]:
    return [one.document for one in rank(documents(*texts), [query])]


@given(st.lists(st.lists(WORDS, max_size=3), max_size=5), st.lists(WORDS, max_size=4))
def test_literal_matches_come_first_most_matches_first_and_every_one_is_found(
    texts: list[list[str]], queries: list[str]
) -> None:
    wanted = {fold(query) for query in queries if fold(query)}

    results = rank(documents(*texts), queries)

    counts = [sum(fold(text).count(query) for text in of for query in wanted) for of in texts]
    literal = [one for one in results if one.is_literal]
    assert {one.document for one in literal} == {number for number, count in enumerate(counts) if count}
    assert [one.count for one in literal] == [counts[one.document] for one in literal]
    assert [one.count for one in literal] == sorted((one.count for one in literal), reverse=True)
    assert list(results[: len(literal)]) == literal
    similar = results[len(literal) :]
    assert [one.score for one in similar] == sorted((one.score for one in similar), reverse=True)
    assert len({one.document for one in results}) == len(results)
    assert all(0 <= one.passage < len(texts[one.document]) for one in results)


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("引越", "引っ越しの準備"),
        ("見積り", "見積もりを取る"),
        ("台中", "搬家到臺中"),
        ("サーバ入替え", "サーバーの入れ替え"),
        ("庭のフェンス", "フェンスを高くして、庭に物置を置く"),
        ("renewing passports", "Renew passport"),
        ("news letter", "Monthly newsletter"),
        ("wifi", "会議室のWi-Fi"),
        ("เวบไซต์", "ปรับปรุงเว็บไซต์ร้าน"),
    ],
)
def test_a_word_in_another_spelling_is_similar(query: str, text: str) -> None:
    (only,) = rank(documents("関係のない話", text, "something else"), [query])

    assert (only.document, only.is_literal) == (1, False)


def test_a_text_that_shares_more_comes_first() -> None:
    assert found("garage door", "the door", "a garage with a green door", "car") == [1, 0]


def test_a_word_that_stands_everywhere_says_nothing() -> None:
    assert found("the garden", "the car", "the tax", "the cat", "one garden") == [3]


def test_the_best_passage_is_named() -> None:
    (only,) = rank(documents(["name", "物置の鍵と物置", "物置"]), ["物置"])

    assert (only.passage, only.count) == (1, 3)


@pytest.mark.parametrize("queries", [[], [""], [" "], ["、。"]])
def test_nothing_is_found_for_nothing(queries: list[str]) -> None:
    assert rank(documents("text", "他の"), queries) == ()
    assert rank([], ["text"]) == ()


def test_four_queries_count_and_no_more() -> None:
    texts = documents("one", "two", "three", "four", "five")

    assert {one.document for one in rank(texts, ["one", "two", "three", "four", "five"])} == {0, 1, 2, 3}


def test_a_long_query_is_looked_for_by_a_bounded_number_of_pieces() -> None:
    assert len(needles_of("".join(map(chr, range(0x4E00, 0x4E00 + 300))))) == NEEDLES_LIMIT


def test_words_of_questions_are_not_looked_for() -> None:
    assert {one.text.strip() for one in needles_of("where is my passport")} == {"passport", "passp"}
    assert needles_of("where is it") != ()


@pytest.mark.parametrize(
    ("queries", "texts"),
    [
        (("忘年会 どこ", "予約"), ("写真の予約って誰がしたんだっけ", "忘年会は恵比寿の鳥八で予約したよ")),
        (("grandma eat", "allergic"), ("is anybody allergic to anything?", "grandma is allergic to walnuts")),
    ],
)
def test_of_equally_many_matches_the_one_that_fits_all_queries_comes_first(
    queries: tuple[str, ...], texts: tuple[str, ...]
) -> None:
    assert [one.document for one in rank(documents(*texts), queries)] == [1, 0]
