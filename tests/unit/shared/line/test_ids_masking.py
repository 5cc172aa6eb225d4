import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.line.ids import is_conversation_id, mask_ids, mask_ids_in

ID = "U4af4980629b1e5a3b9d0f2c7a8e61d35"
IDS = st.from_regex(r"[UCR][0-9a-f]{32}", fullmatch=True)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"I am {ID}.", "I am [ID]."),
        (f"{ID}{ID}", "[ID][ID]"),
        (f"私は{ID}です", "私は[ID]です"),
        (f"xx{ID}", "xx[ID]"),
        ("C" + "0" * 32 + " and R" + "f" * 32, "[ID] and [ID]"),
        ("u" + ID[1:], "u" + ID[1:]),
        (ID[:-1], ID[:-1]),
        ("", ""),
    ],
)
def test_ids_are_masked_wherever_they_stand(text: str, expected: str) -> None:
    assert mask_ids(text) == expected


@given(st.text(max_size=10), IDS, st.text(max_size=10))
def test_no_id_survives(before: str, line_id: str, after: str) -> None:
    masked = mask_ids(before + line_id + after)

    assert line_id not in masked
    assert not any(is_conversation_id(masked[index : index + 33]) for index in range(len(masked)))


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5) | IDS,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5) | IDS, inner, max_size=3),
        max_leaves=10,
    )
)
def test_data_is_masked_in_every_field_and_stays_what_it_was_otherwise(value: object) -> None:
    masked = mask_ids_in(value)

    assert masked == json.loads(mask_ids(json.dumps(value)))


def test_data_keeps_its_shape() -> None:
    assert mask_ids_in({"to": (ID, 1), ID: None}) == {"to": ("[ID]", 1), "[ID]": None}
