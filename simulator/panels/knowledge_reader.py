"""The entries of the knowledge base for the page, read from the bucket over Cloud Storage's API."""

import asyncio
import re
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import quote

import httpx2

from simulator.line.listeners import Listeners

_ENTRY: Final = re.compile(r"[a-z]+/[^/]+\.md")
_INDEX: Final = "index.md"
_PREFIX: Final = "entries/"
_TOMBSTONE: Final = "{"  # a deletion leaves JSON where the entry was
_TIMEOUT_S: Final = 10.0
_WRITES: Final = frozenset({"insert", "delete"})


class KnowledgeReader:
    """Reads `entries/{chat_id}/` of a bucket.  Lives in one event loop."""

    def __init__(self, *, storage_url: str, bucket: str, transport: httpx2.AsyncBaseTransport | None = None) -> None:
        self._objects_url = f"{storage_url}/storage/v1/b/{bucket}/o"
        self._media_url = f"{storage_url}/download/storage/v1/b/{bucket}/o"
        self._http = httpx2.AsyncClient(transport=transport, timeout=_TIMEOUT_S, trust_env=False)
        self._listeners = Listeners()

    async def close(self) -> None:
        """Close the connections.  Repeated: does nothing."""
        await self._http.aclose()

    def listen(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call the listener after every write below `entries/`.  Returns: a function that removes it."""
        return self._listeners.add(listener)

    def record_storage_call(self, _name: str, fields: Mapping[str, Any]) -> None:
        """Notice a write to entries among the requests that the storage stand-in reports."""
        if fields["operation"] in _WRITES and str(fields["name"]).startswith(_PREFIX):
            self._listeners.notify()

    async def of(self, chat_id: str) -> dict[str, Any]:
        """Return `{"index", "entries": [{"path", "generation"}]}`; `index` is None for a chat without entries."""
        entries, index = await asyncio.gather(self._list_entries(chat_id), self._text(f"{_PREFIX}{chat_id}/{_INDEX}"))
        return {"index": index, "entries": entries}

    async def entry(self, chat_id: str, path: str) -> str | None:
        """Return the text of an entry; None where it does not exist."""
        text = await self._text(f"{_PREFIX}{chat_id}/{path}") if _ENTRY.fullmatch(path) else None
        return None if text is None or text.startswith(_TOMBSTONE) else text

    async def _list_entries(self, chat_id: str) -> list[dict[str, str]]:
        prefix, page, listed = f"{_PREFIX}{chat_id}/", "", []
        while True:
            query = {"prefix": prefix, **({"pageToken": page} if page else {})}
            answer = (await self._http.get(self._objects_url, params=query)).raise_for_status().json()
            listed += [(item["name"].removeprefix(prefix), item["generation"]) for item in answer.get("items", [])]
            page = answer.get("nextPageToken", "")
            if not page:
                found = [(path, at) for path, at in sorted(listed) if _ENTRY.fullmatch(path)]
                texts = await asyncio.gather(*(self.entry(chat_id, path) for path, _ in found))
                there = zip(found, texts, strict=True)
                return [{"path": path, "generation": at} for (path, at), text in there if text is not None]

    async def _text(self, name: str) -> str | None:
        answer = await self._http.get(f"{self._media_url}/{quote(name, safe='')}", params={"alt": "media"})
        if answer.status_code == HTTPStatus.NOT_FOUND:
            return None
        return answer.raise_for_status().content.decode("utf-8", "replace")
