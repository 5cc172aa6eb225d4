import pytest

from shared.clock import SKEW_MS
from shared.errors import UnusableIdError
from shared.line.events import unnamed_reply_token
from shared.line.messaging import ReplyToken
from tests.support import recorded
from tests.support.parsing import parse_event

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


def test_an_event_may_have_no_user() -> None:
    assert parse_event(recorded.event("message-without-user")).user_id is None


def test_an_event_in_standby_has_no_reply_token() -> None:
    event = parse_event(recorded.event("message-standby", replyToken="0" * 32))

    assert event.is_standby
    assert event.reply_token is None


def test_a_reply_token_begins_to_live_when_its_event_was_received() -> None:
    event = recorded.event("message-text")

    parsed = parse_event(event, received_ms=7)

    assert parsed.reply_token == ReplyToken(value=event["replyToken"], received_ms=7)
    assert parsed.received_ms == 7


@pytest.mark.parametrize("token", [None, "", 5, ["t"]])
def test_an_event_without_a_token_cannot_be_answered(token: object) -> None:
    assert parse_event(recorded.event("message-text", replyToken=token)).reply_token is None


def test_an_unsend_names_its_message() -> None:
    assert parse_event(recorded.event("unsend")).subject_id == "573000000000000001"


def test_a_message_has_its_quoted_id_and_its_tokens() -> None:
    message = parse_event(recorded.event("message-text-quoting")).message

    assert message is not None
    assert message.quoted_message_id == message.fields["quotedMessageId"]
    assert message.quote_token == message.fields["quoteToken"]
    assert message.mark_as_read_token == message.fields["markAsReadToken"]


@pytest.mark.parametrize("quoted", [None, "", 5, "../x", ["1"]])
def test_a_malformed_quote_is_none(quoted: object) -> None:
    event = recorded.event("message-text-quoting")
    event["message"] = {"type": "text", "id": "1", "text": "hi", "quotedMessageId": quoted}
    message = parse_event(event).message

    assert message is not None
    assert (message.quoted_message_id, message.quote_token, message.mark_as_read_token) == (None, None, None)


def test_a_postback_has_the_data_of_its_button() -> None:
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
def test_postback_data_is_none_where_no_own_button_can_carry_it(data: object, expected: str | None) -> None:
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
def test_an_event_with_ids_that_are_not_lines_is_refused(changes: dict[str, object]) -> None:
    with pytest.raises(UnusableIdError, match=r"."):
        parse_event(recorded.event("message-text", **changes))


@pytest.mark.parametrize("timestamp", [None, "1763700001000", True, -1, 10**20, 1.5])
def test_an_impossible_timestamp_counts_as_zero(timestamp: object) -> None:
    assert parse_event(recorded.event("message-text", timestamp=timestamp)).timestamp_ms == 0


def test_words_and_tokens_are_not_in_the_repr() -> None:
    event = parse_event(recorded.event("message-text"))

    assert "こんにちは" not in repr(event)
    assert str(recorded.event("message-text")["replyToken"]) not in repr(event)


def test_an_event_lies_ahead_of_its_receipt_by_no_more_than_the_skew() -> None:
    received_ms, year_2999_ms = 1_795_236_000_000, 32_472_144_000_000
    event = recorded.event("message-text", timestamp=year_2999_ms)

    assert parse_event(event, received_ms=received_ms).timestamp_ms == received_ms + SKEW_MS
    assert parse_event(event).timestamp_ms == year_2999_ms


def test_a_type_that_is_no_text_is_an_unknown_type() -> None:
    assert parse_event(recorded.event("message-text", type=[10**400])).type == ""
    assert parse_event(recorded.event("message-text", type="\ud83d")).type == "\N{REPLACEMENT CHARACTER}"


YEAR_3000_MS = 32_503_680_000_000


@pytest.mark.parametrize(("timestamp", "read"), [(0, 0), (YEAR_3000_MS - 1, YEAR_3000_MS - 1), (YEAR_3000_MS, 0)])
def test_a_timestamp_lies_between_1970_and_3000(timestamp: int, read: int) -> None:
    assert parse_event(recorded.event("message-text", timestamp=timestamp)).timestamp_ms == read


@pytest.mark.parametrize("moved", ["joined", "left"])
def test_members_who_come_or_go_are_named_once(moved: str) -> None:
    people, group = ["U" + "1" * 32, "U" + "2" * 32], "C" + "3" * 32
    members: list[object] = [{"type": "user", "userId": one} for one in (*people, people[0], group, "U1")]
    event = recorded.event("message-text", type="x", **{moved: {"members": [*members, {}, None]}})

    assert parse_event(event).member_ids == tuple(people)
    assert parse_event({**event, moved: {"members": "U" + "1" * 32}}).member_ids == ()


@pytest.mark.parametrize("name", ["message", "follow", "postback"])
def test_a_person_whom_line_does_not_name_can_be_answered(name: str) -> None:
    event = {"type": name, "source": {"type": "user"}, "replyToken": "token", "mode": "active"}

    assert unnamed_reply_token(event, received_ms=7) == ReplyToken(value="token", received_ms=7)


@pytest.mark.parametrize(
    "changes",
    [
        {"type": "unfollow"},
        {"source": {"type": "group"}},
        {"source": {"type": "user", "userId": "U" + "1" * 32}},
        {"replyToken": None},
        {"mode": "standby"},
    ],
)
def test_who_is_named_or_asks_nothing_is_not_told_to_consent(changes: dict[str, object]) -> None:
    event = {"type": "message", "source": {"type": "user"}, "replyToken": "token", "mode": "active"}

    assert unnamed_reply_token({**event, **changes}) is None


@pytest.mark.parametrize(("kind", "read"), [("text", "text"), (7, ""), (None, "")])
def test_a_message_of_no_type_has_an_unknown_one(kind: object, read: str) -> None:
    message = parse_event(recorded.event("message-text", message={"id": "1", "type": kind})).message

    assert message is not None
    assert message.type == read
