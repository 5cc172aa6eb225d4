"""Days and hours in a person's own words, read by code as well as by the model: Japanese, English, Chinese and Thai.

Reading is strict: 9時 is 09:00, and 21:00 only next to a word such as 夜. Words that cannot be read ground nothing; then a tap decides.
"""

import datetime as dt
import re
import unicodedata
from collections.abc import Iterator
from typing import Final

from shared.frozen import frozen
from shared.late_patterns import late

_MINUTE: Final = dt.timedelta(minutes=1)
_NOON: Final = 12
_NUMERALS: Final = "〇一二三四五六七八九"
_THAI_NUMERALS: Final = ("ศูนย์", "หนึ่ง", "สอง", "สาม", "สี่", "ห้า", "หก", "เจ็ด", "แปด", "เก้า", "สิบ", "สิบเอ็ด", "สิบสอง")
_WEEKDAYS: Final = (
    ("月", "一", "mon", "จันทร์"),
    ("火", "二", "tue", "อังคาร"),
    ("水", "三", "wed", "พุธ"),
    ("木", "四", "thu", "พฤหัส"),
    ("金", "五", "fri", "ศุกร์"),
    ("土", "六", "sat", "เสาร์"),
    ("日", "日", "sun", "อาทิตย์"),
)
MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
THAI_MONTHS: Final = (
    ("ม.ค", "มกรา"), ("ก.พ", "กุมภา"), ("มี.ค", "มีนา"), ("เม.ย", "เมษา"), ("พ.ค", "พฤษภา"), ("มิ.ย", "มิถุนา"),
    ("ก.ค", "กรกฎา"), ("ส.ค", "สิงหา"), ("ก.ย", "กันยา"), ("ต.ค", "ตุลา"), ("พ.ย", "พฤศจิกา"), ("ธ.ค", "ธันวา"),
)  # fmt: skip


def normal_form(pattern: str) -> re.Pattern[str]:
    """Return the pattern, to be searched for in folded words."""
    return late(re.compile, unicodedata.normalize("NFKC", pattern))


_DAYS_AHEAD: Final = (
    (normal_form(r"明後日|(?<!し)あさって|day after tomorrow|(?<!大)[後后]天|มะรืน"), 2),
    (normal_form(r"明日|あした|あす|明朝|明晩|(?<!after )tomorrow|\btmr\b|\btmrw\b|明天|明早|明晚|พรุ่งนี้"), 1),
    (
        normal_form(
            r"今日|きょう|今夜|今晩|今朝|\btoday\b|\btonight\b|this (?:morning|afternoon|evening)|今天|今晚|今早|วันนี้|คืนนี้|เย็นนี้|บ่ายนี้"
        ),
        0,
    ),
)
_MORNING: Final = normal_form(r"朝|午前|早上|上午|清晨|明早|今早|\bmorning\b|เช้า")
_EVENING: Final = normal_form(
    r"夜|晩|午後|夕方|昼|今晚|明晚|晚上|下午|傍晚|中午|\bevening\b|\bafternoon\b|\bnight\b|\btonight\b|เย็น|ค่ำ|คืน|บ่าย"
)
_HAN_CLOCK: Final = normal_form(r"(?<![\d.])(\d{1,2})\s*(?:時|點|点)(?!間)(?:\s*(\d{1,2})\s*分(?!後)|(半))?")
_COLON_CLOCK: Final = normal_form(r"(?<![\d:.])(\d{1,2})[:.](\d{2})(?![\d:])\s*(am|pm|a\.m|p\.m)?")
_ENGLISH_CLOCK: Final = normal_form(r"(?<![\d:.])(\d{1,2})\s*(am|pm|a\.m|p\.m)\b")
_BARE_CLOCK: Final = normal_form(r"\bat (\d{1,2})(?![\d:.])(?!\s*(?:am|pm|a\.m|p\.m))|(?<![\d:])(\d{1,2}) o'?clock")
_HALF_PAST: Final = normal_form(r"half past (\d{1,2})")
_THAI_CLOCK: Final = normal_form(r"(?<![\d:.])(\d{1,2})\s*(?:โมง|นาฬิกา|น\.)\s*(ครึ่ง)?")
_THAI_AFTERNOON: Final = normal_form(r"บ่าย\s*(\d{1,2})?(?:\s*โมง)?\s*(ครึ่ง)?")
_THAI_EVENING: Final = normal_form(r"(?<!\d)([1-5])\s*ทุ่ม\s*(ครึ่ง)?")
_THAI_NIGHT: Final = normal_form(r"ตี\s*([1-5])(?!\d)\s*(ครึ่ง)?")
_NOON_WORD: Final = normal_form(r"正午|\bnoon\b|\bmidday\b|เที่ยง(?!คืน)")
_MIDNIGHT_WORD: Final = normal_form(r"午前0時|真夜中|\bmidnight\b|午夜|เที่ยงคืน")
_IN_MINUTES: Final = normal_form(
    r"(\d+)\s*分(?:鐘|钟)?(?:之|以)?(?:後|后)|\bin (\d+|an?) ?min(?:ute)?s?\b|(\d+) minutes from now|อีก\s*(\d+)\s*นาที"
)
_IN_HOURS: Final = normal_form(
    r"(\d+)\s*(?:時間|個?小時|个?小时)(?:之|以)?(?:後|后)|\bin (\d+|an?) ?h(?:ou)?rs?\b|(\d+) hours from now|อีก\s*(\d+)\s*ชั่วโมง"
)
_IN_DAYS: Final = normal_form(r"(\d+)\s*(?:日|天)(?:之|以)?(?:後|后)|\bin (\d+|a) days?\b|อีก\s*(\d+)\s*วัน")
_HALF_AN_HOUR: Final = normal_form(r"半小時後|半小时后|half an hour|อีกครึ่งชั่วโมง")
_ISO_DATE: Final = normal_form(r"(?<!\d)(\d{4})[-/年](\d{1,2})[-/月](\d{1,2})(?!\d)")
_MONTH_DAY: Final = normal_form(r"(?<![\d/])(\d{1,2})(?:月|/)(\d{1,2})(?![\d/])")
_DAY_OF_MONTH: Final = normal_form(
    r"(?<![\d月/])(\d{1,2})(?:日|號|号)(?!後|后|間)|\bthe (\d{1,2})(?:st|nd|rd|th)\b|วันที่\s*(\d{1,2})(?!\d)"
)
_NUMERAL: Final = normal_form(rf"[{_NUMERALS}十兩两]+(?=\s*(?:時|點|点|分|月|日|號|号|個小時|个小时|小時|小时|天))")
_NEXT_WEEK: Final = normal_form(r"来週|來週|下週|下周|下星期|下禮拜|\bnext\b|หน้า")
_WEEK_FORMS: Final = tuple(
    normal_form(
        rf"(?:{ja}曜|(?:週|周|星期|禮拜|礼拜){zh.replace('日', '[日天]')}(?![\d点點])"
        rf"|\b{en}(?:day|sday|nesday|rsday|urday|s|rs|r)?\b|{th})"
    )
    for ja, zh, en, th in _WEEKDAYS
)


