"""A question that is left out for blocked words: whether its author is told, and when an edit of it may be missing from the answer."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.simulation.mind import Mind
from tests.simulation.mutations import MUTATIONS
from tests.simulation.refusal_scenes import (
    blocked_question_beside_one_that_the_model_skips,
    edit_of_a_question_about_a_blocked_message,
)

OUTDATED = "I4: an answer was committed to the text from before an edit that had been handled"


class _RemembersOldWords(Mind):
    """A model that repeats the words from before the edit, whatever it reads."""

    def _words(self, prompt: Any) -> Iterator[str]:  # noqa: ANN401 - a prompt by its parts
        yield from super()._words(prompt)
        yield "word1a"


def test_an_edited_question_may_be_left_out_with_the_blocked_message_that_it_quotes() -> None:
    assert edit_of_a_question_about_a_blocked_message() == []


def test_the_old_words_of_a_question_that_quotes_a_blocked_message_are_found() -> None:
    assert OUTDATED in edit_of_a_question_about_a_blocked_message(make_mind=_RemembersOldWords)


def test_a_question_is_not_left_out_silently() -> None:
    with MUTATIONS["says_what_is_left_out"].active():
        assert OUTDATED in edit_of_a_question_about_a_blocked_message()


def test_a_question_is_not_left_out_once_what_it_quotes_is_edited() -> None:
    assert edit_of_a_question_about_a_blocked_message(edits_quoted=True) == []


@pytest.mark.parametrize("name", ["cancels", "edits_cancel", "heeds_cancelled"])
def test_a_question_that_is_left_out_for_words_from_before_an_edit_is_found(name: str) -> None:
    with MUTATIONS[name].active():
        assert OUTDATED in edit_of_a_question_about_a_blocked_message(edits_quoted=True)


def test_a_blocked_question_does_not_meet_silence_if_the_model_skips_the_others() -> None:
    assert blocked_question_beside_one_that_the_model_skips() == []
    with MUTATIONS["says_what_is_left_out"].active():
        assert blocked_question_beside_one_that_the_model_skips()
