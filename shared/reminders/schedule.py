"""When a reminder is due: local times and recurrences in a time zone, as milliseconds of UTC.

A recurring reminder keeps its local hour when the clocks change. An occurrence in a skipped hour comes an hour later, and an occurrence in
a repeated hour comes the first time. For example, 02:30 in Berlin comes at 03:30 on 2027-03-28, where the clocks skip an hour.
Source: RFC 5545, 3.3.5; PEP 495 (`fold`).
"""

import datetime as dt
import re
import zoneinfo
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import takewhile
from typing import Final, Literal

from dateutil import rrule

from shared.agent.overlay import StagingFault
from shared.recurrence import EVERY_MONTH, Frequency, Gap, Recurrence, Weekday
from shared.reminders.usual_rules import usual_rule

LOCAL_FORMAT: Final = "%Y-%m-%dT%H:%M"
YEARS_AHEAD: Final = 5
_LOCAL: Final = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}", re.ASCII)
_USUAL: Final = re.compile(
    r"(?P<date>\d{4}-\d{2}-\d{2})[T ](?P<hour>\d{1,2}):(?P<minute>[0-5]\d)(?::[0-5]\d(?:\.\d+)?)?\s?(?P<offset>Z|[+-]\d{2}:?\d{2})?",
    re.ASCII,
)
_LATE_HOURS: Final = 29  # 29時 is five in the morning of the next day
_FREQUENCIES: Final[Mapping[Frequency, Literal[0, 1, 2, 3]]] = {
    Frequency.YEARLY: rrule.YEARLY,
    Frequency.DAILY: rrule.DAILY,
    Frequency.WEEKLY: rrule.WEEKLY,
    Frequency.MONTHLY: rrule.MONTHLY,
}
_WEEKDAYS: Final = tuple(Weekday)
_DAYS_OF_WEEK: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_CLOCK_CHANGE: Final = dt.timedelta(hours=3)  # more than any change of the clocks


@dataclass(frozen=True, slots=True)
class Schedule:
    """The occurrences of a reminder: `start` is local, in `zone`.  Without a recurrence there is a single occurrence."""

    start: str
    zone: str
    recurrence: Recurrence | None = None

    @property
    def rule(self) -> str | None:
        """The recurrence in stored form, for example `FREQ=DAILY`."""
        return None if self.recurrence is None else self.recurrence.rule

    def next_after(self, after_ms: int) -> int | None:
        """Return the first occurrence later than `after_ms`; None: no more."""
        return next((one for one in self._since(after_ms) if one > after_ms), None)

    def newest_until(self, until_ms: int, *, since_ms: int) -> int:
        """Return the newest occurrence up to `until_ms`; `since_ms` is an earlier occurrence."""
        newest = since_ms
        for occurrence_ms in self._since(since_ms):
            if occurrence_ms > until_ms:
                break
            newest = max(newest, occurrence_ms)
        return newest

    def between(self, after_ms: int, until_ms: int) -> Iterator[int]:
        """Yield the occurrences later than `after_ms` and before `until_ms`."""
        yield from takewhile(lambda at_ms: at_ms < until_ms, (one for one in self._since(after_ms) if one > after_ms))

    def times_left(self, since_ms: int) -> int:
        """Return the number of occurrences from `since_ms` on, of a recurrence with an end."""
        return sum(one >= since_ms for one in self._since(since_ms))

    def _since(self, after_ms: int) -> Iterator[int]:
        """Yield the occurrences in order, with some before `after_ms`."""
        zone = _zone(self.zone)
        start = _parsed(self.start)
        if self.recurrence is None:
            yield _ms(start, zone)
            return
        after = dt.datetime.fromtimestamp(after_ms / 1_000, zone).replace(tzinfo=None, fold=0)
        newest_ms = None
        for local in _occurrences(self.start, self.recurrence).xafter(after - _CLOCK_CHANGE):
            at_ms = _ms(local, zone)
            if at_ms != newest_ms:  # of 02:00 and 03:00, where the clocks skip an hour
                yield at_ms
            newest_ms = at_ms