@frozen
class SaidTimes:
    """What words name: days, hours, and whole moments such as "in ten minutes"."""

    days: frozenset[dt.date]
    hours: frozenset[dt.time]
    moments: frozenset[dt.datetime]
    now: dt.datetime

    def hold(self, at: dt.datetime) -> bool:
        """Whether the words name the local moment.  An hour without a day means its next occurrence.

        For example, "at 9" at 20:00 means 09:00 tomorrow.
        """
        if any(abs(one - at) <= _MINUTE for one in self.moments):
            return True
        if at.time() not in self.hours:
            return False
        return at.date() in self.days if self.days else at - dt.timedelta(days=1) <= self.now < at


def said_times(folded: str, now: dt.datetime) -> SaidTimes:
    """Read folded words; `now` is the local time of the message, without a zone."""
    text = _with_digits(folded)
    return SaidTimes(
        days=frozenset(_days(text, now.date())),
        hours=frozenset(_hours(text)),
        moments=frozenset(_moments(text, now)),
        now=now,
    )


def weekdays_in(folded: str) -> frozenset[int]:
    """Return the weekdays that the words name, Monday being 0."""
    return frozenset(number for number, form in enumerate(_WEEK_FORMS) if form.search(folded))


def _days(text: str, today: dt.date) -> Iterator[dt.date]:
    for form, ahead in _DAYS_AHEAD:
        if form.search(text):
            yield today + dt.timedelta(days=ahead)
    is_next = _NEXT_WEEK.search(text) is not None
    for weekday in weekdays_in(text):
        coming = today + dt.timedelta(days=(weekday - today.weekday()) % 7)
        monday = today - dt.timedelta(days=today.weekday())
        # "Next Friday" means the coming Friday to some people, and Friday of next week to others
        yield monday + dt.timedelta(days=7 + weekday) if is_next else coming
        if is_next and re.search(r"\bnext\b", text):
            yield coming
        if not is_next and coming == today:
            yield coming + dt.timedelta(days=7)
    yield from (today + dt.timedelta(days=_count(match)) for match in _IN_DAYS.finditer(text))
    for match in _ISO_DATE.finditer(text):
        yield from existing_date(*map(int, match.groups()))
    for month, day in _months_and_days(text):
        yield from _next_of(month, day, today)
    for match in _DAY_OF_MONTH.finditer(text):
        day = int(next(filter(None, match.groups())))
        yield from (
            list(_next_of(today.month, day, today))[:1]
            if day >= today.day
            else _next_of(today.month % 12 + 1, day, today)
        )


