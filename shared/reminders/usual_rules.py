"""Recurrence rules as models usually write them: the same rule in the supported spelling, so that it costs no further request."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

_HOURS: Final = re.compile(r"\d{1,2}(?:,\d{1,2})*", re.ASCII)
_INTERVAL: Final = re.compile(r"[1-9]\d?", re.ASCII)
_NUMBER: Final = re.compile(r"[1-9]\d{0,3}", re.ASCII)
_UNTIL: Final = re.compile(r"(?P<day>\d{8})T(?P<hour>\d\d)\d{4}", re.ASCII)
_MIDNIGHT: Final = re.compile(r"(?P<day>\d{8})T000000Z?", re.ASCII)
_DAY: Final = 24
_SAYS_NOTHING: Final = frozenset({("BYSECOND", "0"), ("BYSECOND", "00"), ("WKST", "MO")})


def usual_rule(rule: str, at: str) -> str:
    """Return a rule in the supported spelling, for a reminder with the first local time `at`; any other text as it is.

    For example, with 2026-11-23T09:00: `FREQ=DAILY;BYDAY=MO,TU` is `FREQ=WEEKLY;BYDAY=MO,TU`, `FREQ=DAILY;BYHOUR=9;BYMINUTE=0` is
    `FREQ=DAILY`, `FREQ=HOURLY;INTERVAL=2;BYHOUR=9,10,11,12,13` is `FREQ=DAILY;BYHOUR=9,11,13`, and `FREQ=HOURLY;INTERVAL=8` is
    `FREQ=DAILY;BYHOUR=1,9,17`. A midnight as the end of a rule of days is meant as that day: `UNTIL=20261231T000000Z` is `UNTIL=20261231`.
    """
    pairs = [part.partition("=")[::2] for part in rule.strip().upper().removeprefix("RRULE:").rstrip(";").split(";")]
    if len({name for name, _ in pairs}) < len(pairs):
        return rule
    parts = {name: value for name, value in pairs if (name, value) not in _SAYS_NOTHING}
    if _is_number(parts.get("BYMINUTE"), at[14:16]):
        del parts["BYMINUTE"]
    if _is_number(parts.get("BYMONTH"), at[5:7]) and parts.keys().isdisjoint({"BYDAY", "BYMONTHDAY"}):
        del parts["BYMONTH"]
    if parts.get("FREQ") == "HOURLY":
        _make_daily(parts, at)
    if _is_number(parts.get("BYHOUR"), at[11:13]):
        del parts["BYHOUR"]
    if parts.get("FREQ") == "DAILY" and "BYDAY" in parts and parts.get("INTERVAL", "1") == "1":
        parts["FREQ"] = "WEEKLY"
    midnight = _MIDNIGHT.fullmatch(parts.get("UNTIL", ""))
    if midnight is not None and "BYHOUR" not in parts:
        parts["UNTIL"] = midnight["day"]
    return ";".join(f"{name}={value}" if value else name for name, value in parts.items())


def _is_number(value: str | None, digits: str) -> bool:
    return value is not None and value.zfill(2) == digits


def _make_daily(parts: dict[str, str], at: str) -> None:
    """Make a rule of hours one of days; every second hour is counted from the first.

    A rule of every fifth hour, whose hours differ from day to day, stays as it is.
    """
    interval = parts.get("INTERVAL", "1")
    hours = parts["BYHOUR"] if "BYHOUR" in parts else ",".join(map(str, _hours_of_day(parts, at)))
    if _HOURS.fullmatch(hours) is None or _INTERVAL.fullmatch(interval) is None:
        return
    numbers = sorted({int(one) for one in hours.split(",")})
    parts.pop("INTERVAL", None)
    parts["BYHOUR"] = ",".join(str(one) for one in numbers if (one - numbers[0]) % int(interval) == 0)
    parts["FREQ"] = "DAILY"


def _hours_of_day(parts: Mapping[str, str], at: str) -> Sequence[int]:
    """Return the hours of a rule that names none: those of its only day, else of every day; empty: its hours differ from day to day.

    For example, with 2026-11-23T09:00: 9, 10 and 11 of `FREQ=HOURLY;COUNT=3` and of `FREQ=HOURLY;UNTIL=20261123T113000`.
    """
    interval, count, until = (
        parts.get("INTERVAL", "1"),
        parts.get("COUNT", ""),
        _UNTIL.fullmatch(parts.get("UNTIL", "")),
    )
    if _INTERVAL.fullmatch(interval) is None or not at[11:13].isdecimal():
        return ()
    first, step = int(at[11:13]), int(interval)
    if until is not None and until["day"] == at[:10].replace("-", "") and int(until["hour"]) < _DAY:
        return range(first, int(until["hour"]) + 1, step)
    if _NUMBER.fullmatch(count) is not None and first + step * (int(count) - 1) < _DAY:
        return range(first, first + step * int(count), step)
    return range(first % step, _DAY, step) if _DAY % step == 0 else ()
