"""The endpoints of insight. Friends and messages are the stand-in's; numbers below 20 are hidden, as by LINE.

Every answer has a header `x-line-simulator: plausible`: ages, areas, openings and clicks are made up.
Source: Messaging API reference, "Insight"; insight.yml of line-openapi.
"""

from collections.abc import Mapping
from typing import Final

from .broadcast_endpoints import day_in
from .broadcasts import SentBy
from .calls import Answer, Call
from .channel import Channel
from .errors import bad_request, not_found
from .messages import JsonObject
from .people import Friendship
from .quota import day_of

MARK: Final = {"x-line-simulator": "plausible"}
_LEAST_SHOWN: Final = 20
_API: Final[Mapping[str, SentBy]] = {
    "apiBroadcast": "broadcast",
    "apiPush": "push",
    "apiMulticast": "multicast",
    "apiNarrowcast": "narrowcast",
    "apiReply": "reply",
}
_GENDERS: Final = (("unknown", 2.0), ("male", 46.0), ("female", 52.0))
_AGES: Final = (
    ("unknown", 3.0),
    ("from20to24", 21.0),
    ("from25to29", 26.0),
    ("from30to34", 24.0),
    ("from35to39", 26.0),
)
_AREAS: Final = (("unknown", 10.0), ("東京", 40.0), ("大阪", 25.0), ("その他", 25.0))
_APPS: Final = (("ios", 57.0), ("android", 42.0), ("others", 1.0))
_PERIODS: Final = (("within7days", 10.0), ("within90days", 40.0), ("over365days", 50.0))


async def followers(channel: Channel, call: Call) -> Answer:
    """Return how many people are friends, and how many block the account."""
    if (status := _status(call)) != "ready":
        return _answer({"status": status})
    people = channel.people.values()
    friends = sum(person.friendship is Friendship.FRIEND for person in people)
    blocks = sum(person.friendship is Friendship.BLOCKED for person in people)
    return _answer({"status": status, "followers": friends + blocks, "targetedReaches": friends, "blocks": blocks})


async def deliveries(channel: Channel, call: Call) -> Answer:
    """Return how many messages were sent on the day, by endpoint."""
    day = day_in(call)
    if (status := _status(call)) != "ready":
        return _answer({"status": status})
    counts = {name: channel.broadcasts.sent(sent_by, day) for name, sent_by in _API.items()}
    return _answer({"status": status, **counts})


async def demographic(_channel: Channel, _call: Call) -> Answer:
    """Return a made-up population."""
    return _answer(
        {
            "available": True,
            "genders": _tiles("gender", _GENDERS),
            "ages": _tiles("age", _AGES),
            "areas": _tiles("area", _AREAS),
            "appTypes": _tiles("appType", _APPS),
            "subscriptionPeriods": _tiles("subscriptionPeriod", _PERIODS),
        }
    )


async def message_event(channel: Channel, call: Call) -> Answer:
    """Return the statistics of a narrowcast or broadcast; openings and clicks are below 20 and therefore hidden."""
    request_id = call.query.get("requestId", "")
    sent_request = channel.broadcasts.sent_requests.get(request_id)
    if sent_request is None:
        raise not_found()
    overview = {
        "requestId": request_id,
        "timestamp": sent_request.at_ms // 1_000,
        "delivered": sent_request.recipients,
        **_openings(sent_request.recipients),
    }
    return _answer({"overview": overview, "messages": [], "clicks": []})


async def unit_event(channel: Channel, call: Call) -> Answer:
    """Return the statistics of an aggregation unit in a span of days."""
    unit = call.query.get("customAggregationUnit", "")
    if day_in(call, "from") > day_in(call, "to"):
        raise bad_request("The value for the 'from' parameter is invalid")
    recipients = channel.broadcasts.units(at_ms=call.at_ms).get(unit, 0)
    return _answer({"overview": _openings(recipients), "messages": [], "clicks": []})


def _status(call: Call) -> str:
    return "unready" if day_in(call) >= day_of(call.at_ms) else "ready"


def _openings(recipients: int) -> JsonObject:
    opened = recipients * 3 // 5 if recipients * 3 // 5 >= _LEAST_SHOWN else None
    return {"uniqueImpression": opened, "uniqueClick": None, "uniqueMediaPlayed": None}


def _tiles(name: str, shares: tuple[tuple[str, float], ...]) -> list[JsonObject]:
    return [{name: value, "percentage": percentage} for value, percentage in shares]


def _answer(body: JsonObject) -> Answer:
    return Answer(body=body, headers=MARK)
