"""Serve the feeds of calendars: a request's address names a feed by its token, and the answer is an iCalendar file.

GET /c4f1….ics  ─▶  feeds/9f3a….json  ─▶  200 text/calendar with an ETag, or 304
"""

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import field
from http import HTTPStatus
from typing import Final

from shared import logs
from shared.calendars.feed import FEED_SUFFIX, Feed, feed_name, is_token
from shared.errors import AizuchiError, TransientError
from shared.frozen import frozen
from shared.storage.codec import decode
from shared.storage.object_store import ObjectStore
from shared.version import version

_PRIVATE: Final = {
    "Cache-Control": "private, no-cache",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Robots-Tag": "noindex, nofollow",
}
_TAG: Final = re.compile(r'(?:W/)?("[^"]*")')


@frozen
class FeedAnswer:
    """The answer to a request."""

    status: HTTPStatus
    body: bytes = field(default=b"", repr=False)
    headers: Mapping[str, str] = field(default_factory=dict)


@frozen
class FeedEndpoint:
    """Answers requests for feeds.  `write` makes the file of a feed; `store` is read by exact names below `feeds/` only."""

    store: ObjectStore
    write: Callable[[Feed], bytes] = field(repr=False)

    def __call__(self, method: str, path: str, *, if_none_match: str | None = None) -> FeedAnswer:
        """Return the feed of the address's token, or 304 where the client has it; 404 for every other address.  Never raises.

        The address is the key to the feed, so no log line holds it. Example: `("GET", "/feeds/c4f1….ics")`.
        """
        if method not in {"GET", "HEAD"}:
            return _plain(HTTPStatus.METHOD_NOT_ALLOWED, {"Allow": "GET, HEAD"})
        try:
            answer = self._answer(path.rpartition("/")[2], if_none_match or "")
        except TransientError as cause:
            logs.error("feed_failed", cause=cause)
            return _plain(HTTPStatus.SERVICE_UNAVAILABLE, {"Retry-After": "60"})
        except AizuchiError as cause:
            logs.error("feed_failed", cause=cause)
            return _plain(HTTPStatus.INTERNAL_SERVER_ERROR)
        except Exception as cause:  # noqa: BLE001 - an answer, whatever the fault
            logs.error("feed_crashed", cause=cause)
            return _plain(HTTPStatus.INTERNAL_SERVER_ERROR)
        logs.info("feed_read", status=int(answer.status))
        return answer

    def _answer(self, file_name: str, if_none_match: str) -> FeedAnswer:
        token = file_name.removesuffix(FEED_SUFFIX)
        stored = self.store.read(feed_name(token)) if is_token(token) else None
        if stored is None:
            return _plain(HTTPStatus.NOT_FOUND)
        tag = _tag_of(stored.data)
        if tag in _TAG.findall(if_none_match) or if_none_match.strip() == "*":
            return FeedAnswer(status=HTTPStatus.NOT_MODIFIED, headers={**_PRIVATE, "ETag": tag})
        headers = {
            **_PRIVATE,
            "ETag": tag,
            "Content-Type": "text/calendar; charset=utf-8",
            "Content-Disposition": 'inline; filename="calendar.ics"',
        }
        return FeedAnswer(status=HTTPStatus.OK, body=self.write(decode(Feed, stored.data)), headers=headers)


def _tag_of(data: bytes) -> str:
    """Return the ETag: another one after every change of the feed, and for another release, which may write the same feed differently."""
    return f'"{hashlib.sha256(version().encode() + data).hexdigest()[:32]}"'


def _plain(status: HTTPStatus, headers: Mapping[str, str] | None = None) -> FeedAnswer:
    more = {"Content-Type": "text/plain; charset=utf-8", **(headers or {})}
    return FeedAnswer(status=status, body=status.phrase.encode(), headers={**_PRIVATE, **more})
