"""Deliveries of events to the webhook: signed, with two seconds to answer, redelivered if that is on, and all attempts kept."""

import asyncio
import base64
import hashlib
import hmac
import json
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final, Literal

import httpx2

from .events import WebhookEvent
from .switches import DeliverySwitches

USER_AGENT: Final = "LineBotWebhook/2.0"
ATTEMPTS_KEPT: Final = 10_000

FailureReason = Literal["could_not_connect", "request_timeout", "error_status_code", "unclassified"]
Trace = Callable[[str, dict[str, Any]], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryAttempt:
    """One request to the webhook. `status` is None where the webhook did not answer.

    Source of the reasons: docs/messaging-api/check-webhook-error-statistics.
    """

    webhook_event_ids: tuple[str, ...]
    is_redelivery: bool
    started_ms: int
    duration_ms: int
    status: int | None
    reason: FailureReason | None = None
    detail: str = ""
    body: str = field(default="", repr=False)
    signature: str = field(default="", repr=False)

    @property
    def is_accepted(self) -> bool:
        """Whether the webhook answered 2xx in time. Otherwise LINE redelivers, if redelivery is on."""
        return self.reason is None

    @property
    def failure(self) -> str | None:
        """The status or the reason of a failure, e.g. `503` or `request_timeout`."""
        return str(self.status) if self.reason == "error_status_code" else self.reason


def sign(channel_secret: str, body: bytes) -> str:
    """Return the value of `x-line-signature`.  Source: docs/messaging-api/verify-webhook-signature."""
    return base64.b64encode(hmac.new(channel_secret.encode(), body, hashlib.sha256).digest()).decode()


@dataclass(kw_only=True)
class Courier:
    """Sends every delivery in a separate task; `wait_until_settled` waits for all of them.

    `on_departure` is called for each event before an attempt, `on_arrival` after the attempt, `on_other_attempt` after an attempt without
    events. While `is_muted`, nothing is delivered.
    """

    webhook_url: str
    destination: str
    channel_secret: str = field(repr=False)
    now_ms: Callable[[], int]
    monotonic_s: Callable[[], float]
    sleep: Callable[[float], Awaitable[None]]
    rng: Random
    on_departure: Callable[[WebhookEvent, int], None]
    on_arrival: Callable[[WebhookEvent, DeliveryAttempt], None]
    on_other_attempt: Callable[[], None]
    client: httpx2.AsyncClient | None = None
    switches: DeliverySwitches = field(default_factory=DeliverySwitches)
    attempts: list[DeliveryAttempt] = field(default_factory=list)
    held_deliveries: list[tuple[WebhookEvent, ...]] = field(default_factory=list)
    is_muted: bool = False
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    def hand_over(self, events: tuple[WebhookEvent, ...]) -> None:
        """Start the delivery of the events in one request, or hold the events until `release`. Needs the running loop, unless muted."""
        if self.is_muted:
            return
        if self.switches.holds:
            self.held_deliveries.append(events)
        else:
            self._start(self._deliver(events))

    def release(self, *webhook_event_ids: str) -> None:
        """Send held deliveries one after the other, in the order of the ids; without ids, in the order of arrival.

        For example, `release("e2", "e1")` sends the delivery with event e2 first.
        """
        named_deliveries = [
            events
            for webhook_event_id in webhook_event_ids
            for events in self.held_deliveries
            if webhook_event_id in {event.webhook_event_id for event in events}
        ]
        deliveries = named_deliveries if webhook_event_ids else list(self.held_deliveries)
        self.held_deliveries = [events for events in self.held_deliveries if events not in deliveries]
        self._start(self._deliver_in_turn(deliveries))

    def redeliver(self, event: WebhookEvent) -> None:
        """Send the event again as a redelivery, regardless of the answers to earlier attempts."""
        self._start(self._redeliver(event))

    def start_verification(self) -> None:
        """Begin `verify` without waiting for the end."""
        self._start(self._verify())

    def send_raw(self, body: bytes, signature: str | None) -> None:
        """Send the bytes unchanged, with the given signature, by default the right one."""
        self._start(self._send_raw(body, sign(self.channel_secret, body) if signature is None else signature))

    async def verify(self, url: str | None = None) -> DeliveryAttempt:
        """Send a signed delivery without events, like the console's "Verify", by default to the webhook.

        Source: docs/messaging-api/verify-webhook-url; Messaging API reference, "Test webhook endpoint".
        """
        return await self._attempt((), is_redelivery=False, url=url)

    async def wait_until_settled(self) -> None:
        """Return once no delivery is under way; held deliveries stay held."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    def abandon(self) -> None:
        """Cancel open deliveries, and forget held deliveries and all attempts."""
        for task in self._tasks:
            task.cancel()
        self.held_deliveries.clear()
        self.attempts.clear()

    async def close(self) -> None:
        """Cancel the deliveries under way."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self.client is not None:
            await self.client.aclose()

    def _start(self, delivery: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(delivery)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _deliver_in_turn(self, deliveries: Sequence[tuple[WebhookEvent, ...]]) -> None:
        for events in deliveries:
            await self._deliver(events)

    async def _deliver(self, events: tuple[WebhookEvent, ...]) -> None:
        wait_s = self.switches.delay_s + self.rng.uniform(0, self.switches.jitter_s)
        if wait_s > 0:
            await self.sleep(wait_s)
        first, *_ = await asyncio.gather(
            *(self._send(events, is_redelivery=False) for _ in range(1 + self.switches.duplicates))
        )
        redeliveries = 0
        while not first.is_accepted and self.switches.redelivers and redeliveries < self.switches.redelivery_count:
            await self.sleep(self.switches.redelivery_interval_s)
            first = await self._send(events, is_redelivery=True)
            redeliveries += 1

    async def _redeliver(self, event: WebhookEvent) -> None:
        await self._send((event,), is_redelivery=True)

    async def _send(self, events: tuple[WebhookEvent, ...], *, is_redelivery: bool) -> DeliveryAttempt:
        for event in events:
            self.on_departure(event, self.now_ms())
        attempt = await self._attempt(events, is_redelivery=is_redelivery)
        for event in events:
            self.on_arrival(event, attempt)
        return attempt

    async def _verify(self) -> None:
        await self.verify()
        self.on_other_attempt()

    async def _send_raw(self, body: bytes, signature: str) -> None:
        await self._post((), body, signature, is_redelivery=False)
        self.on_other_attempt()

    async def _attempt(
        self, events: tuple[WebhookEvent, ...], *, is_redelivery: bool, url: str | None = None
    ) -> DeliveryAttempt:
        payload = {
            "destination": self.destination,
            "events": [event.as_sent(is_redelivery=is_redelivery) for event in events],
        }
        body = json.dumps(payload, ensure_ascii=False, separators=(",", ":")).encode()
        return await self._post(events, body, sign(self.channel_secret, body), is_redelivery=is_redelivery, url=url)

    async def _post(
        self,
        events: tuple[WebhookEvent, ...],
        body: bytes,
        signature: str,
        *,
        is_redelivery: bool,
        url: str | None = None,
    ) -> DeliveryAttempt:
        started_ms, started_s = self.now_ms(), self.monotonic_s()
        status, reason, detail = await self._outcome(url or self.webhook_url, body, signature)
        attempt = DeliveryAttempt(
            webhook_event_ids=tuple(event.webhook_event_id for event in events),
            is_redelivery=is_redelivery,
            started_ms=started_ms,
            duration_ms=round((self.monotonic_s() - started_s) * 1_000),
            status=status,
            reason=reason,
            detail=detail,
            body=body.decode(errors="replace"),
            signature=signature,
        )
        self.attempts.append(attempt)
        del self.attempts[:-ATTEMPTS_KEPT]
        return attempt

    async def _outcome(self, url: str, body: bytes, signature: str) -> tuple[int | None, FailureReason | None, str]:
        if self.client is None:
            # One connection per delivery: a server that closes an idle connection would look like a broken webhook.
            limits = httpx2.Limits(max_connections=None, max_keepalive_connections=0)
            self.client = httpx2.AsyncClient(trust_env=False, timeout=None, limits=limits)
        headers = {
            "Content-Type": "application/json; charset=utf-8",
            "User-Agent": USER_AGENT,
            "x-line-signature": signature,
        }
        try:
            async with asyncio.timeout(self.switches.timeout_s):
                response = await self.client.post(url, content=body, headers=headers)
        except TimeoutError:
            return None, "request_timeout", f"no answer within {self.switches.timeout_s:g} s"
        except httpx2.ConnectError as error:
            return None, "could_not_connect", str(error)
        except (httpx2.HTTPError, httpx2.InvalidURL, UnicodeError) as error:
            return None, "unclassified", str(error)
        if response.is_success:
            return response.status_code, None, ""
        return response.status_code, "error_status_code", str(response.status_code)
