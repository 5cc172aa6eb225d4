import re
from collections.abc import Callable
from typing import Any

import pytest

from simulator.line.errors import ImpossibleActionError
from simulator.line.events import WebhookEvent
from simulator.line.harness import LineHarness
from simulator.line.media import Media
from simulator.line.people import Friendship
from simulator.line.platform import LinePlatform
from simulator.line.switches import DeliverySwitches

Act = Callable[[LinePlatform, str], object]
VIDEO = Media(content=b"v", content_type="video/mp4")

MESSAGES: dict[str, tuple[Act, set[str]]] = {
    "text": (lambda p, u: p.say(u, u, "hi"), {"text", "quoteToken"}),
    "sticker": (
        lambda p, u: p.send_sticker(u, u),
        {"packageId", "stickerId", "stickerResourceType", "quoteToken"},
    ),
    "image": (lambda p, u: p.send_image(u, u, VIDEO), {"contentProvider", "quoteToken"}),
    "video": (lambda p, u: p.send_video(u, u, VIDEO, duration_ms=900), {"contentProvider", "duration", "quoteToken"}),
    "audio": (lambda p, u: p.send_audio(u, u, VIDEO, duration_ms=900), {"contentProvider", "duration"}),
    "file": (lambda p, u: p.send_file(u, u, VIDEO, file_name="a.txt"), {"fileName", "fileSize"}),
    "location": (lambda p, u: p.send_location(u, u, latitude=1.0, longitude=2.0), {"latitude", "longitude"}),
}


def group_of(line: LineHarness) -> str:
    hana = line.platform.add_person("Hana", friendship=Friendship.STRANGER)
    group = line.platform.create_group("Lunch", (line.user_id, hana.user_id))
    line.do(lambda: line.platform.join(group.chat_id))
    return group.chat_id


@pytest.mark.parametrize("kind", MESSAGES)
def test_a_message_event_has_every_field_of_its_type(line: LineHarness, kind: str) -> None:
    act, fields = MESSAGES[kind]

    line.do(lambda: act(line.platform, line.user_id))

    [event] = line.webhook.events
    assert set(event) == {
        "type",
        "message",
        "webhookEventId",
        "deliveryContext",
        "timestamp",
        "source",
        "replyToken",
        "mode",
    }
    assert set(event["message"]) == {"id", "type", "markAsReadToken"} | fields
    assert event["type"] == "message"
    assert event["message"]["type"] == kind
    assert event["mode"] == "active"
    assert event["timestamp"] == line.clock.now_ms()
    assert event["source"] == {"type": "user", "userId": line.user_id}
    assert re.fullmatch(r"[0-9A-HJKMNP-TV-Z]{26}", event["webhookEventId"])
    assert re.fullmatch(r"[0-9a-f]{32}", event["replyToken"])
    assert re.fullmatch(r"[0-9]{18}", event["message"]["id"])
    assert re.fullmatch(r"U[0-9a-f]{32}", line.user_id)


def finish_video(platform: LinePlatform, user_id: str) -> WebhookEvent:
    video = {"type": "video", "originalContentUrl": "https://a/b", "previewImageUrl": "https://a/c", "trackingId": "t1"}
    platform.say_as_bot(platform.chat(user_id), (video,))
    return platform.finish_video(user_id, "t1")


OTHERS: dict[str, tuple[Act, bool]] = {
    "follow": (lambda p, u: p.follow(u), True),
    "unfollow": (lambda p, u: p.unfollow(u), False),
    "postback": (lambda p, u: p.press(u, u, "action=buy", display_text="Buy"), True),
    "videoPlayComplete": (finish_video, True),
    "beacon": (lambda p, u: p.meet_beacon(u, "d41d8cd98f"), True),
    "membership": (lambda p, u: p.change_membership(u, 3189, "joined"), True),
    "accountLink": (lambda p, u: p.link_account(u, "nonce"), True),
    "activated": (lambda p, u: p.invent(u, {"type": "activated", "chatControl": {"expireAt": 1}}), False),
    "deactivated": (lambda p, u: p.invent(u, {"type": "deactivated"}), False),
}


