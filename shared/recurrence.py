"""How a reminder recurs: the supported part of RFC 5545's recurrence rules, with a parser and one spelling.

Source: RFC 5545, 3.3.10 (RRULE).
"""

import datetime as dt
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

COUNT_LIMIT: Final = 1_000
INTERVAL_LIMIT: Final = 52
_LAST_DAY: Final = 31
_NAMES: Final = frozenset({"FREQ", "INTERVAL", "BYDAY", "BYMONTHDAY", "UNTIL", "COUNT"})
_NUMBER: Final = re.compile(r"[1-9]\d{0,3}", re.ASCII)
_UNTIL: Final = re.compile(r"(\d{8})(?:T(\d{6})(Z?))?", re.ASCII)
_UNTIL_YEARS: Final = range(1_970, 9_999)  # times that exist in every zone, with four digits of the year
_UNTIL_FORMAT: Final = "%Y%m%dT%H%M%S"


class Frequency(StrEnum):
    """How often a reminder recurs, in the words of rules."""

    DAILY = "DAILY"
    WEEKLY = "WEEKLY"
    MONTHLY = "MONTHLY"


class Weekday(StrEnum):
    """The days of the week, in the words of rules."""

    MONDAY = "MO"
    TUESDAY = "TU"
    WEDNESDAY = "WE"
    THURSDAY = "TH"
    FRIDAY = "FR"
    SATURDAY = "SA"
    SUNDAY = "SU"


@dataclass(frozen=True, slots=True, kw_only=True)
class Recurrence:
    """A rule: every day, every week on `weekdays`, or every month on `month_day`; `interval` 2: every second day, week or month.

    Without weekdays or a day of the month, the first time decides. The rule ends after `count` times, or with `until`, which is
    local; or never.
    """

    frequency: Frequency
    interval: int = 1
    weekdays: tuple[Weekday, ...] = ()
    month_day: int | None = None
    count: int | None = None
    until: dt.datetime | None = None

    @classmethod
    def parse(cls, text: str, zone: dt.tzinfo) -> "Recurrence":
        """Return the rule of a text such as `FREQ=WEEKLY;BYDAY=MO,TH`.  An UNTIL in UTC becomes the local time in `zone`.

        Raises: ValueError, with one plain sentence about what to write instead.
        """
        parts = _parts(text)
        if parts.get("FREQ") not in tuple(Frequency):
            raise ValueError("FREQ must be DAILY, WEEKLY or MONTHLY.")
        frequency = Frequency(parts["FREQ"])
        interval = _number(parts, "INTERVAL", most=INTERVAL_LIMIT)
        weekdays = _weekdays(frequency, parts["BYDAY"]) if "BYDAY" in parts else ()
        month_day = _number(parts, "BYMONTHDAY", most=_LAST_DAY)
        if month_day is not None and frequency is not Frequency.MONTHLY:
            raise ValueError("BYMONTHDAY goes with FREQ=MONTHLY only.")
        count = _number(parts, "COUNT", most=COUNT_LIMIT)
        if count is not None and "UNTIL" in parts:
            raise ValueError("A rule has UNTIL or COUNT, not both.")
        return cls(
            frequency=frequency,
            interval=interval or 1,
            weekdays=weekdays,
            month_day=month_day,
            count=count,
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

    def _spelled(self, until: str | None) -> str:
        parts = {
            "FREQ": self.frequency.value,
            "INTERVAL": self.interval if self.interval > 1 else None,
            "BYDAY": ",".join(self.weekdays) or None,
            "BYMONTHDAY": self.month_day,
            "COUNT": self.count,
            "UNTIL": until,
        }
        return ";".join(f"{name}={value}" for name, value in parts.items() if value is not None)


def _parts(text: str) -> Mapping[str, str]:
    parts: dict[str, str] = {}
    for part in text.strip().upper().removeprefix("RRULE:").rstrip(";").split(";"):
        name, _, value = part.partition("=")
        if name not in _NAMES or name in parts:
            raise ValueError(
                "A rule is FREQ=DAILY, FREQ=WEEKLY;BYDAY=MO,TH or FREQ=MONTHLY;BYMONTHDAY=25, with INTERVAL and UNTIL or COUNT if needed."
            )
        parts[name] = value
    return parts


def _number(parts: Mapping[str, str], name: str, *, most: int) -> int | None:
    value = parts.get(name)
    if value is None:
        return None
    if _NUMBER.fullmatch(value) is None or int(value) > most:
        raise ValueError(f"{name} is a number from 1 to {most}.")
    return int(value)


def _weekdays(frequency: Frequency, value: str) -> tuple[Weekday, ...]:
    days = value.split(",")
    if frequency is not Frequency.WEEKLY or not set(days).issubset(Weekday):
        raise ValueError("BYDAY goes with FREQ=WEEKLY only, and lists days of MO,TU,WE,TH,FR,SA,SU.")
    return tuple(one for one in Weekday if one in days)


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
