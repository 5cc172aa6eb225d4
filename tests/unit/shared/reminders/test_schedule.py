"""Local times and recurrences, as milliseconds of UTC."""

import calendar
import datetime as dt
import zoneinfo
from itertools import islice
from operator import attrgetter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.agent.overlay import StagingFault
from shared.recurrence import LAST, Frequency, Recurrence, Weekday
from shared.reminders.schedule import (
    LOCAL_FORMAT,
    Schedule,
    checked_schedule,
    local_time,
    usual_local,
)

TOKYO, NEW_YORK = "Asia/Tokyo", "America/New_York"
DAY_MS = 24 * 60 * 60_000
MAY_RETRY = attrgetter("may_retry")


def ms(text: str, zone: str = TOKYO) -> int:
    return round(dt.datetime.strptime(text, LOCAL_FORMAT).replace(tzinfo=zoneinfo.ZoneInfo(zone)).timestamp()) * 1_000


def recurring(start: str, zone: str, rule: str) -> Schedule:
    return Schedule(start, zone, Recurrence.parse(rule, zoneinfo.ZoneInfo(zone)))


NOW_MS = ms("2026-11-22T21:00")


def test_a_local_time_is_meant_in_its_zone() -> None:
    for at in ("2026-11-23T09:00", "2031-12-31T09:00"):
        assert checked_schedule(at, TOKYO, None, now_ms=NOW_MS) == (Schedule(at, TOKYO), ms(at))
    assert local_time(ms("2026-11-23T09:00"), NEW_YORK) == "2026-11-22T19:00"


@pytest.mark.parametrize(
    ("at", "zone", "fault"),
    [
        ("2026-11-22T21:00", TOKYO, "has passed: it is 2026-11-22T21:00 in Asia/Tokyo"),
        ("2026-03-08T02:30", NEW_YORK, "does not exist in America/New_York: the clocks are put forward"),
        ("2026-11-01T01:30", NEW_YORK, "comes twice in America/New_York: the clocks are put back"),
        ("2032-01-01T09:00", TOKYO, "more than 5 years ahead"),
        ("2026-02-30T09:00", TOKYO, "does not exist in the calendar"),
        ("2026-11-23T25:00", TOKYO, "does not exist in the calendar"),
        ("tomorrow at nine", TOKYO, "is no local time such as"),
        ("2026-11-23T09:00+09:00", TOKYO, "is no local time such as"),
        ("２０２６-11-23T09:00", TOKYO, "is no local time such as"),
    ],
)
def test_a_time_that_cannot_be_used_is_a_fault_that_says_why(at: str, zone: str, fault: str) -> None:
    now_ms = min(NOW_MS, ms("2026-01-01T00:00")) if zone == NEW_YORK else NOW_MS

    with pytest.raises(StagingFault, match=fault, check=MAY_RETRY):
        checked_schedule(at, zone, None, now_ms=now_ms)


def test_a_rule_that_is_not_understood_is_a_fault_that_may_be_mended() -> None:
    with pytest.raises(StagingFault, match="FREQ must be", check=MAY_RETRY):
        checked_schedule("2026-11-23T09:00", TOKYO, "FREQ=SECONDLY", now_ms=NOW_MS)


def test_a_schedule_has_its_rule_in_one_spelling() -> None:
    schedule, _ = checked_schedule("2026-11-23T09:00", TOKYO, "freq=daily;until=20261231T010000Z", now_ms=NOW_MS)

    assert schedule.rule == "FREQ=DAILY;UNTIL=20261231T100000"
    assert Schedule("2026-11-23T09:00", TOKYO).rule is None


