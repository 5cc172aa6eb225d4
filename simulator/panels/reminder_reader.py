"""A chat's due reminders for the page, read from the bucket."""

import asyncio
import datetime as dt
import json
import zoneinfo
from collections.abc import Mapping
from typing import Any, Final

from shared.locales import LOCALES
from shared.locales.local_times import shown_recurrence
from shared.recurrence import Recurrence
from simulator.panels.bucket_view import BucketView

_PREFIX: Final = "reminders/"
_SHOWN: Final = ("id", "kind", "text", "zone")


class ReminderReader(BucketView):
    """Reads `reminders/{chat_id}/` of a bucket.  Lives in one event loop."""

    places = (_PREFIX,)

    async def of(self, chat_id: str) -> list[dict[str, Any]]:
        """Return `{"id", "kind", "text", "zone", "next_ms", "waits", "recurs"}` for each open reminder, the next first.

        `recurs` has the recurrence in words by language, such as `{"en": "every day at 09:00", ...}`; empty: the reminder is said once.
        """
        prefix = f"{_PREFIX}{chat_id}/"
        texts = await asyncio.gather(
            *(self._bucket.text(f"{prefix}{name}") for name in await self._bucket.generations(prefix))
        )
        reminders = [one for one in map(_reminder, texts) if one is not None]
        return sorted(reminders, key=lambda reminder: (reminder["next_ms"], reminder["id"]))


def _reminder(text: str | None) -> dict[str, Any] | None:
    """Return the page's fields of a record; None for an ended or unreadable reminder."""
    try:
        record = json.loads(text or "")
        if record["state"] != "open":
            return None
        next_ms = record["kept_ms"] or record["due_ms"]
        return {
            **{name: record[name] for name in _SHOWN},
            "next_ms": int(next_ms),
            "waits": record["kept_ms"] is not None,
            "recurs": _recurs(record["rule"], record["start"], record["zone"], int(next_ms)),
        }
    except (ValueError, KeyError, TypeError):
        return None


def _recurs(rule: str | None, start: str, zone_name: str, next_ms: int) -> Mapping[str, str]:
    if rule is None:
        return {}
    zone = zoneinfo.ZoneInfo(zone_name)
    recurrence, first = Recurrence.parse(rule, zone), dt.datetime.fromisoformat(start)
    this_year = dt.datetime.fromtimestamp(next_ms / 1_000, zone).year
    return {locale: shown_recurrence(recurrence, start=first, locale=locale, this_year=this_year) for locale in LOCALES}
