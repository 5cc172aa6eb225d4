"""Rules as models usually write them."""

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.recurrence import Recurrence
from shared.reminders.usual_rules import usual_rule

AT = "2026-11-23T09:00"


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
        ("FREQ=YEARLY;BYMONTH=11", "FREQ=YEARLY"),
        ("FREQ=DAILY;BYHOUR=9,11;BYMINUTE=00", "FREQ=DAILY;BYHOUR=9,11"),
    ],
)
def test_a_usual_rule_is_read_as_it_is_meant(written: str, rule: str) -> None:
    assert usual_rule(written, AT) == rule


@pytest.mark.parametrize(
    "rule",
    [
        "FREQ=HOURLY",
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
    if parsed.hours != (9,):
        assert Recurrence.parse(usual_rule(text, AT), dt.UTC) == parsed
