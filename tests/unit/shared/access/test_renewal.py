"""When budgets are renewed."""

import datetime as dt
import zoneinfo
from concurrent.futures import ThreadPoolExecutor

import pytest

from shared.access.budgets import Budgets
from shared.adapters.memory import FixedClock, MemoryObjectStore
from tests.support.chats import conversations_on
from tests.support.turns import unlimited


@pytest.mark.parametrize(
    ("zone", "now", "begins"),
    [
        ("Asia/Tokyo", "2026-11-22T14:59:59+00:00", "2026-11-23T00:00:00+09:00"),
        ("Asia/Kolkata", "2026-11-22T12:00:00+00:00", "2026-11-23T00:00:00+05:30"),
        ("America/St_Johns", "2026-11-22T12:00:00+00:00", "2026-11-23T00:00:00-03:30"),
        ("UTC", "2026-11-22T12:00:00+00:00", "2026-11-23T00:00:00+00:00"),
        (
            "America/Toronto",
            "2026-10-31T12:00:00+00:00",
            "2026-11-01T00:00:00-04:00",
        ),  # the clocks change in the night after
        ("Africa/Cairo", "2026-04-23T12:00:00+00:00", "2026-04-24T01:00:00+03:00"),  # the clocks skip midnight
    ],
)
def test_budgets_are_renewed_when_the_next_day_of_the_bot_begins(
    reads: ThreadPoolExecutor, clock: FixedClock, zone: str, now: str, begins: str
) -> None:
    some = unlimited(conversations_on(MemoryObjectStore(), reads, clock).objects, clock)
    budgets = Budgets(limits=some.limits, deployment=some.deployment, time_zone=zoneinfo.ZoneInfo(zone))

    renewal_ms = budgets.renewal_ms(int(dt.datetime.fromisoformat(now).timestamp() * 1_000))
    assert dt.datetime.fromtimestamp(renewal_ms / 1_000, zoneinfo.ZoneInfo(zone)).isoformat() == begins
