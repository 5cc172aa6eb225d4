"""The endpoints for messages to a chat or to named people, for checks of messages, and for the quota.

Source: Messaging API reference, "Message".
"""

import re
from http import HTTPStatus
from typing import Final

from .broadcasts import SentBy
from .calls import Answer, Call
from .channel import Channel
from .chats import Chat, ChatKind
from .errors import Detail, LineError, bad_request, invalid_body, invalid_property, monthly_limit_reached
from .local_media import as_if_https, has_local_media
from .message_rules import Destination, check_messages
from .messages import JsonObject
from .people import Friendship
from .quota import AcceptedRequest
from .sent_messages import Sent

MULTICAST_RECIPIENTS: Final = 500
_USER: Final = re.compile(r"U[0-9a-f]{32}")
_UNIT: Final = re.compile(r"[0-9a-zA-Z_]{1,30}")
_RECIPIENT: Final = re.compile(r"[UCR][0-9a-f]{32}")
_WROTE_WITHIN_MS: Final = 7 * 24 * 60 * 60_000


async def reply(channel: Channel, call: Call) -> Answer:
    """Show the messages in the token's chat, and spend the token. The body is checked first: a wrong body spends no token."""
    body = call.json()
    reply_token = body.get("replyToken")
    if reply_token is None or reply_token == "":
        raise invalid_body((Detail(message="May not be empty", property="replyToken"),))
    if not isinstance(reply_token, str):
        raise invalid_property("replyToken")
    messages = checked_messages(channel, body, None)
    chat_id = channel.reply_tokens.chat_of(reply_token, at_ms=call.at_ms)
    if chat_id is None:
        raise bad_request("Invalid reply token")
    chat = channel.chats[chat_id]
    checked_messages(channel, body, destination_of(chat))
    channel.reply_tokens.spend(reply_token)
    channel.broadcasts.count("reply", len(messages), at_ms=call.at_ms)
    event = channel.event_of_token(reply_token)
    origin = Sent(kind="reply", reply_token=reply_token, webhook_event_id=event.webhook_event_id if event else None)
    is_shown = _is_reachable(channel, chat)
    sent_messages = channel.say_as_bot(chat, messages, origin) if is_shown else _hidden_messages(channel, messages)
    return Answer(body={"sentMessages": list(sent_messages)}, has_effect=True)


async def push(channel: Channel, call: Call) -> Answer:
    """Show the messages in the chat `to`, and count each recipient against the quota. A retry key makes the request idempotent."""
    body = call.json()
    retry_key = call.retry_key()
    messages = checked_messages(channel, body, None)
    recipient = body.get("to")
    if recipient is None or recipient == "":
        raise invalid_body((Detail(message="May not be empty", property="to"),))
    if not isinstance(recipient, str) or not _RECIPIENT.fullmatch(recipient):
        raise invalid_property("to")
    refuse_accepted(channel, call, retry_key)
    chat = channel.chats.get(recipient)
    if chat is None or not chat.bot_is_member:
        raise bad_request("Failed to send messages")
    checked_messages(channel, body, destination_of(chat))
    units = check_units(body)
    reaches = may_push(channel, chat, call.at_ms)
    spend_quota(channel, len(chat.member_ids) if reaches else 0, call.at_ms)
    channel.broadcasts.count("push", int(reaches), at_ms=call.at_ms)
    channel.broadcasts.count_units(units, int(reaches), at_ms=call.at_ms)
    origin = Sent(kind="push")
    sent_messages = channel.say_as_bot(chat, messages, origin) if reaches else _hidden_messages(channel, messages)
    if retry_key is not None:
        channel.retry_keys.accept(
            retry_key, AcceptedRequest(request_id=call.request_id, at_ms=call.at_ms, sent_messages=sent_messages)
        )
    return Answer(body={"sentMessages": list(sent_messages)}, has_effect=reaches)


async def multicast(channel: Channel, call: Call) -> Answer:
    """Show the messages in the 1:1 chats of all the people in `to`. Groups, mentions and quotes are refused."""
    body = call.json()
    retry_key = call.retry_key()
    messages = checked_messages(channel, body, TO_MANY)
    recipients = body.get("to")
    if not isinstance(recipients, list) or not all(isinstance(user_id, str) for user_id in recipients):
        raise invalid_property("to")
    if not 1 <= len(recipients) <= MULTICAST_RECIPIENTS:
        raise invalid_body((Detail(message=f"Size must be between 1 and {MULTICAST_RECIPIENTS}", property="to"),))
    for index, user_id in enumerate(recipients):
        if not _USER.fullmatch(user_id):
            raise invalid_property(f"to[{index}]")
    units = check_units(body)
    refuse_accepted(channel, call, retry_key)
    people = [user_id for user_id in dict.fromkeys(recipients) if user_id in channel.people]
    reached = send_to_people(channel, call, people, messages, sent_by="multicast")
    channel.broadcasts.count_units(units, reached, at_ms=call.at_ms)
    return Answer(has_effect=bool(reached))


async def validate(channel: Channel, call: Call) -> Answer:
    """Check the messages of a reply or a push, as far as possible without a destination."""
    checked_messages(channel, call.json(), None)
    return Answer()


async def validate_to_many(channel: Channel, call: Call) -> Answer:
    """Check the messages of a multicast, narrowcast or broadcast."""
    checked_messages(channel, call.json(), TO_MANY)
    return Answer()


