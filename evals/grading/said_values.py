"""Dates and hours of a text by value, in four languages: "Dec 10", "December 10", 12月10日, 12/10 and "10 ธันวาคม" are one date.

A date has no year: people rarely name one. An hour that fits twice has two values: 9時 is 09:00 or 21:00.
"""

import datetime as dt
import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_THAI_MONTHS: Final = (
    ("ม.ค", "มกรา"), ("ก.พ", "กุมภา"), ("มี.ค", "มีนา"), ("เม.ย", "เมษา"), ("พ.ค", "พฤษภา"), ("มิ.ย", "มิถุนา"),
    ("ก.ค", "กรกฎา"), ("ส.ค", "สิงหา"), ("ก.ย", "กันยา"), ("ต.ค", "ตุลา"), ("พ.ย", "พฤศจิกา"), ("ธ.ค", "ธันวา"),
)  # fmt: skip
_NUMERALS: Final = "〇一二三四五六七八九"
_THAI_NUMBERS: Final = ("หนึ่ง", "สอง", "สาม", "สี่", "ห้า", "หก", "เจ็ด", "แปด", "เก้า", "สิบเอ็ด", "สิบสอง", "สิบ")
_THAI_VALUES: Final = (1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 10)
_ENGLISH_NUMBERS: Final = (
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
)
_NOON: Final = 12


def _form(pattern: str) -> re.Pattern[str]:
    return re.compile(unicodedata.normalize("NFKC", pattern))


