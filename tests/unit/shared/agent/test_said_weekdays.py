"""A weekday beside a date that it does not match."""

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.agent.said_weekdays import contradiction_at, wrong_weekday_in

NOW = dt.datetime(2026, 11, 25, 12)  # noqa: DTZ001 - a local Wednesday
FRIDAY, THURSDAY = dt.datetime(2026, 11, 27, 9), dt.datetime(2026, 11, 26, 9)  # noqa: DTZ001 - local


@pytest.mark.parametrize(
    "said",
    [
        "11月27日(木)の9時に歯医者",
        "11/27（木）9時",
        "27日の木曜に歯医者",
        "27日木曜日に歯医者",
        "木曜27日の9時",
        "2026年11月27日(木)",
        "Nov 27 (Thu) at 9",
        "Thursday, Nov 27 at 9",
        "Thursday the 27th at nine",
        "on 27 November, Thursday",
        "27th of Nov Thursday",
        "11月27日星期四提醒我",
        "27號週四提醒我",
        "週四11/27提醒我",
        "11/27(四) 9點",
        "วันพฤหัสที่ 27 พ.ย. เตือนด้วย",
        "วันพฤหัสบดีที่ 27 เตือนด้วย",
        "27 พฤศจิกายน (วันพฤหัส)",
    ],
)
@pytest.mark.parametrize("at", [FRIDAY, THURSDAY])
def test_a_weekday_that_does_not_match_its_date_is_seen(said: str, at: dt.datetime) -> None:
    contradiction = contradiction_at([(said, NOW)], at)

    assert contradiction is not None
    assert (contradiction.date, contradiction.weekday) == (FRIDAY.date(), 3)
    assert contradiction.explanation == "The person wrote Thursday beside 2026-11-27, which is a Friday."


@pytest.mark.parametrize(
    "said",
    [
        "11月27日(金)の9時に歯医者",
        "金曜27日の9時",
        "Friday, Nov 27 at 9",
        "11/27(五) 9點",
        "วันศุกร์ที่ 27 พ.ย. เตือนด้วย",
        "27日の会議を木曜に変えて",
        "27日に歯医者、木曜までに予約",
        "Move the thing on the 27th to Thursday",
        "7日間、木曜は休み",
        "1日(木)と27日(金)",
        "12月24日(木)は休み。27日9時に歯医者",
        "木曜9時",
        "",
    ],
)
def test_words_that_match_or_do_not_belong_together_contradict_nothing(said: str) -> None:
    assert contradiction_at([(said, NOW)], FRIDAY) is None


@pytest.mark.parametrize(
    ("said", "at"),
    [
        ("明日(金)の9時", THURSDAY),
        ("明日の金曜", FRIDAY),
        ("tomorrow, Friday, at 9", THURSDAY),
        ("明天星期五提醒我", FRIDAY),
        ("พรุ่งนี้ วันศุกร์ เตือนด้วย", FRIDAY),
        ("今日(木)の夜", dt.datetime(2026, 11, 25, 21)),  # noqa: DTZ001 - local
    ],
)
def test_today_and_tomorrow_have_their_weekdays(said: str, at: dt.datetime) -> None:
    assert contradiction_at([(said, NOW)], at) is not None


def test_tomorrow_after_midnight_may_be_either_day() -> None:
    night = dt.datetime(2026, 11, 26, 1)  # noqa: DTZ001 - local

    assert contradiction_at([("明日(木)の9時", night)], THURSDAY) is None
    assert contradiction_at([("明日(金)の9時", night)], FRIDAY) is None
    assert contradiction_at([("明日(土)の9時", night)], FRIDAY + dt.timedelta(days=1)) is not None


def test_a_later_message_settles_it() -> None:
    said = [("11月27日(木)の9時に歯医者", NOW), ("あ、金曜です", NOW)]

    assert contradiction_at(said, FRIDAY) is None
    assert contradiction_at(said, THURSDAY) is not None


def test_an_old_year_is_asked_about() -> None:
    at = dt.datetime(2027, 1, 15, 9)  # noqa: DTZ001 - a local Friday

    assert contradiction_at([("1月15日(木)", NOW)], at) is not None
    assert contradiction_at([("1月15日(金)", NOW)], at) is None


@given(st.dates(dt.date(2026, 1, 1), dt.date(2030, 12, 31)), st.integers(0, 6))
def test_exactly_the_weekday_of_the_date_is_right(date: dt.date, weekday: int) -> None:
    said = f"{date.year}年{date.month}月{date.day}日({'月火水木金土日'[weekday]})"

    contradiction = contradiction_at([(said, NOW)], dt.datetime.combine(date, dt.time(9)))

    assert (contradiction is None) == (weekday == date.weekday())


@given(st.text(st.sampled_from("11/27日木(の)月 thuNov26วันที่พฤหัส.,ศุกร์明天星期五"), max_size=60))
def test_any_text_is_read(said: str) -> None:
    contradiction = contradiction_at([(said, NOW)], FRIDAY)

    assert contradiction is None or contradiction.weekday != contradiction.date.weekday()


REPLY_AT = dt.datetime(2025, 11, 21, 13, 40)  # noqa: DTZ001 - a local Friday


@pytest.mark.parametrize(
    ("reply", "what"),
    [
        ("会議は12月2日(月)です。", "Monday beside 2025-12-02, which is a Tuesday"),
        ("次は11/24（火）ですね", "Tuesday beside 2025-11-24, which is a Monday"),
        ("2025年11月23日は土曜日です。", "Saturday beside 2025-11-23, which is a Sunday"),
        ("The meeting is on Monday, December 2.", "Monday beside 2025-12-02, which is a Tuesday"),
        ("下次是12月2日（星期一）", "Monday beside 2025-12-02, which is a Tuesday"),
        ("ประชุมวันจันทร์ที่ 2 ธ.ค. ค่ะ", "Monday beside 2025-12-02, which is a Tuesday"),
        ("明日(日)ですね", "Sunday beside 2025-11-22, which is a Saturday"),
    ],
)
def test_a_reply_with_a_wrong_weekday_is_seen(reply: str, what: str) -> None:
    assert wrong_weekday_in(reply, now=REPLY_AT, heard=()) == what


@pytest.mark.parametrize(
    "reply",
    [
        "会議は12月2日(火)です。",
        "12月2日は火曜日です。12月2日(月)ではありません。",
        "「12月2日(月)」と書いてありますが、どちらですか？",
        "The 2nd is fine. Monday works, too.",
        "2024年12月2日(月)に話しました。",
        "明日(土)ですね",
    ],
)
def test_a_reply_that_has_or_explains_the_right_weekday_is_sent(reply: str) -> None:
    assert wrong_weekday_in(reply, now=REPLY_AT, heard=()) is None


def test_a_reply_may_repeat_what_people_wrote() -> None:
    heard = ("12月2日(月)の会議、よろしく",)

    assert wrong_weekday_in("12月2日(月)とのことですが、2日は火曜ですか？", now=REPLY_AT, heard=heard) is None
    assert wrong_weekday_in("12月3日(月)ですね", now=REPLY_AT, heard=heard) is not None
