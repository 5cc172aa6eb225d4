"""Delivers queued messages as Pub/Sub's push subscriptions do: wrapped, to the worker or the unsend endpoint, many at a time."""

import base64
import datetime as dt
import json
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from shared import logs
from shared.adapters.sqlite import QueuedMessage, SqliteEventQueue
from shared.bus.endpoint import PushEndpoint
from shared.bus.messages import TICK_TYPE, TRACEPARENT, BusMessage
from shared.clock import Clock
from shared.errors import AizuchiError

AT_ONCE: Final = 120  # nearly all of them wait for the model
_A_CHAT_AT_ONCE: Final = 8
"""Further messages of a chat stay in the queue: their threads would only wait for the chat's turn, and other chats need the threads."""
_AT_A_TIME: Final = 8
_LONGEST_WAIT_S: Final = 30.0
_FAILURE_PAUSE_S: Final = 1.0
_REFUSED: Final = 300
_STOP_S: Final = 20.0
_UNSEND: Final = "unsend"


class Dispatcher:
    """Takes messages from the queue in a separate thread, and handles each message in a pooled thread.  `publish` wakes the first thread.

    `clean_up` is called after each withdrawal, before the unsend is acknowledged.
    """

    def __init__(
        self,
        queue: SqliteEventQueue,
        *,
        worker: PushEndpoint,
        unsend: PushEndpoint,
        clean_up: Callable[[], None],
        clock: Clock,
    ) -> None:
        self._queue = queue
        self._worker = worker
        self._unsend = unsend
        self._clean_up = clean_up
        self._clock = clock
        self._busy: Counter[str] = Counter()
        self._in_flight = 0
        self._is_stopping = False
        self._changed = threading.Condition()
        self._has_news = False
        self._handlers = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="event")
        self._thread = threading.Thread(target=self._run, name="dispatcher", daemon=True)
        self.last_message_ms: int | None = None

    def start(self) -> None:
        """Begin to take messages."""
        self._thread.start()

    def stop(self) -> None:
        """Take no more messages; wait at most 20 s for those in flight.  Unfinished messages are delivered again after the next start."""
        with self._changed:
            self._is_stopping = True
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._in_flight == 0, timeout=_STOP_S)
        self._thread.join()
        self._handlers.shutdown(wait=False, cancel_futures=True)

    def publish(self, messages: Sequence[BusMessage]) -> tuple[str, ...]:
        ids = self._queue.publish(messages)
        self.last_message_ms = self._clock.now_ms()
        self._wake()
        return ids

    def tick(self) -> bool:
        """Have the worker carry out all due work; return whether the worker succeeded.  The next tick makes up for a failed tick."""
        message = BusMessage(data=json.dumps({"type": TICK_TYPE}).encode(), attributes={"type": TICK_TYPE})
        now_ms = self._clock.now_ms()
        _, status = self._worker("POST", _push_body(message, f"tick-{now_ms}", now_ms, attempt=1))
        return status < _REFUSED

    def _run(self) -> None:
        while not self._is_stopping:
            try:
                if not self._hand_out():
                    self._wait(self._queue.next_due_s())
            except AizuchiError as cause:  # the disk is full, or broken
                logs.error("queue_unreadable", cause=cause)
                self._wait(_FAILURE_PAUSE_S)

    def _hand_out(self) -> int:
        """Start to handle due messages, as far as threads are free; return their number."""
        with self._changed:
            self._has_news = False
            free = AT_ONCE - self._in_flight
            in_flight = dict(self._busy)
        messages = (
            self._queue.take(min(free, _AT_A_TIME), in_flight=in_flight, most_of_a_chat=_A_CHAT_AT_ONCE) if free else ()
        )
        with self._changed:
            for message in messages:
                self._busy[message.chat] += 1
            self._in_flight += len(messages)
        for message in messages:
            self._handlers.submit(self._handle, message)
        return len(messages)

    def _wait(self, seconds: float | None) -> None:
        """Wait until a message arrives, is done or falls due."""
        with self._changed:
            is_full = self._in_flight >= AT_ONCE
            least_s = _FAILURE_PAUSE_S if self._in_flight else 0.0  # the due message may be a busy chat's
            timeout_s = _LONGEST_WAIT_S if seconds is None or is_full else min(max(seconds, least_s), _LONGEST_WAIT_S)
            self._changed.wait_for(lambda: self._has_news or self._is_stopping, timeout=timeout_s)

    def _wake(self) -> None:
        with self._changed:
            self._has_news = True
            self._changed.notify_all()

    def _handle(self, message: QueuedMessage) -> None:
        try:
            self._push(message)
        except AizuchiError as cause:  # delivered again once its lease has expired
            logs.error("message_not_settled", cause=cause)
        finally:
            with self._changed:
                self._in_flight -= 1
                self._busy[message.chat] -= 1
                if not self._busy[message.chat]:
                    del self._busy[message.chat]
                self._has_news = True
                self._changed.notify_all()

    def _push(self, message: QueuedMessage) -> None:
        is_unsend = message.attributes.get("type") == _UNSEND
        endpoint = self._unsend if is_unsend else self._worker
        wrapped = BusMessage(data=message.data, attributes=message.attributes)
        body = _push_body(wrapped, str(message.id), message.published_ms, attempt=message.attempts)
        _, status = endpoint("POST", body, traceparent=message.attributes.get(TRACEPARENT))
        if status >= _REFUSED:
            self._queue.refuse(message)
            return
        if is_unsend:
            self._clean_up()
        self._queue.acknowledge(message)


def _push_body(message: BusMessage, message_id: str, published_ms: int, *, attempt: int) -> bytes:
    """Return the body that Pub/Sub would post, for example `{"message": {"messageId": "7", ...}, "deliveryAttempt": 1, ...}`.

    Source: Pub/Sub, "Push subscriptions".
    """
    published = dt.datetime.fromtimestamp(published_ms / 1_000, dt.UTC).isoformat(timespec="milliseconds")
    wrapped = {
        "data": base64.b64encode(message.data).decode(),
        "attributes": dict(message.attributes),
        "messageId": message_id,
        "publishTime": published,
    }
    return json.dumps({"message": wrapped, "subscription": "self-hosted", "deliveryAttempt": attempt}).encode()
