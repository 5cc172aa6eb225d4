"""Pushes: the wrapped envelope, an HTTP request, and the outcome.

Source: https://cloud.google.com/pubsub/docs/push.
"""

import asyncio
import base64
import datetime as dt
import json
from dataclasses import dataclass
from typing import Literal

import httpx2

from simulator.pubsub.values import Delivery, SubscriptionSettings

ACKNOWLEDGING_STATUSES = frozenset({102, 200, 201, 202, 204})

_HEADERS = {"Content-Type": "application/json", "User-Agent": "CloudPubSub-Google"}

PushOutcome = Literal["acknowledged", "refused", "deadline", "unreachable"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PushResult:
    """The outcome of a push; `status` is None without an answer."""

    status: int | None
    outcome: PushOutcome


def rfc3339(moment: dt.datetime) -> str:
    """Return the time in Pub/Sub's format, for example `2026-01-31T09:30:00.125Z`."""
    return moment.astimezone(dt.UTC).strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"


def envelope(delivery: Delivery, settings: SubscriptionSettings) -> bytes:
    """Return the body of a push. Empty fields are left out; the id and the time are in both spellings."""
    published = delivery.message
    publish_time = rfc3339(published.publish_time)
    message: dict[str, object] = {
        "messageId": published.pubsub_message_id,
        "message_id": published.pubsub_message_id,
        "publishTime": publish_time,
        "publish_time": publish_time,
    }
    if published.message.data:
        message["data"] = base64.b64encode(published.message.data).decode()
    if published.message.attributes:
        message["attributes"] = dict(published.message.attributes)
    if published.message.ordering_key:
        message["orderingKey"] = published.message.ordering_key
    body: dict[str, object] = {"message": message, "subscription": settings.name}
    if settings.dead_letter_policy is not None:
        body["deliveryAttempt"] = delivery.delivery_attempt
    return json.dumps(body).encode()


class Pusher:
    """Sends pushes, without a limit on their number."""

    def __init__(self) -> None:
        # No connection is reused: a connection closed by the endpoint at that moment would look like a refusal.
        limits = httpx2.Limits(max_connections=None, max_keepalive_connections=0)
        self._client = httpx2.AsyncClient(limits=limits, timeout=None, trust_env=False, headers=_HEADERS)

    async def push(self, endpoint: str, body: bytes, *, timeout_s: float) -> PushResult:
        """Send a push, and return the outcome; redirects are not followed."""
        try:
            async with asyncio.timeout(timeout_s):
                response = await self._client.post(endpoint, content=body)
        except TimeoutError:
            return PushResult(status=None, outcome="deadline")
        except (httpx2.HTTPError, httpx2.InvalidURL):
            return PushResult(status=None, outcome="unreachable")
        acknowledged = response.status_code in ACKNOWLEDGING_STATUSES
        return PushResult(status=response.status_code, outcome="acknowledged" if acknowledged else "refused")

    async def close(self) -> None:
        """Close all connections."""
        await self._client.aclose()
