"""Handles of stored things, and the things that a message may mean."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.agent.handles import ENTRY, handle_of, is_handle, things_meant
from shared.search.folding import fold


@given(st.text(min_size=1))
def test_a_handle_is_made_of_the_id_alone(thing_id: str) -> None:
    handle = handle_of(ENTRY, thing_id)

    assert is_handle(handle)
    assert handle == handle_of(ENTRY, thing_id)


def test_a_thousand_things_have_a_thousand_handles() -> None:
    assert len({handle_of(ENTRY, f"entry-{number}") for number in range(1_000)}) == 1_000


@pytest.mark.parametrize("text", ["projects/garden.md", "e-5meqfu.md", "E-5MEQFU", "e-5meqf", "e-5meq1u", "3", ""])
def test_a_path_or_a_position_is_no_handle(text: str) -> None:
    assert not is_handle(text)


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("the garden is done", ("Garden",)),
        ("庭の工事おわった", ("庭の工事",)),
        ("院子圍籬做好了", ("院子圍籬",)),
        ("ทำรั้วสวนเสร็จแล้ว", ("ทำรั้วสวน",)),
        ("what is for lunch?", ()),
        ("", ()),
    ],
)
def test_a_message_may_mean_what_it_names_in_any_script(said: str, meant: tuple[str, ...]) -> None:
    names = ("Garden", "庭の工事", "院子圍籬", "ทำรั้วสวน", "wifi password")

    assert things_meant([said], names, folded_name_of=fold) == meant


def test_the_likeliest_things_are_meant_first_and_at_most_ten() -> None:
    names = tuple(f"garden {number}" for number in range(20))

    meant = things_meant(["garden 17 please"], names, folded_name_of=fold)

    assert meant[0] == "garden 17"
    assert len(meant) == 10