_MONTH_NAMES: Final = rf"(?P<name>{'|'.join(_MONTHS)})[a-z]*\.?"
_THAI_MONTH_NAMES: Final = "|".join(re.escape(name) for names in _THAI_MONTHS for name in names)
_ISO: Final = _form(r"(?<!\d)(?P<year>\d{4})[-/年.](?P<month>\d{1,2})[-/月.](?P<day>\d{1,2})日?(?!\d)")
_NUMBERS: Final = _form(r"(?<![\d/:.])(?P<month>\d{1,2})(?:月\s*|/|-(?=\d\d(?!\d)))(?P<day>\d{1,2})[日號号]?(?![\d/:])")
_MONTH_FIRST: Final = _form(rf"\b{_MONTH_NAMES}\s*(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?![\d:])")
_DAY_FIRST: Final = _form(rf"(?<!\d)(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s*(?:of\s+)?{_MONTH_NAMES}")
_THAI_DATE: Final = _form(rf"(?<!\d)(?P<day>\d{{1,2}})\s*(?:เดือน)?\s*(?P<thai>{_THAI_MONTH_NAMES})[\u0e00-\u0e7f.]*")
_DAY_ONLY: Final = _form(
    r"(?<![\d月/])(?P<day>\d{1,2})(?:日(?!間|後|前|目|以)|[號号])|\bthe (?P<day2>\d{1,2})(?:st|nd|rd|th)\b|วันที่\s*(?P<day3>\d{1,2})(?!\d)"
)
_AHEAD: Final = (
    (_form(r"明後日|あさって|day after tomorrow|(?<!大)[後后]天|มะรืน(?:นี้)?"), 2),
    (_form(r"明日|あした|あす|明朝|明晩|tomorrow|\btmrw?\b|明天|明早|明晚|พรุ่งนี้"), 1),
    (_form(r"今日|きょう|本日|今夜|今晩|今朝|\btoday\b|\btonight\b|今天|今晚|今早|วันนี้|คืนนี้|เย็นนี้"), 0),
    (_form(r"昨日|きのう|昨夜|\byesterday\b|昨天|昨晚|เมื่อวาน(?:นี้)?|เมื่อคืน"), -1),
)
_WEEKDAYS: Final = tuple(
    _form(rf"(?:{ja})曜日?|(?<![年月\d])[(（]{ja}[)）]|(?:週|周|星期|禮拜|礼拜){zh}(?![\d點点])|\b{en}\b|{th}")
    for ja, zh, en, th in (
        ("月", "一", r"mon(?:days?)?", "วันจันทร์|จันทร์"),
        ("火", "二", r"tue(?:s|sdays?)?", "วันอังคาร|อังคาร"),
        ("水", "三", r"wed(?:nesdays?)?", "วันพุธ|พุธ"),
        ("木", "四", r"thu(?:rs?|rsdays?)?", "วันพฤหัส(?:บดี)?|พฤหัส"),
        ("金", "五", r"fri(?:days?)?", "วันศุกร์|ศุกร์"),
        ("土", "六", r"sat(?:urdays?)?", "วันเสาร์|เสาร์"),
        ("日", "[日天]", r"sun(?:days?)?", "วันอาทิตย์|(?<!สุดสัปดาห์)อาทิตย์(?!หน้า|นี้|ละ|ที่)"),
    )
)
_MORNING: Final = _form(r"朝|午前|早上|上午|凌晨|清晨|\bmorning\b|เช้า|ตี")
_EVENING: Final = _form(
    r"夜|晩|午後|夕方|昼|晚上|今晚|明晚|下午|傍晚|中午|\bevening\b|\bafternoon\b|\bnight\b|\btonight\b|เย็น|ค่ำ|บ่าย|คืน"
)
_COLON: Final = _form(
    r"(?<![\d:.])(?P<hour>\d{1,2})[:.](?P<minute>[0-5]\d)(?![\d:])\s*(?P<half>am|pm|a\.m|p\.m)?(?!\s*[%€円元])"
)
_HAN_HOUR: Final = _form(
    r"(?<![\d.])(?P<hour>\d{1,2})\s*(?:時|點鐘?|点)(?!間)(?:\s*(?P<minute>\d{1,2})\s*分?|(?P<halfpast>半))?"
)
_ENGLISH_HOUR: Final = _form(r"(?<![\d:.])(?P<hour>\d{1,2})\s*(?P<half>am|pm|a\.m|p\.m)\b")
_BARE_HOUR: Final = _form(
    r"\b(?:at|by|until) (?P<hour>\d{1,2})(?![\d:/]|\.\d|\s*(?:am|pm|%))|(?<![\d:])(?P<hour2>\d{1,2}) o['’]?clock"
)
_HALF_PAST: Final = _form(r"half past (?P<hour>\d{1,2})")
_THAI_HOUR: Final = _form(r"(?<![\d:.])(?P<hour>\d{1,2})\s*(?:โมง|นาฬิกา|น\.)\s*(?P<halfpast>ครึ่ง)?")
_THAI_OFFSETS: Final = (
    (_form(r"บ่าย\s*(?P<hour>\d{1,2})?(?:\s*โมง)?\s*(?P<halfpast>ครึ่ง)?"), 12),
    (_form(r"(?<!\d)(?P<hour>[1-5])\s*ทุ่ม\s*(?P<halfpast>ครึ่ง)?"), 18),
    (_form(r"ตี\s*(?P<hour>[1-5])(?!\d)\s*(?P<halfpast>ครึ่ง)?"), 0),
)
_WORDS: Final = (
    (_form(r"正午|\bnoon\b|\bmidday\b|เที่ยง(?!คืน)"), 12 * 60),
    (_form(r"真夜中|\bmidnight\b|午夜|เที่ยงคืน"), 0),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidValues:
    """The values that a text names.

    `dates`: month and day. `days`: days of any month. `hours`: minutes of a day, several where unclear. `remainder`: the other text.
    """

    dates: frozenset[tuple[int, int]] = frozenset()
    days: frozenset[int] = frozenset()
    weekdays: frozenset[int] = frozenset()
    hours: tuple[frozenset[int], ...] = ()
    remainder: str = field(default="", repr=False)

    def has_date(self, date: dt.date) -> bool:
        """Whether the text names the date, as a date, by its day alone or by its weekday alone."""
        if (date.month, date.day) in self.dates or date.day in self.days:
            return True
        return not self.dates and not self.days and date.weekday() in self.weekdays

    def has_hour(self, minutes: int) -> bool:
        """Whether the text names the minute of the day: "9時" has 540 and 1260, for example."""
        return any(minutes in one for one in self.hours)


def said_values(text: str, today: dt.date) -> SaidValues:
    """Read a text; "tomorrow" counts from `today`.  For example, "Dec 10 at 9 pm" has the date (12, 10) and the minute 1260."""
    reader = _Reader(_folded(text))
    dates = frozenset(_dates(reader, today))
    days = frozenset(int(next(filter(None, match.groups()))) for match in reader.take(_DAY_ONLY))
    weekdays = frozenset(number for number, form in enumerate(_WEEKDAYS) if list(reader.take(form)))
    return SaidValues(dates=dates, days=days, weekdays=weekdays, hours=tuple(_hours(reader)), remainder=reader.text)


def _folded(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    folded = re.sub(
        rf"[{_NUMERALS}十兩两]+(?=\s*(?:時|點|点|分|月|日|號|号))", lambda match: str(_number(match[0])), folded
    )
    for word, value in zip(_THAI_NUMBERS, _THAI_VALUES, strict=True):
        number = unicodedata.normalize("NFKC", word)
        folded = re.sub(rf"{number}(?=\s*(?:โมง|ทุ่ม|นาที))|(?<=บ่าย){number}|(?<=ตี){number}", str(value), folded)
    for value, word in enumerate(_ENGLISH_NUMBERS, start=1):
        folded = re.sub(
            rf"(?<=\bat ){word}\b|(?<=past ){word}\b|\b{word}(?= o['’]?clock| ?[ap]m\b)", str(value), folded
        )
    return folded


class _Reader:
    """A text from which values are taken one after the other, so that no character is read twice."""

    def __init__(self, text: str) -> None:
        self.text = text

    def take(self, form: re.Pattern[str]) -> Iterator[re.Match[str]]:
        matches = list(form.finditer(self.text))
        self.text = form.sub(" ", self.text)
        yield from matches


def _dates(reader: _Reader, today: dt.date) -> Iterator[tuple[int, int]]:
    months: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], int]], ...] = (
        (_ISO, lambda match: int(match["month"])),
        (_THAI_DATE, lambda match: _thai_month(match["thai"])),
        (_DAY_FIRST, lambda match: _MONTHS.index(match["name"]) + 1),
        (_MONTH_FIRST, lambda match: _MONTHS.index(match["name"]) + 1),
        (_NUMBERS, lambda match: int(match["month"])),
    )
    for form, month_of in months:
        for match in reader.take(form):
            if 1 <= month_of(match) <= 12 and 1 <= int(match["day"]) <= 31:  # noqa: PLR2004 - of a year, of a month
                yield month_of(match), int(match["day"])
    for form, ahead in _AHEAD:
        for _ in reader.take(form):
            date = today + dt.timedelta(days=ahead)
            yield date.month, date.day


