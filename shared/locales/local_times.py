"""Local times and recurrences in words: the table `times` of the language files."""

import datetime as dt
import re
from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from itertools import pairwise
from typing import Final

from shared.frozen import frozen
from shared.locales.language_file import language_file
from shared.locales.placeholders import filled, joined
from shared.recurrence import LAST, Frequency, Gap, Recurrence, Weekday

_DATE: Final = re.compile(r"\d{4}-\d{2}-\d{2}")
_MOMENT: Final = re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{3,6})?)?(?:Z|[+-]\d{2}:\d{2})?")


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


class Position(StrEnum):
    """Which of the weekdays of a month, as in rules."""

    FIRST = "1"
    SECOND = "2"
    THIRD = "3"
    FOURTH = "4"
    FIFTH = "5"
    LAST = "-1"


@frozen
class TimeTexts:
    """The formats of dates, times and recurrences in one language.  `pads_hours`: nine in the morning is 09:00, else 9:00."""

    date: str
    date_of_year: str
    moment: str
    pads_hours: bool
    daily: str
    every_days: str
    weekly: str
    every_weeks: str
    monthly: str
    every_months: str
    yearly: str
    every_years: str
    day_of_month: str
    last_day: str
    weekday_of_month: str
    workday_of_month: str
    day_of_year: str
    of_given_month: str
    midnight: str
    time_span: str
    hourly: str
    every_hours: str
    without: str
    until: str
    times: str
    two_days: str
    of_weekday: Mapping[Weekday, str]
    of_month: Mapping[Month, str]
    of_position: Mapping[Position, str]
    of_gap: Mapping[Gap, str]


def shown_moment(local: dt.datetime, *, locale: str, this_year: int, place: str = "") -> str:
    """Return date, weekday and hour, such as `11月23日(月) 9:00`; with the year, unless it is `this_year`, and with the place, if any."""
    date = _date(local.date(), locale=locale, this_year=this_year)
    return _at_place(_texts(locale).moment.format(date=date, time=_time(local, _texts(locale))), place)


def shown_hour(local: dt.datetime, *, locale: str) -> str:
    """Return the time of day: `9:00` in ja, `09:00` in en."""
    return _time(local, _texts(locale))


def shown_day_begin(local: dt.datetime, *, locale: str) -> str:
    """Return the time at which a day begins: `0時` in ja, `midnight` in en; where the clocks skip midnight, `1:00` and `01:00`."""
    return _texts(locale).midnight if local.time() == dt.time() else shown_hour(local, locale=locale)


def shown_value(text: str, *, locale: str, this_year: int) -> str:
    """Return a date, a moment or a span of a call in words, such as `12月1日(火)` for "2026-12-01"; any other text as it is.

    A moment with an offset is shown as it is written: the hour of its own zone. A span is "2026-12-01/2026-12-03", as in ISO 8601.
    """
    try:
        if _DATE.fullmatch(text):
            return _date(dt.date.fromisoformat(text), locale=locale, this_year=this_year)
        if _MOMENT.fullmatch(text):
            return shown_moment(dt.datetime.fromisoformat(text), locale=locale, this_year=this_year)
    except ValueError:
        return text  # no such day
    ends = text.split("/") if text.count("/") == 1 else []
    shown = [shown_value(end, locale=locale, this_year=this_year) for end in ends]
    return " \N{EN DASH} ".join(shown) if ends and not set(shown) & set(ends) else text


def shown_schedule(
    recurrence: Recurrence | None, *, start: dt.datetime, locale: str, this_year: int, place: str = ""
) -> str:
    """Return when a reminder is due, in words: its recurrence, or without one the moment `start`.

    `place`: where the hours are those of another place than the chat's, as in `9:00 (Bangkok)`.
    """
    if recurrence is None:
        return shown_moment(start, locale=locale, this_year=this_year, place=place)
    return _at_place(shown_recurrence(recurrence, start=start, locale=locale, this_year=this_year), place)


def _at_place(when: str, place: str) -> str:
    return f"{when} ({place})" if place else when


