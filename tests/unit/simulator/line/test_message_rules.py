from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.line.errors import LineError
from simulator.line.message_rules import Destination, check_messages
from simulator.line.messages import utf16_units

IN_GROUP = Destination(
    may_mention=lambda mentionee: mentionee.get("userId") == "Uhana" or mentionee["type"] == "all",
    has_quote_token=lambda quote_token: quote_token == "good",
)


def problems_of(*messages: dict[str, Any], destination: Destination | None = IN_GROUP) -> list[tuple[str, str]]:
    try:
        check_messages({"messages": list(messages)}, destination)
    except LineError as error:
        return [(detail.property, detail.message) for detail in error.details] or [("", error.message)]
    return []


def text(value: str = "hi", **more: object) -> dict[str, Any]:
    return {"type": "text", "text": value, **more}


@pytest.mark.parametrize("count", [0, 6])
def test_one_to_five_messages_are_sent_at_once(count: int) -> None:
    assert problems_of(*[text()] * count) == [("messages", "Size must be between 1 and 5")]


@pytest.mark.parametrize(
    ("value", "is_fine"), [("a" * 5_000, True), ("a" * 5_001, False), ("😀" * 2_500, True), ("😀" * 2_501, False)]
)
def test_a_text_has_at_most_5000_utf16_units(value: str, is_fine: bool) -> None:
    found = [] if is_fine else [("messages[0].text", "Length must be between 0 and 5000")]

    assert problems_of(text(value)) == found


def test_all_problems_come_in_one_answer() -> None:
    assert [path for path, _ in problems_of(text(""), {"type": "fax"}, {"type": "sticker", "packageId": "1"})] == [
        "messages[0].text",
        "messages[1].type",
        "messages[2].stickerId",
    ]


def test_a_property_of_the_wrong_json_type_is_named() -> None:
    [(path, message)] = problems_of({"type": "text", "text": 7})

    assert path == ""
    assert message.startswith("The property, 'messages[0].text', in the request body is invalid")


@pytest.mark.parametrize("count", [0, 14])
def test_quick_replies_have_one_to_thirteen_items(count: int) -> None:
    item = {"type": "action", "action": {"type": "message", "label": "yes", "text": "yes"}}

    found = problems_of(text(quickReply={"items": [item] * count}))

    assert found == [("messages[0].quickReply.items", "Size must be between 1 and 13")]


@pytest.mark.parametrize(
    ("action", "path"),
    [
        ({"type": "message", "label": "y" * 21, "text": "yes"}, "label"),
        ({"type": "postback", "label": "yes"}, "data"),
        ({"type": "uri", "label": "go", "uri": "ftp://x"}, "uri"),
        ({"type": "teleport", "label": "go"}, "type"),
        ({"type": "datetimepicker", "label": "when", "data": "d", "mode": "year"}, "mode"),
    ],
)
def test_an_action_has_what_its_type_requires(action: dict[str, str], path: str) -> None:
    found = problems_of(text(quickReply={"items": [{"type": "action", "action": action}]}))

    assert [where for where, _ in found] == [f"messages[0].quickReply.items[0].action.{path}"]


@pytest.mark.parametrize(
    ("value", "is_fine"),
    [
        ("hello {hana}", True),
        ("literal {{braces}}", True),
        ("a { alone", False),
        ("a } alone", False),
        ("hello {taro}", False),
        ("hello {no spaces}", False),
    ],
)
def test_braces_of_text_v2_are_doubled_or_enclose_a_known_key(value: str, is_fine: bool) -> None:
    hana = {"type": "mention", "mentionee": {"type": "user", "userId": "Uhana"}}

    assert (problems_of({"type": "textV2", "text": value, "substitution": {"hana": hana}}) == []) is is_fine


def test_only_members_of_the_destination_can_be_mentioned() -> None:
    stranger = {"type": "mention", "mentionee": {"type": "user", "userId": "Utaro"}}
    message = {"type": "textV2", "text": "{who}", "substitution": {"who": stranger}}

    assert [path for path, _ in problems_of(message)] == ["messages[0].substitution.who.mentionee"]
    assert problems_of(message, destination=None) == []


def test_a_quote_token_of_another_chat_is_refused() -> None:
    assert problems_of(text(quoteToken="good")) == []
    assert problems_of(text(quoteToken="bad")) == [("messages[0].quoteToken", "Invalid quote token")]