def test_a_rule_that_might_never_occur_is_a_fault() -> None:
    with pytest.raises(StagingFault, match="up to 28", check=MAY_RETRY):
        checked_schedule("2027-02-01T09:00", TOKYO, "FREQ=MONTHLY;INTERVAL=12;BYMONTHDAY=31", now_ms=NOW_MS)
    with pytest.raises(StagingFault, match="up to 28", check=MAY_RETRY):
        checked_schedule("2027-01-31T09:00", TOKYO, "FREQ=MONTHLY;INTERVAL=2", now_ms=NOW_MS)
    with pytest.raises(StagingFault, match="such as BYDAY=-1FR", check=MAY_RETRY):
        checked_schedule("2027-01-31T09:00", TOKYO, "FREQ=YEARLY;BYMONTH=2;BYDAY=5FR", now_ms=NOW_MS)
    with pytest.raises(StagingFault, match="up to 28", check=MAY_RETRY):
        checked_schedule("2028-02-29T09:00", TOKYO, "FREQ=YEARLY;INTERVAL=3", now_ms=NOW_MS)
    with pytest.raises(StagingFault, match="ends before its first time", check=MAY_RETRY):
        checked_schedule("2027-01-01T09:00", TOKYO, "FREQ=DAILY;UNTIL=20261231", now_ms=NOW_MS)


@pytest.mark.parametrize(
    ("rule", "first"),
    [
        ("FREQ=MONTHLY;INTERVAL=12;BYMONTHDAY=28", "2027-02-28T09:00"),
        ("FREQ=MONTHLY;BYMONTHDAY=31", "2027-03-31T09:00"),
        ("FREQ=MONTHLY;INTERVAL=2", "2027-02-03T09:00"),
        ("FREQ=MONTHLY;BYMONTHDAY=-1", "2027-02-28T09:00"),
        ("FREQ=MONTHLY;INTERVAL=2;BYMONTHDAY=-1", "2027-02-28T09:00"),
        ("FREQ=MONTHLY;BYDAY=2TU", "2027-02-09T09:00"),
        ("FREQ=MONTHLY;BYDAY=-1FR", "2027-02-26T09:00"),
        ("FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=1", "2027-03-01T09:00"),
        ("FREQ=YEARLY;BYMONTH=5;BYDAY=2SU", "2027-05-09T09:00"),
        ("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29", "2028-02-29T09:00"),
        ("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=-1", "2027-02-28T09:00"),
        ("FREQ=DAILY;BYHOUR=8,10", "2027-02-03T10:00"),
    ],
)
def test_a_rule_of_months_occurs_on_its_day(rule: str, first: str) -> None:
    _, first_ms = checked_schedule("2027-02-03T09:00", TOKYO, rule, now_ms=NOW_MS)

    assert local_time(first_ms, TOKYO) == first


def test_a_time_without_a_day_is_a_fault_also_beside_a_rule_of_months() -> None:
    with pytest.raises(StagingFault, match="is no local time", check=MAY_RETRY):
        checked_schedule("tomorrow", TOKYO, "FREQ=MONTHLY;INTERVAL=2", now_ms=NOW_MS)


def test_the_first_occurrence_is_the_first_that_fits_the_rule() -> None:
    schedule, first_ms = checked_schedule("2026-11-23T09:00", TOKYO, "FREQ=WEEKLY;BYDAY=FR", now_ms=NOW_MS)

    assert local_time(first_ms, TOKYO) == "2026-11-27T09:00"
    assert schedule.next_after(first_ms) == first_ms + 7 * DAY_MS


@pytest.mark.parametrize(
    ("rule", "first"),
    [
        ("FREQ=WEEKLY;BYDAY=MO,TH", "2026-11-26T09:00"),
        ("FREQ=WEEKLY;INTERVAL=2;BYDAY=MO", "2026-12-07T09:00"),
        ("FREQ=MONTHLY;INTERVAL=2;BYMONTHDAY=5", "2027-01-05T09:00"),
        ("FREQ=DAILY;INTERVAL=2;BYHOUR=7,8;COUNT=3", "2026-11-26T07:00"),
        ("FREQ=YEARLY;BYMONTH=5;BYDAY=2SU", "2027-05-09T09:00"),
    ],
)
def test_a_schedule_starts_at_its_first_occurrence(rule: str, first: str) -> None:
    asked_at = "2026-11-24T09:00"  # a Tuesday

    schedule, first_ms = checked_schedule(asked_at, TOKYO, rule, now_ms=NOW_MS)

    asked = Schedule(asked_at, TOKYO, schedule.recurrence)
    assert schedule.start == local_time(first_ms, TOKYO) == first
    assert list(islice(schedule.between(0, 2**53), 20)) == list(islice(asked.between(0, 2**53), 20))