async def quota(channel: Channel, _call: Call) -> Answer:
    """Return, for example, `{"type": "limited", "value": 200}` or `{"type": "none"}`."""
    limit = channel.quota.limit
    return Answer(body={"type": "none"} if limit is None else {"type": "limited", "value": limit})


async def consumption(channel: Channel, call: Call) -> Answer:
    """Return, for example, `{"totalUsage": 12}`."""
    return Answer(body={"totalUsage": channel.quota.usage(call.at_ms)})


def checked_messages(channel: Channel, body: JsonObject, destination: Destination | None) -> tuple[JsonObject, ...]:
    """Return the messages if all are valid; unless strict, the channel also accepts media of this machine.

    Raises: LineError 400, with every problem.
    """
    if channel.is_strict or not has_local_media(body.get("messages")):
        return check_messages(body, destination)
    check_messages(as_if_https(body), destination)
    return tuple(body["messages"])


def destination_of(chat: Chat) -> Destination:
    """Return the chat's rules: members of groups and rooms may be mentioned, and a quote token is valid in one chat."""

    def may_mention(mentionee: JsonObject) -> bool:
        if chat.kind is ChatKind.USER:
            return False
        return mentionee.get("type") == "all" or mentionee.get("userId") in chat.member_ids

    return Destination(
        may_mention=may_mention,
        has_quote_token=chat.has_quote_token,
        is_single_user=chat.kind is ChatKind.USER,
    )


TO_MANY: Final = Destination(may_mention=lambda _mentionee: False, has_quote_token=lambda _token: False)
"""Messages to many go to 1:1 chats.  Source: Messaging API reference, "Text message (v2)"; docs/messaging-api/get-quote-tokens."""


def check_units(body: JsonObject) -> list[str]:
    """Return the aggregation units of a request: at most one.  Raises: LineError 400.

    For example, `{"customAggregationUnits": ["promotion_a"]}` gives `["promotion_a"]`.
    Source: Messaging API reference, "Send push message".
    """
    units = body.get("customAggregationUnits")
    if units is None:
        return []
    if not isinstance(units, list) or not all(isinstance(unit, str) for unit in units):
        raise invalid_property("customAggregationUnits")
    if len(units) > 1:
        raise invalid_body((Detail(message="Size must be between 0 and 1", property="customAggregationUnits"),))
    if not all(_UNIT.fullmatch(unit) for unit in units):
        raise invalid_property("customAggregationUnits")
    return units


def send_to_people(
    channel: Channel, call: Call, user_ids: list[str], messages: tuple[JsonObject, ...], *, sent_by: SentBy
) -> int:
    """Show the messages in the 1:1 chats of reachable people, and count the recipients.  Returns: the count.

    Raises: LineError 429, if the quota has no room for all recipients.
    """
    chats = [channel.chats[user_id] for user_id in user_ids]
    reached = [chat for chat in chats if may_push(channel, chat, call.at_ms)]
    spend_quota(channel, len(reached), call.at_ms)
    for chat in reached:
        channel.say_as_bot(chat, messages, Sent(kind=sent_by))
    retry_key = call.retry_key()
    if retry_key is not None:
        channel.retry_keys.accept(
            retry_key, AcceptedRequest(request_id=call.request_id, at_ms=call.at_ms, sent_messages=())
        )
    channel.broadcasts.count(sent_by, len(reached), at_ms=call.at_ms)
    return len(reached)


def _is_reachable(channel: Channel, chat: Chat) -> bool:
    if chat.kind is ChatKind.USER:
        return channel.people[chat.chat_id].friendship is not Friendship.BLOCKED
    return chat.bot_is_member


def may_push(channel: Channel, chat: Chat, at_ms: int) -> bool:
    """Whether a message is shown: to friends, to groups and rooms with the account, to people with a message in the last seven days.

    Source: Messaging API reference, "Send push message".
    """
    if not _is_reachable(channel, chat):
        return False
    is_stranger = chat.kind is ChatKind.USER and channel.people[chat.chat_id].friendship is Friendship.STRANGER
    return not is_stranger or chat.wrote_since(chat.chat_id, at_ms - _WROTE_WITHIN_MS)


def refuse_accepted(channel: Channel, call: Call, retry_key: str | None) -> None:
    """Raise LineError 409 for a retry key of an accepted request."""
    accepted = channel.retry_keys.find(retry_key, at_ms=call.at_ms) if retry_key else None
    if accepted is not None:
        raise LineError(
            status=HTTPStatus.CONFLICT,
            message="The retry key is already accepted",
            fields={"sentMessages": list(accepted.sent_messages)} if accepted.sent_messages else {},
            headers={"x-line-accepted-request-id": accepted.request_id},
        )


def spend_quota(channel: Channel, recipients: int, at_ms: int) -> None:
    """Count the recipients.  Raises: LineError 429, if the quota has no room for all recipients."""
    if not channel.quota.has_room_for(recipients, at_ms=at_ms):
        raise monthly_limit_reached()
    channel.quota.count(recipients, at_ms=at_ms)


def _hidden_messages(channel: Channel, messages: tuple[JsonObject, ...]) -> tuple[JsonObject, ...]:
    """Return the ids of accepted messages hidden from a person because of a block."""
    return tuple({"id": channel.ids.line_message_id(channel.now_ms())} for _ in messages)
