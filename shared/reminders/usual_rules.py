"""Recurrence rules as models usually write them: the same rule in the supported spelling, so that it costs no further request."""

import re
from typing import Final

_HOURS: Final = re.compile(r"\d{1,2}(?:,\d{1,2})*", re.ASCII)
_INTERVAL: Final = re.compile(r"[1-9]\d?", re.ASCII)
_SAYS_NOTHING: Final = frozenset({("BYSECOND", "0"), ("BYSECOND", "00"), ("WKST", "MO")})


def usual_rule(rule: str, at: str) -> str:
    """Return a rule in the supported spelling, for a reminder with the first local time `at`; any other text as it is.

    For example, with 2026-11-23T09:00: `FREQ=DAILY;BYDAY=MO,TU` is `FREQ=WEEKLY;BYDAY=MO,TU`, `FREQ=DAILY;BYHOUR=9;BYMINUTE=0` is
    `FREQ=DAILY`, and `FREQ=HOURLY;INTERVAL=2;BYHOUR=9,10,11,12,13` is `FREQ=DAILY;BYHOUR=9,11,13`.
    """
    pairs = [part.partition("=")[::2] for part in rule.strip().upper().removeprefix("RRULE:").rstrip(";").split(";")]
    if len({name for name, _ in pairs}) < len(pairs):
        return rule
    parts = {name: value for name, value in pairs if (name, value) not in _SAYS_NOTHING}
    if _is_number(parts.get("BYMINUTE"), at[14:16]):
        del parts["BYMINUTE"]
    if _is_number(parts.get("BYMONTH"), at[5:7]) and parts.keys().isdisjoint({"BYDAY", "BYMONTHDAY"}):
        del parts["BYMONTH"]
    if parts.get("FREQ") == "HOURLY":
        _make_daily(parts)
    if _is_number(parts.get("BYHOUR"), at[11:13]):
        del parts["BYHOUR"]
    if parts.get("FREQ") == "DAILY" and "BYDAY" in parts and parts.get("INTERVAL", "1") == "1":
        parts["FREQ"] = "WEEKLY"
    return ";".join(f"{name}={value}" if value else name for name, value in parts.items())


def _is_number(value: str | None, digits: str) -> bool:
    return value is not None and value.zfill(2) == digits


def _make_daily(parts: dict[str, str]) -> None:
    """Make a rule of hours one of days, if it names its hours; every second hour is counted from the first."""
    hours, interval = parts.get("BYHOUR", ""), parts.get("INTERVAL", "1")
    if _HOURS.fullmatch(hours) is None or _INTERVAL.fullmatch(interval) is None:
        return
    numbers = sorted({int(one) for one in hours.split(",")})
    parts.pop("INTERVAL", None)
    parts["BYHOUR"] = ",".join(str(one) for one in numbers if (one - numbers[0]) % int(interval) == 0)
    parts["FREQ"] = "DAILY"