@pytest.mark.parametrize(
    "message",
    [
        {"type": "sticker", "packageId": "446", "stickerId": "1988"},
        {"type": "image", "originalContentUrl": "https://a/b.png", "previewImageUrl": "https://a/c.png"},
        {"type": "video", "originalContentUrl": "https://a/b.mp4", "previewImageUrl": "https://a/c.png"},
        {"type": "audio", "originalContentUrl": "https://a/b.m4a", "duration": 60_000},
        {"type": "location", "title": "here", "address": "there", "latitude": 35.6, "longitude": 139.7},
        {"type": "flex", "altText": "card", "contents": {"type": "bubble"}},
        {
            "type": "template",
            "altText": "choose",
            "template": {
                "type": "buttons",
                "text": "well?",
                "actions": [{"type": "postback", "label": "show", "data": "d"}],
            },
        },
    ],
)
def test_each_message_type_needs_all_its_properties(message: dict[str, Any]) -> None:
    assert problems_of(message) == []
    for name in message.keys() - {"type"}:
        broken = {key: value for key, value in message.items() if key != name}
        assert problems_of(broken)[0][0].startswith(f"messages[0].{name}"), name


@pytest.mark.parametrize("name", ["LINE", " line ", "n" * 21])
def test_the_senders_name_is_short_and_not_line(name: str) -> None:
    assert problems_of(text(sender={"name": name}))[0][0] == "messages[0].sender.name"


@given(st.text())
def test_utf16_units_count_surrogates_as_two(value: str) -> None:
    assert utf16_units(value) == sum(2 if ord(character) > 0xFFFF else 1 for character in value)


def postback(label: str) -> dict[str, str]:
    return {"type": "postback", "label": label, "data": "d"}


def template(**parts: object) -> dict[str, Any]:
    return {"type": "template", "altText": "choose", "template": parts}


def column(*labels: str, **more: object) -> dict[str, Any]:
    return {"text": "well?", "actions": [postback(label) for label in labels], **more}


@pytest.mark.parametrize(("label", "is_fine"), [("👩‍👩‍👧‍👦" * 20, True), ("あ" * 20, True), ("あ" * 21, False)])
def test_labels_and_template_texts_are_counted_in_graphemes(label: str, is_fine: bool) -> None:
    found = problems_of(template(type="buttons", text="👍🏽" * 160, actions=[postback(label)]))

    assert [path for path, _ in found] == ([] if is_fine else ["template/actions/0/label"])


@pytest.mark.parametrize(
    ("columns", "is_fine"),
    [
        ([column("a", "b"), column("c", "d")], True),
        ([column("a", "b"), column("c")], False),
        ([column("a", title="t"), column("b", title="u")], True),
        ([column("a", title="t"), column("b")], False),
    ],
)
def test_columns_of_a_carousel_are_alike(columns: list[dict[str, Any]], is_fine: bool) -> None:
    found = [path for path, _ in problems_of(template(type="carousel", columns=columns))]

    assert found == ([] if is_fine else ["/columns"])


@pytest.mark.parametrize(
    ("emoji", "path"),
    [
        ({"type": "emoji", "productId": "5ac1", "emojiId": "001"}, None),
        ({"type": "emoji", "emojiId": "001"}, "productId"),
        ({"type": "emoji", "productId": "5ac1"}, "emojiId"),
        ({"type": "sparkle"}, "type"),
    ],
)
def test_an_emoji_of_text_v2_has_both_ids(emoji: dict[str, str], path: str | None) -> None:
    found = [where for where, _ in problems_of({"type": "textV2", "text": "{e}", "substitution": {"e": emoji}})]

    assert found == ([] if path is None else [f"messages[0].substitution.e.{path}"])


@pytest.mark.parametrize("broken", [7, "x", ["x"], {"e": 7}, {"e": "x"}, {"e": {"type": "mention", "mentionee": "x"}}])
def test_a_substitution_of_the_wrong_type_is_refused(broken: object) -> None:
    assert problems_of({"type": "textV2", "text": "hi", "substitution": broken}) != []


def test_a_video_for_a_group_has_no_tracking_id() -> None:
    video = {"type": "video", "originalContentUrl": "https://a/b", "previewImageUrl": "https://a/c", "trackingId": "t1"}
    group = Destination(may_mention=lambda _: True, has_quote_token=lambda _: True, is_single_user=False)

    assert problems_of(video) == []
    assert [path for path, _ in problems_of(video, destination=group)] == ["messages[0].trackingId"]