def test_a_rule_ends_with_its_count_or_its_last_day() -> None:
    counted = recurring("2026-11-23T09:00", TOKYO, "FREQ=DAILY;COUNT=2")
    dated = recurring("2026-11-23T09:00", TOKYO, "FREQ=DAILY;UNTIL=20261124T235959")

    for schedule in (counted, dated):
        assert schedule.next_after(ms("2026-11-23T09:00")) == ms("2026-11-24T09:00")
        assert schedule.next_after(ms("2026-11-24T09:00")) is None


def test_a_month_without_the_day_is_left_out() -> None:
    schedule = recurring("2027-01-31T09:00", TOKYO, "FREQ=MONTHLY;BYMONTHDAY=31")

    assert schedule.next_after(ms("2027-01-31T09:00")) == ms("2027-03-31T09:00")


def test_after_an_outage_the_newest_occurrence_counts() -> None:
    schedule = recurring("2026-11-23T09:00", TOKYO, "FREQ=DAILY")

    assert schedule.newest_until(ms("2026-12-01T08:59"), since_ms=ms("2026-11-23T09:00")) == ms("2026-11-30T09:00")
    assert Schedule("2026-11-23T09:00", TOKYO).newest_until(ms("2026-12-01T08:59"), since_ms=7) == ms(
        "2026-11-23T09:00"
    )


@pytest.mark.parametrize(("month", "change"), [("2026-03", "2026-03-08"), ("2026-11", "2026-11-01")])
@pytest.mark.parametrize("hour", ["00:30", "01:30", "02:30", "09:00"])
def test_a_daily_reminder_keeps_its_local_hour_through_a_change_of_clocks(month: str, change: str, hour: str) -> None:
    start = f"{'2026-02-20' if month == '2026-03' else '2026-10-20'}T{hour}"
    schedule, at_ms = recurring(start, NEW_YORK, "FREQ=DAILY"), ms(start, NEW_YORK)

    said = []
    for _ in range(30):
        following = schedule.next_after(at_ms)
        assert following is not None
        at_ms = following
        said.append(local_time(at_ms, NEW_YORK))

    is_skipped = (change, hour) == ("2026-03-08", "02:30")
    assert len({one[:10] for one in said}) == 30
    assert [one for one in said if one[11:] != hour] == ([f"{change}T03:30"] if is_skipped else [])