def checked_schedule(at: str, zone: str, rule: str | None, *, now_ms: int) -> tuple[Schedule, int]:
    """Return a reminder's schedule from a coming local time, such as `2026-11-23T09:00`, and the first occurrence, the schedule's start.

    For example, `FREQ=WEEKLY;BYDAY=MO` from a Saturday starts on the next Monday: calendar programs show an event at every start.
    Raises: StagingFault, if the time is malformed, past, too far, skipped or ambiguous; if the rule is not understood, or leaves no
    occurrence.
    """
    recurrence = None if rule is None else _checked_rule(usual_rule(rule, at), zone)
    local = _checked_local(at, zone, now_ms=now_ms)
    if recurrence is not None:
        _check_interval(recurrence, local)
    first = local if recurrence is None else next(iter(_occurrences(at, recurrence)), None)
    if first is None:
        raise StagingFault("The rule ends before its first time; ask until when it is to recur.", may_retry=True)
    if recurrence is not None and len(recurrence.hours) == 1:  # that of the start, so that another time moves it
        recurrence = replace(recurrence, hours=())
    return Schedule(first.strftime(LOCAL_FORMAT), zone, recurrence), _ms(first, _zone(zone))


def checked_zone(name: str) -> str:
    """Return the name of a time zone such as `Asia/Bangkok`.  Raises: StagingFault."""
    try:
        return zoneinfo.ZoneInfo(name).key
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError) as cause:  # also a folder, such as "Asia"
        raise StagingFault(f"{name[:40]!r} is no time zone such as Asia/Bangkok.", may_retry=True) from cause


def usual_local(at: str, zone: str) -> str:
    """Return a local time in the one spelling, from the spellings that models use; any other text as it is.

    For example in Asia/Tokyo: `2026-11-26 9:00`, `2026-11-26T09:00:00` and `2026-11-26T00:00:00Z` are `2026-11-26T09:00`, and
    `2026-11-25T25:00`, as Japanese say it, is `2026-11-26T01:00`.
    """
    match = _USUAL.fullmatch(at.strip())
    if match is None or int(match["hour"]) > _LATE_HOURS:
        return at
    try:
        day = dt.datetime.strptime(match["date"], "%Y-%m-%d")  # noqa: DTZ007 - local by definition
        local = day + dt.timedelta(hours=int(match["hour"]), minutes=int(match["minute"]))
        if match["offset"]:
            offset = dt.datetime.strptime(match["offset"], "%z").tzinfo
            local = local.replace(tzinfo=offset).astimezone(_zone(zone)).replace(tzinfo=None)
    except (ValueError, OverflowError):
        return at
    return local.strftime(LOCAL_FORMAT)


def written_local(at: str) -> str:
    """Return the local time as written, whatever its offset: `2026-11-26T09:00:00+09:00` is `2026-11-26T09:00`."""
    match = _USUAL.fullmatch(at.strip())
    written = f"{match['date']}T{match['hour']}:{match['minute']}" if match is not None else at
    return usual_local(written, "UTC")


def local_time(at_ms: int, zone: str) -> str:
    """Return the local time of an occurrence: `local_time(1795392000000, "Asia/Tokyo")` is `2026-11-23T09:00`."""
    return dt.datetime.fromtimestamp(at_ms / 1_000, _zone(zone)).strftime(LOCAL_FORMAT)


def local_day_and_time(at_ms: int, zone: str) -> str:
    """Return the local time with its weekday: `local_day_and_time(1795392000000, "Asia/Tokyo")` is `2026-11-23T09:00 Mon`."""
    at = dt.datetime.fromtimestamp(at_ms / 1_000, _zone(zone))
    return f"{at.strftime(LOCAL_FORMAT)} {_DAYS_OF_WEEK[at.weekday()]}"


def gap_of(recurrence: Recurrence | None, *, start: str) -> Gap | None:
    """Return which months or years the recurrence leaves out, for example five months with a start on 2027-01-31."""
    return None if recurrence is None else recurrence.gap(_parsed(start))


def _checked_rule(rule: str, zone: str) -> Recurrence:
    try:
        return Recurrence.parse(rule, _zone(zone))
    except ValueError as cause:
        raise StagingFault(str(cause), may_retry=True) from cause


