"""A weekday beside another day's date, in a person's words or in a reply, such as 「11月27日(木)」 where the 27th is a Friday.

Only neighbouring words count: 「27日の会議を木曜に」 moves a meeting, and contradicts nothing.
"""

import datetime as dt
import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Final

from shared.agent.said_times import MONTHS, THAI_MONTHS, existing_date, normal_form, weekdays_in
from shared.frozen import frozen
from shared.late_patterns import late
from shared.search.folding import fold

_A_WEEK: Final = dt.timedelta(days=6)
_NIGHT_ENDS: Final = 4  # until then "tomorrow" may be the coming daylight
_WEEKDAYS: Final = (
    "月|一|mon(?:day)?|จันทร์",
    "火|二|tue(?:s(?:day)?)?|อังคาร",
    "水|三|wed(?:nesday)?|พุธ",
    "木|四|thu(?:rs?(?:day)?)?|พฤหัส(?:บดี)?",
    "金|五|fri(?:day)?|ศุกร์",
    "土|六|sat(?:urday)?|เสาร์",
    "日|天|sun(?:day)?|อาทิตย์",
)
_NAMES: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_HAN: Final = "月火水木金土日"
_QUOTED: Final = late(re.compile, r"「[^」]*」|『[^』]*』|“[^”]*”|\"[^\"\n]*\"|《[^》]*》")
_HAN_NUMBER: Final = "一二三四五六日天"


_WEEKDAY: Final = (
    rf"(?:[{_HAN}]曜日?|(?:週|周|星期|禮拜|礼拜)[{_HAN_NUMBER}]"
    r"|\b(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?\b\.?"
    r"|(?:วัน)?(?:จันทร์|อังคาร|พุธ|พฤหัส(?:บดี)?|ศุกร์|เสาร์|อาทิตย์))"
)
_ENGLISH_MONTH: Final = rf"(?:{'|'.join(MONTHS)})[a-z]*\.?"
_THAI_MONTH: Final = "|".join(re.escape(name) for names in THAI_MONTHS for name in names)
_DATE: Final = (
    r"(?:(?<![\d/])(?P<year>\d{4})[-/年](?P<month>\d{1,2})[-/月](?P<day>\d{1,2})日?(?!\d)"
    r"|(?<![\d/.])(?P<month_2>\d{1,2})(?:月|/)(?P<day_2>\d{1,2})[日號号]?(?![\d/])"
    rf"|\b(?P<name>{_ENGLISH_MONTH}) (?P<day_3>\d{{1,2}})(?:st|nd|rd|th)?\b"
    rf"|(?<!\d)(?P<day_4>\d{{1,2}})(?:st|nd|rd|th)? (?:of )?(?P<name_2>{_ENGLISH_MONTH})(?![a-z])"
    rf"|(?:วันที่|ที่)?\s*(?P<day_5>\d{{1,2}})\s*(?P<thai>{_THAI_MONTH})[^\s\d(]*"
    r"|(?<![\d月/])(?P<day_6>\d{1,2})(?:日(?!間|後|目)|[號号])|\bthe (?P<day_7>\d{1,2})(?:st|nd|rd|th)\b"
    r"|(?:วันที่|ที่)\s*(?P<day_8>\d{1,2})(?![\d.:])"
    r"|(?P<today>今日|\btoday\b|今天|วันนี้)|(?P<tomorrow>明日(?!後)|(?<!after )\btomorrow\b|明天|พรุ่งนี้))"
)
_DATE_FIRST: Final = normal_form(
    rf"{_DATE}\s*(?:の|,|、|は|是)?\s*(?:\((?P<short>[{_HAN}]|[{_HAN_NUMBER}])\)|\(?(?P<weekday>{_WEEKDAY}))"
)
_WEEKDAY_FIRST: Final = normal_form(rf"(?P<weekday>{_WEEKDAY})\s*(?:の|,|、)?\s*\(?{_DATE}")
_OF_WEEKDAY: Final = tuple(
    normal_form(rf"(?:週|周|星期|禮拜|礼拜|วัน)?(?:{pattern})(?:曜日?)?\.?") for pattern in _WEEKDAYS
)


@frozen
class Contradiction:
    """A date in a person's words, and the weekday beside it, Monday being 0."""

    date: dt.date
    weekday: int

    @property
    def explanation(self) -> str:
        """One sentence for the model, such as "The person wrote Thursday beside 2026-11-27, which is a Friday"."""
        return f"The person wrote {_NAMES[self.weekday]} beside {self.date}, which is a {_NAMES[self.date.weekday()]}."


