"""The requests of the benchmarks: LINE's deliveries, Pub/Sub's pushes, and single timed requests."""

import datetime as dt
import http.client
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from shared.bus.messages import BusMessage, bus_messages
from shared.line.webhook_body import parse_webhook_body
from simulator.line.deliveries import sign
from simulator.processes import HOST
from simulator.pubsub import Delivery as PubSubDelivery
from simulator.pubsub import Message, PublishedMessage, SubscriptionSettings
from simulator.pubsub.broker import wall_clock
from simulator.pubsub.push import envelope
from simulator.stack import CHANNEL_SECRET, TOPIC

_TIMEOUT_S: Final = 60.0
_DESTINATION: Final = "U8e742f61d673b39c7fff3cecb7536ef0"
_USER_ID: Final = "U4af4980629b1e5a3b9d0f2c7a8e61d35"
_EVENT: Final = {
    "type": "message",
    "message": {
        "type": "text",
        "id": "573000000000000001",
        "text": "明日の打ち合わせは何時からでしたっけ",
        "quoteToken": "q3Plxr4AgKd0",
        "markAsReadToken": "30yhdy232",
    },
    "webhookEventId": "01FZ74A0TDDPYRVKNK77XK0001",
    "deliveryContext": {"isRedelivery": False},
    "timestamp": 1_763_700_001_000,
    "source": {"type": "user", "userId": _USER_ID},
    "replyToken": "00000000000000000000000000000001",
    "mode": "active",
}
_SUBSCRIPTION: Final = SubscriptionSettings(name="projects/p/subscriptions/agent_worker", topic=TOPIC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An HTTP answer, and the time from the connection's opening to the last byte."""

    status: int
    body: bytes
    took_s: float

    def json(self) -> Any:  # noqa: ANN401 - any JSON
        """Return the decoded body."""
        return json.loads(self.body)


class UnexpectedAnswerError(Exception):
    """An unexpected answer, because of which a figure would be meaningless."""


def delivery() -> bytes:
    """Return LINE's delivery of one text message."""
    return _delivery_of(_EVENT)


def _delivery_of(event: Mapping[str, object]) -> bytes:
    payload = {"destination": _DESTINATION, "events": [event]}
    return json.dumps(payload, ensure_ascii=False, separators=(",", ":")).encode()


def signed_headers(body: bytes) -> dict[str, str]:
    """Return LINE's headers for the body."""
    return {
        "Content-Type": "application/json; charset=utf-8",
        "User-Agent": "LineBotWebhook/2.0",
        "x-line-signature": sign(CHANNEL_SECRET, body),
    }


def bus_message(body: bytes) -> BusMessage:
    """Return the webhook's message for a delivery of one event."""
    (message,) = bus_messages(parse_webhook_body(body))
    return message


def push_body(event: Mapping[str, object], *, published_ms: int | None = None) -> bytes:
    """Return Pub/Sub's push of the event, published at `published_ms`, by default now."""
    message = bus_message(_delivery_of(event))
    published = PublishedMessage(
        number=1,
        pubsub_message_id="1",
        publish_time=wall_clock()
        if published_ms is None
        else dt.datetime.fromtimestamp(published_ms / 1_000, tz=dt.UTC),
        message=Message(data=message.data, attributes=dict(message.attributes)),
    )
    pushed = PubSubDelivery(ack_id="1", message=published, copy=0, delivery_attempt=1, deadline_s=0.0)
    return envelope(pushed, _SUBSCRIPTION)


def raw_request(body: bytes, headers: Mapping[str, str]) -> bytes:
    """Return a complete HTTP request for a kept connection."""
    lines = ["POST / HTTP/1.1", f"Host: {HOST}", f"Content-Length: {len(body)}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode() + body


def send(
    port: int,
    path: str = "/",
    *,
    body: bytes | None = None,
    headers: Mapping[str, str] | None = None,
    any_status: bool = False,
) -> Answer:
    """Return the answer to a POST of the body; without a body, to a GET.

    For example, `send(8080, "/bench/databases").json()`.
    Raises: UnexpectedAnswerError, if the status is not 2xx and `any_status` is not set.
    """
    started_s = time.perf_counter()
    method = "GET" if body is None else "POST"
    connection = http.client.HTTPConnection(HOST, port, timeout=_TIMEOUT_S)
    try:
        connection.request(method, path, body=body, headers={"Connection": "close", **(headers or {})})
        response = connection.getresponse()
        answer = Answer(status=response.status, body=response.read(), took_s=time.perf_counter() - started_s)
    finally:
        connection.close()
    if not any_status and not 200 <= answer.status < 300:  # noqa: PLR2004 - 2xx
        raise UnexpectedAnswerError(f"{method} {path} on port {port} was answered {answer.status}")
    return answer
