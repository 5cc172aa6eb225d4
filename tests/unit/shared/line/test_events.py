import pytest

from shared.errors import UnusableIdError
from shared.line.events import parse_event
from tests.support import recorded

READABLE = [name for name in recorded.NAMES if name != "verification"]


@pytest.mark.parametrize("name", READABLE)
def test_every_recorded_event_can_be_read(name: str) -> None:
    for event in recorded.events(name):
        parsed = parse_event(event)

        assert parsed.type == event["type"]
        assert parsed.webhook_event_id == event["webhookEventId"]
        assert parsed.timestamp_ms == event["timestamp"]


def test_a_message_in_a_group_belongs_to_the_group() -> None:
    event = parse_event(recorded.event("message-text-in-group"))

    assert event.conversation_id == recorded.GROUP
    assert event.user_id == recorded.USER
    assert not event.is_one_on_one


def test_a_speaker_may_be_unknown() -> None:
    assert parse_event(recorded.event("message-without-user")).user_id is None


def test_in_standby_no_token_may_be_spent_even_if_there_is_one() -> None:
    event = parse_event(recorded.event("message-standby", replyToken="0" * 32))

    assert event.is_standby
    assert event.reply_token is None


def test_an_unsend_names_its_message() -> None:
    assert parse_event(recorded.event("unsend")).subject_id == "573000000000000001"


def test_a_message_tells_what_it_quotes_and_how_it_can_be_quoted() -> None:
    message = parse_event(recorded.event("message-text-quoting")).message

    assert message is not None
    assert message.quoted_message_id == message.fields["quotedMessageId"]
    assert message.quote_token == message.fields["quoteToken"]
    assert message.mark_as_read_token == message.fields["markAsReadToken"]


@pytest.mark.parametrize("quoted", [None, "", 5, "../x", ["1"]])
def test_an_odd_quote_is_none(quoted: object) -> None:
    event = recorded.event("message-text-quoting")
    event["message"] = {"type": "text", "id": "1", "text": "hi", "quotedMessageId": quoted}
    message = parse_event(event).message

    assert message is not None
    assert (message.quoted_message_id, message.quote_token, message.mark_as_read_token) == (None, None, None)


def test_a_pressed_button_tells_what_it_carries() -> None:
    assert parse_event(recorded.event("postback")).postback_data == "storeId=12345"


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ("x" * 300, "x" * 300),
        ("x" * 301, None),
        ("😀" * 151, None),
        ("", None),
        (None, None),
        (5, None),
        ("\ud800", "\ufffd"),
    ],
)
def test_what_no_button_of_ours_can_carry_is_nothing(data: object, expected: str | None) -> None:
    assert parse_event(recorded.event("postback", postback={"data": data})).postback_data == expected


@pytest.mark.parametrize(
    "changes",
    [
        {"source": None},
        {"source": {"type": "user"}},
        {"source": {"type": "user", "userId": "../../x"}},
        {"webhookEventId": None},
        {"webhookEventId": "a/../b"},
        {"message": {"type": "text", "id": "../x", "text": "hi"}},
        {"message": {"type": "text", "text": "hi"}},
        {"unsend": {"messageId": "/"}},
    ],
)
def test_ids_that_line_cannot_have_made_are_refused(changes: dict[str, object]) -> None:
    with pytest.raises(UnusableIdError, match=r"."):
        parse_event(recorded.event("message-text", **changes))


@pytest.mark.parametrize("timestamp", [None, "1763700001000", True, -1, 10**20, 1.5])
def test_an_impossible_timestamp_counts_as_none(timestamp: object) -> None:
    assert parse_event(recorded.event("message-text", timestamp=timestamp)).timestamp_ms == 0


def test_nothing_private_is_in_the_repr() -> None:
    event = parse_event(recorded.event("message-text"))

    assert "こんにちは" not in repr(event)
    assert str(recorded.event("message-text")["replyToken"]) not in repr(event)
