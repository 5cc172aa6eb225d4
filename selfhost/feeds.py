"""Calendars in the self-hosted process, imported only with CALENDAR=on."""

from collections.abc import Mapping
from dataclasses import dataclass

from functions.feeds.serve import FeedEndpoint
from shared.adapters.ics import feed_as_ics
from shared.handlers.calendar import FEEDS_PATH
from shared.storage.object_store import ObjectStore


@dataclass(frozen=True, slots=True)
class ServedFeeds:
    """The endpoint of functions/feeds, as the public server calls it; a Feeds."""

    endpoint: FeedEndpoint

    @classmethod
    def on(cls, store: ObjectStore) -> "ServedFeeds":
        """Return what serves the calendars of the store."""
        return cls(FeedEndpoint(store=store, write=feed_as_ics))

    def is_for(self, path: str) -> bool:
        return path.startswith(f"{FEEDS_PATH}/")

    def answer(self, method: str, path: str, if_none_match: str | None) -> tuple[bytes, int, Mapping[str, str]]:
        answered = self.endpoint(method, path, if_none_match=if_none_match)
        return answered.body, answered.status, answered.headers
