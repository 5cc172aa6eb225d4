import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.conversation.packed_ids import packed, unpacked
from shared.errors import CorruptRecordError

IDS = st.from_regex(r"[A-Za-z0-9_-]{1,40}", fullmatch=True) | st.integers(0, 10**30).map(str)


@given(st.frozensets(IDS, max_size=50))
def test_ids_are_read_back_as_they_were(ids: frozenset[str]) -> None:
    assert unpacked(packed(ids)) == ids


def test_a_number_costs_what_it_adds_to_the_one_before_it() -> None:
    assert packed({"460", "450", "m3", "0450"}) == "ci a =0450 =m3"


@pytest.mark.parametrize("text", ["?", "1 ?", "1" * 10_000])
def test_what_is_no_packed_text_is_corrupt(text: str) -> None:
    with pytest.raises(CorruptRecordError, match="packed ids"):
        unpacked(text)