@given(
    st.integers(ms("2026-01-01T00:00") // 60_000, ms("2029-01-01T00:00") // 60_000),
    st.sampled_from([TOKYO, NEW_YORK, "Australia/Lord_Howe", "Africa/Casablanca"]),
    st.sampled_from(["FREQ=DAILY", "FREQ=WEEKLY;BYDAY=MO,SU", "FREQ=MONTHLY;BYMONTHDAY=31", "FREQ=DAILY;INTERVAL=5"]),
    st.integers(0, 400 * DAY_MS),
)
def test_occurrences_ascend_and_none_is_left_out(start_minutes: int, zone: str, rule: str, later_ms: int) -> None:
    schedule = recurring(local_time(start_minutes * 60_000, "UTC"), zone, rule)
    after_ms = ms(schedule.start, zone) + later_ms

    first = schedule.next_after(after_ms)
    assert first is not None
    second = schedule.next_after(first)

    assert second is not None
    assert after_ms < first < second
    assert schedule.next_after(first - 1) == first
    assert schedule.next_after(second - 1) == second
    assert schedule.newest_until(second - 1, since_ms=first) == first
    assert schedule.newest_until(second, since_ms=first) == second


def falls_on(day: dt.date, recurrence: Recurrence, start: dt.date) -> bool:
    """Whether a rule without interval has the day, by counting days and not by the library."""
    is_last = (day + dt.timedelta(days=1)).month != day.month
    weekday = tuple(Weekday)[day.weekday()]
    match recurrence.frequency:
        case Frequency.DAILY:
            return True
        case Frequency.WEEKLY:
            return weekday in (recurrence.weekdays or (tuple(Weekday)[start.weekday()],))
        case Frequency.YEARLY if day.month != (recurrence.month or start.month):
            return False
    if recurrence.positions:
        month = [day.replace(day=number) for number in range(1, calendar.monthrange(day.year, day.month)[1] + 1)]
        of_kind = [one for one in month if tuple(Weekday)[one.weekday()] in recurrence.weekdays]
        places = [one - 1 if one > 0 else one for one in recurrence.positions]
        return day in [of_kind[place] for place in places if place < len(of_kind)]
    return is_last if recurrence.month_day == LAST else day.day == (recurrence.month_day or start.day)


RULES = st.sampled_from(
    [
        "FREQ=DAILY;BYHOUR=9,11,13",
        "FREQ=DAILY;BYHOUR=0,1,2,3,23",
        "FREQ=WEEKLY;BYDAY=MO,SA;BYHOUR=2,3",
        "FREQ=WEEKLY",
        "FREQ=MONTHLY;BYMONTHDAY=-1",
        "FREQ=MONTHLY;BYMONTHDAY=31",
        "FREQ=MONTHLY",
        "FREQ=MONTHLY;BYDAY=1TU,3TU",
        "FREQ=MONTHLY;BYDAY=5SU",
        "FREQ=MONTHLY;BYDAY=-1FR",
        "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1",
        "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=1,5",
        "FREQ=YEARLY",
        "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29",
        "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=-1",
        "FREQ=YEARLY;BYMONTH=5;BYDAY=2SU",
        "FREQ=YEARLY;BYMONTH=12;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1",
    ]
)


DAYS = 430


@settings(deadline=None, max_examples=60)
@given(
    RULES,
    st.datetimes(dt.datetime(2026, 1, 1), dt.datetime(2028, 12, 31)),  # noqa: DTZ001 - local
    st.sampled_from([TOKYO, NEW_YORK, "Australia/Lord_Howe", "Asia/Bangkok"]),
)
def test_a_rule_occurs_on_the_days_that_a_calendar_shows(rule: str, start: dt.datetime, zone: str) -> None:
    local_start = start.replace(second=0, microsecond=0)
    schedule = recurring(local_start.strftime(LOCAL_FORMAT), zone, rule)
    recurrence = Recurrence.parse(rule, zoneinfo.ZoneInfo(zone))
    days = [local_start.date() + dt.timedelta(days=number) for number in range(DAYS)]
    times = [
        dt.datetime.combine(day, dt.time(hour, local_start.minute))
        for day in days
        if falls_on(day, recurrence, local_start.date())
        for hour in (recurrence.hours or (local_start.hour,))
    ]
    zone_info = zoneinfo.ZoneInfo(zone)
    expected = sorted({round(at.replace(tzinfo=zone_info).timestamp()) * 1_000 for at in times if at >= local_start})
    until_ms = ms((local_start + dt.timedelta(days=DAYS - 10)).strftime(LOCAL_FORMAT), zone)

    occurrences = list(schedule.between(0, until_ms))

    assert occurrences == [one for one in expected if one < until_ms]
    assert occurrences == sorted(set(occurrences))


@pytest.mark.parametrize(
    ("written", "local"),
    [
        ("2026-11-26T09:00", "2026-11-26T09:00"),
        ("2026-11-26T09:00:00", "2026-11-26T09:00"),
        ("2026-11-26T09:00:00+09:00", "2026-11-26T09:00"),
        ("2026-11-26T09:00+0900", "2026-11-26T09:00"),
        ("2026-11-26T00:00:00.000Z", "2026-11-26T09:00"),
        ("2026-11-26T09:00+07:00", "2026-11-26T11:00"),
        ("2026-11-26 9:00", "2026-11-26T09:00"),
        ("2026-11-25T25:00", "2026-11-26T01:00"),
        ("2026-11-25T30:00", "2026-11-25T30:00"),
        ("2026-02-30T09:00", "2026-02-30T09:00"),
        ("tomorrow at 9", "tomorrow at 9"),
    ],
)
def test_a_usual_spelling_of_a_time_is_taken(written: str, local: str) -> None:
    assert usual_local(written, "Asia/Tokyo") == local