def _check_interval(recurrence: Recurrence, start: dt.datetime) -> None:
    """Check the day of a rule for every few months or years: on a day missing from some, the rule might never come true."""
    is_sparse = recurrence.interval > 1 or (recurrence.frequency is Frequency.YEARLY and bool(recurrence.positions))
    if is_sparse and recurrence.gap(start) is not None:
        raise StagingFault(
            f"A rule with INTERVAL takes a day of the month up to {EVERY_MONTH}, which every month has, or BYMONTHDAY=-1 for the last day; "
            "of weekdays, the first to fourth or the last, such as BYDAY=-1FR.",
            may_retry=True,
        )


@lru_cache(maxsize=256)
def _occurrences(start: str, recurrence: Recurrence) -> rrule.rrule:
    return rrule.rrule(
        _FREQUENCIES[recurrence.frequency],
        dtstart=_parsed(start),
        interval=recurrence.interval,
        bymonth=recurrence.month,
        byweekday=_weekdays(recurrence) or None,
        bysetpos=recurrence.positions if len(recurrence.weekdays) > 1 and recurrence.positions else None,
        bymonthday=recurrence.month_day,
        byhour=recurrence.hours or None,
        count=recurrence.count,
        until=recurrence.until,
    )


def _weekdays(recurrence: Recurrence) -> list[rrule.weekday]:
    """Return the weekdays of a rule, and of a single one in a month its positions: `TU(+1)` is the first Tuesday."""
    weekdays = [rrule.weekday(_WEEKDAYS.index(one)) for one in recurrence.weekdays]
    if len(weekdays) == 1 and recurrence.positions:
        return [weekdays[0](position) for position in recurrence.positions]
    return weekdays


def _checked_local(at: str, zone: str, *, now_ms: int) -> dt.datetime:
    """Return the local time.  Raises: StagingFault, if malformed, past or too far, or if the clocks skip the time or show it twice."""
    if _LOCAL.fullmatch(at) is None:
        raise StagingFault(f"{at[:40]!r} is no local time such as 2026-11-23T09:00.", may_retry=True)
    try:
        local = _parsed(at)
    except ValueError as cause:
        raise StagingFault(f"{at} does not exist in the calendar.", may_retry=True) from cause
    _check_clocks(local, zone)
    now = dt.datetime.fromtimestamp(now_ms / 1_000, _zone(zone))
    if _ms(local, _zone(zone)) <= now_ms:
        raise StagingFault(
            f"{at} has passed: it is {now.strftime(LOCAL_FORMAT)} in {zone}. Ask which time is meant, or give one that lies ahead.",
            may_retry=True,
        )
    if local.year > now.year + YEARS_AHEAD:
        raise StagingFault(f"{at} is more than {YEARS_AHEAD} years ahead; ask for a nearer time.", may_retry=True)
    return local


def _check_clocks(local: dt.datetime, zone: str) -> None:
    """Raises: StagingFault, unless the clocks show the time exactly once."""
    zone_info = _zone(zone)
    first, second = local.replace(tzinfo=zone_info), local.replace(tzinfo=zone_info, fold=1)
    if first.utcoffset() == second.utcoffset():
        return
    shown = first.astimezone(dt.UTC).astimezone(zone_info).replace(tzinfo=None, fold=0)
    at = local.strftime(LOCAL_FORMAT)
    if shown != local:
        raise StagingFault(
            f"{at} does not exist in {zone}: the clocks are put forward then. Ask for a time before or after that hour.",
            may_retry=True,
        )
    raise StagingFault(
        f"{at} comes twice in {zone}: the clocks are put back then. Ask for a time outside of that hour.",
        may_retry=True,
    )


def _ms(local: dt.datetime, zone: zoneinfo.ZoneInfo) -> int:
    return round(local.replace(tzinfo=zone).timestamp()) * 1_000


def _parsed(start: str) -> dt.datetime:
    return dt.datetime.strptime(start, LOCAL_FORMAT)  # noqa: DTZ007 - local by definition


@lru_cache(maxsize=16)
def _zone(name: str) -> zoneinfo.ZoneInfo:
    return zoneinfo.ZoneInfo(name)
