"""Stretches of time in a model's arguments: local dates and times, from `since` to `until`."""

import datetime as dt
import re
import zoneinfo
from typing import Final

from shared.agent.model import Json
from shared.agent.tools import ToolFault

_DATE: Final = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_TIME: Final = re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2})?", re.ASCII)
_UNREADABLE: Final = ToolFault(
    message="Wrong arguments: a time is a local YYYY-MM-DD or YYYY-MM-DDTHH:MM that exists.", may_retry=True
)
_BACKWARDS: Final = ToolFault(message="Wrong arguments: `since` must not be later than `until`.", may_retry=True)


class _UnreadableTimeError(Exception):
    """The text is neither a date nor a time."""


def stretch_of(arguments: Json, time_zone: zoneinfo.ZoneInfo) -> tuple[int | None, int | None] | ToolFault:
    """Return `since` and `until` in ms since 1970, None for a missing argument; `until` is the end of the day or minute.

    For example, `{"since": "2026-11-22", "until": "2026-11-22"}` in UTC -> `(1795305600000, 1795391999999)`.
    """
    try:
        since_ms = _ms(arguments.get("since"), time_zone, is_end=False)
        until_ms = _ms(arguments.get("until"), time_zone, is_end=True)
    except _UnreadableTimeError:
        return _UNREADABLE
    if since_ms is not None and until_ms is not None and since_ms > until_ms:
        return _BACKWARDS
    return since_ms, until_ms


def queries_of(arguments: Json) -> tuple[str, ...]:
    """Return the query and the alternatives, without blanks: `{"query": "hotel", "alternatives": ["inn", " "]}` -> `("hotel", "inn")`."""
    alternatives = arguments.get("alternatives")
    queries = (arguments.get("query"), *(alternatives if isinstance(alternatives, list | tuple) else ()))
    return tuple(query for query in queries if isinstance(query, str) and query.strip())


def _ms(text: object, time_zone: zoneinfo.ZoneInfo, *, is_end: bool) -> int | None:
    """Return a local date or time in ms since 1970: the first millisecond of the date or minute, the last with `is_end`.

    When clocks go back, a local time comes twice. Then an end is the second of the two moments.
    """
    if text is None:
        return None
    try:
        if _DATE.fullmatch(str(text)):
            time = dt.time.max if is_end else dt.time.min
            moment = dt.datetime.combine(dt.date.fromisoformat(str(text)), time, time_zone)
        elif match := _TIME.fullmatch(str(text)):
            moment = dt.datetime.fromisoformat(str(text)).replace(tzinfo=time_zone)
            # As in the headers of the transcript, a time without seconds means the whole minute
            if is_end and match[1] is None:
                moment = moment.replace(second=59, microsecond=999_999)
        else:
            raise _UnreadableTimeError
        if is_end:
            moment = max(moment, moment.replace(fold=1), key=dt.datetime.timestamp)
        # No message is older than 1970, and the first hours of year 1 have no local time
        return max(0, int(moment.timestamp() * 1_000))
    except (ValueError, OverflowError) as cause:
        raise _UnreadableTimeError from cause