@pytest.mark.parametrize("kind", OTHERS)
def test_events_have_a_reply_token_where_line_sends_one(line: LineHarness, kind: str) -> None:
    act, is_repliable = OTHERS[kind]

    line.do(lambda: act(line.platform, line.user_id))

    [event] = line.webhook.events
    assert event["type"] == kind
    assert ("replyToken" in event) is is_repliable


def test_a_failed_account_link_has_no_reply_token(line: LineHarness) -> None:
    line.do(lambda: line.platform.link_account(line.user_id, "nonce", result="failed"))

    assert "replyToken" not in line.webhook.events[0]


def test_in_standby_no_event_has_a_reply_token(line: LineHarness) -> None:
    line.platform.switches = DeliverySwitches(mode="standby")

    line.do(lambda: line.platform.say(line.user_id, line.user_id, "hi"))

    [event] = line.webhook.events
    assert event["mode"] == "standby"
    assert "replyToken" not in event


@pytest.mark.parametrize("edits_have_tokens", [True, False])
def test_a_switch_decides_whether_an_edit_has_a_reply_token(line: LineHarness, *, edits_have_tokens: bool) -> None:
    line.platform.switches = DeliverySwitches(edits_have_tokens=edits_have_tokens)
    group_id = group_of(line)
    said = line.do(lambda: line.platform.say(line.user_id, group_id, "at one"))

    line.do(lambda: line.platform.edit(line.user_id, said.line_message_id or "", "at two"))

    edited = line.webhook.events[-1]
    assert edited["type"] == "messageEdited"
    assert ("replyToken" in edited) is edits_have_tokens


def test_an_unsend_has_only_the_message_id_and_deletes_the_content(line: LineHarness) -> None:
    said = line.do(lambda: line.platform.say(line.user_id, line.user_id, "my pin is 4711"))
    assert said.line_message_id

    line.do(lambda: line.platform.unsend(line.user_id, str(said.line_message_id)))

    event = line.webhook.events[-1]
    [message] = line.platform.chat(line.user_id).messages
    assert event["unsend"] == {"messageId": said.line_message_id}
    assert "replyToken" not in event
    assert message.is_unsent
    assert "4711" not in str(message)


def test_mentions_count_utf16_units_and_mark_the_account(line: LineHarness) -> None:
    group_id = group_of(line)
    hana = list(line.platform.people)[1]
    mentioning = (line.platform.account.user_id, hana, "all")

    line.do(lambda: line.platform.say(line.user_id, group_id, "😀 @Aizuchi and @Hana, @All", mentioning=mentioning))

    assert line.webhook.events[-1]["message"]["mention"] == {
        "mentionees": [
            {"index": 3, "length": 8, "type": "user", "userId": line.platform.account.user_id, "isSelf": True},
            {"index": 16, "length": 5, "type": "user", "userId": hana, "isSelf": False},
            {"index": 23, "length": 4, "type": "all"},
        ]
    }


def test_without_consent_group_events_have_no_user_id(line: LineHarness) -> None:
    group_id = group_of(line)
    shy = line.platform.add_person("Shy", has_consented=False)
    line.do(lambda: line.platform.add_member(group_id, shy.user_id))

    line.do(lambda: line.platform.say(shy.user_id, group_id, "hi"))

    assert line.webhook.events[-1]["source"] == {"type": "group", "groupId": group_id}


