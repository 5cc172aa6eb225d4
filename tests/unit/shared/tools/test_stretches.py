"""Stretches of time and queries as a model names them."""

import datetime as dt
import zoneinfo

import pytest

from shared.agent.model import Json
from shared.agent.tools import ToolFault
from shared.tools.stretches import queries_of, stretch_of

TOKYO = zoneinfo.ZoneInfo("Asia/Tokyo")
DAY_MS = 24 * 3_600_000


def ms(text: str) -> int:
    return int(dt.datetime.fromisoformat(text).timestamp() * 1_000)


@pytest.mark.parametrize(
    ("arguments", "stretch"),
    [
        ({}, (None, None)),
        ({"since": "0001-01-01"}, (0, None)),
        ({"since": "2026-11-22"}, (ms("2026-11-22T00:00+09:00"), None)),
        ({"until": "2026-11-22"}, (None, ms("2026-11-23T00:00+09:00") - 1)),
        (
            {"since": "2026-11-22", "until": "2026-11-22"},
            (ms("2026-11-22T00:00+09:00"), ms("2026-11-23T00:00+09:00") - 1),
        ),
        (
            {"since": "2026-11-22T09:30", "until": "2026-11-22 09:30:00"},
            (ms("2026-11-22T09:30+09:00"), ms("2026-11-22T09:30+09:00")),
        ),
        (
            {"since": "2026-11-22T09:30", "until": "2026-11-22T09:30"},
            (ms("2026-11-22T09:30+09:00"), ms("2026-11-22T09:31+09:00") - 1),
        ),
    ],
)
def test_a_last_day_or_minute_counts_whole(arguments: Json, stretch: tuple[int | None, int | None]) -> None:
    assert stretch_of(arguments, TOKYO) == stretch


@pytest.mark.parametrize(
    ("zone", "arguments", "stretch"),
    [
        (  # an hour that comes twice
            "Europe/Berlin",
            {"since": "2026-10-25T02:30:00", "until": "2026-10-25T02:30:00"},
            (ms("2026-10-25T02:30+02:00"), ms("2026-10-25T02:30+01:00")),
        ),
        (  # a day whose last hour comes twice
            "America/Santiago",
            {"since": "2026-04-04", "until": "2026-04-04"},
            (ms("2026-04-04T00:00-03:00"), ms("2026-04-05T00:00-04:00") - 1),
        ),
        (  # a day without its first hour
            "America/Santiago",
            {"since": "2026-09-06", "until": "2026-09-06"},
            (ms("2026-09-06T01:00-03:00"), ms("2026-09-07T00:00-03:00") - 1),
        ),
        (  # an hour that does not come
            "Europe/Berlin",
            {"since": "2026-03-29T01:59", "until": "2026-03-29T02:30:00"},
            (ms("2026-03-29T01:59+01:00"), ms("2026-03-29T03:30+02:00")),
        ),
    ],
)
def test_a_stretch_ends_when_its_time_comes_for_the_last_time(
    zone: str, arguments: Json, stretch: tuple[int | None, int | None]
) -> None:
    assert stretch_of(arguments, zoneinfo.ZoneInfo(zone)) == stretch


@pytest.mark.parametrize("text", ["yesterday", "2026-13-01", "2026-11-22T25:00", "２０２６-11-22", "2026-11-22T09:30Z"])
@pytest.mark.parametrize("name", ["since", "until"])
def test_a_time_that_does_not_exist_is_answered_with_a_fault(name: str, text: str) -> None:
    found = stretch_of({name: text}, TOKYO)

    assert isinstance(found, ToolFault)
    assert found.may_retry


def test_a_stretch_does_not_end_before_it_begins() -> None:
    found = stretch_of({"since": "2026-11-22T09:31", "until": "2026-11-22T09:30"}, TOKYO)

    assert isinstance(found, ToolFault)
    assert "must not be later" in found.message


@pytest.mark.parametrize(
    ("arguments", "queries"),
    [
        ({}, ()),
        ({"query": "a"}, ("a",)),
        ({"query": " ", "alternatives": ["b", "", 7]}, ("b",)),
        ({"query": "a", "alternatives": ("b", "c")}, ("a", "b", "c")),
        ({"query": "a", "alternatives": "b"}, ("a",)),
        ({"query": "a", "alternatives": {"b": 1}}, ("a",)),
    ],
)
def test_queries_are_texts_that_hold_anything(arguments: Json, queries: tuple[str, ...]) -> None:
    assert queries_of(arguments) == queries
