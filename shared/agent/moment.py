"""The moment of a prompt: the local time with weekday and offset, and the dates of the coming days.

The model need not compute dates: the prompt holds the date of 「来週の月曜」.
"""

import datetime as dt
from typing import Final

COMING_DAYS: Final = 14
_WEEKDAYS: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")  # strftime would follow the process's locale


def describe_moment(now: dt.datetime) -> str:
    """Return two sentences, for example `It is Sun 2026-11-22 12:01 (Asia/Tokyo, UTC+09:00). The coming days: Mon 11-23, ...`."""
    days = (now.date() + dt.timedelta(days=ahead) for ahead in range(1, COMING_DAYS + 1))
    coming = ", ".join(f"{_weekday(day)} {day:%m-%d}" for day in days)
    return f"It is {_weekday(now.date())} {now:%Y-%m-%d %H:%M} ({now.tzinfo}, UTC{_offset(now)}). The coming days: {coming}."


def _weekday(day: dt.date) -> str:
    return _WEEKDAYS[day.weekday()]


def _offset(moment: dt.datetime) -> str:
    """Return the offset, for example `+09:00`."""
    return moment.isoformat(timespec="seconds")[19:25]
