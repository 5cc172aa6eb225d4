"""When a reminder is due: local times and recurrences in a time zone, as milliseconds of UTC.

A recurring reminder keeps its local hour when the clocks change. An occurrence in an hour that the clocks skip comes an hour later by them;
one in an hour that comes twice comes the first time.
Source: RFC 5545, 3.3.10 (RRULE) and 3.3.5; PEP 495 (`fold`).
"""

import datetime as dt
import re
import zoneinfo
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

from dateutil import rrule

LOCAL_FORMAT: Final = "%Y-%m-%dT%H:%M"
YEARS_AHEAD: Final = 5
COUNT_LIMIT: Final = 1_000
INTERVAL_LIMIT: Final = 52
_LOCAL: Final = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}", re.ASCII)
_UNTIL: Final = re.compile(r"(\d{8})(?:T(\d{6})(Z?))?", re.ASCII)
_UNTIL_FORMAT: Final = "%Y%m%dT%H%M%S"
_NUMBER: Final = re.compile(r"[1-9]\d{0,3}", re.ASCII)
_FREQUENCIES: Final[Mapping[str, Literal[1, 2, 3]]] = {
    "DAILY": rrule.DAILY,
    "WEEKLY": rrule.WEEKLY,
    "MONTHLY": rrule.MONTHLY,
}
_DAYS: Final = {
    "MO": rrule.MO,
    "TU": rrule.TU,
    "WE": rrule.WE,
    "TH": rrule.TH,
    "FR": rrule.FR,
    "SA": rrule.SA,
    "SU": rrule.SU,
}
_EVERY_MONTH: Final = 28  # the last day that every month has
_LAST_DAY: Final = 31
_CLOCK_CHANGE: Final = dt.timedelta(hours=3)  # more than any


