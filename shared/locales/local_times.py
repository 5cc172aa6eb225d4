"""Local times and recurrences in words: the table `times` of the language files."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, reduce
from typing import Final

from shared.locales.language_file import language_file

_UNTIL: Final = "%Y%m%dT%H%M%S"


class Weekday(StrEnum):
    """The days of the week, as recurrence rules name them.  Source: RFC 5545, 3.3.10."""

    MONDAY = "MO"
    TUESDAY = "TU"
    WEDNESDAY = "WE"
    THURSDAY = "TH"
    FRIDAY = "FR"
    SATURDAY = "SA"
    SUNDAY = "SU"


class Month(StrEnum):
    """The months, by their numbers."""

    JANUARY = "1"
    FEBRUARY = "2"
    MARCH = "3"
    APRIL = "4"
    MAY = "5"
    JUNE = "6"
    JULY = "7"
    AUGUST = "8"
    SEPTEMBER = "9"
    OCTOBER = "10"
    NOVEMBER = "11"
    DECEMBER = "12"


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeTexts:
    """How one language writes dates, times and recurrences."""

    date: str
    date_of_year: str
    moment: str
    daily: str
    every_days: str
    weekly: str
    every_weeks: str
    monthly: str
    every_months: str
    until: str
    times: str
    two_days: str
    of_weekday: Mapping[Weekday, str]
    of_month: Mapping[Month, str]


def shown_moment(local: dt.datetime, *, locale: str, this_year: int) -> str:
    """Return date, weekday and hour, such as `11月23日(月) 09:00`; with the year where it is another one."""
    date = _date(local.date(), locale=locale, this_year=this_year)
    return _texts(locale).moment.format(date=date, time=_time(local))


def shown_rule(rule: str, *, start: dt.datetime, locale: str, this_year: int) -> str:
    """Return a recurrence in words, such as `毎週月・木曜 09:00`.

    `rule` is an RRULE of FREQ=DAILY, WEEKLY or MONTHLY with INTERVAL, BYDAY, BYMONTHDAY, and UNTIL (local) or COUNT; `start` is its first
    time.
    """
    texts, parts = _texts(locale), dict(one.split("=", 1) for one in rule.split(";"))
    interval = int(parts.get("INTERVAL", "1"))
    own_day = tuple(Weekday)[start.weekday()]
    days = parts["BYDAY"].split(",") if "BYDAY" in parts else [own_day]
    one, several = {
        "DAILY": (texts.daily, texts.every_days),
        "WEEKLY": (texts.weekly, texts.every_weeks),
        "MONTHLY": (texts.monthly, texts.every_months),
    }[parts["FREQ"]]
    told = (one if interval == 1 else several).format(
        interval=interval,
        time=_time(start),
        day=parts.get("BYMONTHDAY", str(start.day)),
        days=reduce(
            lambda first, second: texts.two_days.format(first=first, second=second),
            (texts.of_weekday[Weekday(one)] for one in days),
        ),
    )
    if "COUNT" in parts:
        return texts.times.format(rule=told, count=parts["COUNT"])
    if "UNTIL" in parts:
        end = dt.datetime.strptime(parts["UNTIL"], _UNTIL).date()  # noqa: DTZ007 - local by definition
        return texts.until.format(rule=told, date=_date(end, locale=locale, this_year=this_year))
    return told


def _date(date: dt.date, *, locale: str, this_year: int) -> str:
    texts = _texts(locale)
    return (texts.date if date.year == this_year else texts.date_of_year).format(
        year=date.year,
        month=texts.of_month[Month(str(date.month))],
        day=date.day,
        weekday=texts.of_weekday[tuple(Weekday)[date.weekday()]],
    )


def _time(local: dt.datetime) -> str:
    return f"{local:%H:%M}"


@cache
def _texts(locale: str) -> TimeTexts:
    return language_file(locale).table("times", TimeTexts)
