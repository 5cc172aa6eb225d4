"""How a reminder recurs: the supported part of RFC 5545's recurrence rules, with a parser and one spelling.

Source: RFC 5545, 3.3.10 (RRULE).
"""

import calendar
import datetime as dt
import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from shared.frozen import frozen

COUNT_LIMIT: Final = 1_000
INTERVAL_LIMIT: Final = 52
LAST: Final = -1
"""The last day of a month, or the last weekday of a kind in a month."""
EVERY_MONTH: Final = 28
"""The last day of the month that every month has."""
_LAST_DAY: Final = 31
_MONTHS: Final = 12
_HOURS: Final = 24
_FEBRUARY: Final = 2
_LEAP_YEAR: Final = 2_028
_FIFTH: Final = 5
_POSITIONS: Final = ("1", "2", "3", "4", "5", "-1")
_NAMES: Final = frozenset(
    {"FREQ", "INTERVAL", "BYMONTH", "BYMONTHDAY", "BYDAY", "BYSETPOS", "BYHOUR", "UNTIL", "COUNT"}
)
_NUMBER: Final = re.compile(r"[1-9]\d{0,3}", re.ASCII)
_HOUR: Final = re.compile(r"\d{1,2}", re.ASCII)
_WEEKDAY_AT: Final = re.compile(r"([+-]?\d)?(MO|TU|WE|TH|FR|SA|SU)", re.ASCII)
_UNTIL: Final = re.compile(r"(\d{8})(?:T(\d{6})(Z?))?", re.ASCII)
_UNTIL_YEARS: Final = range(1_970, 9_999)  # times that exist in every zone, with four digits of the year
_UNTIL_FORMAT: Final = "%Y%m%dT%H%M%S"


class Frequency(StrEnum):
    """How often a reminder recurs, in the words of rules."""

    DAILY = "DAILY"
    WEEKLY = "WEEKLY"
    MONTHLY = "MONTHLY"
    YEARLY = "YEARLY"


class Weekday(StrEnum):
    """The days of the week, in the words of rules."""

    MONDAY = "MO"
    TUESDAY = "TU"
    WEDNESDAY = "WE"
    THURSDAY = "TH"
    FRIDAY = "FR"
    SATURDAY = "SA"
    SUNDAY = "SU"


WORKDAYS: Final = (Weekday.MONDAY, Weekday.TUESDAY, Weekday.WEDNESDAY, Weekday.THURSDAY, Weekday.FRIDAY)


class Gap(StrEnum):
    """The months or years in which a rule has no occurrence, because they lack its day."""

    SHORT_MONTHS = "short_months"
    FEBRUARY = "february"
    SHORT_FEBRUARY = "short_february"
    NO_FIFTH = "no_fifth"
    COMMON_YEARS = "common_years"