class ScheduleFault(Exception):  # noqa: N818 - not an error of this service: the model reads it
    """Why a time or a rule cannot be used: one plain sentence for the model, which says what to ask or to write instead."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """The occurrences of a reminder: `start` is local, `rule` as `checked_rule` returns it; None: once."""

    start: str
    zone: str
    rule: str | None = None

    def next_after(self, after_ms: int) -> int | None:
        """Return the first occurrence later than `after_ms`; None: there is none."""
        return next((one for one in self._since(after_ms) if one > after_ms), None)

    def newest_until(self, until_ms: int, *, since_ms: int) -> int:
        """Return the newest occurrence up to `until_ms`, `since_ms` being an earlier one."""
        newest = since_ms
        for one in self._since(since_ms):
            if one > until_ms:
                break
            newest = max(newest, one)
        return newest

    def _since(self, after_ms: int) -> Iterator[int]:
        """Yield the occurrences in their order, some of them before `after_ms`."""
        zone = _zone(self.zone)
        start = _parsed(self.start)
        if self.rule is None:
            yield _ms(start, zone)
            return
        after = dt.datetime.fromtimestamp(after_ms / 1_000, zone).replace(tzinfo=None, fold=0)
        for local in _rule(self.start, self.rule).xafter(after - _CLOCK_CHANGE):
            yield _ms(local, zone)


def first_occurrence(at: str, zone: str, *, rule: str | None = None, now_ms: int) -> int:
    """Return the first occurrence of a reminder at a local time such as `2026-11-23T09:00`, which lies ahead.

    Raises: ScheduleFault, if the time is malformed, past, too far, skipped or ambiguous, or if the rule leaves no occurrence.
    """
    if _LOCAL.fullmatch(at) is None:
        raise ScheduleFault(f"{at[:40]!r} is no local time such as 2026-11-23T09:00.")
    try:
        local = _parsed(at)
    except ValueError as cause:
        raise ScheduleFault(f"{at} does not exist in the calendar.") from cause
    due_ms = _checked_local(local, zone)
    now = dt.datetime.fromtimestamp(now_ms / 1_000, _zone(zone))
    if due_ms <= now_ms:
        raise ScheduleFault(
            f"{at} has passed: it is {now.strftime(LOCAL_FORMAT)} in {zone}. Ask which time is meant, or give one that lies ahead."
        )
    if local.year > now.year + YEARS_AHEAD:
        raise ScheduleFault(f"{at} is more than {YEARS_AHEAD} years ahead; ask for a nearer time.")
    first_ms = Schedule(at, zone, rule).next_after(now_ms)
    if first_ms is None:
        raise ScheduleFault("The rule ends before its first time; ask until when it is to recur.")
    return first_ms


def checked_rule(text: str, zone: str) -> str:
    """Return the rule in one spelling, with a local UNTIL.

    Understood are FREQ=DAILY, WEEKLY with BYDAY, and MONTHLY with BYMONTHDAY, each with INTERVAL, and with UNTIL or COUNT.
    Raises: ScheduleFault.
    """
    parts = _parts(text)
    frequency = parts.get("FREQ", "")
    if frequency not in _FREQUENCIES:
        raise ScheduleFault("FREQ must be DAILY, WEEKLY or MONTHLY.")
    kept = [f"FREQ={frequency}"]
    interval = _number(parts, "INTERVAL", most=INTERVAL_LIMIT)
    if interval is not None and interval > 1:
        kept.append(f"INTERVAL={interval}")
    if "BYDAY" in parts:
        kept.append(f"BYDAY={_days(frequency, parts['BYDAY'])}")
    day = _number(parts, "BYMONTHDAY", most=_LAST_DAY)
    if day is not None:
        if frequency != "MONTHLY":
            raise ScheduleFault("BYMONTHDAY goes with FREQ=MONTHLY only.")
        kept.append(f"BYMONTHDAY={day}")
    count = _number(parts, "COUNT", most=COUNT_LIMIT)
    if count is not None and "UNTIL" in parts:
        raise ScheduleFault("A rule has UNTIL or COUNT, not both.")
    if count is not None:
        kept.append(f"COUNT={count}")
    if "UNTIL" in parts:
        kept.append(f"UNTIL={_until(parts['UNTIL'], zone)}")
    return ";".join(kept)


def checked_schedule(at: str, zone: str, rule: str | None, *, now_ms: int) -> tuple[Schedule, int]:
    """Return the schedule and its first occurrence.  Raises: ScheduleFault."""
    checked = None if rule is None else checked_rule(rule, zone)
    day = _month_day(checked or "", at)
    if day is not None and day > _EVERY_MONTH:
        raise ScheduleFault(
            f"A rule with INTERVAL takes a day of the month up to {_EVERY_MONTH}, which every month has."
        )
    first_ms = first_occurrence(at, zone, rule=checked, now_ms=now_ms)
    return Schedule(at, zone, checked), first_ms


def local_time(at_ms: int, zone: str) -> str:
    """Return the local time of an occurrence, such as `2026-11-23T09:00`."""
    return dt.datetime.fromtimestamp(at_ms / 1_000, _zone(zone)).strftime(LOCAL_FORMAT)


def _month_day(rule: str, at: str) -> int | None:
    """Return the day of a rule that recurs every few months; on a day that some months lack it might never occur."""
    if not rule.startswith("FREQ=MONTHLY;INTERVAL="):
        return None
    day = rule.partition("BYMONTHDAY=")[2].partition(";")[0] or at[8:10]
    return int(day) if day.isdecimal() else None


def _parts(text: str) -> Mapping[str, str]:
    parts: dict[str, str] = {}
    for one in text.strip().upper().removeprefix("RRULE:").rstrip(";").split(";"):
        name, _, value = one.partition("=")
        if name not in {"FREQ", "INTERVAL", "BYDAY", "BYMONTHDAY", "UNTIL", "COUNT"} or name in parts:
            raise ScheduleFault(
                "A rule is FREQ=DAILY, FREQ=WEEKLY;BYDAY=MO,TH or FREQ=MONTHLY;BYMONTHDAY=25, with INTERVAL and UNTIL or COUNT if needed."
            )
        parts[name] = value
    return parts


def _number(parts: Mapping[str, str], name: str, *, most: int) -> int | None:
    value = parts.get(name)
    if value is None:
        return None
    if _NUMBER.fullmatch(value) is None or int(value) > most:
        raise ScheduleFault(f"{name} is a number from 1 to {most}.")
    return int(value)


def _days(frequency: str, value: str) -> str:
    days = value.split(",")
    if frequency != "WEEKLY" or not set(days) <= _DAYS.keys():
        raise ScheduleFault("BYDAY goes with FREQ=WEEKLY only, and lists days of MO,TU,WE,TH,FR,SA,SU.")
    return ",".join(one for one in _DAYS if one in days)


def _until(value: str, zone: str) -> str:
    """Return the local end of a rule, written as `20261231T235959`."""
    found = _UNTIL.fullmatch(value)
    fault = ScheduleFault("UNTIL is a local date such as 20261231.")
    if found is None:
        raise fault
    try:
        end = dt.datetime.strptime(f"{found[1]}T{found[2] or '235959'}", _UNTIL_FORMAT)  # noqa: DTZ007 - local by definition
    except ValueError as cause:
        raise fault from cause
    if found[3]:
        end = end.replace(tzinfo=dt.UTC).astimezone(_zone(zone)).replace(tzinfo=None)
    return end.strftime(_UNTIL_FORMAT)


@lru_cache(maxsize=256)
def _rule(start: str, rule: str) -> rrule.rrule:
    parts = _parts(rule)
    days = parts.get("BYDAY")
    return rrule.rrule(
        _FREQUENCIES[parts["FREQ"]],
        dtstart=_parsed(start),
        interval=int(parts.get("INTERVAL", 1)),
        byweekday=[_DAYS[one] for one in days.split(",")] if days else None,
        bymonthday=int(parts["BYMONTHDAY"]) if "BYMONTHDAY" in parts else None,
        count=int(parts["COUNT"]) if "COUNT" in parts else None,
        until=dt.datetime.strptime(parts["UNTIL"], _UNTIL_FORMAT) if "UNTIL" in parts else None,  # noqa: DTZ007 - local
    )


def _checked_local(local: dt.datetime, zone: str) -> int:
    """Return the time as UTC.  Raises: ScheduleFault, where the clocks skip it or show it twice."""
    known = _zone(zone)
    first, second = local.replace(tzinfo=known), local.replace(tzinfo=known, fold=1)
    if first.utcoffset() != second.utcoffset():
        shown = first.astimezone(dt.UTC).astimezone(known).replace(tzinfo=None, fold=0)
        at = local.strftime(LOCAL_FORMAT)
        if shown != local:
            raise ScheduleFault(
                f"{at} does not exist in {zone}: the clocks are put forward then. Ask for a time before or after that hour."
            )
        raise ScheduleFault(
            f"{at} comes twice in {zone}: the clocks are put back then. Ask for a time outside of that hour."
        )
    return _ms(local, known)


def _ms(local: dt.datetime, zone: zoneinfo.ZoneInfo) -> int:
    return round(local.replace(tzinfo=zone).timestamp()) * 1_000


def _parsed(start: str) -> dt.datetime:
    return dt.datetime.strptime(start, LOCAL_FORMAT)  # noqa: DTZ007 - local by definition


@lru_cache(maxsize=16)
def _zone(name: str) -> zoneinfo.ZoneInfo:
    return zoneinfo.ZoneInfo(name)
