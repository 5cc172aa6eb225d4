"""Whatever text stands in a prompt or an answer, its source is in the provenance of the turn."""

from concurrent.futures import ThreadPoolExecutor
from typing import Final

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.planted import READINGS, STEPS, PlantedGroup

PLACES: Final = frozenset(
    {
        "prompt",
        "medium",
        "quote",
        "answer line",
        "recap line",
        "index",
        "classification",
        "answer",
        *(name.partition(" ")[0] for name in READINGS),
    }
)


def test_every_kind_of_record_is_named_by_the_turn_whose_prompt_shows_it(pool: ThreadPoolExecutor) -> None:
    group = PlantedGroup(pool)

    for name, step in STEPS.items():
        group.sets_a_reminder()
        group.files()
        group.finishes()
        step(group)
        assert not group.unnamed, name

    assert sorted(PLACES - group.seen) == []


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(sorted(STEPS)), min_size=4, max_size=14))
def test_whatever_happens_in_a_chat_each_prompt_names_its_sources(pool: ThreadPoolExecutor, steps: list[str]) -> None:
    group = PlantedGroup(pool)

    for name in steps:
        STEPS[name](group)

    assert group.unnamed == []
