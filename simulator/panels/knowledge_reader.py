"""The entries of the knowledge base for the page, read from the bucket."""

import asyncio
import re
from typing import Any, Final

from simulator.panels.bucket_view import BucketView

_ENTRY: Final = re.compile(r"[a-z]+/[^/]+\.md")
_INDEX: Final = "index.md"
_PREFIX: Final = "entries/"
_TOMBSTONE: Final = "{"  # a deletion leaves JSON where the entry was


class KnowledgeReader(BucketView):
    """Reads `entries/{chat_id}/` of a bucket.  Lives in one event loop."""

    places = (_PREFIX,)

    async def of(self, chat_id: str) -> dict[str, Any]:
        """Return `{"index", "entries": [{"path", "generation"}]}`; `index` is None for a chat without entries."""
        entries, index = await asyncio.gather(
            self._list_entries(chat_id), self._bucket.text(f"{_PREFIX}{chat_id}/{_INDEX}")
        )
        return {"index": index, "entries": entries}

    async def entry(self, chat_id: str, path: str) -> str | None:
        """Return the text of an entry; None without an entry."""
        text = await self._bucket.text(f"{_PREFIX}{chat_id}/{path}") if _ENTRY.fullmatch(path) else None
        return None if text is None or text.startswith(_TOMBSTONE) else text

    async def _list_entries(self, chat_id: str) -> list[dict[str, str]]:
        generations = await self._bucket.generations(f"{_PREFIX}{chat_id}/")
        entries = [(path, at) for path, at in sorted(generations.items()) if _ENTRY.fullmatch(path)]
        texts = await asyncio.gather(*(self.entry(chat_id, path) for path, _ in entries))
        entries_with_text = zip(entries, texts, strict=True)
        return [{"path": path, "generation": at} for (path, at), text in entries_with_text if text is not None]
