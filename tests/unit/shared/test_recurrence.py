"""Recurrence rules: one parser and one spelling."""

import datetime as dt
import zoneinfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.recurrence import COUNT_LIMIT, INTERVAL_LIMIT, Frequency, Recurrence, Weekday

TOKYO, NEW_YORK = zoneinfo.ZoneInfo("Asia/Tokyo"), zoneinfo.ZoneInfo("America/New_York")


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("FREQ=DAILY", "FREQ=DAILY"),
        ("rrule:freq=weekly;byday=th,mo;", "FREQ=WEEKLY;BYDAY=MO,TH"),
        ("FREQ=WEEKLY;BYDAY=SU,SA,FR,TH,WE,TU,MO", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR,SA,SU"),
        ("FREQ=MONTHLY;BYMONTHDAY=25;COUNT=3", "FREQ=MONTHLY;BYMONTHDAY=25;COUNT=3"),
        ("FREQ=WEEKLY;INTERVAL=2;UNTIL=20261231", "FREQ=WEEKLY;INTERVAL=2;UNTIL=20261231T235959"),
        ("FREQ=DAILY;INTERVAL=1;UNTIL=20261231T000000Z", "FREQ=DAILY;UNTIL=20261231T090000"),
    ],
)
def test_a_rule_is_kept_in_one_spelling(written: str, kept: str) -> None:
    assert Recurrence.parse(written, TOKYO).rule == kept
    assert Recurrence.parse(kept, TOKYO).rule == kept


@pytest.mark.parametrize(
    "rule",
    [
        "",
        "FREQ=HOURLY",
        "FREQ=YEARLY",
        "INTERVAL=2",
        "FREQ=DAILY;INTERVAL=53",
        "FREQ=DAILY;COUNT=1001",
        "FREQ=DAILY;FREQ=DAILY",
        "FREQ=DAILY;BYDAY=MO",
        "FREQ=WEEKLY;BYDAY=1MO",
        "FREQ=DAILY;BYMONTHDAY=3",
        "FREQ=MONTHLY;BYMONTHDAY=32",
        "FREQ=MONTHLY;BYMONTHDAY=-1",
        "FREQ=DAILY;COUNT=0",
        "FREQ=DAILY;COUNT=3;UNTIL=20261231",
        "FREQ=DAILY;UNTIL=20261341",
        "FREQ=DAILY;UNTIL=tomorrow",
        "FREQ=DAILY;UNTIL=00010101T000000Z",
        "FREQ=DAILY;UNTIL=99991231T235959Z",
        "FREQ=DAILY;UNTIL=99991231",
        "FREQ=DAILY;BYSECOND=1",
        "FREQ=DAILY;" * 100,
    ],
)
def test_a_rule_outside_of_the_subset_is_an_error_that_says_why(rule: str) -> None:
    with pytest.raises(ValueError, match=r"\.$"):
        Recurrence.parse(rule, TOKYO)


ENDS = st.datetimes(
    dt.datetime(1971, 1, 1),  # noqa: DTZ001 - local
    dt.datetime(9998, 1, 1),  # noqa: DTZ001 - local
).map(lambda at: at.replace(microsecond=0))
INTERVALS = st.integers(1, INTERVAL_LIMIT)
WEEKS = st.sets(st.sampled_from(Weekday)).map(lambda days: tuple(one for one in Weekday if one in days))
RECURRENCES = st.one_of(
    st.builds(Recurrence, frequency=st.sampled_from(Frequency), interval=INTERVALS, until=ENDS),
    st.builds(Recurrence, frequency=st.just(Frequency.WEEKLY), weekdays=WEEKS, count=st.integers(1, COUNT_LIMIT)),
    st.builds(Recurrence, frequency=st.just(Frequency.MONTHLY), interval=INTERVALS, month_day=st.integers(1, 31)),
)


@given(RECURRENCES)
def test_a_rule_is_read_as_it_was_written(recurrence: Recurrence) -> None:
    assert Recurrence.parse(recurrence.rule, NEW_YORK) == recurrence


@given(RECURRENCES, st.sampled_from([TOKYO, NEW_YORK, zoneinfo.ZoneInfo("Pacific/Kiritimati")]))
def test_an_end_in_utc_is_the_same_moment(recurrence: Recurrence, zone: zoneinfo.ZoneInfo) -> None:
    rule = recurrence.rule_in_utc(zone)

    assert rule.endswith("Z") == (recurrence.until is not None)
    read = Recurrence.parse(rule, zone)
    assert read == recurrence or recurrence.until is not None
    if read.until is not None and recurrence.until is not None:
        assert read.until.replace(tzinfo=zone).timestamp() == recurrence.until.replace(tzinfo=zone).timestamp()


@given(st.text(st.sampled_from("FREQ=DAILY;WKMONTHUV BC0189TZ,\n١é"), max_size=40))
def test_any_text_is_a_rule_or_an_error_of_one_sentence(text: str) -> None:
    try:
        parsed = Recurrence.parse(text, TOKYO)
    except ValueError as cause:
        assert str(cause).endswith(".")  # noqa: PT017 - most texts are no rule
    else:
        assert Recurrence.parse(parsed.rule, TOKYO) == parsed


def test_weekdays_stand_in_their_order() -> None:
    assert [one.value for one in Weekday] == ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]
