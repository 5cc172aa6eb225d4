"""The endpoints for sending to all or selected people, and the counts of such messages.

Source: Messaging API reference, "Send narrowcast message", "Send broadcast message", "Get number of sent messages",
"Get the number of units used this month".
"""

import re
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Final

from .broadcasts import Narrowcast, SentBy, SentRequest
from .calls import Answer, Call
from .channel import Channel
from .errors import bad_request, invalid_property, not_found
from .message_endpoints import TO_MANY, checked_messages, may_push, refuse_accepted, send_to_people
from .messages import JsonObject
from .people import Friendship
from .problems import Problems
from .quota import day_of

_DAY: Final = re.compile(r"[0-9]{8}")
_FIRST_DAY: Final = "20180331"
_UNITS_A_PAGE: Final = 100
_MOST_UNITS: Final = 100
_NOT_ENOUGH: Final = 2


async def broadcast(channel: Channel, call: Call) -> Answer:
    """Show the messages to all friends."""
    body = call.json()
    messages = checked_messages(channel, body, TO_MANY)
    refuse_accepted(channel, call, call.retry_key())
    reached = send_to_people(channel, call, _friends(channel), messages, sent_by="broadcast")
    channel.broadcasts.sent_requests[call.request_id] = SentRequest(at_ms=call.at_ms, recipients=reached)
    return Answer(has_effect=bool(reached))


async def narrowcast(channel: Channel, call: Call) -> Answer:
    """Show the messages to friends, at most `limit.max`. The stand-in has no audiences: any recipient or filter means all friends."""
    body = call.json()
    messages = checked_messages(channel, body, TO_MANY)
    most = _check_narrowcast(body)
    refuse_accepted(channel, call, call.retry_key())
    friends = [user_id for user_id in _friends(channel) if may_push(channel, channel.chats[user_id], call.at_ms)]
    chosen = friends[:most]
    if chosen:
        send_to_people(channel, call, chosen, messages, sent_by="narrowcast")
    channel.broadcasts.sent_requests[call.request_id] = SentRequest(at_ms=call.at_ms, recipients=len(chosen))
    channel.broadcasts.narrowcasts[call.request_id] = Narrowcast(
        accepted_ms=call.at_ms,
        target_count=len(chosen),
        error_code=None if chosen else _NOT_ENOUGH,
        failed_description=None if chosen else "There are not enough recipients",
    )
    return Answer(status=HTTPStatus.ACCEPTED, has_effect=bool(chosen))


async def narrowcast_progress(channel: Channel, call: Call) -> Answer:
    """Return the narrowcast's phase and, after success, the counts."""
    narrowcast = channel.broadcasts.narrowcasts.get(call.query.get("requestId", ""))
    if narrowcast is None:
        raise not_found()
    phase = narrowcast.phase(call.at_ms)
    body: JsonObject = {"phase": phase, "acceptedTime": _moment(narrowcast.accepted_ms)}
    if phase in {"succeeded", "failed"}:
        body["completedTime"] = _moment(narrowcast.completed_ms)
    if phase == "succeeded":
        body |= {"successCount": narrowcast.target_count, "failureCount": 0, "targetCount": narrowcast.target_count}
    if phase == "failed":
        body |= {"failedDescription": narrowcast.failed_description, "errorCode": narrowcast.error_code}
    return Answer(body=body)


async def sent_by_reply(channel: Channel, call: Call) -> Answer:
    """Return how many messages were sent by replies on a day."""
    return _sent(channel, call, "reply")


async def sent_by_push(channel: Channel, call: Call) -> Answer:
    """Return how many messages were sent by pushes on a day."""
    return _sent(channel, call, "push")


async def sent_by_multicast(channel: Channel, call: Call) -> Answer:
    """Return how many messages were sent by multicasts on a day."""
    return _sent(channel, call, "multicast")


async def sent_by_broadcast(channel: Channel, call: Call) -> Answer:
    """Return how many messages were sent by broadcasts on a day."""
    return _sent(channel, call, "broadcast")


async def unit_usage(channel: Channel, call: Call) -> Answer:
    """Return the number of aggregation units in this month."""
    return Answer(body={"numOfCustomAggregationUnits": len(channel.broadcasts.units(at_ms=call.at_ms))})


async def unit_names(channel: Channel, call: Call) -> Answer:
    """Return the names of this month's units, at most `limit` at once."""
    names = sorted(channel.broadcasts.units(at_ms=call.at_ms))
    limit, start = _number(call, "limit", _UNITS_A_PAGE), _number(call, "start", 0)
    if not 1 <= limit <= _MOST_UNITS:
        raise bad_request("The value for the 'limit' parameter is invalid")
    page = names[start : start + limit]
    more = {"next": str(start + limit)} if start + limit < len(names) else {}
    return Answer(body={"customAggregationUnits": page, **more})


def day_in(call: Call, name: str = "date") -> str:
    """Return the day `yyyyMMdd` of the query, for example `20261122`.  Raises: LineError 400."""
    day = call.query.get(name, "")
    if not _DAY.fullmatch(day):
        raise bad_request(f"The value for the '{name}' parameter is invalid")
    return day


def _sent(channel: Channel, call: Call, sent_by: SentBy) -> Answer:
    day = day_in(call)
    if day >= day_of(call.at_ms):
        return Answer(body={"status": "unready"})
    if day < _FIRST_DAY:
        return Answer(body={"status": "out_of_service"})
    return Answer(body={"status": "ready", "success": channel.broadcasts.sent(sent_by, day)})


def _check_narrowcast(body: JsonObject) -> int | None:
    for name in ("recipient", "filter", "limit"):
        if body.get(name) is not None and not isinstance(body[name], dict):
            raise invalid_property(name)
    limit = body.get("limit") or {}
    problems = Problems()
    problems.flag(limit, "upToRemainingQuota", "limit", required=False)
    problems.flag(limit, "forbidPartialDelivery", "limit", required=False)
    if limit.get("max") is not None:
        problems.number(limit, "max", "limit", least=1, most=2**31 - 1)
    problems.raise_any()
    return None if limit.get("max") is None else int(limit["max"])


def _friends(channel: Channel) -> list[str]:
    return [person.user_id for person in channel.people.values() if person.friendship is Friendship.FRIEND]


def _number(call: Call, name: str, default: int) -> int:
    text = call.query.get(name, str(default))
    if not text.isascii() or not text.isdigit() or len(text) > 9:  # noqa: PLR2004 - far more than there are units
        raise bad_request(f"The value for the '{name}' parameter is invalid")
    return int(text)


def _moment(at_ms: int) -> str:
    return datetime.fromtimestamp(at_ms / 1_000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
