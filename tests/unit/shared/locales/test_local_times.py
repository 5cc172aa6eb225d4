import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.locales.language_file import LOCALES
from shared.locales.local_times import Month, shown_moment, shown_recurrence
from shared.recurrence import Recurrence

MONDAY = dt.datetime(2026, 11, 23, 9, 0)  # noqa: DTZ001 - local


@pytest.mark.parametrize(
    ("locale", "this_year", "told"),
    [
        ("ja", 2026, "11月23日(月) 9:00"),
        ("ja", 2025, "2026年11月23日(月) 9:00"),
        ("en", 2026, "Mon 23 Nov, 09:00"),
        ("en", 2025, "Mon 23 Nov 2026, 09:00"),
        ("zh-TW", 2026, "11月23日(一) 9:00"),
        ("th", 2026, "วันจันทร์ที่ 23 พ.ย. เวลา 09:00 น."),
    ],
)
def test_a_moment_has_weekday_date_and_hour(locale: str, this_year: int, told: str) -> None:
    assert shown_moment(MONDAY, locale=locale, this_year=this_year) == told


@pytest.mark.parametrize(
    ("rule", "locale", "told"),
    [
        ("FREQ=DAILY", "ja", "毎日 9:00"),
        ("FREQ=DAILY;INTERVAL=3", "en", "every 3 days at 09:00"),
        ("FREQ=WEEKLY", "ja", "毎週月曜 9:00"),
        ("FREQ=WEEKLY;BYDAY=MO,TH", "ja", "毎週月・木曜 9:00"),
        ("FREQ=WEEKLY;BYDAY=MO,TH", "en", "every Mon, Thu at 09:00"),
        ("FREQ=WEEKLY;BYDAY=MO,TH", "zh-TW", "每週一、四 9:00"),
        ("FREQ=WEEKLY;BYDAY=MO,TH", "th", "ทุกวันจันทร์ วันพฤหัสบดี เวลา 09:00 น."),
        ("FREQ=WEEKLY;INTERVAL=2;BYDAY=FR", "ja", "2週間ごとの金曜 9:00"),
        ("FREQ=MONTHLY", "ja", "毎月23日 9:00"),
        ("FREQ=MONTHLY;BYMONTHDAY=25", "zh-TW", "每月25日 9:00"),
        ("FREQ=MONTHLY;INTERVAL=2;BYMONTHDAY=1", "en", "every 2 months on day 1 at 09:00"),
        ("FREQ=MONTHLY;BYMONTHDAY=31", "ja", "毎月31日 9:00（2・4・6・9・11月はなし）"),
        ("FREQ=MONTHLY;BYMONTHDAY=31", "en", "every month on day 31 at 09:00 (not in Feb, Apr, Jun, Sep, Nov)"),
        ("FREQ=MONTHLY;BYMONTHDAY=31", "zh-TW", "每月31日 9:00（2、4、6、9、11月除外）"),
        ("FREQ=MONTHLY;BYMONTHDAY=31", "th", "ทุกวันที่ 31 ของเดือน เวลา 09:00 น. (ยกเว้น ก.พ. เม.ย. มิ.ย. ก.ย. พ.ย.)"),
        ("FREQ=MONTHLY;BYMONTHDAY=30", "ja", "毎月30日 9:00（2月はなし）"),
        ("FREQ=MONTHLY;BYMONTHDAY=29", "ja", "毎月29日 9:00（2月はうるう年のみ）"),
        ("FREQ=MONTHLY;BYMONTHDAY=-1", "ja", "毎月末日 9:00"),
        ("FREQ=MONTHLY;BYMONTHDAY=-1", "en", "every month on the last day at 09:00"),
        ("FREQ=MONTHLY;BYMONTHDAY=-1", "zh-TW", "每月最後一天 9:00"),
        ("FREQ=MONTHLY;BYMONTHDAY=-1", "th", "ทุกวันสุดท้ายของเดือน เวลา 09:00 น."),
        ("FREQ=MONTHLY;BYDAY=1TU,3TU", "ja", "毎月第1・第3火曜 9:00"),
        ("FREQ=MONTHLY;BYDAY=2TU", "en", "every month on the 2nd Tue at 09:00"),
        ("FREQ=MONTHLY;INTERVAL=3;BYDAY=-1FR", "zh-TW", "每 3 個月的最後一個星期五 9:00"),
        ("FREQ=MONTHLY;BYDAY=1MO", "th", "ทุกวันจันทร์แรกของเดือน เวลา 09:00 น."),
        ("FREQ=MONTHLY;BYDAY=5MO", "ja", "毎月第5月曜 9:00（5回目のない月はなし）"),
        ("FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1", "ja", "毎月最終平日(月〜金) 9:00"),
        ("FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=1", "en", "every month on the 1st day from Mon to Fri at 09:00"),
        ("FREQ=YEARLY", "ja", "毎年11月23日 9:00"),
        ("FREQ=YEARLY", "en", "every year on 23 Nov at 09:00"),
        ("FREQ=YEARLY;INTERVAL=2", "zh-TW", "每 2 年的11月23日 9:00"),
        ("FREQ=YEARLY", "th", "ทุกปี วันที่ 23 พ.ย. เวลา 09:00 น."),
        ("FREQ=YEARLY;BYMONTH=5;BYDAY=2SU", "ja", "毎年5月第2日曜 9:00"),
        ("FREQ=YEARLY;BYMONTH=5;BYDAY=2SU", "en", "every year on the 2nd Sun of May at 09:00"),
        ("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=-1", "zh-TW", "每年2月的最後一天 9:00"),
        ("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29", "en", "every year on 29 Feb at 09:00 (in leap years only)"),
        ("FREQ=DAILY;BYHOUR=9,10,11,12", "ja", "毎日 9:00〜12:00（1時間ごと）"),
        ("FREQ=DAILY;BYHOUR=9,11,13", "en", "every day at 09:00–13:00 (every 2 hours)"),
        ("FREQ=WEEKLY;BYDAY=MO,TU;BYHOUR=9,11,13", "zh-TW", "每週一、二 9:00～13:00（每 2 小時）"),
        ("FREQ=DAILY;BYHOUR=9,10,11", "th", "ทุกวัน เวลา 09:00–11:00 น. (ทุกชั่วโมง)"),
        ("FREQ=DAILY;BYHOUR=9,20", "ja", "毎日 9:00・20:00"),
        ("FREQ=DAILY;BYHOUR=9,13,20;COUNT=5", "en", "every day at 09:00, 13:00, 20:00, 5 times"),
        ("FREQ=DAILY;COUNT=5", "ja", "毎日 9:00、全5回"),
        ("FREQ=DAILY;UNTIL=20261231T235959", "ja", "毎日 9:00、12月31日(木)まで"),
        ("FREQ=DAILY;UNTIL=20270101T235959", "en", "every day at 09:00 until Fri 1 Jan 2027"),
        ("FREQ=DAILY;UNTIL=20270101T085959", "en", "every day at 09:00 until Thu 31 Dec"),
        ("FREQ=DAILY;UNTIL=20261231T090000", "ja", "毎日 9:00、12月31日(木)まで"),
        ("FREQ=DAILY;BYHOUR=8,20;UNTIL=20261231T080000", "ja", "毎日 8:00・20:00、12月31日(木)まで"),
        ("FREQ=DAILY;BYHOUR=8,20;UNTIL=20261231T000000", "ja", "毎日 8:00・20:00、12月30日(水)まで"),
    ],
)
def test_a_recurrence_is_told_in_words(rule: str, locale: str, told: str) -> None:
    assert shown_recurrence(Recurrence.parse(rule, dt.UTC), start=MONDAY, locale=locale, this_year=2026) == told


