"""The feeds function's endpoint: an address opens one feed, and nothing else of the bucket."""

import hashlib
import io
import json
from http import HTTPStatus
from typing import Final

import pytest

from functions.feeds.serve import FeedEndpoint
from shared import logs
from shared.adapters.ics import feed_as_ics
from shared.adapters.memory import MemoryObjectStore
from shared.calendars.feed import Feed, FeedItem, feed_name, token_of
from shared.errors import StorageUnavailableError
from shared.storage.codec import encode
from shared.storage.object_store import StoredObject

TOKEN: Final = token_of("a", "b")
FEED: Final = Feed(
    name="Aizuchi", items=(FeedItem(uid="a@aizuchi", sequence=0, stamped_ms=0, summary="rent", starts="2026-12-01"),)
)


class ReadStore(MemoryObjectStore):
    """A bucket that tells which objects are read."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []
        self.fault: Exception | None = None

    def read(self, name: str) -> StoredObject | None:
        self.names.append(name)
        if self.fault is not None:
            raise self.fault
        return super().read(name)


@pytest.fixture
def store() -> ReadStore:
    store = ReadStore()
    store.create(feed_name(TOKEN), encode(FEED))
    return store


@pytest.fixture
def endpoint(store: ReadStore) -> FeedEndpoint:
    return FeedEndpoint(store=store, write=feed_as_ics)


@pytest.mark.parametrize("path", [f"/{TOKEN}.ics", f"/feeds/{TOKEN}.ics", f"/{TOKEN}"])
def test_the_address_opens_the_feed(endpoint: FeedEndpoint, path: str) -> None:
    answer = endpoint("GET", path)

    assert (answer.status, answer.headers["Content-Type"]) == (HTTPStatus.OK, "text/calendar; charset=utf-8")
    assert b"SUMMARY:rent" in answer.body
    assert answer.headers["Cache-Control"] == "private, no-cache"


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/.ics",
        f"/{TOKEN[:-1]}.ics",
        f"/{TOKEN}0.ics",
        f"/{TOKEN.upper()}.ics",
        f"/{token_of('a', 'c')}.ics",
        f"/{hashlib.sha256(TOKEN.encode()).hexdigest()}.json",
        f"/{feed_name(TOKEN)}",
        "/../calendars/U1/calendar.json",
        "/%2e%2e/turns/U1.json",
        "/c" + "é" * 40,
    ],
)
def test_every_other_address_is_unknown(endpoint: FeedEndpoint, path: str) -> None:
    assert endpoint("GET", path).status is HTTPStatus.NOT_FOUND


def test_no_name_outside_the_prefix_is_ever_read(endpoint: FeedEndpoint, store: ReadStore) -> None:
    for path in ("/../x.ics", f"/feeds/{TOKEN}.ics", "/c" + "0" * 40, "/calendars/U1/calendar.json"):
        endpoint("GET", path)

    assert store.names
    assert all(name.startswith("feeds/") for name in store.names)


@pytest.mark.parametrize("sent", ["{tag}", "W/{tag}", '"other", {tag}', "*"])
def test_a_client_that_has_the_feed_gets_no_body(endpoint: FeedEndpoint, sent: str) -> None:
    tag = endpoint("GET", f"/{TOKEN}.ics").headers["ETag"]

    answer = endpoint("GET", f"/{TOKEN}.ics", if_none_match=sent.format(tag=tag))

    assert (answer.status, answer.body, answer.headers["ETag"]) == (HTTPStatus.NOT_MODIFIED, b"", tag)


def test_a_changed_feed_has_another_tag(endpoint: FeedEndpoint, store: ReadStore) -> None:
    tag = endpoint("GET", f"/{TOKEN}.ics").headers["ETag"]
    stored = store.read(feed_name(TOKEN))
    assert stored is not None
    store.replace(feed_name(TOKEN), encode(Feed(name="Aizuchi")), generation=stored.generation)

    answer = endpoint("GET", f"/{TOKEN}.ics", if_none_match=tag)

    assert answer.status is HTTPStatus.OK
    assert b"SUMMARY" not in answer.body


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
def test_nothing_can_be_written(endpoint: FeedEndpoint, method: str) -> None:
    answer = endpoint(method, f"/{TOKEN}.ics")

    assert (answer.status, answer.headers["Allow"]) == (HTTPStatus.METHOD_NOT_ALLOWED, "GET, HEAD")


def test_a_bucket_that_does_not_answer_is_tried_again_later(endpoint: FeedEndpoint, store: ReadStore) -> None:
    store.fault = StorageUnavailableError("down")

    answer = endpoint("GET", f"/{TOKEN}.ics")

    assert (answer.status, answer.headers["Retry-After"]) == (HTTPStatus.SERVICE_UNAVAILABLE, "60")


def test_an_unreadable_feed_is_an_answer(endpoint: FeedEndpoint, store: ReadStore) -> None:
    broken = token_of("b", "b")
    store.create(feed_name(broken), b"{")

    assert endpoint("GET", f"/{broken}.ics").status is HTTPStatus.INTERNAL_SERVER_ERROR


def test_no_log_line_holds_the_address(endpoint: FeedEndpoint, store: ReadStore) -> None:
    stream = io.StringIO()
    logs.configure(stream)
    try:
        for fault in (None, StorageUnavailableError("down"), ValueError(TOKEN)):
            store.fault = fault
            endpoint("GET", f"/{TOKEN}.ics")
    finally:
        logs.configure()

    lines = stream.getvalue()
    assert [json.loads(line)["message"] for line in lines.splitlines()] == ["feed_read", "feed_failed", "feed_crashed"]
    assert TOKEN not in lines
    assert hashlib.sha256(TOKEN.encode()).hexdigest() not in lines
