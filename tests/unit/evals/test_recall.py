"""The bar of recall, on a part of the project's own group; `python -m evals.recall` measures all of it."""

from evals.recall.benchmark import measure
from evals.recall.group import PEOPLE, WINDOW, make_group

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