RULES = st.tuples(
    st.sampled_from(
        [
            "FREQ=DAILY",
            "FREQ=WEEKLY",
            "FREQ=WEEKLY;BYDAY=TU,SU",
            "FREQ=MONTHLY",
            "FREQ=MONTHLY;BYMONTHDAY=31",
            "FREQ=MONTHLY;BYDAY=1TU,-1TU",
            "FREQ=YEARLY",
            "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=-1",
        ]
    ),
    st.sampled_from(["", ";INTERVAL=7"]),
    st.sampled_from(["", ";COUNT=3", ";UNTIL=20280229T000000"]),
).map("".join)


@given(RULES, st.datetimes(dt.datetime(2000, 1, 1), dt.datetime(2100, 1, 1)), st.sampled_from(LOCALES))  # noqa: DTZ001
def test_every_rule_is_told_in_every_language_with_its_hour(rule: str, start: dt.datetime, locale: str) -> None:
    told = shown_recurrence(Recurrence.parse(rule, dt.UTC), start=start, locale=locale, this_year=2026)

    assert (f"{start.hour}:{start:%M}" if locale in {"ja", "zh-TW"} else f"{start:%H:%M}") in told
    assert "{" not in told


def test_months_stand_in_their_order() -> None:
    assert [int(one.value) for one in Month] == list(range(1, 13))
