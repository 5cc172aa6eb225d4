"""Delivers queued messages as Pub/Sub's two push subscriptions do: wrapped, unsends to their endpoint and the others to the worker.

Unsends have threads and a share of their own: while a chat's messages wait for the model, what somebody takes back must go.
"""

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
from shared.clock import Clock, Deadline
from shared.errors import AizuchiError

AT_ONCE: Final = 120  # nearly all of them wait for the model
_UNSENDS_AT_ONCE: Final = 16
_A_CHAT_AT_ONCE: Final = 8
"""Further messages of a chat stay in the queue: their threads would only wait for the chat's turn, and other chats need the threads."""
_AT_A_TIME: Final = 8
_LONGEST_WAIT_S: Final = 30.0
_FAILURE_PAUSE_S: Final = 1.0
_REFUSED: Final = 300
_STOP_S: Final = 20.0


class Dispatcher:
    """Takes messages from the queue as soon as they are published, and hands them out.

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
        self._clock = clock
        self._subscriptions = (
            _Subscription(queue, worker, of_unsends=False, at_once=AT_ONCE),
            _Subscription(queue, unsend, of_unsends=True, at_once=_UNSENDS_AT_ONCE, handled=clean_up),
        )
        self.last_message_ms: int | None = None

    def start(self) -> None:
        """Begin to take messages."""
        for subscription in self._subscriptions:
            subscription.start()

    def stop(self) -> None:
        """Take no more messages; wait at most 20 s for those in flight.  Unfinished messages are delivered again after the next start."""
        for subscription in self._subscriptions:
            subscription.pause()
        deadline = Deadline.after(self._clock, _STOP_S)
        for subscription in self._subscriptions:
            subscription.stop(wait_s=max(0.0, deadline.left_s))

    def publish(self, messages: Sequence[BusMessage]) -> tuple[str, ...]:
        ids = self._queue.publish(messages)
        self.last_message_ms = self._clock.now_ms()
        for subscription in self._subscriptions:
            subscription.wake()
        return ids

    def tick(self) -> bool:
        """Have the worker carry out all due work; return whether the worker succeeded.  The next tick makes up for a failed tick."""
        message = BusMessage(data=json.dumps({"type": TICK_TYPE}).encode(), attributes={"type": TICK_TYPE})
        now_ms = self._clock.now_ms()
        _, status = self._worker("POST", _push_body(message, f"tick-{now_ms}", now_ms, attempt=1))
        return status < _REFUSED


class _Subscription:
    """Takes the unsends, or all other messages, in a thread of its own, and handles each in a pooled thread.

    `handled` is called before a message is acknowledged.
    """

    def __init__(
        self,
        queue: SqliteEventQueue,
        endpoint: PushEndpoint,
        *,
        of_unsends: bool,
        at_once: int,
        handled: Callable[[], None] = lambda: None,
    ) -> None:
        self._queue = queue
        self._endpoint = endpoint
        self._of_unsends = of_unsends
        self._at_once = at_once
        self._handled = handled
        self._busy: Counter[str] = Counter()
        self._in_flight = 0
        self._is_stopping = False
        self._changed = threading.Condition()
        self._has_news = False
        name = "unsend" if of_unsends else "event"
        self._handlers = ThreadPoolExecutor(at_once, thread_name_prefix=name)
        self._thread = threading.Thread(target=self._run, name=f"{name}s", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def pause(self) -> None:
        """Take no more messages."""
        with self._changed:
            self._is_stopping = True
            self._changed.notify_all()

    def stop(self, *, wait_s: float) -> None:
        """Wait for the messages in flight, once paused."""
        with self._changed:
            self._changed.wait_for(lambda: self._in_flight == 0, timeout=wait_s)
        self._thread.join()
        self._handlers.shutdown(wait=False, cancel_futures=True)

    def wake(self) -> None:
        with self._changed:
            self._has_news = True
            self._changed.notify_all()

    def _run(self) -> None:
        while not self._is_stopping:
            try:
                if not self._hand_out():
                    self._wait(self._queue.next_due_s(of_unsends=self._of_unsends))
            except AizuchiError as cause:  # the disk is full, or broken
                logs.error("queue_unreadable", cause=cause)
                self._wait(_FAILURE_PAUSE_S)

    def _hand_out(self) -> int:
        """Start to handle due messages, as far as threads are free; return their number."""
        with self._changed:
            self._has_news = False
            free = self._at_once - self._in_flight
            in_flight = dict(self._busy)
        messages = (
            self._queue.take(
                min(free, _AT_A_TIME),
                of_unsends=self._of_unsends,
                in_flight=in_flight,
                most_of_a_chat=_A_CHAT_AT_ONCE,
            )
            if free
            else ()
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
            is_full = self._in_flight >= self._at_once
            least_s = _FAILURE_PAUSE_S if self._in_flight else 0.0  # the due message may be a busy chat's
            timeout_s = _LONGEST_WAIT_S if seconds is None or is_full else min(max(seconds, least_s), _LONGEST_WAIT_S)
            self._changed.wait_for(lambda: self._has_news or self._is_stopping, timeout=timeout_s)

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
        wrapped = BusMessage(data=message.data, attributes=message.attributes)
        body = _push_body(wrapped, str(message.id), message.published_ms, attempt=message.attempts)
        _, status = self._endpoint("POST", body, traceparent=message.attributes.get(TRACEPARENT))
        if status >= _REFUSED:
            self._queue.refuse(message)
            return
        self._handled()
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
