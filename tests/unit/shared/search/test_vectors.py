import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.search.vectors import closeness, pack, unpack

VALUES = st.lists(st.floats(-1e6, 1e6).filter(lambda number: number == 0 or abs(number) > 1e-3), min_size=3, max_size=3)


@given(VALUES.filter(any))
def test_a_packed_vector_points_where_it_pointed(values: list[float]) -> None:
    opposite = [-one for one in values]

    assert closeness(unpack(pack(values)), unpack(pack([one * 3 for one in values]))) > 0.99
    assert closeness(unpack(pack(values)), unpack(pack(opposite))) < -0.99


@pytest.mark.parametrize("values", [[], [0.0, 0.0], [float("nan")], [float("inf"), 1.0]])
def test_a_vector_without_a_direction_is_empty(values: list[float]) -> None:
    assert pack(values) == ""


def test_what_cannot_be_compared_is_not_close() -> None:
    assert closeness(unpack(pack([1.0, 2.0])), unpack(pack([1.0]))) == 0.0
    assert not unpack("not base64!")
