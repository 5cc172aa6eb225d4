"""Messages that nobody answers, of which two things want the token: the scenes that no mutation of the table names."""

from collections.abc import Callable

import pytest

from tests.simulation import free_token_scenes


@pytest.mark.parametrize(
    "scene", [free_token_scenes.notice_beside_a_summary, free_token_scenes.notice_after_an_address]
)
def test_two_deliveries_of_a_message_use_its_token_once(scene: Callable[[], list[str]]) -> None:
    assert scene() == []