@frozen
class Recurrence:
    """A rule: every day, week, month or year; `interval` 2: every second one.

    `hours` are the hours of a day or week with several times. In a week, `weekdays` are its days. In a month, `positions` count the
    weekdays: with `(TU,)` and `(1, 3)` the first and third Tuesday, with `WORKDAYS` and `(-1,)` the last day from Monday to Friday. A
    `month_day` of -1 is the last day. A year has `month`, with a day as in a month.
    Whatever is missing is as in the first time. The rule ends after `count` times, or with `until`, which is local; or never.
    """

    frequency: Frequency
    interval: int = 1
    month: int | None = None
    month_day: int | None = None
    weekdays: tuple[Weekday, ...] = ()
    positions: tuple[int, ...] = ()
    hours: tuple[int, ...] = ()
    count: int | None = None
    until: dt.datetime | None = None

    @classmethod
    def parse(cls, text: str, zone: dt.tzinfo) -> "Recurrence":
        """Return the rule of a text such as `FREQ=WEEKLY;BYDAY=MO,TH`.  An UNTIL in UTC becomes the local time in `zone`.

        Raises: ValueError, with one plain sentence about what to write instead.
        """
        parts = _parts(text)
        if parts.get("FREQ") not in tuple(Frequency):
            raise ValueError(
                "FREQ must be DAILY, WEEKLY, MONTHLY or YEARLY; several hours a day are FREQ=DAILY;BYHOUR=9,11,13."
            )
        frequency = Frequency(parts["FREQ"])
        _check_parts(frequency, parts)
        weekdays, positions = _weekdays(frequency, parts)
        month = _number(parts, "BYMONTH", most=_MONTHS)
        month_day = LAST if parts.get("BYMONTHDAY") == "-1" else _number(parts, "BYMONTHDAY", most=_LAST_DAY)
        if month is not None and (month_day or 0) > calendar.monthrange(_LEAP_YEAR, month)[1]:
            raise ValueError(f"Day {month_day} of month {month} does not exist.")
        return cls(
            frequency=frequency,
            interval=_number(parts, "INTERVAL", most=INTERVAL_LIMIT) or 1,
            month=month,
            month_day=month_day,
            weekdays=weekdays,
            positions=positions,
            hours=_hours(parts["BYHOUR"]) if "BYHOUR" in parts else (),
            count=_number(parts, "COUNT", most=COUNT_LIMIT),
            until=_until(parts["UNTIL"], zone) if "UNTIL" in parts else None,
        )

    @property
    def rule(self) -> str:
        """The one spelling, which `parse` reads; UNTIL is local: `FREQ=DAILY;INTERVAL=2;UNTIL=20261231T235959`."""
        return self._spelled(None if self.until is None else f"{self.until:{_UNTIL_FORMAT}}")

    def rule_in_utc(self, zone: dt.tzinfo) -> str:
        """Return the rule for an event with a time zone: UNTIL is in UTC.

        Example in Asia/Tokyo: `FREQ=DAILY;UNTIL=20261231T145959Z` for the end of 31 December.
        """
        if self.until is None:
            return self.rule
        return self._spelled(f"{self.until.replace(tzinfo=zone).astimezone(dt.UTC):{_UNTIL_FORMAT}}Z")

    def gap(self, start: dt.date) -> Gap | None:
        """Return which months or years the rule leaves out, with a first time on `start`.

        For example, `FREQ=MONTHLY` from 31 January leaves out five months.
        """
        if self.positions:
            return Gap.NO_FIFTH if self.positions == (_FIFTH,) and len(self.weekdays) == 1 else None
        day = self.month_day or start.day
        match self.frequency:
            case Frequency.MONTHLY if day > EVERY_MONTH:
                return {29: Gap.SHORT_FEBRUARY, 30: Gap.FEBRUARY}.get(day, Gap.SHORT_MONTHS)
            case Frequency.YEARLY if day > EVERY_MONTH and (self.month or start.month) == _FEBRUARY:
                return Gap.COMMON_YEARS
        return None

    def _spelled(self, until: str | None) -> str:
        parts = {
            "FREQ": self.frequency.value,
            "INTERVAL": self.interval if self.interval > 1 else None,
            "BYMONTH": self.month,
            "BYDAY": ",".join(self._days) or None,
            "BYSETPOS": _joined(self.positions) if len(self.weekdays) > 1 else None,
            "BYMONTHDAY": self.month_day,
            "BYHOUR": _joined(self.hours),
            "COUNT": self.count,
            "UNTIL": until,
        }
        return ";".join(f"{name}={value}" for name, value in parts.items() if value is not None)

    @property
    def _days(self) -> tuple[str, ...]:
        if len(self.weekdays) == 1 and self.positions:
            return tuple(f"{position}{self.weekdays[0]}" for position in self.positions)
        return self.weekdays


def _joined(numbers: tuple[int, ...]) -> str | None:
    return ",".join(map(str, numbers)) or None


def _parts(text: str) -> Mapping[str, str]:
    parts: dict[str, str] = {}
    for part in "".join(text.split()).upper().removeprefix("RRULE:").rstrip(";").split(";"):
        name, _, value = part.partition("=")
        if name not in _NAMES or name in parts:
            raise ValueError(
                "A rule is FREQ=DAILY, FREQ=WEEKLY;BYDAY=MO,TH, FREQ=MONTHLY;BYMONTHDAY=25 or FREQ=YEARLY, with INTERVAL and UNTIL or "
                "COUNT if needed."
            )
        parts[name] = value
    return parts