def _hours(reader: _Reader) -> Iterator[frozenset[int]]:
    text = reader.text
    is_morning, is_evening = _MORNING.search(text) is not None, _EVENING.search(text) is not None
    for form, offset in _THAI_OFFSETS:
        for match in reader.take(form):
            yield frozenset({(offset + int(match["hour"] or 1)) * 60 + (30 if match["halfpast"] else 0)})
    for form in (_COLON, _HAN_HOUR, _ENGLISH_HOUR, _HALF_PAST, _BARE_HOUR, _THAI_HOUR):
        for match in reader.take(form):
            groups = match.groupdict()
            hour = int(groups["hour"] or groups.get("hour2") or 0)
            minute = 30 if form is _HALF_PAST or groups.get("halfpast") else int(groups.get("minute") or 0)
            if hour <= 24:  # noqa: PLR2004 - of a day
                yield _candidates(hour, minute, groups.get("half"), is_morning=is_morning, is_evening=is_evening)
    for form, minutes in _WORDS:
        for _ in reader.take(form):
            yield frozenset({minutes})


def _candidates(hour: int, minute: int, half: str | None, *, is_morning: bool, is_evening: bool) -> frozenset[int]:
    first = hour % 24 * 60 + minute
    if half:
        return frozenset({(hour % _NOON + (_NOON if half[0] == "p" else 0)) * 60 + minute})
    if not 0 < hour <= _NOON:
        return frozenset({first})
    second = (hour % _NOON + _NOON) * 60 + minute
    if is_morning != is_evening:
        return frozenset({first if is_morning else second})
    return frozenset({first, second})


def _thai_month(name: str) -> int:
    return next(
        number
        for number, names in enumerate(_THAI_MONTHS, start=1)
        if unicodedata.normalize("NFKC", name) in {unicodedata.normalize("NFKC", one) for one in names}
    )


def _number(numeral: str) -> int:
    """Return the number below a hundred that Han numerals write: `_number("二十三")` is 23."""
    tens, has_tens, ones = numeral.replace("兩", "二").replace("两", "二").partition("十")
    value = (_NUMERALS.find(tens[-1]) if tens else 1) * 10 if has_tens else 0
    digits = ones if has_tens else tens
    return value + (max(_NUMERALS.find(digits[-1]), 0) if digits else 0)
