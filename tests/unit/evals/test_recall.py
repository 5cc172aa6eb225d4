"""The bar of recall, on a part of the project's own group; `python -m evals.recall` measures all of it."""

from collections import Counter

import pytest

from evals.recall.benchmark import measure
from evals.recall.group import PEOPLE, WINDOW, make_group
from evals.recall.questions import KINDS, LANGUAGES, TARGETS, Kind, measure_questions, questions

GROUP = make_group(seed=0, messages=2_000)


def test_the_group_is_of_six_people_and_three_languages() -> None:
    assert {one.user_id for one in GROUP.messages} == set(PEOPLE)
    assert {one.language for one in GROUP.facts.values()} == {"en", "ja", "th"}
    assert len(GROUP.facts) >= 40


def test_a_seed_makes_the_same_group_again_and_another_seed_another_one() -> None:
    assert make_group(seed=1, messages=500) == make_group(seed=1, messages=500)
    assert make_group(seed=1, messages=500) != make_group(seed=2, messages=500)


def test_no_fact_is_among_the_newest_messages() -> None:
    assert {one.line_message_id for one in GROUP.messages[-WINDOW:]}.isdisjoint(GROUP.facts)


def test_nine_of_ten_facts_are_among_the_first_five_lines() -> None:
    figures = measure(GROUP)

    assert min(figures.recall.values()) >= 0.9


@pytest.mark.parametrize("kind", KINDS)
def test_each_question_has_one_fact_and_alternatives_that_do_not_give_it_away(kind: Kind) -> None:
    facts = [fact.text for fact in make_group(seed=0, messages=2_000, also=questions()).facts.values()]

    for asked in questions().of(kind):
        assert sum(asked.fact in fact for fact in facts) == 1, asked.question
        assert 1 <= len(asked.alternatives) <= 3
        assert not any(digit.isdecimal() for word in (asked.query, *asked.alternatives) for digit in word)
        assert max(map(len, asked.alternatives)) <= len("กุญแจสำรอง") + 2


def test_questions_come_in_four_languages() -> None:
    counts = [Counter(one.language for one in questions().of(kind)) for kind in KINDS]

    assert [sum(count.values()) for count in counts] == [20, 30]
    assert all(set(count) == set(LANGUAGES) for count in counts)


def test_alternatives_find_what_the_words_of_a_question_do_not() -> None:
    for kind, shares in measure_questions(seed=1, messages=2_000).items():
        assert shares.with_alternatives["all"] >= TARGETS[kind] > shares.without["all"]