def _check_parts(frequency: Frequency, parts: Mapping[str, str]) -> None:
    """Raises: ValueError, if the parts do not go with the frequency or with each other."""
    names = parts.keys()
    is_of_month = frequency in {Frequency.MONTHLY, Frequency.YEARLY}
    if "BYMONTH" in names and frequency is not Frequency.YEARLY:
        raise ValueError("BYMONTH goes with FREQ=YEARLY only.")
    if "BYMONTHDAY" in names and not is_of_month:
        raise ValueError("BYMONTHDAY goes with FREQ=MONTHLY or FREQ=YEARLY only.")
    if "BYSETPOS" in names and not (is_of_month and "BYDAY" in names):
        raise ValueError("BYSETPOS goes with FREQ=MONTHLY and BYDAY only.")
    if "BYHOUR" in names and is_of_month:
        raise ValueError("BYHOUR goes with FREQ=DAILY or FREQ=WEEKLY only.")
    if {"BYDAY", "BYMONTHDAY"} <= names:
        raise ValueError("A rule has BYDAY or BYMONTHDAY, not both.")
    if frequency is Frequency.YEARLY and ("BYMONTH" in names) == names.isdisjoint({"BYDAY", "BYMONTHDAY"}):
        raise ValueError("FREQ=YEARLY has both a month and a day, such as FREQ=YEARLY;BYMONTH=5;BYDAY=2SU, or neither.")
    if {"UNTIL", "COUNT"} <= names:
        raise ValueError("A rule has UNTIL or COUNT, not both.")


def _number(parts: Mapping[str, str], name: str, *, most: int) -> int | None:
    value = parts.get(name)
    if value is None:
        return None
    if _NUMBER.fullmatch(value) is None or int(value) > most:
        last = ", or -1 for the last day" if name == "BYMONTHDAY" else ""
        raise ValueError(f"{name} is a number from 1 to {most}{last}.")
    return int(value)


def _hours(value: str) -> tuple[int, ...]:
    hours = value.split(",")
    if not all(_HOUR.fullmatch(one) and int(one) < _HOURS for one in hours):
        raise ValueError("BYHOUR lists hours from 0 to 23.")
    return tuple(sorted({int(one) for one in hours}))


def _weekdays(frequency: Frequency, parts: Mapping[str, str]) -> tuple[tuple[Weekday, ...], tuple[int, ...]]:
    """Return the weekdays, and their positions in the month."""
    if "BYDAY" not in parts:
        return (), ()
    matches = [_WEEKDAY_AT.fullmatch(day) for day in parts["BYDAY"].split(",")]
    days = [match.groups() for match in matches if match is not None]
    weekdays = tuple(one for one in Weekday if one in {day for _, day in days})
    if frequency in {Frequency.DAILY, Frequency.WEEKLY}:
        if frequency is Frequency.DAILY or len(days) < len(matches) or any(number for number, _ in days):
            raise ValueError(
                "BYDAY lists days of MO,TU,WE,TH,FR,SA,SU with FREQ=WEEKLY, or is such as 2TU or -1FR with FREQ=MONTHLY."
            )
        return weekdays, ()
    numbers = [number for number, _ in days] if "BYSETPOS" not in parts else parts["BYSETPOS"].split(",")
    numbers = [(number or "").removeprefix("+") for number in numbers]
    is_of_one_kind = len(weekdays) == 1 or (weekdays == WORKDAYS and "BYSETPOS" in parts)
    is_numbered_twice = "BYSETPOS" in parts and any(number for number, _ in days)
    if len(days) < len(matches) or not is_of_one_kind or is_numbered_twice or not set(numbers) <= set(_POSITIONS):
        raise ValueError(
            "BYDAY of a month is the first to fifth or the last of one weekday, such as 2TU, 1MO,3MO or -1FR; "
            "the last day from Monday to Friday is BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1."
        )
    return weekdays, tuple(int(one) for one in _POSITIONS if one in numbers)


def _until(value: str, zone: dt.tzinfo) -> dt.datetime:
    """Return the local end of a rule; a date alone means the end of that day."""
    match = _UNTIL.fullmatch(value)
    fault = ValueError("UNTIL is a local date such as 20261231.")
    if match is None or int(value[:4]) not in _UNTIL_YEARS:
        raise fault
    try:
        end = dt.datetime.strptime(f"{match[1]}T{match[2] or '235959'}", _UNTIL_FORMAT)  # noqa: DTZ007 - local by definition
    except ValueError as cause:
        raise fault from cause
    return end.replace(tzinfo=dt.UTC).astimezone(zone).replace(tzinfo=None) if match[3] else end
