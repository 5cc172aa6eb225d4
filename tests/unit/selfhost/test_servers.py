"""The public server: what it reads, and what it leaves to the webhook."""

import asyncio
from collections.abc import MutableMapping
from typing import Any

import pytest

from functions.webhook.receive import DELIVERY_LIMIT_BYTES
from selfhost.feeds import ServedFeeds
from selfhost.hooks import ServedHooks
from selfhost.servers import App, ReceivedBody, public_app
from shared.adapters.memory import FixedClock, MemoryEventBus, MemoryObjectStore
from shared.calendars.feed import Feed, feed_name
from shared.hooks.token import new_address, token_of
from shared.settings.secret import FixedSecret
from shared.storage.codec import encode
from tests.support.hooks import KEY

SIGNED = ((b"x-line-signature", b"s"),)
HANGING = 40


class Webhook:
    """Accepts what it gets, and keeps it."""

    def __init__(self) -> None:
        self.bodies: list[bytes | None] = []
        self.heads: list[tuple[str, str | None, str | None]] = []

    def __call__(
        self, method: str, body: ReceivedBody, *, signature: str | None, traceparent: str | None = None
    ) -> tuple[str, int]:
        self.heads.append((method, signature, traceparent))
        self.bodies.append(body.read(DELIVERY_LIMIT_BYTES + 1))
        return "OK", 200


class Sender:
    """Sends a request in pieces, and counts how many were read; without the last one it hangs."""

    def __init__(
        self, *pieces: bytes, headers: tuple[tuple[bytes, bytes], ...] = SIGNED, is_whole: bool = True
    ) -> None:
        self.pieces = list(pieces)
        self.is_whole = is_whole
        self.read = 0
        self.status: int | None = None
        self.answered: dict[bytes, bytes] = {}
        self.body = b""
        self.scope: dict[str, Any] = {"type": "http", "path": "/", "method": "POST", "headers": headers}

    async def receive(self) -> dict[str, Any]:
        if self.read == len(self.pieces):
            await asyncio.Event().wait()
        self.read += 1
        has_more = self.read < len(self.pieces) or not self.is_whole
        return {"type": "http.request", "body": self.pieces[self.read - 1], "more_body": has_more}

    async def send(self, message: MutableMapping[str, Any]) -> None:
        self.status = message.get("status", self.status)
        self.answered |= dict(message.get("headers", ()))
        self.body += message.get("body", b"")

    async def post(self, app: App) -> int | None:
        await app(self.scope, self.receive, self.send)
        return self.status


@pytest.fixture
def webhook() -> Webhook:
    return Webhook()


def test_the_pieces_of_a_delivery_are_one_body(webhook: Webhook) -> None:
    assert asyncio.run(Sender(b"one ", b"two").post(public_app(webhook))) == 200

    assert webhook.bodies == [b"one two"]
    assert webhook.heads == [("POST", "s", None)]


@pytest.mark.parametrize(
    "headers",
    [(), (*SIGNED, (b"content-length", str(DELIVERY_LIMIT_BYTES + 1).encode()))],
    ids=["unsigned", "too large"],
)
def test_what_is_refused_anyway_is_not_read(webhook: Webhook, headers: tuple[tuple[bytes, bytes], ...]) -> None:
    sender = Sender(b"body", headers=headers)

    asyncio.run(sender.post(public_app(webhook)))

    assert sender.read == 0
    assert webhook.bodies == [None]


def test_no_more_is_read_than_a_delivery_may_have(webhook: Webhook) -> None:
    sender = Sender(*[b"x" * 65_536] * 40)

    asyncio.run(sender.post(public_app(webhook)))

    assert sender.read == DELIVERY_LIMIT_BYTES // 65_536 + 1


def test_senders_that_hang_hold_up_no_other(webhook: Webhook) -> None:
    async def answered() -> tuple[int | None, int]:
        app = public_app(webhook)
        hanging = [asyncio.create_task(Sender(b"part", is_whole=False).post(app)) for _ in range(HANGING)]
        await asyncio.sleep(0)
        status = await Sender(b"whole").post(app)
        still_hanging = sum(not task.done() for task in hanging)
        for task in hanging:
            task.cancel()
        await asyncio.gather(*hanging, return_exceptions=True)
        return status, still_hanging

    assert asyncio.run(answered()) == (200, HANGING)


def notice_sender(path: str, *pieces: bytes, headers: tuple[tuple[bytes, bytes], ...]) -> Sender:
    sender = Sender(*pieces, headers=((b"content-type", b"application/x-www-form-urlencoded"), *headers))
    sender.scope["path"], sender.scope["query_string"] = path, b""
    return sender


def test_a_notice_is_taken_beside_the_webhook_and_published(webhook: Webhook) -> None:
    bus = MemoryEventBus()
    app = public_app(webhook, ServedHooks.on(bus, FixedSecret(KEY), FixedClock()))
    token = token_of(new_address(KEY, conversation_id=f"U{'1' * 32}", seed="event1"), KEY)
    authorization = (b"authorization", f"Bearer {token}".encode())

    taken = asyncio.run(notice_sender("/hooks/notify", b"message=", b"done", headers=(authorization,)).post(app))
    refused = notice_sender("/hooks/notify", b"message=x", headers=())
    assert asyncio.run(refused.post(app)) == 401
    delivered = asyncio.run(Sender(b"whole").post(app))

    assert (taken, delivered, refused.read) == (200, 200, 0)
    assert [b"done" in message.data for message in bus.published] == [True]
    assert webhook.bodies == [b"whole"]


def test_without_hooks_their_path_is_unknown(webhook: Webhook) -> None:
    assert asyncio.run(notice_sender("/hooks/notify", b"message=x", headers=()).post(public_app(webhook))) == 404


def feed_sender(method: str, token: str, headers: tuple[tuple[bytes, bytes], ...] = ()) -> Sender:
    sender = Sender(headers=headers)
    sender.scope |= {"path": f"/feeds/{token}.ics", "method": method}
    return sender


def test_a_calendar_is_served_once_and_then_only_its_tag(webhook: Webhook) -> None:
    store, token = MemoryObjectStore(), "c" + "1" * 40
    store.create(feed_name(token), encode(Feed()))
    app = public_app(webhook, feeds=ServedFeeds.on(store))

    first, head = feed_sender("GET", token), feed_sender("HEAD", token)
    assert [asyncio.run(one.post(app)) for one in (first, head)] == [200, 200]
    again = feed_sender("GET", token, ((b"if-none-match", first.answered[b"etag"]),))
    assert asyncio.run(again.post(app)) == 304

    assert first.body.startswith(b"BEGIN:VCALENDAR")
    assert (head.body, head.answered[b"content-length"]) == (b"", str(len(first.body)).encode())
    assert (again.body, again.answered.get(b"content-length")) == (b"", None)
    assert asyncio.run(feed_sender("GET", "c" + "2" * 40).post(app)) == 404