def shown_recurrence(recurrence: Recurrence, *, start: dt.datetime, locale: str, this_year: int) -> str:
    """Return a recurrence in words, such as `毎週月・木曜 09:00`; `start` is the first time.

    Example: a weekly recurrence on Monday and Thursday, from 09:00, in `ja`.
    """
    texts = _texts(locale)
    single, several = _texts_of(recurrence.frequency, texts)
    time, of_hours = _times(recurrence, start, texts)
    rule = (single if recurrence.interval == 1 else several).format(
        interval=recurrence.interval,
        time=time,
        day=_day(recurrence, start, texts),
        days=joined(texts.two_days, (texts.of_weekday[one] for one in recurrence.weekdays or (_weekday(start),))),
    )
    rule, gap = of_hours.format(rule=rule), recurrence.gap(start)
    if gap is not None:
        rule = texts.without.format(rule=rule, gap=texts.of_gap[gap])
    if recurrence.count is not None:
        return filled(texts.times, rule=rule, count=str(recurrence.count))
    if recurrence.until is not None:
        return texts.until.format(
            rule=rule, date=_date(_last_day(recurrence.until, recurrence, start), locale=locale, this_year=this_year)
        )
    return rule


def _last_day(until: dt.datetime, recurrence: Recurrence, start: dt.datetime) -> dt.date:
    """Return the last day on which the rule may occur: with 09:00, and an end on 1 January at 00:00, 31 December."""
    first_hour = min(recurrence.hours, default=start.hour)
    is_past = until.time() < dt.time(first_hour, start.minute)
    return until.date() - dt.timedelta(days=1) if is_past else until.date()


def _times(recurrence: Recurrence, start: dt.datetime, texts: TimeTexts) -> tuple[str, str]:
    """Return the hours of a day in words, and the format of a rule with them.

    For example in `th`, the hours 9 and 20 are `09:00 20:00`; the hours 9, 11 and 13 are a span, and `{rule} (ทุก 2 ชั่วโมง)`.
    """
    hours = recurrence.hours
    times = [_time(start.replace(hour=hour), texts) for hour in hours] or [_time(start, texts)]
    steps = {later - earlier for earlier, later in pairwise(hours)}
    if len(hours) <= 2 or len(steps) > 1:  # noqa: PLR2004 - two hours are no span
        return joined(texts.two_days, times), "{rule}"
    step = steps.pop()
    of_hours = texts.hourly if step == 1 else texts.every_hours.replace("{interval}", str(step))
    return texts.time_span.format(first=times[0], last=times[-1]), of_hours


def _day(recurrence: Recurrence, start: dt.datetime, texts: TimeTexts) -> str:
    """Return the day of a month or year in words, such as `末日`, `第2日曜` or, of a year, `5月第2日曜`."""
    month_day, month = recurrence.month_day or start.day, texts.of_month[Month(str(recurrence.month or start.month))]
    is_yearly = recurrence.frequency is Frequency.YEARLY
    if not recurrence.positions and month_day != LAST:
        return (texts.day_of_year if is_yearly else texts.day_of_month).format(day=month_day, month=month)
    day = texts.last_day
    if recurrence.positions:
        form = texts.weekday_of_month if len(recurrence.weekdays) == 1 else texts.workday_of_month
        position = joined(texts.two_days, (texts.of_position[Position(str(one))] for one in recurrence.positions))
        day = form.format(position=position, weekday=texts.of_weekday[recurrence.weekdays[0]])
    return texts.of_given_month.format(day=day, month=month) if is_yearly else day


def _texts_of(frequency: Frequency, texts: TimeTexts) -> tuple[str, str]:
    """Return the formats for every day, week, month or year, and for every few."""
    match frequency:
        case Frequency.DAILY:
            return texts.daily, texts.every_days
        case Frequency.WEEKLY:
            return texts.weekly, texts.every_weeks
        case Frequency.MONTHLY:
            return texts.monthly, texts.every_months
        case Frequency.YEARLY:
            return texts.yearly, texts.every_years


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


def _time(local: dt.datetime, texts: TimeTexts) -> str:
    return f"{local:%H:%M}" if texts.pads_hours else f"{local.hour}:{local:%M}"


@cache
def _texts(locale: str) -> TimeTexts:
    return language_file(locale).table("times", TimeTexts)
