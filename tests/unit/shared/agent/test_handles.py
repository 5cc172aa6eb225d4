"""Handles of stored things, and the things that a message may mean."""

from itertools import pairwise

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


@given(st.lists(st.text("ab庭の", max_size=6), max_size=8), st.lists(st.text("ab庭の ", max_size=8), max_size=2))
def test_a_thing_is_meant_by_the_share_of_its_pairs_of_characters_and_of_two_whole_names_the_longer(
    names: list[str], said: list[str]
) -> None:
    held = {pair for text in said for pair in pairwise(fold(text))}
    pairs = [set(pairwise(fold(name))) for name in names]
    shared = [len(own & held) for own in pairs]
    fitting = [place for place, own in enumerate(pairs) if own and shared[place] >= 0.6 * len(own)]
    fitting.sort(key=lambda place: (-shared[place] / len(pairs[place]), -shared[place], place))

    assert things_meant(said, names, folded_name_of=fold) == tuple(names[place] for place in fitting)


def test_the_likeliest_things_are_meant_first_and_at_most_ten() -> None:
    names = tuple(f"garden {number}" for number in range(20))

    meant = things_meant(["garden 17 please"], names, folded_name_of=fold)

    assert meant[0] == "garden 17"
    assert len(meant) == 10
