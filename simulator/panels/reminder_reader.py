"""A chat's due reminders for the page, read from the bucket."""

import asyncio
import json
from typing import Any, Final

from simulator.panels.bucket_view import BucketView

_PREFIX: Final = "reminders/"
_SHOWN: Final = ("id", "kind", "text", "rule", "zone")


class ReminderReader(BucketView):
    """Reads `reminders/{chat_id}/` of a bucket.  Lives in one event loop."""

    places = (_PREFIX,)

    async def of(self, chat_id: str) -> list[dict[str, Any]]:
        """Return `{"id", "kind", "text", "rule", "zone", "next_ms", "waits"}` for each open reminder, the next first."""
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
        }
    except (ValueError, KeyError, TypeError):
        return None
