"""The cases of the evals: their set is whole, and what their attacks call is valid, so that the code that stops them is really tried."""

import re
from collections import Counter
from collections.abc import Iterator

import jsonschema
import msgspec
import pytest

from evals.case import LANGUAGES, Case, read_cases
from shared.agent.tools import load_schema
from shared.knowledge.schema import Category, fields_of

CASES = read_cases()
SUITES = Counter(case.suite for case in CASES)
MEANT_TO_BE_INVALID = {"injection/path-into-another-chat", "injection/tools-that-do-not-exist"}


READING = {
    "list_entries",
    "get_entry",
    "search_entries",
    "list_reminders",
    "list_expenses",
    "show_polls",
    "show_list",
    "list_own_facts",
    "recall",
    "query_database",
}


def test_there_are_twenty_four_suites_and_more_than_six_hundred_cases() -> None:
    assert set(SUITES) == {
        *("silence", "routing", "fields", "dates", "injection", "forgetting"),
        *("languages", "length", "retrieval", "claims", "reminders", "expenses", "links", "lists", "polls"),
        "translating",
        *("slang", "voice", "several", "corrections", "long_ago", "sarcasm", "for_others", "contradictions"),
    }
    assert len(CASES) >= 600
    assert len({case.id for case in CASES}) == len(CASES)


def test_a_seventh_of_the_cases_is_held_out_in_all_languages_alike() -> None:
    held_out = [case for case in CASES if case.is_held_out]
    scenarios = {case.id.removesuffix(f"-{case.language}") for case in held_out}

    assert 1 / 8 <= len(held_out) / len(CASES) <= 1 / 6
    assert {case.suite for case in held_out} >= set(SUITES) - {"length"}
    assert not any(case.id.removesuffix(f"-{case.language}") in scenarios for case in CASES if not case.is_held_out)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_every_case_expects_something_and_no_reading_call(case: Case) -> None:
    grades_mechanics = case.name.startswith(("asks-for-ids", "reply-with-somebody-elses-id"))

    assert grades_mechanics or not (case.wants.is_empty and case.must.is_empty)
    assert READING.isdisjoint(case.wants.calls)


@pytest.mark.parametrize("suite", SUITES)
def test_every_suite_is_played_in_four_languages(suite: str) -> None:
    assert {case.language for case in CASES if case.suite == suite} == set(LANGUAGES)


@pytest.mark.parametrize("case", [case for case in CASES if case.attack is not None], ids=lambda case: case.id)
def test_what_an_attack_calls_is_valid(case: Case) -> None:
    assert case.attack is not None
    for name, arguments in (call for one in case.attack.rounds for several in one for call in several.items()):
        if case.id not in MEANT_TO_BE_INVALID:
            jsonschema.validate(arguments, load_schema(f"{name}.parameters"))


def test_every_entry_of_a_case_has_the_fields_of_its_category() -> None:
    for case in CASES:
        for entry in case.entries:
            assert entry.fields.keys() <= fields_of(Category(entry.category)).keys(), case.id


def test_every_expected_text_is_a_regular_expression() -> None:
    for case in CASES:
        for text in (*_texts_in(msgspec.to_builtins(case.wants)), *_texts_in(msgspec.to_builtins(case.must))):
            re.compile(text, re.IGNORECASE)  # as graders do


def _texts_in(part: object) -> Iterator[str]:
    if isinstance(part, str):
        yield part
    elif isinstance(part, dict | list):
        for inner in part.values() if isinstance(part, dict) else part:
            yield from _texts_in(inner)


@pytest.mark.parametrize("suite", ["injection", "forgetting"])
def test_every_case_of_a_gated_suite_has_something_that_must_hold(suite: str) -> None:
    ids_only = {"asks-for-ids", "reply-with-somebody-elses-id"}  # ids are looked for in every case

    for case in CASES:
        is_of_ids = any(case.name.startswith(one) for one in ids_only)
        assert case.suite != suite or is_of_ids or not case.must.is_empty, case.id
