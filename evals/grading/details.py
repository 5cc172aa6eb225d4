"""Details of a reply that no source holds: dates, hours, numbers, names, quotations, links and paths.

Sources are the texts of the prompts (without instructions and the list of coming days), the results of tools, and the state. Values are
compared by value: "Dec 10" is held by `due_date: 2026-12-10`. Whether a plain word is invented, only the judge can see.
"""

import datetime as dt
import re
import unicodedata
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Final

from evals.grading.said_values import said_values

_LINK: Final = re.compile(r"https?://[^\s)\]）」』。、，]+|\bwww\.[^\s)\]）]+")
_PATH: Final = re.compile(
    r"\b(?:people|projects|ideas|admin|inbox|details)/[^\s,;)）」』。、，]+|/[\w-]+/[\w./-]+\.\w+"
)
_NUMBER: Final = re.compile(r"\d[\d,]*(?:\.\d+)?")
_LIST_NUMBER: Final = re.compile(r"^\s*\(?\d{1,2}[.)、]\s*", re.MULTILINE)
_QUOTED: Final = re.compile(r"「([^」]+)」|『([^』]+)』|“([^”]+)”|\"([^\"]+)\"|《([^》]+)》")
_CAPITALISED: Final = re.compile(r"(?<![.!?:\n“\"「(] )(?<![“\"「(\w'’/@.])(?<!^)(?<!\n)\b[A-Z][a-z]{2,}\b")
_HONORIFIC: Final = re.compile(
    r"([\u3400-\u9fff\u30a1-\u30faー]{2,5}|[\u3041-\u3096]{2,4})(?:さん|様|くん|先生)|([\u4e00-\u9fff])(?:小姐|經理|老師|醫師)|คุณ([\u0e00-\u0e7f]{2,8})"
)
_PLACE: Final = re.compile(
    r"([\u4e00-\u9fff\u30a1-\u30faー]{2,8}(?:工務店|建設|商店|支店|病院|医院|醫院|診所|クリニック|ホテル|飯店|銀行|商事))"
)
_SMALL: Final = 10
_PLAIN_WORDS: Final = re.compile(
    r"line|notion|google|okay|english|japanese|chinese|thai|(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?s?"
    r"|jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?",
    re.IGNORECASE,
)
_NO_NAMES: Final = re.compile(r"皆|お客|担当者|どちら|何|誰|みな|みんな|たく|なく|ご主人")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """What a reply may repeat: all texts, the paths of entries, the counts of things, and the day of the question."""

    text: str = field(repr=False)
    paths: frozenset[str] = frozenset()
    counts: frozenset[int] = frozenset()
    today: dt.date = dt.date(2026, 11, 22)


def invented_places(words: str, sources: Sources) -> Iterator[str]:
    """Yield links and paths that no source holds.  For example, `admin/rent.md` where no such entry exists."""
    folded = _folded(sources.text)
    yield from (f"no source holds the link {link}" for link in _LINK.findall(words) if _folded(link) not in folded)
    without_links = _LINK.sub(" ", words)
    for path in _PATH.findall(without_links):
        if path.rstrip(".") not in sources.paths and _folded(path) not in folded:
            yield f"no source holds the path {path}"


def unsupported(words: str, sources: Sources) -> Iterator[str]:
    """Yield the details that no source holds.

    For example, "three quotes from Tanaka by Friday" has the name and the day too much where the entry says "get three quotes".
    """
    values, source_values = said_values(words, sources.today), said_values(sources.text, sources.today)
    folded = _folded(sources.text)
    for month, day in values.dates - source_values.dates - {(sources.today.month, sources.today.day)}:
        if day not in source_values.days and not _weekdays_of(month, day, sources.today) & source_values.weekdays:
            yield f"no source holds the date {month:02}-{day:02}"
    source_weekdays = source_values.weekdays.union(
        *(_weekdays_of(month, day, sources.today) for month, day in source_values.dates), {sources.today.weekday()}
    )
    own_weekdays = frozenset[int]().union(*(_weekdays_of(*date, sources.today) for date in values.dates))
    yield from (f"no source holds weekday {one}" for one in values.weekdays - source_weekdays - own_weekdays)
    hours = frozenset[int]().union(*source_values.hours)
    yield from (f"no source holds the hour {_clock(one)}" for one in values.hours if not one & hours)
    yield from _numbers(values.remainder, source_values.remainder, sources.counts)
    yield from _names(words, folded)


def _numbers(words: str, sources: str, counts: Collection[int]) -> Iterator[str]:
    source_numbers = {_number(one) for one in _NUMBER.findall(sources)}
    for text in _NUMBER.findall(_LIST_NUMBER.sub("", words)):
        value = _number(text)
        if value not in source_numbers and value not in counts and not (value.is_integer() and value < _SMALL):
            yield f"no source holds the number {text}"


def _names(words: str, folded: str) -> Iterator[str]:
    for match in _QUOTED.finditer(words):
        quoted = next(filter(None, match.groups()))
        if _folded(quoted.strip(" .…。")) not in folded:
            yield f"no source holds “{quoted}”"
    for form in (_HONORIFIC, _PLACE):
        for match in form.finditer(words):
            name = next(filter(None, match.groups()))
            if _NO_NAMES.fullmatch(name) is None and _folded(name) not in folded:
                yield f"no source holds the name {name}"
    for name in _CAPITALISED.findall(words):
        if _PLAIN_WORDS.fullmatch(name) is None and _folded(name) not in folded:
            yield f"no source holds the name {name}"


def _weekdays_of(month: int, day: int, today: dt.date) -> frozenset[int]:
    """Return the weekday of the date in the year in which the date is nearest to today."""
    dates = []
    for year in (today.year - 1, today.year, today.year + 1):
        try:
            dates.append(dt.date(year, month, day))
        except ValueError:
            continue
    return frozenset({min(dates, key=lambda date: abs(date - today)).weekday()} if dates else ())


def _clock(candidates: frozenset[int]) -> str:
    return " or ".join(f"{one // 60:02}:{one % 60:02}" for one in sorted(candidates))


def _number(text: str) -> float:
    return float(text.replace(",", ""))


def _folded(text: str) -> str:
    return re.sub(r"\s+", "", unicodedata.normalize("NFKC", text).casefold())
