"""Times in plain sentences: patterns with named groups, and the local time that the groups mean, relative to the prompt's note."""

from __future__ import annotations

import datetime as dt
import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from simulator.gemini.default_model.prompt import Prompt

_NOW = re.compile(r"It is \w{3} (\d{4}-\d{2}-\d{2} \d{2}:\d{2})")
CLOCK: Final = r"(?P<hour>\d{1,2})(?:時|:)?(?P<minute>\d{2})?分?(?: ?(?P<half>am|pm))?"
"""An hour: `9時`, `18:30`, `6pm`."""
WEEKDAYS: Final = ("月", "火", "水", "木", "金", "土", "日")
ENGLISH_WEEKDAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
JAPANESE_DAY: Final = rf"(?:(?P<day>今日|明日|明後日)|(?P<weekday>[{''.join(WEEKDAYS)}])曜日?|(?P<date>\d{{1,2}})日)の?"
ENGLISH_WEEKDAY: Final = f"(?P<weekday>{'|'.join(f'{name}|{name[:3]}' for name in ENGLISH_WEEKDAYS)})"
"""A day of the week: `friday`, `Fri`."""
ENGLISH_DAY: Final = rf"(?:(?P<day>today|tomorrow)|(?:on )?{ENGLISH_WEEKDAY})"
THAI_DAY: Final = r"(?P<day>วันนี้|พรุ่งนี้)"
_DAYS = {"今日": 0, "today": 0, "วันนี้": 0, "明日": 1, "tomorrow": 1, "พรุ่งนี้": 1, "明後日": 2}


def weekday_of(groups: Mapping[str, str]) -> int | None:
    """Return the named day of the week, Monday is 0; None without one: `{"weekday": "friday"}` gives 4."""
    name = groups.get("weekday")
    if name is None:
        return None
    if name in WEEKDAYS:
        return WEEKDAYS.index(name)
    return next(number for number, full_name in enumerate(ENGLISH_WEEKDAYS) if full_name.startswith(name))


def time_of(groups: Mapping[str, str], now: dt.datetime) -> dt.datetime | None:
    """Return the requested local time; None for an impossible hour, for example `{"hour": "25"}`."""
    amount = groups.get("in")
    if amount is not None:
        is_hours = str(groups.get("unit")) in {"時間", "hour", "hours"}
        return now + (dt.timedelta(hours=int(amount)) if is_hours else dt.timedelta(minutes=int(amount)))
    try:
        hour = (
            int(groups["hour"]) % 12 + (12 if groups["half"] == "pm" else 0)
            if "half" in groups
            else int(groups["hour"])
        )
        at = now.replace(hour=hour, minute=int(groups.get("minute", "0")))
    except ValueError:
        return None
    weekday = weekday_of(groups)
    if "date" in groups:
        return _next_date(at, now, month=int(groups.get("month", "0")), day=int(groups["date"]))
    if weekday is not None and "nth" not in groups:
        at += dt.timedelta(days=(weekday - at.weekday()) % 7)
        return at if at > now else at + dt.timedelta(days=7)
    if "day" in groups:
        return at + dt.timedelta(days=_DAYS[groups["day"]])
    return at if at > now else at + dt.timedelta(days=1)


def _next_date(at: dt.datetime, now: dt.datetime, *, month: int, day: int) -> dt.datetime | None:
    """Return the next such day at the hour of `at`, of any month if `month` is 0; None for an impossible one, for example 30 February."""
    following = (now.year + now.month // 12, now.month % 12 + 1)
    months = [(now.year, month), (now.year + 1, month)] if month else [(now.year, now.month), following]
    try:
        dates = [at.replace(year=year, month=number, day=day) for year, number in months]
    except ValueError:
        return None
    return next(date for date in dates if date > now)


def now_of(prompt: Prompt) -> dt.datetime | None:
    """Return the local time in the newest note."""
    texts = (text for content in prompt.request.contents if content.role == "user" for text in content.texts)
    moments = [one for text in texts for one in _NOW.findall(text)]
    return dt.datetime.strptime(moments[-1], "%Y-%m-%d %H:%M") if moments else None  # noqa: DTZ007 - local
