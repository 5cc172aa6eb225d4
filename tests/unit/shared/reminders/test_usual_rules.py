"""Rules as models usually write them."""

import datetime as dt
from itertools import islice

import pytest
from dateutil.rrule import rrulestr
from hypothesis import given
from hypothesis import strategies as st

from shared.recurrence import Recurrence
from shared.reminders.schedule import checked_schedule
from shared.reminders.usual_rules import usual_rule

AT = "2026-11-23T09:00"
NOW_MS = 1_795_305_600_000  # 2026-11-22T00:00Z
LATEST_MS = 2**53


@pytest.mark.parametrize(
    ("written", "rule"),
    [
        ("FREQ=DAILY;BYHOUR=9;BYMINUTE=0;BYSECOND=0", "FREQ=DAILY"),
        ("RRULE:FREQ=WEEKLY;WKST=MO;BYDAY=MO", "FREQ=WEEKLY;BYDAY=MO"),
        ("freq=daily;byday=mo,tu,we,th,fr", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"),
        ("FREQ=HOURLY;BYHOUR=9,10,11", "FREQ=DAILY;BYHOUR=9,10,11"),
        ("FREQ=HOURLY;INTERVAL=2;BYHOUR=9,10,11,12,13", "FREQ=DAILY;BYHOUR=9,11,13"),
        ("FREQ=HOURLY;INTERVAL=2;BYHOUR=9,11,13", "FREQ=DAILY;BYHOUR=9,11,13"),
        ("FREQ=HOURLY;INTERVAL=2;BYHOUR=9,11;BYDAY=MO", "FREQ=WEEKLY;BYHOUR=9,11;BYDAY=MO"),
        ("FREQ=HOURLY", f"FREQ=DAILY;BYHOUR={','.join(map(str, range(24)))}"),
        ("FREQ=HOURLY;INTERVAL=8", "FREQ=DAILY;BYHOUR=1,9,17"),
        ("FREQ=HOURLY;INTERVAL=24", "FREQ=DAILY"),
        ("FREQ=HOURLY;INTERVAL=6;BYDAY=MO", "FREQ=WEEKLY;BYDAY=MO;BYHOUR=3,9,15,21"),
        ("FREQ=HOURLY;COUNT=3", "FREQ=DAILY;COUNT=3;BYHOUR=9,10,11"),
        ("FREQ=HOURLY;INTERVAL=5;COUNT=3", "FREQ=DAILY;COUNT=3;BYHOUR=9,14,19"),
        ("FREQ=HOURLY;INTERVAL=2;UNTIL=20261123T150000", "FREQ=DAILY;UNTIL=20261123T150000;BYHOUR=9,11,13,15"),
        ("FREQ=HOURLY;INTERVAL=12;UNTIL=20261125T150000", "FREQ=DAILY;UNTIL=20261125T150000;BYHOUR=9,21"),
        ("FREQ=YEARLY;BYMONTH=11", "FREQ=YEARLY"),
        ("FREQ=DAILY;BYHOUR=9,11;BYMINUTE=00", "FREQ=DAILY;BYHOUR=9,11"),
        ("FREQ=DAILY;UNTIL=20261231T000000", "FREQ=DAILY;UNTIL=20261231"),
        ("FREQ=WEEKLY;BYDAY=MO;UNTIL=20261231T000000Z", "FREQ=WEEKLY;BYDAY=MO;UNTIL=20261231"),
    ],
)
def test_a_usual_rule_is_read_as_it_is_meant(written: str, rule: str) -> None:
    assert usual_rule(written, AT) == rule


@pytest.mark.parametrize(
    "rule",
    [
        "FREQ=HOURLY;INTERVAL=5",
        "FREQ=HOURLY;INTERVAL=0",
        "FREQ=HOURLY;INTERVAL=5;COUNT=4",
        "FREQ=HOURLY;INTERVAL=5;UNTIL=20261124T090000",
        "FREQ=HOURLY;UNTIL=20261123T080000",
        "FREQ=DAILY;BYHOUR=9,21;UNTIL=20261124T000000",
        "FREQ=DAILY;UNTIL=20261230T150000Z",
        "FREQ=HOURLY;INTERVAL=0;BYHOUR=9,10",
        "FREQ=DAILY;BYMINUTE=30",
        "FREQ=DAILY;BYHOUR=10",
        "FREQ=DAILY;INTERVAL=2;BYDAY=MO",
        "FREQ=YEARLY;BYMONTH=5",
        "FREQ=DAILY;FREQ=DAILY",
        "FREQ=DAILY;FREQ=WEEKLY",
        "every day",
    ],
)
def test_any_other_rule_is_left_for_the_check(rule: str) -> None:
    assert usual_rule(rule, AT).upper() == rule.upper()


@given(st.text(st.sampled_from("FREQ=DAILY;WKMONTHUV BC0189TZ,SP-\n"), max_size=40))
def test_a_rule_that_can_be_read_keeps_its_meaning(text: str) -> None:
    try:
        parsed = Recurrence.parse(text, dt.UTC)
    except ValueError:
        return
    if parsed.hours != (9,) and "T000000" not in text:
        assert Recurrence.parse(usual_rule(text, AT), dt.UTC) == parsed


@given(
    st.sampled_from([1, 2, 3, 4, 6, 8, 12, 24]),
    st.integers(0, 23),
    st.sampled_from(["", ";COUNT=1", ";COUNT=4", ";COUNT=40", ";UNTIL=20261123T233000", ";UNTIL=20261125T120000"]),
)
def test_an_hourly_rule_has_the_times_of_the_standard(interval: int, hour: int, end: str) -> None:
    at, rule = f"2026-11-23T{hour:02}:00", f"FREQ=HOURLY;INTERVAL={interval}{end}"

    schedule, _ = checked_schedule(at, "UTC", rule, now_ms=NOW_MS)

    times = islice(rrulestr(rule, dtstart=dt.datetime.fromisoformat(at)), 60)
    expected = [round(one.replace(tzinfo=dt.UTC).timestamp() * 1_000) for one in times]
    assert list(islice(schedule.between(NOW_MS, LATEST_MS), 60)) == expected