def contradiction_at(phrases: Sequence[tuple[str, dt.datetime]], at: dt.datetime) -> Contradiction | None:
    """Return what contradicts a reminder at the local time `at` in the person's words; None: nothing does.

    `said` are the messages to answer, oldest first, each with its local time. A later message with the reminder's weekday settles the
    matter. For example, 「11月27日(木)に歯医者」 contradicts a reminder on the 27th, and one on Thursday the 26th.
    """
    for place, (text, said_at) in enumerate(phrases):
        later = " ".join(fold(later_text) for later_text, _ in phrases[place + 1 :])
        if at.weekday() in weekdays_in(later):
            continue
        for contradiction in _contradictions(fold(text), said_at, at.date()):
            distance = abs(at.date() - contradiction.date)
            if not distance or (at.weekday() == contradiction.weekday and distance <= _A_WEEK):
                return contradiction
    return None


def wrong_weekday_in(reply: str, *, now: dt.datetime, heard: Sequence[str]) -> str | None:
    """Return what is wrong with a weekday beside a date in the bot's own words, such as "Monday beside 2026-12-01, which is a Tuesday".

    Quoted words are not the bot's own, nor is what people wrote (`heard`); a reply that also has the right weekday beside the date explains
    the wrong one. None: nothing is wrong.
    """
    own = list(_pairs(fold(_QUOTED.sub(" ", reply)), now, now.date()))
    right_dates = {date for dates, weekday in own for date in dates if date.weekday() == weekday}
    for dates, weekday in own:
        if right_dates.isdisjoint(dates):
            pairs = (pair for text in heard for pair in _pairs(fold(text), now, now.date()))
            if (dates, weekday) not in pairs:
                return f"{_NAMES[weekday]} beside {dates[0]}, which is a {_NAMES[dates[0].weekday()]}"
    return None


def _contradictions(folded: str, said_at: dt.datetime, near: dt.date) -> Iterator[Contradiction]:
    for dates, weekday in _pairs(folded, said_at, near):
        if weekday not in {date.weekday() for date in dates}:
            yield Contradiction(date=min(dates, key=lambda date: abs(date - near)), weekday=weekday)


def _pairs(folded: str, said_at: dt.datetime, near: dt.date) -> Iterator[tuple[tuple[dt.date, ...], int]]:
    """Yield each date beside a weekday, as the day or the two days that the date may mean, with the weekday."""
    for form in (_DATE_FIRST, _WEEKDAY_FIRST):
        for match in form.finditer(folded):
            groups = {name.partition("_")[0]: text for name, text in match.groupdict().items() if text is not None}
            weekday = _weekday(groups.get("weekday") or groups["short"])
            dates = _dates(groups, said_at, near)
            if weekday is not None and dates:
                yield dates, weekday


def _weekday(text: str) -> int | None:
    return next((number for number, form in enumerate(_OF_WEEKDAY) if form.fullmatch(text.strip())), None)


def _dates(groups: dict[str, str], said_at: dt.datetime, near: dt.date) -> tuple[dt.date, ...]:
    """Return the date that the words name, near the reminder's; of "tomorrow" after midnight, both days that it may mean."""
    today = said_at.date()
    tomorrow = today + dt.timedelta(days=1)
    if "today" in groups:
        return (today,)
    if "tomorrow" in groups:
        return (tomorrow, today) if said_at.hour < _NIGHT_ENDS else (tomorrow,)
    day, month = int(groups["day"]), _month(groups)
    if "year" in groups and month is not None:
        return tuple(existing_date(int(groups["year"]), month, day))
    if month is not None:
        dates = [date for year in (-1, 0, 1) for date in existing_date(near.year + year, month, day)]
    else:
        months = [divmod(near.year * 12 + near.month - 1 + step, 12) for step in (-1, 0, 1)]
        dates = [date for year, number in months for date in existing_date(year, number + 1, day)]
    return tuple(sorted(dates, key=lambda date: abs(date - near))[:1])


def _month(groups: dict[str, str]) -> int | None:
    if "month" in groups:
        return int(groups["month"])
    if "name" in groups:
        return MONTHS.index(groups["name"][:3]) + 1
    if "thai" in groups:
        return next(number for number, names in enumerate(THAI_MONTHS, start=1) if groups["thai"] in _normal(names))
    return None


def _normal(names: Sequence[str]) -> list[str]:
    return [unicodedata.normalize("NFKC", name) for name in names]
