"""linebot's WebhookParser verifies and parses every event of the platform as its type."""

from collections.abc import Callable

import pytest
from linebot.v3.models.events import UnknownEvent
from linebot.v3.webhook import WebhookParser
from linebot.v3.webhooks import (
    AccountLinkEvent,
    ActivatedEvent,
    AttachedModuleContent,
    AudioMessageContent,
    BeaconEvent,
    BotResumedEvent,
    BotSuspendedEvent,
    DeactivatedEvent,
    DetachedModuleContent,
    FileMessageContent,
    FollowEvent,
    GroupSource,
    ImageMessageContent,
    JoinedMembershipContent,
    JoinEvent,
    LeaveEvent,
    LeftMembershipContent,
    LocationMessageContent,
    MemberJoinedEvent,
    MemberLeftEvent,
    MembershipEvent,
    MessageEditedEvent,
    MessageEvent,
    ModuleEvent,
    PnpDeliveryCompletionEvent,
    PostbackEvent,
    RoomSource,
    StickerMessageContent,
    TextMessageContent,
    UnfollowEvent,
    UnsendEvent,
    UserSource,
    VideoMessageContent,
    VideoPlayCompleteEvent,
)

from simulator.line.harness import CHANNEL_SECRET, LineHarness
from simulator.line.media import Media
from simulator.line.platform import LinePlatform

MEDIA = Media(content=b"bytes", content_type="image/jpeg")


def in_group(platform: LinePlatform, user_id: str) -> str:
    group = platform.create_group("Lunch", (user_id,))
    platform.join(group.chat_id)
    return group.chat_id


def everything(platform: LinePlatform, user_id: str) -> None:
    """Emit one event of each type, in a 1:1 chat, a group and a room."""
    bot, hana = platform.account.user_id, platform.add_person("Hana").user_id
    platform.follow(user_id)
    platform.say(user_id, user_id, "hello")
    platform.send_sticker(user_id, user_id, keywords=("smile",), resource_type="ANIMATION")
    platform.send_images(user_id, user_id, [MEDIA, MEDIA])
    platform.send_video(user_id, user_id, MEDIA, duration_ms=900)
    platform.send_audio(user_id, user_id, MEDIA, duration_ms=900)
    platform.send_file(user_id, user_id, MEDIA, file_name="notes.txt")
    platform.send_location(user_id, user_id, title="here", address="there", latitude=35.6, longitude=139.7)
    platform.press(user_id, user_id, "when", params={"datetime": "2026-01-01T10:00"})
    video = {
        "type": "video",
        "originalContentUrl": "https://a/b",
        "previewImageUrl": "https://a/c",
        "trackingId": "track",
    }
    platform.say_as_bot(platform.chat(user_id), (video,))
    platform.finish_video(user_id, "track")
    platform.meet_beacon(user_id, "d41d8cd98f")
    platform.link_account(user_id, "nonce")
    platform.link_account(user_id, "nonce", result="failed")
    platform.change_membership(user_id, 3189, "joined")
    platform.change_membership(user_id, 3189, "left")
    platform.activate(user_id, expire_at_ms=1_800_000_000_000)
    platform.deactivate(user_id)
    platform.attach_module()
    platform.detach_module()
    platform.suspend_bot()
    platform.resume_bot()
    platform.complete_notification("tag")
    platform.unfollow(user_id)
    group_id = in_group(platform, user_id)
    platform.add_member(group_id, hana)
    said = platform.say(hana, group_id, "@Aizuchi @あなた @All hi", mentioning=(bot, user_id, "all"))
    platform.say(user_id, group_id, "that one", quoting=said.line_message_id)
    platform.edit(hana, str(said.line_message_id), "@Aizuchi hi")
    platform.unsend(hana, str(said.line_message_id))
    platform.remove_member(group_id, hana)
    platform.leave(group_id)
    room = platform.create_room((user_id, hana))
    platform.say(hana, room.chat_id, "hi room")


