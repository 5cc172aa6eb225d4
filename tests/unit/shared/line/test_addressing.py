import pytest

from shared.line.addressing import is_addressed
from shared.line.events import parse_event
from tests.support import recorded


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("message-text", True),
        ("message-sticker", True),
        ("message-text-in-group", False),
        ("message-text-in-room", False),
        ("message-text-mentioning-the-bot", True),
        ("message-text-mentioning-all", False),
        ("follow", False),
    ],
)
def test_in_a_group_only_a_mention_of_the_bot_addresses_it(name: str, expected: bool) -> None:
    assert is_addressed(parse_event(recorded.event(name))) is expected


@pytest.mark.parametrize(
    "mention", [None, "x", {"mentionees": "x"}, {"mentionees": ["x"]}, {"mentionees": [{"isSelf": "true"}]}]
)
def test_an_odd_mention_is_no_mention(mention: object) -> None:
    event = recorded.event("message-text-in-group")
    event["message"]["mention"] = mention

    assert not is_addressed(parse_event(event))
