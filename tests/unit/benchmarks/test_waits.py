"""What a person waits for, in virtual time: no change makes it longer unseen."""

import pytest

from benchmarks.waits import BUBBLES, SITUATIONS, Figures, Situation, bubbles, figures, settled

ROUND_TRIPS = {
    "talk": (4, 4, 2),
    "keep a note": (5, 5, 8),  # the first of a chat, for which the catalog is made of a listing and what it names
    "set a reminder": (5, 5, 6),
    "change a reminder": (5, 5, 6),
    "cancel a reminder": (5, 5, 6),
    "mark done": (5, 5, 6),
    "search, then answer": (5, 6, 2),
}
"""Before the reply in a warm and in a cold instance, and from the reply to the record of the outcome."""


@pytest.mark.parametrize(
    "situation", [one for one in SITUATIONS if one.name in ROUND_TRIPS], ids=lambda situation: situation.name
)
def test_a_person_waits_for_few_requests_and_round_trips(situation: Situation) -> None:
    round_trips, cold, holding = ROUND_TRIPS[situation.name]

    assert figures(situation) == Figures(
        requests=situation.requests, round_trips=round_trips, cold_round_trips=cold, holding=holding, paused_ms=0
    )


@pytest.mark.parametrize("apart_s", [0.3, 0.8])
def test_what_a_person_adds_while_the_model_thinks_gets_one_answer(apart_s: float) -> None:
    burst, plain = bubbles(apart_s)

    assert (burst.answers, plain.answers) == (1, BUBBLES)
    assert burst.requests == BUBBLES
    assert burst.last_answer_s - plain.last_answer_s < 0.2


@pytest.mark.parametrize(("apart_s", "answers"), [(0.1, 1), (0.3, 2), (0.8, 4), (1.5, 5)])
def test_a_settle_window_merges_only_what_comes_within_it_or_during_a_turn(apart_s: float, answers: int) -> None:
    assert settled(apart_s).answers == answers
