"""The control API's actions on friendships, groups and consent, and for events not caused by a message."""

from dataclasses import replace

from ..chats import ChatKind
from ..errors import ImpossibleActionError
from ..messages import JsonObject
from ..people import Friendship
from ..platform import LinePlatform
from .actions import action, event_of, present_fields
from .fields import CHAT_ID, FLAG, NAME, USER_ID, choice, list_of, string, whole


@action(user_id=USER_ID)
def follow(platform: LinePlatform, body: JsonObject) -> JsonObject:
    """A person adds the account as a friend, or unblocks it."""
    return event_of(platform.follow(body["user_id"]))


@action(user_id=USER_ID)
def unfollow(platform: LinePlatform, body: JsonObject) -> JsonObject:
    """A person blocks the account."""
    return event_of(platform.unfollow(body["user_id"]))


@action(
    display_name=NAME,
    optional={
        "status_message": string(most=500),
        "language": string(most=20),
        "picture_url": string(most=2_000),
        "has_consented": FLAG,
        "friendship": choice(*Friendship),
    },
)
def add_person(platform: LinePlatform, body: JsonObject) -> JsonObject:
    """A person appears, by default a friend of the account."""
    profile = present_fields(body, "status_message", "language", "picture_url", "has_consented")
    friendship = Friendship(body.get("friendship", Friendship.FRIEND))
    return {"user_id": platform.add_person(body["display_name"], friendship=friendship, **profile).user_id}


@action(
    count=whole(least=1, most=5_000),
    optional={"group_id": CHAT_ID, "friendship": choice(*Friendship)},
)
def add_people(platform: LinePlatform, body: JsonObject) -> JsonObject:
    """Many people appear at once, silently, also in a group or room."""
    chat = platform.chat(body["group_id"]) if "group_id" in body else None
    if chat is not None and chat.kind is ChatKind.USER:
        raise ImpossibleActionError("a 1:1 chat has no further members")
    friendship = Friendship(body.get("friendship", Friendship.FRIEND))
    first = len(platform.people) + 1
    people = [
        platform.add_person(f"Person {number}", friendship=friendship) for number in range(first, first + body["count"])
    ]
    user_ids = [person.user_id for person in people]
    if chat is not None:
        chat.member_ids += tuple(user_ids)
    platform.notify_listeners()
    return {"user_ids": user_ids}


@action(user_id=USER_ID, has_consented=FLAG)
def set_consent(platform: LinePlatform, body: JsonObject) -> JsonObject:
    """A person gives or takes back the consent to the use of their id."""
    person = platform.person(body["user_id"])
    platform.people[person.user_id] = replace(person, has_consented=body["has_consented"])
    platform.notify_listeners()
    return {"user_id": person.user_id}


@action(name=NAME, user_ids=list_of(USER_ID, least=1))
def create_group(platform: LinePlatform, body: JsonObject) -> JsonObject:
    """People found a group. The account is not in it until `join`."""
    return {"chat_id": platform.create_group(body["name"], tuple(body["user_ids"])).chat_id}


@action(user_ids=list_of(USER_ID, least=1))
def create_room(platform: LinePlatform, body: JsonObject) -> JsonObject:
    """People found a multi-person chat with the account in it."""
    return {"chat_id": platform.create_room(tuple(body["user_ids"])).chat_id}


@action(chat_id=CHAT_ID)
def join(platform: LinePlatform, body: JsonObject) -> JsonObject:
    """The account is invited to the group."""
    return event_of(platform.join(body["chat_id"]))


@action(chat_id=CHAT_ID)
def leave(platform: LinePlatform, body: JsonObject) -> JsonObject:
    """The account is removed from the group or room."""
    return event_of(platform.leave(body["chat_id"]))


@action(chat_id=CHAT_ID, user_ids=list_of(USER_ID, least=1))
def add_member(platform: LinePlatform, body: JsonObject) -> JsonObject:
    """People join the group or room."""
    return event_of(platform.add_member(body["chat_id"], *body["user_ids"]))


@action(chat_id=CHAT_ID, user_ids=list_of(USER_ID, least=1))
def remove_member(platform: LinePlatform, body: JsonObject) -> JsonObject:
    """People leave the group or room."""
    return event_of(platform.remove_member(body["chat_id"], *body["user_ids"]))


@action(
    user_id=USER_ID,
    tracking_id=string(least=1, most=100),
)
def finish_video(platform: LinePlatform, body: JsonObject) -> JsonObject:
    """A person watched a video of the account to the end. `tracking_id` must belong to a video in the 1:1 chat."""
    return event_of(platform.finish_video(body["user_id"], body["tracking_id"]))


@action(
    user_id=USER_ID,
    hwid=string(least=1, most=64),
    optional={"type": choice("enter", "banner", "stay"), "dm": string("Device message, hex.", most=64)},
)
def beacon(platform: LinePlatform, body: JsonObject) -> JsonObject:
    """A person comes near a beacon."""
    return event_of(
        platform.meet_beacon(
            body["user_id"], body["hwid"], kind=body.get("type", "enter"), **present_fields(body, "dm")
        )
    )


@action(
    user_id=USER_ID,
    nonce=string(least=1, most=255),
    optional={
        "result": choice("ok", "failed"),
        "link_token": string("The link's token, which decides on the result.", least=1, most=100),
    },
)
def account_link(platform: LinePlatform, body: JsonObject) -> JsonObject:
    """A person links an account of the provider."""
    return event_of(
        platform.link_account(body["user_id"], body["nonce"], **present_fields(body, "result", "link_token"))
    )


@action(
    user_id=USER_ID,
    membership_id=whole(least=1, most=2**53),
    type=choice("joined", "left", "renewed"),
)
def membership(platform: LinePlatform, body: JsonObject) -> JsonObject:
    """A person joins, leaves or renews a paid membership."""
    return event_of(platform.change_membership(body["user_id"], body["membership_id"], body["type"]))


@action(
    user_id=USER_ID,
    area=whole("Number of the area, from 0.", least=0, most=19),
)
def tap_rich_menu(platform: LinePlatform, body: JsonObject) -> JsonObject:
    """A person taps the rich menu of the 1:1 chat."""
    return platform.tap_rich_menu(body["user_id"], body["area"])
