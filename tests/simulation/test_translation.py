"""Translation between members beside questions: each has its one answer, and no token is used twice."""

from typing import Final

import pytest

from tests.simulation import translation_scenes

WAYS = 60
WAYS_PER_TEST = 20


_STREAM: Final = 40


@pytest.mark.parametrize("first", range(0, WAYS, WAYS_PER_TEST))
def test_questions_and_translated_messages_get_one_answer_each_in_any_order(first: int) -> None:
    broken = {
        seed: met
        for seed in range(first, first + WAYS_PER_TEST)
        if (met := translation_scenes.translation_beside_a_question(seed))
    }

    assert not broken


@pytest.mark.parametrize(
    "scene",
    [
        translation_scenes.translation_whose_worker_dies_after_it_spoke,
        translation_scenes.translation_under_an_unsend,
        translation_scenes.translation_after_an_unsend_of_its_context,
        translation_scenes.translation_of_an_edited_message,
        translation_scenes.edit_of_a_translated_message,
        translation_scenes.edit_while_its_translation_is_sent,
        translation_scenes.translation_where_the_model_interjects,
        translation_scenes.word_that_is_taken_back,
        translation_scenes.word_that_is_taken_back_under_its_press,
        translation_scenes.switch_that_only_its_asker_presses,
        translation_scenes.switches_whose_worker_dies,
    ],
)
def test_a_scene_of_translation_keeps_every_invariant(scene: translation_scenes.PlayScene) -> None:
    assert scene() == []


@pytest.mark.parametrize("apart_s", [3.0, 1.0, 0.5])
def test_a_steady_stream_is_translated_within_four_seconds_with_a_model_of_one(apart_s: float) -> None:
    waits = sorted(translation_scenes.waits_in_a_stream(_STREAM, apart_s=apart_s))

    assert len(waits) == _STREAM
    assert waits[int(0.95 * _STREAM)] <= 4.0
