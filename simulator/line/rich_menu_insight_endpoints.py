"""The statistics of a rich menu: the taps of the stand-in's people, by area, and by day or in all.

LINE has a privacy threshold, here 20 people; below the threshold, only the menu's id is returned. Each tap counts as one impression, since
the stand-in cannot see views of a menu.
Source: insight.yml of line-openapi, as of line-bot-sdk 3.27.0: "Get rich menu insight daily", "Get rich menu insight summary".
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

from .broadcast_endpoints import day_in
from .calls import Answer, Call
from .channel import Channel
from .errors import bad_request, not_found
from .insight_endpoints import MARK
from .messages import JsonObject
from .quota import day_of
from .rich_menus import RichMenu, Tap

PRIVACY_THRESHOLD: Final = 20
DAILY_DAYS: Final = 99
SUMMARY_DAYS: Final = 396


async def daily(channel: Channel, call: Call) -> Answer:
    """Return the taps of each area by day, in at most 100 days."""
    menu, first, last = _menu_and_days(channel, call, DAILY_DAYS)
    taps = _within(menu, channel, first, last)

    def metrics(taps: Sequence[Tap]) -> list[JsonObject]:
        return [{"date": day} | _count([tap for tap in taps if day_of(tap.at_ms) == day]) for day in _days(first, last)]

    if _is_hidden(taps):
        return Answer(body={"richMenuId": menu.rich_menu_id}, headers=MARK)
    return Answer(
        headers=MARK,
        body=_head(menu, first, last)
        | {
            "impression": {"metrics": metrics(taps)},
            "clicks": [
                {"bounds": area["bounds"], "metrics": metrics([tap for tap in taps if tap.area == index])}
                for index, area in enumerate(menu.body.get("areas", []))
            ],
        },
    )


async def summary(channel: Channel, call: Call) -> Answer:
    """Return the taps of each area, in at most 397 days."""
    menu, first, last = _menu_and_days(channel, call, SUMMARY_DAYS)
    taps = _within(menu, channel, first, last)
    if _is_hidden(taps):
        return Answer(body={"richMenuId": menu.rich_menu_id}, headers=MARK)
    return Answer(
        headers=MARK,
        body=_head(menu, first, last)
        | {
            "impression": {"metrics": _count(taps)},
            "clicks": [
                {"bounds": area["bounds"], "metrics": _count([tap for tap in taps if tap.area == index])}
                for index, area in enumerate(menu.body.get("areas", []))
            ],
        },
    )


def _menu_and_days(channel: Channel, call: Call, most_days: int) -> tuple[RichMenu, str, str]:
    menu = channel.rich_menus.menus.get(call.path_params["rich_menu_id"])
    if menu is None:
        raise not_found()
    first, last = day_in(call, "from"), day_in(call, "to")
    try:
        span = datetime.strptime(last, "%Y%m%d").replace(tzinfo=UTC) - datetime.strptime(first, "%Y%m%d").replace(
            tzinfo=UTC
        )
    except ValueError as error:
        raise bad_request("The value for the 'from' parameter is invalid") from error
    if not 0 <= span.days <= most_days:
        raise bad_request("The value for the 'to' parameter is invalid")
    return menu, first, last


def _within(menu: RichMenu, channel: Channel, first: str, last: str) -> list[Tap]:
    return [
        tap
        for tap in channel.rich_menus.taps
        if tap.rich_menu_id == menu.rich_menu_id and first <= day_of(tap.at_ms) <= last
    ]


def _is_hidden(taps: Sequence[Tap]) -> bool:
    return len({tap.user_id for tap in taps}) < PRIVACY_THRESHOLD


def _head(menu: RichMenu, first: str, last: str) -> JsonObject:
    return {"richMenuId": menu.rich_menu_id, "metricsFrom": first, "metricsTo": last}


def _count(taps: Sequence[Tap]) -> JsonObject:
    return {"count": len(taps), "uniqueUsers": len({tap.user_id for tap in taps})}


def _days(first: str, last: str) -> list[str]:
    day, days = datetime.strptime(first, "%Y%m%d").replace(tzinfo=UTC), []
    while day.strftime("%Y%m%d") <= last:
        days.append(day.strftime("%Y%m%d"))
        day += timedelta(days=1)
    return days
