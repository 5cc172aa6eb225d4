"""The endpoints about chats and people: loading animation, read marks, profiles, members, leaving.  Source: Messaging API reference."""

import re
from collections.abc import Sequence
from http import HTTPStatus
from typing import Final

from .calls import Answer, Call
from .channel import Channel
from .chat_membership import remove_account
from .chats import Chat, ChatKind
from .errors import Detail, bad_request, invalid_body, invalid_property, not_for_this_account, not_found
from .messages import JsonObject
from .people import Friendship, Person
from .problems import is_number

LOADING_S: Final = (5, 60)
LOADING_STEP_S: Final = 5
LOADING_DEFAULT_S: Final = 20
FOLLOWERS: Final = 300
FOLLOWERS_MOST: Final = 1_000
MEMBERS: Final = 100
_LIMIT: Final = re.compile(r"[1-9][0-9]{0,3}")


async def start_loading(channel: Channel, call: Call) -> Answer:
    """Show the animation in the 1:1 chat until the time is over or the bot sends a message. A second call replaces the time."""
    body = call.json()
    details = []
    seconds = body.get("loadingSeconds", LOADING_DEFAULT_S)
    if not is_number(seconds):
        raise invalid_property("loadingSeconds")
    if not LOADING_S[0] <= seconds <= LOADING_S[1]:
        details.append(Detail(message=f"Must be between {LOADING_S[0]} and {LOADING_S[1]}", property="loadingSeconds"))
    if seconds % LOADING_STEP_S:
        details.append(Detail(message="must be a multiple of five", property="loadingSeconds"))
    chat_id = body.get("chatId")
    if not isinstance(chat_id, str) or chat_id not in channel.people:
        message = "Only user id is acceptable, please confirm if there are any group/room ids or illegal ids."
        details.append(Detail(message=message, property="chatId"))
    if details:
        raise invalid_body(details)
    chat = channel.chats[str(chat_id)]
    if channel.people[chat.chat_id].friendship is Friendship.FRIEND:
        chat.loading_until_ms = call.at_ms + int(seconds * 1_000)
        channel.notify_listeners()
    return Answer(status=HTTPStatus.ACCEPTED)


async def mark_as_read(channel: Channel, call: Call) -> Answer:
    """Mark the token's message and all earlier messages of the chat as read."""
    token = call.json().get("markAsReadToken")
    if not isinstance(token, str) or not any(chat.mark_read(token) for chat in channel.chats.values()):
        raise invalid_body((Detail(message="Invalid mark as read token", property="markAsReadToken"),))
    channel.notify_listeners()
    return Answer()


async def profile(channel: Channel, call: Call) -> Answer:
    """Return the profile of a friend, or of a stranger who sent a message.

    Raises: LineError 404 for every other user, for any reason.
    """
    person = channel.people.get(call.path_params["user_id"])
    if person is None or not person.has_consented or not _may_see_profile(channel, person):
        raise not_found()
    return Answer(body=_profile_of(person, with_status=True))


async def member(channel: Channel, call: Call) -> Answer:
    """Return name and picture of a member with consent, friend or not.  Source: docs/messaging-api/user-consent."""
    chat = _gathering(channel, call)
    person = channel.people.get(call.path_params["user_id"])
    if person is None or not person.has_consented or person.user_id not in chat.member_ids:
        raise not_found()
    return Answer(body=_profile_of(person, with_status=False))


async def group_summary(channel: Channel, call: Call) -> Answer:
    """Return the id and the name of the group."""
    chat = _gathering(channel, call)
    return Answer(body={"groupId": chat.chat_id, "groupName": chat.name})


async def member_count(channel: Channel, call: Call) -> Answer:
    """Return the number of members, without the account."""
    return Answer(body={"count": len(_gathering(channel, call).member_ids)})


async def follower_ids(channel: Channel, call: Call) -> Answer:
    """Return the ids of friends with consent, by default 300 at once, at most 1,000: 403 for an unverified account."""
    _check_verified(channel)
    limit = call.query.get("limit", str(FOLLOWERS))
    if not _LIMIT.fullmatch(limit) or int(limit) > FOLLOWERS_MOST:
        raise bad_request("The value for the 'limit' parameter is invalid")
    friends = [person for person in channel.people.values() if person.friendship is Friendship.FRIEND]
    return _page(call, "userIds", friends, int(limit))


async def member_ids(channel: Channel, call: Call) -> Answer:
    """Return the ids of members with consent, 100 at once: 403 for an unverified account."""
    _check_verified(channel)
    chat = _gathering(channel, call)
    return _page(call, "memberIds", [channel.person(user_id) for user_id in chat.member_ids], MEMBERS)


async def mark_chat_as_read(channel: Channel, call: Call) -> Answer:
    """Mark the messages of a 1:1 chat as read: 403 for an unverified account."""
    _check_verified(channel)
    chat_field = call.json().get("chat")
    user_id = chat_field.get("userId") if isinstance(chat_field, dict) else None
    if not isinstance(user_id, str) or user_id not in channel.people:
        raise invalid_property("chat.userId")
    chat = channel.chats[user_id]
    tokens = [message.mark_as_read_token for message in chat.messages if message.mark_as_read_token]
    if tokens:
        chat.mark_read(tokens[-1])
    channel.notify_listeners()
    return Answer()


async def leave(channel: Channel, call: Call) -> Answer:
    """Remove the account from the chat, and emit the leave event. For a room without the account LINE answers 200 too."""
    chat_id = call.path_params["chat_id"]
    chat = channel.chats.get(chat_id)
    if chat is None or not chat.bot_is_member or chat.kind is not _kind_in(call):
        if _kind_in(call) is ChatKind.ROOM:
            return Answer()
        raise not_found()
    remove_account(channel, chat)
    return Answer(has_effect=True)


def _check_verified(channel: Channel) -> None:
    if not channel.is_verified:
        raise not_for_this_account()


def _page(call: Call, name: str, people: Sequence[Person], size: int) -> Answer:
    """Return the people from the continuation token `start` on, and the token of the next page."""
    ids = [person.user_id for person in people if person.has_consented]
    start = call.query.get("start", "")
    if start and start not in ids:
        raise bad_request("The value for the 'start' parameter is invalid")
    first = ids.index(start) if start else 0
    last = first + size
    return Answer(body={name: ids[first:last]} | ({"next": ids[last]} if last < len(ids) else {}))


def _gathering(channel: Channel, call: Call) -> Chat:
    chat = channel.chats.get(call.path_params["chat_id"])
    if chat is None or not chat.bot_is_member or chat.kind is not _kind_in(call):
        raise not_found()
    return chat


def _kind_in(call: Call) -> ChatKind:
    return ChatKind.GROUP if call.path.startswith("/v2/bot/group/") else ChatKind.ROOM


def _may_see_profile(channel: Channel, person: Person) -> bool:
    wrote = any(message.sender_id == person.user_id for message in channel.chats[person.user_id].messages)
    return person.friendship is Friendship.FRIEND or (person.friendship is Friendship.STRANGER and wrote)


def _profile_of(person: Person, *, with_status: bool) -> JsonObject:
    fields = {"userId": person.user_id, "displayName": person.display_name, "pictureUrl": person.picture_url}
    if with_status:
        fields |= {"statusMessage": person.status_message, "language": person.language}
    return {name: value for name, value in fields.items() if value is not None}
