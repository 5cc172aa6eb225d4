"""Recurrence rules: one parser and one spelling."""

import datetime as dt
import zoneinfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.recurrence import COUNT_LIMIT, INTERVAL_LIMIT, LAST, WORKDAYS, Frequency, Gap, Recurrence, Weekday

TOKYO, NEW_YORK = zoneinfo.ZoneInfo("Asia/Tokyo"), zoneinfo.ZoneInfo("America/New_York")


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("FREQ=DAILY", "FREQ=DAILY"),
        ("rrule:freq=weekly;byday=th,mo;", "FREQ=WEEKLY;BYDAY=MO,TH"),
        ("FREQ=WEEKLY;BYDAY=SU,SA,FR,TH,WE,TU,MO", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR,SA,SU"),
        ("FREQ=MONTHLY;BYMONTHDAY=25;COUNT=3", "FREQ=MONTHLY;BYMONTHDAY=25;COUNT=3"),
        ("FREQ=WEEKLY;INTERVAL=2;UNTIL=20261231", "FREQ=WEEKLY;INTERVAL=2;UNTIL=20261231T235959"),
        ("FREQ=MONTHLY;BYMONTHDAY=-1", "FREQ=MONTHLY;BYMONTHDAY=-1"),
        (" FREQ=WEEKLY; BYDAY=MO, TH;\n", "FREQ=WEEKLY;BYDAY=MO,TH"),
        ("FREQ=MONTHLY;BYDAY=2TU", "FREQ=MONTHLY;BYDAY=2TU"),
        ("FREQ=MONTHLY;BYDAY=+3TU,1TU", "FREQ=MONTHLY;BYDAY=1TU,3TU"),
        ("FREQ=MONTHLY;BYDAY=FR;BYSETPOS=-1", "FREQ=MONTHLY;BYDAY=-1FR"),
        ("FREQ=MONTHLY;BYSETPOS=-1;BYDAY=FR,MO,TU,WE,TH", "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1"),
        ("FREQ=YEARLY", "FREQ=YEARLY"),
        ("FREQ=YEARLY;BYMONTH=5;BYDAY=2SU", "FREQ=YEARLY;BYMONTH=5;BYDAY=2SU"),
        ("FREQ=YEARLY;BYMONTHDAY=-1;BYMONTH=2", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=-1"),
        ("FREQ=DAILY;BYHOUR=13,09,11,9", "FREQ=DAILY;BYHOUR=9,11,13"),
        ("FREQ=WEEKLY;BYHOUR=9,18;BYDAY=MO", "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9,18"),
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
        "FREQ=YEARLY;BYMONTHDAY=1",
        "FREQ=YEARLY;BYDAY=2SU",
        "FREQ=YEARLY;BYMONTH=5",
        "FREQ=YEARLY;BYMONTH=13;BYMONTHDAY=1",
        "FREQ=MONTHLY;BYMONTH=5",
        "FREQ=MONTHLY;BYDAY=TU",
        "FREQ=MONTHLY;BYDAY=6TU",
        "FREQ=MONTHLY;BYDAY=-2TU",
        "FREQ=MONTHLY;BYDAY=1TU,3WE",
        "FREQ=MONTHLY;BYDAY=1TU;BYSETPOS=1",
        "FREQ=MONTHLY;BYDAY=SA,SU;BYSETPOS=1",
        "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR",
        "FREQ=MONTHLY;BYDAY=",
        "FREQ=MONTHLY;BYSETPOS=1",
        "FREQ=MONTHLY;BYDAY=1TU;BYMONTHDAY=3",
        "FREQ=MONTHLY;BYHOUR=9,10",
        "FREQ=DAILY;BYHOUR=24",
        "FREQ=DAILY;BYHOUR=",
        "FREQ=DAILY;BYHOUR=9-18",
        "INTERVAL=2",
        "FREQ=DAILY;INTERVAL=53",
        "FREQ=DAILY;COUNT=1001",
        "FREQ=DAILY;FREQ=DAILY",
        "FREQ=DAILY;BYDAY=MO",
        "FREQ=WEEKLY;BYDAY=1MO",
        "FREQ=DAILY;BYMONTHDAY=3",
        "FREQ=MONTHLY;BYMONTHDAY=32",
        "FREQ=MONTHLY;BYMONTHDAY=-2",
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
HOURS = st.sets(st.integers(0, 23), min_size=1).map(lambda hours: tuple(sorted(hours)))
MONTH_DAYS = st.integers(1, 31) | st.just(LAST)
POSITIONS = st.sets(st.sampled_from([1, 2, 3, 4, 5, LAST]), min_size=1).map(
    lambda numbers: tuple(one for one in (1, 2, 3, 4, 5, LAST) if one in numbers)
)
ONE_KIND = st.sampled_from([(one,) for one in Weekday] + [WORKDAYS])
RECURRENCES = st.one_of(
    st.builds(Recurrence, frequency=st.sampled_from(Frequency), interval=INTERVALS, until=ENDS),
    st.builds(Recurrence, frequency=st.just(Frequency.WEEKLY), weekdays=WEEKS, count=st.integers(1, COUNT_LIMIT)),
    st.builds(Recurrence, frequency=st.just(Frequency.WEEKLY), weekdays=WEEKS, hours=HOURS),
    st.builds(Recurrence, frequency=st.just(Frequency.DAILY), interval=INTERVALS, hours=HOURS),
    st.builds(Recurrence, frequency=st.just(Frequency.MONTHLY), interval=INTERVALS, month_day=MONTH_DAYS),
    st.builds(Recurrence, frequency=st.just(Frequency.MONTHLY), weekdays=ONE_KIND, positions=POSITIONS),
    st.builds(
        Recurrence,
        frequency=st.just(Frequency.YEARLY),
        month=st.integers(1, 12),
        month_day=st.integers(1, 28) | st.just(LAST),
    ),
    st.builds(
        Recurrence,
        frequency=st.just(Frequency.YEARLY),
        month=st.integers(1, 12),
        weekdays=ONE_KIND,
        positions=POSITIONS,
    ),
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


@given(st.text(st.sampled_from("FREQ=DAILY;WKMONTHUV BC0189TZ,SP-\n١é"), max_size=40))
def test_any_text_is_a_rule_or_an_error_of_one_sentence(text: str) -> None:
    try:
        parsed = Recurrence.parse(text, TOKYO)
    except ValueError as cause:
        assert str(cause).endswith(".")  # noqa: PT017 - most texts are no rule
    else:
        assert Recurrence.parse(parsed.rule, TOKYO) == parsed


@pytest.mark.parametrize(
    ("rule", "start", "gap"),
    [
        ("FREQ=DAILY", "2027-01-31", None),
        ("FREQ=MONTHLY", "2027-01-28", None),
        ("FREQ=MONTHLY", "2027-01-29", Gap.SHORT_FEBRUARY),
        ("FREQ=MONTHLY;BYMONTHDAY=30", "2027-01-01", Gap.FEBRUARY),
        ("FREQ=MONTHLY", "2027-01-31", Gap.SHORT_MONTHS),
        ("FREQ=MONTHLY;BYMONTHDAY=-1", "2027-01-31", None),
        ("FREQ=MONTHLY;BYDAY=4TU,-1TU", "2027-01-31", None),
        ("FREQ=MONTHLY;BYDAY=5TU", "2027-01-31", Gap.NO_FIFTH),
        ("FREQ=MONTHLY;BYDAY=5TU,-1TU", "2027-01-31", None),
        ("FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=5", "2027-01-31", None),
        ("FREQ=YEARLY", "2027-01-31", None),
        ("FREQ=YEARLY", "2028-02-29", Gap.COMMON_YEARS),
        ("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29", "2027-01-01", Gap.COMMON_YEARS),
        ("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=-1", "2027-01-01", None),
    ],
)
def test_a_rule_knows_what_it_leaves_out(rule: str, start: str, gap: Gap | None) -> None:
    assert Recurrence.parse(rule, TOKYO).gap(dt.date.fromisoformat(start)) is gap


@pytest.mark.parametrize("rule", ["FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", "FREQ=YEARLY;BYMONTH=6;BYMONTHDAY=31"])
def test_a_day_that_no_year_has_is_an_error(rule: str) -> None:
    with pytest.raises(ValueError, match="does not exist"):
        Recurrence.parse(rule, TOKYO)


def test_weekdays_stand_in_their_order() -> None:
    assert [one.value for one in Weekday] == ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]