def test_an_edit_has_the_message_id_and_its_own_token(line: LineHarness) -> None:
    group_id = group_of(line)
    said = line.do(lambda: line.platform.say(line.user_id, group_id, "at ten"))

    line.do(lambda: line.platform.edit(line.user_id, str(said.line_message_id), "at eleven"))

    event = line.webhook.events[-1]
    assert event["type"] == "messageEdited"
    assert event["message"]["id"] == said.line_message_id
    assert event["message"]["text"] == "at eleven"
    assert "markAsReadToken" not in event["message"]
    assert event["replyToken"] != said.reply_token
    assert event["webhookEventId"] != said.webhook_event_id


def test_messages_of_a_one_to_one_chat_cannot_be_edited(line: LineHarness) -> None:
    said = line.do(lambda: line.platform.say(line.user_id, line.user_id, "at ten"))

    with pytest.raises(ImpossibleActionError, match="only texts in groups"):
        line.platform.edit(line.user_id, str(said.line_message_id), "at eleven")


def test_members_join_and_leave(line: LineHarness) -> None:
    group_id = group_of(line)
    taro = line.platform.add_person("Taro")

    line.do(lambda: line.platform.add_member(group_id, taro.user_id))
    line.do(lambda: line.platform.remove_member(group_id, taro.user_id))
    line.do(lambda: line.platform.leave(group_id))

    join, joined, left, leave = line.webhook.events
    member = {"members": [{"type": "user", "userId": taro.user_id}]}
    assert (join["type"], "replyToken" in join) == ("join", True)
    assert (joined["joined"], "replyToken" in joined) == (member, True)
    assert (left["left"], "replyToken" in left) == (member, False)
    assert (leave["type"], "replyToken" in leave) == ("leave", False)


def test_a_rooms_join_event_precedes_its_first_event(line: LineHarness) -> None:
    room = line.platform.create_room((line.user_id,))
    assert line.webhook.events == []

    line.do(lambda: line.platform.say(line.user_id, room.chat_id, "hi all"))

    assert [event["type"] for event in line.webhook.events] == ["join", "message"]
    assert line.webhook.events[1]["source"] == {"type": "room", "roomId": room.chat_id, "userId": line.user_id}


def test_a_follow_event_distinguishes_an_unblocking(line: LineHarness) -> None:
    newcomer = line.platform.add_person("Mei", friendship=Friendship.STRANGER).user_id

    line.do(lambda: line.platform.follow(newcomer))
    line.do(lambda: line.platform.unfollow(newcomer))
    line.do(lambda: line.platform.follow(newcomer))

    follows = [event["follow"] for event in line.webhook.events if event["type"] == "follow"]
    assert follows == [{"isUnblocked": False}, {"isUnblocked": True}]


def test_a_person_who_blocked_the_account_cannot_write_to_it(line: LineHarness) -> None:
    line.do(lambda: line.platform.unfollow(line.user_id))

    with pytest.raises(ImpossibleActionError, match="blocked"):
        line.platform.say(line.user_id, line.user_id, "hello?")


def test_images_sent_together_are_one_set(line: LineHarness) -> None:
    image = Media(content=b"i", content_type="image/jpeg")

    line.do(lambda: line.platform.send_images(line.user_id, line.user_id, [image, image]))

    sets: list[dict[str, Any]] = [event["message"]["imageSet"] for event in line.webhook.events]
    assert [(one["index"], one["total"]) for one in sets] == [(1, 2), (2, 2)]
    assert sets[0]["id"] == sets[1]["id"]


def test_an_event_of_an_unknown_type_can_be_emitted(line: LineHarness) -> None:
    line.do(lambda: line.platform.invent(line.user_id, {"type": "telepathy", "telepathy": {"thought": "?"}}))

    assert line.webhook.events[0]["telepathy"] == {"thought": "?"}


def test_message_and_event_ids_grow_and_never_repeat(line: LineHarness) -> None:
    for text in "abcdef":
        line.receive_text(text)

    message_ids = [int(event["message"]["id"]) for event in line.webhook.events]
    assert message_ids == sorted(set(message_ids))
    assert len({event["webhookEventId"] for event in line.webhook.events}) == 6
