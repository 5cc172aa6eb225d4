"""As much of a text as stays within a number of tokens."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.agent.token_estimate import estimated_tokens, within_tokens


@pytest.mark.parametrize(
    ("text", "limit_tokens", "kept"),
    [
        ("", 1, ""),
        ("abcd", 0, ""),
        ("abcdefgh", 1, "abcd"),
        ("abcdefgh", 2, "abcdefgh"),
        ("庭の工事", 3, "庭の工"),
        ("庭の工事", 4, "庭の工事"),
        ("庭の工事", 9, "庭の工事"),
    ],
)
def test_the_beginning_that_stays_within_the_limit(text: str, limit_tokens: int, kept: str) -> None:
    assert within_tokens(text, limit_tokens) == kept


@given(st.text(alphabet="ab庭工", max_size=400), st.integers(1, 50))
def test_no_more_than_the_limit_and_at_least_a_quarter_of_it_is_kept(text: str, limit_tokens: int) -> None:
    kept = within_tokens(text, limit_tokens)

    assert text.startswith(kept)
    assert estimated_tokens(kept) <= limit_tokens
    assert kept == text or estimated_tokens(kept) >= limit_tokens // 4
