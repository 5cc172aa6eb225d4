import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.errors import UnusableIdError
from shared.line.ids import checked_conversation_id, checked_id, conversation_id_of, is_conversation_id

USER = "U" + "0" * 32
GROUP = "C" + "a" * 32
ROOM = "R" + "9" * 32


@pytest.mark.parametrize("value", [USER, GROUP, ROOM])
def test_ids_of_users_groups_and_rooms_are_taken(value: str) -> None:
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
def test_anything_else_is_no_conversation(value: object) -> None:
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
def test_a_group_or_room_is_the_chat_before_its_speaker(source: object, expected: str | None) -> None:
    assert conversation_id_of(source) == expected
