"""The objects of the stack's bucket for the page, over Cloud Storage's API."""

from http import HTTPStatus
from urllib.parse import quote

import httpx2

_TIMEOUT_S = 10.0


class BucketReader:
    """Lists and reads objects of a bucket.  Lives in one event loop."""

    def __init__(self, *, storage_url: str, bucket: str, transport: httpx2.AsyncBaseTransport | None = None) -> None:
        self._objects_url = f"{storage_url}/storage/v1/b/{bucket}/o"
        self._media_url = f"{storage_url}/download/storage/v1/b/{bucket}/o"
        self._http = httpx2.AsyncClient(transport=transport, timeout=_TIMEOUT_S, trust_env=False)

    async def close(self) -> None:
        """Close the connections.  Repeated: does nothing."""
        await self._http.aclose()

    async def generations(self, prefix: str) -> dict[str, str]:
        """Return the generations of all objects with the prefix, by the rest of the name.

        For example, `generations("reminders/C1/")` is `{"r1.json": "1732240000000001"}`.
        """
        page, generations = "", dict[str, str]()
        while True:
            query = {"prefix": prefix, **({"pageToken": page} if page else {})}
            answer = (await self._http.get(self._objects_url, params=query)).raise_for_status().json()
            generations |= {item["name"].removeprefix(prefix): item["generation"] for item in answer.get("items", [])}
            page = answer.get("nextPageToken", "")
            if not page:
                return generations

    async def text(self, name: str) -> str | None:
        """Return the object's text; None without an object."""
        answer = await self._http.get(f"{self._media_url}/{quote(name, safe='')}", params={"alt": "media"})
        if answer.status_code == HTTPStatus.NOT_FOUND:
            return None
        return answer.raise_for_status().content.decode("utf-8", "replace")
