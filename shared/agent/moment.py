"""The moment of a prompt: the local time with weekday and offset, and the dates of the coming and past days.

The model need not compute dates: the prompt holds the dates of 「来週の月曜」 and 「先週の金曜」.
"""

import datetime as dt
from collections.abc import Iterable
from typing import Final

COMING_DAYS: Final = 14
PAST_DAYS: Final = 7
_WEEKDAYS: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")  # strftime would follow the process's locale


def describe_moment(now: dt.datetime) -> str:
    """Return three sentences: `It is Sun 2026-11-22 12:01 (Asia/Tokyo, UTC+09:00). The coming days: Mon 11-23, ...`, and the past days."""
    coming = _days(now.date(), range(1, COMING_DAYS + 1))
    past = _days(now.date(), range(-1, -PAST_DAYS - 1, -1))
    moment = f"{weekday_of(now.date())} {now:%Y-%m-%d %H:%M} ({now.tzinfo}, UTC{_offset(now)})"
    return f"It is {moment}. The coming days: {coming}. The past days: {past}."


def _days(today: dt.date, offsets: Iterable[int]) -> str:
    days = (today + dt.timedelta(days=offset) for offset in offsets)
    return ", ".join(f"{weekday_of(day)} {day:%m-%d}" for day in days)


def weekday_of(day: dt.date) -> str:
    """Return the weekday in three letters of English: `weekday_of(dt.date(2026, 11, 22))` is `Sun`."""
    return _WEEKDAYS[day.weekday()]


def _offset(moment: dt.datetime) -> str:
    """Return the offset, for example `+09:00`."""
    return moment.isoformat(timespec="seconds")[19:25]
