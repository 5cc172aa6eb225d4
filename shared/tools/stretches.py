"""Stretches of time as a model names them: local dates and times, from `since` to `until`."""

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
    """A text that is no date and no time."""


def stretch_of(arguments: Json, time_zone: zoneinfo.ZoneInfo) -> tuple[int | None, int | None] | ToolFault:
    """Return `since` and `until` as LINE's timestamps, None if the argument is missing; `until` is the end of that day or minute."""
    try:
        since_ms = _ms(arguments.get("since"), time_zone, is_end=False)
        until_ms = _ms(arguments.get("until"), time_zone, is_end=True)
    except _UnreadableTimeError:
        return _UNREADABLE
    if since_ms is not None and until_ms is not None and since_ms > until_ms:
        return _BACKWARDS
    return since_ms, until_ms


def queries_of(arguments: Json) -> tuple[str, ...]:
    """Return the query and its alternatives, as far as they hold anything."""
    others = arguments.get("alternatives")
    queries = (arguments.get("query"), *(others if isinstance(others, list | tuple) else ()))
    return tuple(one for one in queries if isinstance(one, str) and one.strip())


def _ms(text: object, time_zone: zoneinfo.ZoneInfo, *, is_end: bool) -> int | None:
    """Return the local date or time as LINE's timestamp.

    It is the first millisecond of a date or a minute; as an end the last one, and of a time that comes twice that of its second coming.
    """
    if text is None:
        return None
    try:
        if _DATE.fullmatch(str(text)):
            time = dt.time.max if is_end else dt.time.min
            moment = dt.datetime.combine(dt.date.fromisoformat(str(text)), time, time_zone)
        elif found := _TIME.fullmatch(str(text)):
            moment = dt.datetime.fromisoformat(str(text)).replace(tzinfo=time_zone)
            if is_end and found[1] is None:  # as the headers tell times: a minute that counts whole
                moment = moment.replace(second=59, microsecond=999_999)
        else:
            raise _UnreadableTimeError
        if is_end:
            moment = max(moment, moment.replace(fold=1), key=dt.datetime.timestamp)
        # Before 1970 nothing was said, and the first hours of year 1 have no local time
        return max(0, int(moment.timestamp() * 1_000))
    except (ValueError, OverflowError) as cause:
        raise _UnreadableTimeError from cause