EXPECTED = [
    (FollowEvent, UserSource, None),
    (MessageEvent, UserSource, TextMessageContent),
    (MessageEvent, UserSource, StickerMessageContent),
    (MessageEvent, UserSource, ImageMessageContent),
    (MessageEvent, UserSource, ImageMessageContent),
    (MessageEvent, UserSource, VideoMessageContent),
    (MessageEvent, UserSource, AudioMessageContent),
    (MessageEvent, UserSource, FileMessageContent),
    (MessageEvent, UserSource, LocationMessageContent),
    (PostbackEvent, UserSource, None),
    (VideoPlayCompleteEvent, UserSource, None),
    (BeaconEvent, UserSource, None),
    (AccountLinkEvent, UserSource, None),
    (AccountLinkEvent, UserSource, None),
    (MembershipEvent, UserSource, JoinedMembershipContent),
    (MembershipEvent, UserSource, LeftMembershipContent),
    (ActivatedEvent, UserSource, None),
    (DeactivatedEvent, UserSource, None),
    (ModuleEvent, type(None), AttachedModuleContent),
    (ModuleEvent, type(None), DetachedModuleContent),
    (BotSuspendedEvent, type(None), None),
    (BotResumedEvent, type(None), None),
    (PnpDeliveryCompletionEvent, type(None), None),
    (UnfollowEvent, UserSource, None),
    (JoinEvent, GroupSource, None),
    (MemberJoinedEvent, GroupSource, None),
    (MessageEvent, GroupSource, TextMessageContent),
    (MessageEvent, GroupSource, TextMessageContent),
    (MessageEditedEvent, GroupSource, TextMessageContent),
    (UnsendEvent, GroupSource, None),
    (MemberLeftEvent, GroupSource, None),
    (LeaveEvent, GroupSource, None),
    (JoinEvent, RoomSource, None),
    (MessageEvent, RoomSource, TextMessageContent),
]


def parse_events_of(line: LineHarness, act: Callable[[LinePlatform, str], object]) -> list[object]:
    line.do(lambda: act(line.platform, line.user_id))
    parser = WebhookParser(CHANNEL_SECRET)
    deliveries = zip(line.webhook.bodies, line.webhook.headers, strict=True)
    return [event for body, headers in deliveries for event in parser.parse(body.decode(), headers["x-line-signature"])]


def test_every_event_is_parsed_as_its_type(line: LineHarness) -> None:
    events = parse_events_of(line, everything)

    found = []
    for event in events:
        inner = getattr(event, "message", None) or getattr(event, "membership", None) or getattr(event, "module", None)
        found.append((type(event), type(getattr(event, "source", None)), type(inner) if inner else None))
    assert found == EXPECTED
    assert not any(isinstance(event, UnknownEvent) for event in events)


def test_mentions_and_quotes_are_parsed(line: LineHarness) -> None:
    events = parse_events_of(line, everything)

    mentioning, quoting = [event for event in events if isinstance(event, MessageEvent)][8:10]
    assert [
        (mentionee.type, getattr(mentionee, "is_self", None)) for mentionee in mentioning.message.mention.mentionees
    ] == [
        ("user", True),
        ("user", False),
        ("all", None),
    ]
    assert quoting.message.quoted_message_id == mentioning.message.id


def test_an_event_of_an_unknown_type_is_parsed_as_unknown(line: LineHarness) -> None:
    [event] = parse_events_of(line, lambda platform, user_id: platform.invent(user_id, {"type": "telepathy"}))

    assert isinstance(event, UnknownEvent)


def test_a_redelivery_is_parsed_with_its_flag(line: LineHarness) -> None:
    event = line.do(lambda: line.platform.say(line.user_id, line.user_id, "hello"))
    line.do(lambda: line.platform.courier.redeliver(event))

    first, second = parse_events_of(line, lambda _platform, _user_id: None)
    assert isinstance(first, MessageEvent)
    assert isinstance(second, MessageEvent)
    assert (first.delivery_context.is_redelivery, second.delivery_context.is_redelivery) == (False, True)
    assert first.webhook_event_id == second.webhook_event_id


@pytest.mark.parametrize("secret", ["", "another secret"])
def test_another_secret_does_not_verify(line: LineHarness, secret: str) -> None:
    line.receive_text()
    [body], [headers] = line.webhook.bodies, line.webhook.headers

    with pytest.raises(Exception, match="Invalid signature"):
        WebhookParser(secret).parse(body.decode(), headers["x-line-signature"])
