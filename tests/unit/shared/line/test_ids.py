import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.errors import UnusableIdError
from shared.line.ids import (
    checked_conversation_id,
    checked_id,
    conversation_id_of,
    is_conversation_id,
    mask_ids,
    mask_ids_in,
)

USER = "U" + "0" * 32
GROUP = "C" + "a" * 32
ROOM = "R" + "9" * 32
ID = "U4af4980629b1e5a3b9d0f2c7a8e61d35"
FULL_WIDTH = {code: code + 0xFEE0 for code in range(0x21, 0x7F)}
IDS = st.from_regex(r"[UCR][0-9a-f]{32}", fullmatch=True)


@pytest.mark.parametrize("value", [USER, GROUP, ROOM])
def test_ids_of_users_groups_and_rooms_are_accepted(value: str) -> None:
    assert checked_conversation_id(value) == value


@pytest.mark.parametrize(
    "value",
    [
        "",
        "U" + "0" * 31,
        "U" + "0" * 33,
        "u" + "0" * 32,
        "U" + "G" * 32,
        f"{USER}\n",
        f"../{USER}",
        "U" + "٠" * 32,
        None,
        7,
    ],
)
def test_any_other_value_is_no_conversation_id(value: object) -> None:
    with pytest.raises(UnusableIdError, match="no LINE id of a user, group or room"):
        checked_conversation_id(value)


@pytest.mark.parametrize("value", ["", "a/b", "..", "a" * 65, "日本", "a\n", None, 5, "a.b", "a b"])
def test_ids_that_could_become_a_path_are_refused(value: object) -> None:
    with pytest.raises(UnusableIdError, match="no LINE id of an event or message"):
        checked_id(value)


@given(st.text())
def test_no_text_with_a_slash_or_dot_is_an_id(text: str) -> None:
    assert not is_conversation_id(f"{text}/{text}")
    assert not is_conversation_id(f"{text}.{text}")


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ({"type": "user", "userId": USER}, USER),
        ({"type": "group", "groupId": GROUP, "userId": USER}, GROUP),
        ({"type": "room", "roomId": ROOM}, ROOM),
        ({"type": "group", "userId": USER}, None),
        ({"type": "user"}, None),
        ({"type": "planet", "userId": USER}, None),
        ({"type": "user", "userId": "../etc"}, None),
        ({"type": ["user"], "userId": USER}, None),
        (None, None),
        ([], None),
    ],
)
def test_the_chat_is_the_group_or_room_before_the_user(source: object, expected: str | None) -> None:
    assert conversation_id_of(source) == expected


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
        ("\u200b".join(ID), "[ID]"),
        (f"{ID[:9]}\u00ad{ID[9:]}\u200d!", "[ID]\u200d!"),
        (ID.translate(FULL_WIDTH), "[ID]"),
        (GROUP.translate(FULL_WIDTH), "[ID]"),
        ("U" + ID[1:].upper(), "[ID]"),
        (f"id{GROUP}", "id[ID]"),
        (GROUP * 3, "[ID][ID][ID]"),
        (f"{ID}0", "[ID]0"),
        ("U" + "A" * 33, "U" + "A" * 33),
        (f"R{'A' * 32}\u200b０", f"R{'A' * 32}\u200b０"),
        (f"7C{'A' * 32}", f"7C{'A' * 32}"),
        (f"x7\u200b\u00adC{'A' * 32}", f"x7\u200b\u00adC{'A' * 32}"),
        (f"x\u200bC{'A' * 32}", "x\u200b[ID]"),
        (f"\u200b\u00adC{'A' * 32}", "\u200b\u00ad[ID]"),
    ],
)
def test_ids_are_masked_anywhere_in_a_text(text: str, expected: str) -> None:
    assert mask_ids(text) == expected


def test_a_digest_in_upper_case_holds_no_id() -> None:
    digests = [hashlib.sha256(str(number).encode()).hexdigest().upper() for number in range(1_000)]

    assert [mask_ids(digest) for digest in digests] == digests


@given(st.text(max_size=10), IDS, st.text(max_size=10))
def test_no_id_is_left_after_masking(before: str, line_id: str, after: str) -> None:
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
def test_ids_are_masked_in_every_string_of_json_data(value: object) -> None:
    masked = mask_ids_in(value)

    assert masked == json.loads(mask_ids(json.dumps(value)))


def test_masked_data_keeps_its_shape() -> None:
    assert mask_ids_in({"to": (ID, 1), ID: None}) == {"to": ("[ID]", 1), "[ID]": None}
