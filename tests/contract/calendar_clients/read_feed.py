"""Read a feed on standard input as Radicale does, validate it, and print each event with its first occurrences as JSON.

Runs in an environment of its own, with `vobject`.
"""

import datetime as dt
import json
import sys
from itertools import islice
from typing import Any

import vobject  # type: ignore[import-untyped]

MOST_OCCURRENCES = 40


def shown(moment: dt.date) -> str:
    """Return the moment in UTC, or the day: `2026-11-27T00:00:00.000Z`, `2026-12-01`."""
    if not isinstance(moment, dt.datetime):
        return moment.isoformat()
    return moment.astimezone(dt.UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")


def occurrences(event: Any) -> list[str]:  # noqa: ANN401 - a component of vobject
    """Return the first occurrences of the event; rules are counted by the clock of its own zone."""
    begins = event.dtstart.value
    dates = event.getrruleset(addRDate=True) if "rrule" in event.contents else [begins]
    return [shown(date) for date in islice(dates, MOST_OCCURRENCES)]


calendar = vobject.readOne(sys.stdin.buffer.read().decode())
calendar.validate(raiseException=True)
events = [
    {
        "uid": event.uid.value,
        "sequence": int(event.sequence.value),
        "summary": event.summary.value,
        "location": event.location.value if "location" in event.contents else "",
        "description": event.description.value if "description" in event.contents else "",
        "starts": occurrences(event),
    }
    for event in calendar.vevent_list
]
json.dump({"name": calendar.contents["x-wr-calname"][0].value, "events": events}, sys.stdout)
