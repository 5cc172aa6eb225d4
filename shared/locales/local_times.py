"""Local times and recurrences in words: the table `times` of the language files."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, reduce

from shared.locales.language_file import language_file
from shared.recurrence import Frequency, Recurrence, Weekday


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
    """The formats of dates, times and recurrences in one language."""

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
    """Return date, weekday and hour, such as `11月23日(月) 09:00`; with the year, unless it is `this_year`."""
    date = _date(local.date(), locale=locale, this_year=this_year)
    return _texts(locale).moment.format(date=date, time=_time(local))


def shown_schedule(recurrence: Recurrence | None, *, start: dt.datetime, locale: str, this_year: int) -> str:
    """Return when a reminder is due, in words: its recurrence, or without one the moment `start`."""
    if recurrence is None:
        return shown_moment(start, locale=locale, this_year=this_year)
    return shown_recurrence(recurrence, start=start, locale=locale, this_year=this_year)


def shown_recurrence(recurrence: Recurrence, *, start: dt.datetime, locale: str, this_year: int) -> str:
    """Return a recurrence in words, such as `毎週月・木曜 09:00`; `start` is the first time.

    Example: a weekly recurrence on Monday and Thursday, from 09:00, in `ja`.
    """
    texts = _texts(locale)
    single, several = _texts_of(recurrence.frequency, texts)
    rule = (single if recurrence.interval == 1 else several).format(
        interval=recurrence.interval,
        time=_time(start),
        day=recurrence.month_day or start.day,
        days=reduce(
            lambda first, second: texts.two_days.format(first=first, second=second),
            (texts.of_weekday[one] for one in recurrence.weekdays or (_weekday(start),)),
        ),
    )
    if recurrence.count is not None:
        return texts.times.format(rule=rule, count=recurrence.count)
    if recurrence.until is not None:
        return texts.until.format(rule=rule, date=_date(recurrence.until, locale=locale, this_year=this_year))
    return rule


def _texts_of(frequency: Frequency, texts: TimeTexts) -> tuple[str, str]:
    """Return the formats for every day, week or month, and for every few."""
    match frequency:
        case Frequency.DAILY:
            return texts.daily, texts.every_days
        case Frequency.WEEKLY:
            return texts.weekly, texts.every_weeks
        case Frequency.MONTHLY:
            return texts.monthly, texts.every_months


def _date(date: dt.date, *, locale: str, this_year: int) -> str:
    texts = _texts(locale)
    return (texts.date if date.year == this_year else texts.date_of_year).format(
        year=date.year,
        month=texts.of_month[Month(str(date.month))],
        day=date.day,
        weekday=texts.of_weekday[_weekday(date)],
    )


def _weekday(date: dt.date) -> Weekday:
    return tuple(Weekday)[date.weekday()]


def _time(local: dt.datetime) -> str:
    return f"{local:%H:%M}"


@cache
def _texts(locale: str) -> TimeTexts:
    return language_file(locale).table("times", TimeTexts)
