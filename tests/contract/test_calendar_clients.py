"""Feeds as two calendar programs read them: by ical.js, the parser of Thunderbird and Nextcloud, and by vobject, the parser of Radicale.

Both come from their registries, locked by hashes, and run in processes of their own.
"""

import datetime as dt
import json
import shutil
import subprocess
import venv
import zoneinfo
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, cast

import pytest
import recurring_ical_events
from icalendar import Component

from shared.adapters.ics import feed_as_ics
from shared.calendars.feed import Feed, FeedItem

CLIENTS: Final = Path(__file__).with_name("calendar_clients")
STAMPED_MS: Final = 1_763_700_000_000
MOST_OCCURRENCES: Final = 40
NAME: Final = "相槌のカレンダー"
SINCE, UNTIL = dt.datetime(2025, 11, 1, tzinfo=dt.UTC), dt.datetime(2031, 1, 1, tzinfo=dt.UTC)


def item(
    number: int,
    summary: str,
    starts: str,
    zone: str = "Asia/Tokyo",
    rule: str = "",
    *,
    details: str = "",
    place: str = "",
) -> FeedItem:
    return FeedItem(
        uid=f"{number:032x}@aizuchi",
        sequence=number,
        stamped_ms=STAMPED_MS,
        summary=summary,
        details=details,
        place=place,
        starts=starts,
        zone=zone,
        rule=rule,
    )


FEED: Final = Feed(
    name=NAME,
    items=(
        item(
            1,
            "薬、水; を飲む \\n 🎏",
            "2026-11-27T09:00",
            rule="FREQ=DAILY;UNTIL=20261231T145959Z",
            details="一行目\n二行目",
        ),
        item(2, "飲み会", "2026-11-28T19:00", place="渋谷, 2階; 奥"),
        item(3, "ゴミ", "2026-11-30T07:30", rule="FREQ=WEEKLY;BYDAY=MO,TH"),
        item(4, "家賃", "2026-12-31T10:00", rule="FREQ=MONTHLY;BYMONTHDAY=-1"),
        item(5, "third Friday", "2026-12-18T18:00", rule="FREQ=MONTHLY;BYDAY=3FR;COUNT=6"),
        item(6, "call over the end of summer time", "2026-10-20T10:00", "Europe/Berlin", "FREQ=WEEKLY;COUNT=4"),
        item(7, "誕生日", "2027-05-09T08:00", rule="FREQ=YEARLY;BYMONTH=5;BYDAY=2SU;COUNT=3"),
        item(8, "締め切り" * 30, "2026-12-01", zone=""),
        item(9, "นัดหมอ", "2026-12-02T09:30", "Asia/Bangkok"),
    ),
)

Read = Callable[[bytes], Any]

pytestmark = pytest.mark.package


@pytest.fixture(scope="module")
def thunderbird(tmp_path_factory: pytest.TempPathFactory) -> Read:
    npm, node = shutil.which("npm"), shutil.which("node")
    if npm is None or node is None:
        pytest.fail("ical.js needs Node.js and npm: on Debian, apt-get install nodejs npm")
    folder = tmp_path_factory.mktemp("thunderbird")
    for name in ("package.json", "package-lock.json", "read.mjs"):
        shutil.copy(CLIENTS / name, folder / name)
    subprocess.run([npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=folder, check=True)
    return lambda data: _read([node, str(folder / "read.mjs")], data)


@pytest.fixture(scope="module")
def radicale(tmp_path_factory: pytest.TempPathFactory) -> Read:
    folder = tmp_path_factory.mktemp("radicale")
    venv.create(folder, with_pip=True)
    python = str(folder / "bin" / "python")
    locked = str(CLIENTS / "requirements.txt")
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--require-hashes", "-r", locked], check=True)
    return lambda data: _read([python, str(CLIENTS / "read_feed.py")], data)


@pytest.fixture(params=["thunderbird", "radicale"])
def client(request: pytest.FixtureRequest) -> Read:
    return cast("Read", request.getfixturevalue(request.param))


def _read(command: list[str], data: bytes) -> Any:  # noqa: ANN401 - JSON
    ended = subprocess.run(command, input=data, capture_output=True, check=False)
    assert ended.returncode == 0, ended.stderr.decode()
    return json.loads(ended.stdout)


def occurrences_of(item: FeedItem) -> list[str]:
    """Return the first occurrences by a third library."""
    if not item.zone:
        return [item.starts]
    calendar = Component.from_ical(feed_as_ics(Feed(items=(item,))))
    starts = [event["DTSTART"].dt for event in recurring_ical_events.of(calendar).between(SINCE, UNTIL)]
    return [one.astimezone(dt.UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z") for one in sorted(starts)][:MOST_OCCURRENCES]


def test_a_client_reads_every_event_with_its_words_and_occurrences(client: Read) -> None:
    read = client(feed_as_ics(FEED))

    assert read["name"] == NAME
    assert read["events"] == [
        {
            "uid": one.uid,
            "sequence": one.sequence,
            "summary": one.summary,
            "location": one.place,
            "description": one.details,
            "starts": occurrences_of(one),
        }
        for one in FEED.items
    ]


def test_an_event_at_ten_in_berlin_stays_at_ten_when_summer_time_ends(client: Read) -> None:
    read = client(feed_as_ics(FEED))

    (call,) = [one for one in read["events"] if one["summary"].startswith("call")]
    berlin = zoneinfo.ZoneInfo("Europe/Berlin")
    local = [dt.datetime.fromisoformat(one).astimezone(berlin) for one in call["starts"]]
    assert [(one.day, one.hour) for one in local] == [(20, 10), (27, 10), (3, 10), (10, 10)]


def test_an_empty_feed_is_a_calendar_for_a_client(thunderbird: Read) -> None:
    assert thunderbird(feed_as_ics(Feed(name=NAME)))["events"] == []


def test_the_library_that_writes_finds_no_error_in_what_it_wrote() -> None:
    calendar = Component.from_ical(feed_as_ics(FEED))

    assert [error for component in calendar.walk() for error in component.errors] == []
