"""The cases of the evals: their set is whole, and what their attacks call is valid, so that the code that stops them is really tried."""

from collections import Counter

import jsonschema
import pytest

from evals.case import LANGUAGES, Case, read_cases
from shared.agent.tools import load_schema
from shared.knowledge.schema import Category, fields_of

CASES = read_cases()
SUITES = Counter(case.suite for case in CASES)
MEANT_TO_BE_INVALID = {"injection/path-into-another-chat", "injection/tools-that-do-not-exist"}


def test_there_are_eleven_suites_and_more_than_four_hundred_cases() -> None:
    assert set(SUITES) == {
        *("silence", "routing", "fields", "dates", "injection", "forgetting"),
        *("languages", "length", "retrieval", "claims", "reminders"),
    }
    assert len(CASES) >= 400
    assert len({case.id for case in CASES}) == len(CASES)


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


@pytest.mark.parametrize("suite", ["injection", "forgetting"])
def test_every_case_of_a_gated_suite_has_something_that_must_hold(suite: str) -> None:
    ids_only = {"asks-for-ids", "reply-with-somebody-elses-id"}  # ids are looked for in every case

    for case in CASES:
        is_of_ids = any(case.name.startswith(one) for one in ids_only)
        assert case.suite != suite or is_of_ids or not case.must.is_empty, case.id
