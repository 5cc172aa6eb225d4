"""Dates and hours are read by value, in four languages."""

import datetime as dt

import pytest

from evals.grading.said_values import said_values

SUNDAY = dt.date(2026, 11, 22)
TENTH = dt.date(2026, 12, 10)  # a Thursday


@pytest.mark.parametrize(
    "text",
    [
        "Dec 10",
        "December 10th",
        "10 December",
        "the 10th of December",
        "2026-12-10",
        "2026/12/10",
        "12/10",
        "12月10日",
        "12月10號",
        "１２月１０日",
        "十二月十日",
        "10 ธันวาคม",
        "10 ธ.ค.",
        "วันที่ 10 ธันวา",
        "10日です",
        "on the 10th",
        "10號",
        "วันที่ 10",
        "木曜日です",
        "Thursday",
        "星期四",
        "วันพฤหัสบดี",
        "12月10日(木) 9:00",
        "Thu 10 Dec, 09:00",
    ],
)
def test_a_date_is_read_in_every_form(text: str) -> None:
    assert said_values(text, SUNDAY).has_date(TENTH)


@pytest.mark.parametrize(
    "text",
    [
        "Dec 11",
        "October 12",
        "12月1日",
        "12/1",
        "2026-10-12",
        "10 พฤศจิกายน",
        "11日",
        "the 12th",
        "Friday",
        "水曜",
        "tomorrow",
        "明日",
        "10 notes",
        "at 10",
        "10時",
        "12:10",
        "no date",
        "12月 Thursday 11日",
    ],
)
def test_another_date_is_another_value(text: str) -> None:
    assert not said_values(text, SUNDAY).has_date(TENTH)


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("tomorrow", 23),
        ("明日", 23),
        ("明天早上", 23),
        ("พรุ่งนี้", 23),
        ("明後日", 24),
        ("today", 22),
        ("今天", 22),
        ("วันนี้", 22),
        ("yesterday", 21),
        ("昨日", 21),
    ],
)
def test_words_for_days_count_from_today(text: str, date: int) -> None:
    assert said_values(text, SUNDAY).has_date(dt.date(2026, 11, date))


@pytest.mark.parametrize(
    "text",
    [
        "21:00",
        "9 pm",
        "9pm",
        "9:00 p.m.",
        "夜9時",
        "夜の九時",
        "晚上9點",
        "晚上九點鐘",
        "3 ทุ่ม",
        "สามทุ่ม",
        "21時",
        "at 9",
        "nine o'clock",
        "9時",
        "午後9:00",
    ],
)
def test_an_hour_is_read_in_every_form(text: str) -> None:
    assert said_values(text, SUNDAY).has_hour(21 * 60)


@pytest.mark.parametrize(
    "text",
    [
        "9:00 am",
        "朝9時",
        "早上9點",
        "9 โมงเช้า",
        "9時30分 夜",
        "half past nine",
        "20:00",
        "2 ทุ่ม",
        "9時間",
        "21日",
        "9 notes",
        "9%",
        "ตี 3",
        "midnight",
    ],
)
def test_another_hour_is_another_value(text: str) -> None:
    assert not said_values(text, SUNDAY).has_hour(21 * 60)