def _months_and_days(text: str) -> Iterator[tuple[int, int]]:
    yield from ((int(match[1]), int(match[2])) for match in _MONTH_DAY.finditer(text))
    for number, name in enumerate(MONTHS, start=1):
        for match in re.finditer(
            rf"\b{name}[a-z]*\.? (\d{{1,2}})(?!\d)|(?<!\d)(\d{{1,2}})(?:st|nd|rd|th)? (?:of )?{name}", text
        ):
            yield number, int(match[1] or match[2])
    for number, names in enumerate(THAI_MONTHS, start=1):
        for name in names:
            yield from ((number, int(match[1])) for match in re.finditer(rf"(\d{{1,2}})\s*{re.escape(name)}", text))


def _next_of(month: int, day: int, today: dt.date) -> Iterator[dt.date]:
    for year in (today.year, today.year + 1):
        for date in existing_date(year, month, day):
            if date >= today:
                yield date
                return


def existing_date(year: int, month: int, day: int) -> Iterator[dt.date]:
    """Yield the date, if there is such a day: nothing for February 30."""
    try:
        yield dt.date(year, month, day)
    except ValueError:
        return


def _hours(text: str) -> Iterator[dt.time]:
    for match in _HAN_CLOCK.finditer(text):
        yield from _with_part_of_day(int(match[1]), int(match[2] or (30 if match[3] else 0)), text)
    for match in _COLON_CLOCK.finditer(text):
        yield from _of_half(int(match[1]), int(match[2]), match[3], text)
    for match in _ENGLISH_CLOCK.finditer(text):
        yield from _of_half(int(match[1]), 0, match[2], text)
    for match in _BARE_CLOCK.finditer(text):
        yield from _with_part_of_day(int(match[1] or match[2]), 0, text)
    for match in _HALF_PAST.finditer(text):
        yield from _with_part_of_day(int(match[1]), 30, text)
    for match in _THAI_CLOCK.finditer(text):
        if not re.search(r"บ่าย\s*$", text[: match.start()]):
            yield from _with_part_of_day(int(match[1]), 30 if match[2] else 0, text)
    for form, first in ((_THAI_AFTERNOON, 12), (_THAI_EVENING, 18), (_THAI_NIGHT, 0)):
        for match in form.finditer(text):
            yield from _time(first + int(match[1] or 1), 30 if match[2] else 0)
    yield from _time(12, 0) if _NOON_WORD.search(text) else ()
    yield from _time(0, 0) if _MIDNIGHT_WORD.search(text) else ()


def _of_half(hour: int, minute: int, half: str | None, text: str) -> Iterator[dt.time]:
    if half is None:
        yield from _with_part_of_day(hour, minute, text)
    else:
        yield from _time(hour % _NOON + (_NOON if half[0] == "p" else 0), minute)


def _with_part_of_day(hour: int, minute: int, text: str) -> Iterator[dt.time]:
    """Yield the hour as written; next to an evening word alone, yield the other half of the day: 夜9時 is 21:00."""
    is_morning, is_evening = _MORNING.search(text) is not None, _EVENING.search(text) is not None
    if is_morning or not is_evening or not 0 < hour < _NOON:
        yield from _time(hour % 24, minute)
    if is_evening and 0 < hour < _NOON:
        yield from _time(hour + _NOON, minute)


def _time(hour: int, minute: int) -> Iterator[dt.time]:
    if hour < 24 and minute < 60:  # noqa: PLR2004 - of a day, of an hour
        yield dt.time(hour, minute)


def _moments(text: str, now: dt.datetime) -> Iterator[dt.datetime]:
    yield from (now + dt.timedelta(minutes=_count(match)) for match in _IN_MINUTES.finditer(text))
    yield from (now + dt.timedelta(hours=_count(match)) for match in _IN_HOURS.finditer(text))
    if _HALF_AN_HOUR.search(text):
        yield now + dt.timedelta(minutes=30)


def _count(match: re.Match[str]) -> int:
    text = next(filter(None, match.groups()))
    return min(int(text), 100_000) if text.isdigit() else 1


def _with_digits(text: str) -> str:
    text = _NUMERAL.sub(lambda match: str(_number(match[0])), text)
    for number in range(len(_THAI_NUMERALS) - 1, 0, -1):
        word = unicodedata.normalize("NFKC", _THAI_NUMERALS[number])
        text = re.sub(rf"{word}(?=\s*(?:โมง|ทุ่ม|นาที|ชั่วโมง|วัน(?!ที่)))|(?<=บ่าย){word}|(?<=ตี){word}", str(number), text)
    return text


def _number(numeral: str) -> int:
    """Return the number below a hundred that Han numerals write: `_number("二十三")` is 23."""
    tens, has_tens, ones = numeral.replace("兩", "二").replace("两", "二").partition("十")
    value = (_NUMERALS.find(tens[-1]) if tens else 1) * 10 if has_tens else 0
    digits = ones if has_tens else tens
    return value + (max(_NUMERALS.find(digits[-1]), 0) if digits else 0)
