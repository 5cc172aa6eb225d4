"""linebot's WebhookParser verifies and parses every event of the platform as its type."""

from collections.abc import Callable
from typing import Any

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
from tests.unit.simulator.line.page.requests import ask


class Phone:
    """What people do, over the control API."""

    def __init__(self, line: LineHarness) -> None:
        self.line = line
        self.me = line.user_id

    def do(self, action: str, **body: object) -> dict[str, Any]:
        answer = ask(self.line, "POST", f"/simulator/{action}", json=body)
        assert answer.status_code == 200, answer.text
        return dict(answer.json())

    def write(self, action: str, **body: object) -> dict[str, Any]:
        return self.do(action, user_id=self.me, chat_id=self.me, **body)

    def emit(self, event: dict[str, Any], **where: object) -> None:
        self.do("raw_event", event=event, **where)


def everything(phone: Phone) -> None:
    """Cause one event of each type, in a 1:1 chat, a group and a room."""
    me, bot = phone.me, phone.line.platform.account.user_id
    hana = phone.do("add_person", display_name="Hana")["user_id"]
    phone.do("follow", user_id=me)
    phone.write("say", text="hello")
    phone.write("sticker", keywords=["smile"], resource_type="ANIMATION")
    phone.write("image_set", count=2)
    for kind in ("video", "audio", "file"):
        phone.write(kind)
    phone.write("location", title="here", address="there", latitude=35.6, longitude=139.7)
    phone.write("postback", data="when", params={"datetime": "2026-01-01T10:00"})
    video = {"type": "video", "originalContentUrl": "https://a/b", "previewImageUrl": "https://a/c", "trackingId": "t1"}
    phone.line.call("POST", "/v2/bot/message/push", json={"to": me, "messages": [video]})
    phone.do("finish_video", user_id=me, tracking_id="t1")
    phone.do("beacon", user_id=me, hwid="d41d8cd98f")
    phone.do("account_link", user_id=me, nonce="nonce")
    phone.do("account_link", user_id=me, nonce="nonce", result="failed")
    for change in ("joined", "left"):
        phone.do("membership", user_id=me, membership_id=3189, type=change)
    phone.emit({"type": "activated", "chatControl": {"expireAt": 1_800_000_000_000}}, user_id=me)
    phone.emit({"type": "deactivated"}, user_id=me)
    phone.emit({"type": "module", "module": {"type": "attached", "botId": bot, "scopes": ["message:send"]}})
    phone.emit({"type": "module", "module": {"type": "detached", "botId": bot, "reason": "bot_deleted"}})
    phone.emit({"type": "botSuspended"})
    phone.emit({"type": "botResumed"})
    phone.emit({"type": "delivery", "delivery": {"data": "tag"}})
    phone.do("unfollow", user_id=me)
    group = phone.do("create_group", name="Lunch", user_ids=[me])["chat_id"]
    phone.do("join", chat_id=group)
    phone.do("add_member", chat_id=group, user_ids=[hana])
    mentioning = [bot, me, "all"]
    said = phone.do("say", user_id=hana, chat_id=group, text="@Aizuchi @あなた @All hi", mentioning=mentioning)
    phone.do("say", user_id=me, chat_id=group, text="that one", quoting=said["line_message_id"])
    phone.do("edit", user_id=hana, line_message_id=said["line_message_id"], text="@Aizuchi hi")
    phone.do("unsend", user_id=hana, line_message_id=said["line_message_id"])
    phone.do("remove_member", chat_id=group, user_ids=[hana])
    phone.do("leave", chat_id=group)
    room = phone.do("create_room", user_ids=[me, hana])["chat_id"]
    phone.do("say", user_id=hana, chat_id=room, text="hi room")


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


def parse_events_of(line: LineHarness, act: Callable[[Phone], object]) -> list[object]:
    act(Phone(line))
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
    [event] = parse_events_of(line, lambda phone: phone.emit({"type": "telepathy"}, user_id=phone.me))

    assert isinstance(event, UnknownEvent)


def test_a_redelivery_is_parsed_with_its_flag(line: LineHarness) -> None:
    event = line.do(lambda: line.platform.say(line.user_id, line.user_id, "hello"))
    line.do(lambda: line.platform.courier.redeliver(event))

    first, second = parse_events_of(line, lambda _phone: None)
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
