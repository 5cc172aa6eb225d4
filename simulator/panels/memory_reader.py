"""The bot's memory of a chat for the page: journal, snapshot and archive, each message once, by month, with a search for words."""

import asyncio
import datetime as dt
import json
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

from simulator.panels.bucket_reader import BucketReader
from simulator.panels.bucket_view import BucketView

LINES_SHOWN: Final = 500
_OUTCOME: Final = ".outcome.json"
_SENT: Final = frozenset({"replied", "unknown"})


class MemoryReader(BucketView):
    """Reads a chat's stored messages and answers.  Lives in one event loop."""

    places = ("journal/", "snapshots/", "archive/")

    def __init__(self, bucket: BucketReader, *, time_zone: dt.tzinfo = dt.UTC) -> None:
        super().__init__(bucket)
        self._time_zone = time_zone

    async def of(self, chat_id: str, *, month: str = "", query: str = "") -> dict[str, Any]:
        """Return `{"months": [{"month", "count"}], "lines": [{"at", "user_id", "text"}], "left_out"}`, months newest first.

        Lines are from the month, or contain the query; the newest LINES_SHOWN are returned, oldest first. `user_id` is None for the bot.
        For example, `of("C1", month="2026-11")` returns the lines of November.
        """
        dated_records = await self._dated_records(chat_id)
        folded_query = _fold(query)
        lines = [
            {"at": at, "user_id": record.get("user_id"), "text": str(record["text"])}
            for at, record in dated_records
            if (folded_query and folded_query in _fold(str(record["text"])))
            or (not folded_query and month and at.startswith(month))
        ]
        months = Counter(at[:7] for at, _ in dated_records)
        return {
            "months": [{"month": one, "count": months[one]} for one in sorted(months, reverse=True)],
            "lines": lines[-LINES_SHOWN:],
            "left_out": max(0, len(lines) - LINES_SHOWN),
        }

    async def _dated_records(self, chat_id: str) -> list[tuple[str, Mapping[str, Any]]]:
        """Return every message and answer with its local time, oldest first."""
        folders = (f"journal/{chat_id}/", f"archive/{chat_id}/")
        listings = await asyncio.gather(*(self._bucket.generations(one) for one in folders))
        names = [f"{folder}{name}" for folder, listing in zip(folders, listings, strict=True) for name in listing]
        names.append(f"snapshots/{chat_id}.json")
        texts = await asyncio.gather(*(self._bucket.text(name) for name in names))
        records: dict[str, Mapping[str, Any]] = {}
        for name, text in zip(names, texts, strict=True):
            if text is not None:
                records |= {_id_of(one): one for one in _records(name, json.loads(text)) if one.get("text")}
        in_order = sorted(
            records.values(), key=lambda record: (int(record["timestamp_ms"]), "line_message_id" not in record)
        )
        return [(self._local(int(one["timestamp_ms"])), one) for one in in_order]

    def _local(self, timestamp_ms: int) -> str:
        return dt.datetime.fromtimestamp(timestamp_ms / 1_000, tz=self._time_zone).strftime("%Y-%m-%d %H:%M")


def _records(name: str, stored: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the messages and the sent answers in an object; a snapshot also has the records waiting for a segment."""
    if name.startswith("journal/"):
        is_hidden = name.endswith(_OUTCOME) and stored.get("kind") not in _SENT
        yield from () if is_hidden else (stored,)
        return
    yield from stored.get("messages", ())
    answers = (*stored.get("outcomes", ()), *stored.get("answers", ()))
    yield from (one for one in answers if one.get("kind") in _SENT)
    if "leaving" in stored:
        yield from _records("archive/", stored["leaving"])


def _id_of(record: Mapping[str, Any]) -> str:
    return str(record.get("line_message_id") or record.get("webhook_event_id"))


def _fold(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold().strip()
